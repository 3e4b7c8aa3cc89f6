package app

import (
	"context"
	"errors"
	"time"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// Tick is one cell of the Access grid as a person sets it.
type Tick struct {
	Server store.ServerID
	Root   store.RootID
	On     bool
	Access root.Access // with On; empty keeps what is there, or read-only
}

// Assign sets cells by hand: ticking a folder for a server is consent for that
// folder, unticking takes it back.
func (e *Engine) Assign(ctx context.Context, ticks []Tick) error {
	return e.assign(ctx, ticks, store.Allow, "grid")
}

// AssignConfirmed is Assign for what a person confirmed elsewhere; origin says
// where ("cli").
func (e *Engine) AssignConfirmed(ctx context.Context, ticks []Tick, origin string) error {
	return e.assign(ctx, ticks, store.Allow, origin)
}

// AssignOnly assigns without consent: the server is told only after a person
// allowed it.
func (e *Engine) AssignOnly(ctx context.Context, ticks []Tick) error {
	return e.assign(ctx, ticks, "", "")
}

// assign changes assignments and records the verdict for those switched on; an
// empty verdict records none.
func (e *Engine) assign(ctx context.Context, ticks []Tick, verdict store.Verdict, origin string) error {
	if len(ticks) == 0 {
		return nil
	}
	e.replan(ctx, e.store.State())
	var seen map[store.RootID]monitor.Observation
	if verdict == store.Allow {
		var err error
		if seen, err = e.lookAt(ctx, ticks); err != nil {
			return err
		}
	}
	before := e.store.State()
	identities := make(map[store.ServerID]store.Identity)
	for _, t := range ticks {
		identities[t.Server] = e.identityOf(t.Server)
	}
	err := e.commit(ctx, func(tx *store.Tx) error {
		var decisions []store.Decision
		var pairs []store.Assignment
		ws := tx.State().Active
		for _, t := range ticks {
			r, err := rootOf(tx.State(), t.Root)
			if err != nil {
				return err
			}
			srv, err := serverOf(tx.State(), t.Server)
			if err != nil {
				return err
			}
			identity := identities[t.Server]
			if !t.On {
				if err := tx.Unassign(ws, t.Server, t.Root); err != nil {
					return err
				}
				d, ok := tx.State().Decisions[identity][r.URI]
				switch {
				case ok && d.Verdict != store.Revoked:
					decisions = append(decisions, e.revocation(identity, r.URI))
				case !ok && !e.store.Seal().Sealed: // there may be one that cannot be seen now
					if _, err := tx.Revoke(store.DecisionFilter{Identity: identity, URI: r.URI}, "grid"); err != nil {
						return err
					}
				}
				continue
			}
			if r.Kind == root.HTTPS && !srv.AllowHTTPS && verdict == store.Allow {
				return errors.New(srv.Name + " does not accept web addresses: allow them in the server's settings first")
			}
			access := t.Access
			if access == "" {
				if access = tx.State().Assignments[ws][t.Server][t.Root]; access == "" {
					access = root.ReadOnly
				}
			}
			pairs = append(pairs, store.Assignment{Server: t.Server, Root: t.Root, Access: access})
			if verdict != "" && identity != "" {
				decisions = append(decisions, store.Decision{
					Time: time.Now(), Identity: identity, Starter: e.opts.Starter, URI: r.URI, Target: seen[t.Root].Target,
					FileID: seen[t.Root].FileID, Access: access, Verdict: verdict, Origin: origin, Expires: e.expiry(tx.State()),
				})
			}
		}
		if err := tx.AssignAll(ws, pairs); err != nil || len(decisions) == 0 {
			return err
		}
		return tx.Record(decisions...)
	})
	if err != nil {
		return err
	}
	for _, t := range ticks {
		if !t.On {
			e.forgetOnce(before.Roots[t.Root].URI, identities[t.Server])
		}
	}
	e.did(e.tickActivity(ticks, verdict), tickLabel(before, ticks), func(ctx context.Context) error {
		byVerdict := inverse(before, ticks, identities)
		return errors.Join(
			e.assign(ctx, byVerdict[store.Allow], store.Allow, "undo"),
			e.assign(ctx, byVerdict[store.Never], store.Never, "undo"),
			e.assign(ctx, byVerdict[""], "", "undo"))
	})
	return nil
}

// inverse is what the ticks were before, by what was decided about them then:
// undoing must not allow what was never allowed.
func inverse(before *store.State, ticks []Tick, identities map[store.ServerID]store.Identity) map[store.Verdict][]Tick {
	by := make(map[store.Verdict][]Tick)
	for _, t := range ticks {
		access, on := before.Assignments[before.Active][t.Server][t.Root]
		verdict := before.Decisions[identities[t.Server]][before.Roots[t.Root].URI].Verdict
		if verdict == store.Revoked {
			verdict = ""
		}
		by[verdict] = append(by[verdict], Tick{Server: t.Server, Root: t.Root, On: on, Access: access})
	}
	return by
}

// lookAt sees where the roots of the ticks lead now: consent remembers it.
func (e *Engine) lookAt(ctx context.Context, ticks []Tick) (map[store.RootID]monitor.Observation, error) {
	state := e.store.State()
	var places []monitor.Place
	ids := make(map[store.RootID]bool)
	for _, t := range ticks {
		r, ok := state.Roots[t.Root]
		if t.On && ok && r.Kind != root.HTTPS && !ids[t.Root] {
			ids[t.Root] = true
			places = append(places, place(r))
		}
	}
	observations := e.monitor.Observe(ctx, places...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	seen := make(map[store.RootID]monitor.Observation, len(places))
	for i, p := range places {
		seen[store.RootID(p.ID)] = observations[i]
	}
	return seen, nil
}

func (e *Engine) identityOf(id store.ServerID) store.Identity {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l := e.links[id]; l != nil && l.plan != nil {
		return l.plan.identity
	}
	return ""
}

func (e *Engine) revocation(identity store.Identity, uri string) store.Decision {
	return store.Decision{Time: time.Now(), Identity: identity, Starter: e.opts.Starter, URI: uri, Verdict: store.Revoked, Origin: "grid"}
}

// forgetOnce takes back what was allowed until quit, for these identities or
// for all.
func (e *Engine) forgetOnce(uri string, identities ...store.Identity) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(identities) == 0 {
		for id := range e.once.allowed {
			identities = append(identities, id)
		}
	}
	for _, id := range identities {
		e.once.forget(id, uri)
	}
}

// SettingExpiry is the setting after how many days a decision lapses: "", "30"
// or "90".
const SettingExpiry = "decisions-expire-days"

func (e *Engine) expiry(state *store.State) time.Time {
	switch state.Settings[SettingExpiry] {
	case "30":
		return time.Now().AddDate(0, 0, 30)
	case "90":
		return time.Now().AddDate(0, 0, 90)
	}
	return time.Time{}
}

func (e *Engine) tickActivity(ticks []Tick, verdict store.Verdict) Activity {
	state := e.store.State()
	server := serverName(state, ticks[0].Server)
	a := Activity{Kind: "decided", Server: server, Subject: server}
	what := label(state.Roots[ticks[0].Root])
	if len(ticks) > 1 {
		what = e.countFolders(len(ticks))
	}
	switch t := ticks[0]; {
	case !t.On:
		a.Text = "– you took back " + what
	case verdict == "":
		a.Text = "– " + what + " assigned, waiting for your answer"
	case verdict == store.Never:
		a.Text = "– you refused " + what
	case state.Assignments[state.Active][t.Server][t.Root] == root.ReadWrite:
		a.Text = "– you allowed " + what + ", read and write"
	default:
		a.Text = "– you allowed " + what + ", read-only"
	}
	return a
}

func serverName(state *store.State, id store.ServerID) string {
	s, err := serverOf(state, id)
	if err != nil {
		return "A server"
	}
	return s.Name
}

func tickLabel(state *store.State, ticks []Tick) string {
	if len(ticks) != 1 {
		return "Change access"
	}
	r, server := label(state.Roots[ticks[0].Root]), serverName(state, ticks[0].Server)
	if ticks[0].On {
		return "Share " + r + " with " + server
	}
	return "Take " + r + " back from " + server
}
