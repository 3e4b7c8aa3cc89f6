package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// DecisionView is one decision in force, as shown: either an approval (URI is
// empty) or a consent.
type DecisionView struct {
	Identity  store.Identity
	Servers   []string // names of the entries that run exactly this; empty if none does any more
	Runs      string   // command line or web address of the approval, if it is known
	URI       string   // empty for an approval
	Label     string
	Short     string
	Target    string // where it led when it was decided, if that is elsewhere
	Access    root.Access
	Verdict   store.Verdict
	Origin    string // dialog, grid, cli, undo
	Time      time.Time
	Expires   time.Time // zero: does not expire
	UntilQuit bool      // kept in memory only
}

// Decisions lists every approval and consent in force, newest first.
func (e *Engine) Decisions() []DecisionView {
	e.mu.Lock()
	defer e.mu.Unlock()
	names := make(map[store.Identity][]string)
	for _, srv := range e.state.Servers {
		if l := e.links[srv.ID]; l != nil && l.plan != nil {
			names[l.plan.identity] = append(names[l.plan.identity], srv.Name)
		}
	}
	var list []DecisionView
	for id, a := range e.state.Approvals {
		list = append(list, DecisionView{Identity: id, Servers: names[id], Runs: runs(a), Verdict: store.Allow, Origin: a.Origin, Time: a.Time})
	}
	for id, at := range e.once.approved {
		list = append(list, DecisionView{Identity: id, Servers: names[id], Verdict: store.Allow, Origin: "dialog", Time: at, UntilQuit: true})
	}
	now := time.Now()
	for id, byURI := range e.state.Decisions {
		for uri, d := range byURI {
			if d.Verdict == store.Revoked || !d.Expires.IsZero() && now.After(d.Expires) {
				continue
			}
			list = append(list, e.consentView(id, uri, names[id], d))
		}
	}
	for id, byURI := range e.once.allowed {
		for uri, g := range byURI {
			v := e.consentView(id, uri, names[id], store.Decision{Target: g.target, Verdict: g.verdict, Origin: "dialog"})
			v.UntilQuit = true
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b DecisionView) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Identity, b.Identity), cmp.Compare(a.URI, b.URI))
	})
	return list
}

func (e *Engine) consentView(id store.Identity, uri string, servers []string, d store.Decision) DecisionView {
	r := store.Root{URI: uri}
	if known, ok := e.index.byURI[uri]; ok {
		r = e.state.Roots[known]
	}
	v := DecisionView{
		Identity: id, Servers: servers, URI: uri, Label: label(r), Short: Short(rootPath(r)), Access: d.Access,
		Verdict: d.Verdict, Origin: d.Origin, Time: d.Time, Expires: d.Expires,
	}
	if d.Target != "" && d.Target != rootPath(r) {
		v.Target = d.Target
	}
	return v
}

// runs is what an approval was given for, in words.
func runs(a store.Approval) string {
	if shown, err := parseShown(a.Shown); err == nil && len(shown.CommandLine) > 0 {
		return Quote(shown.CommandLine)
	}
	return a.Program
}

// Revocation names what is taken back. The zero value names nothing; fields
// that are set must all fit.
type Revocation struct {
	Identity  store.Identity // decisions about this server
	URI       string         // consent for this root
	Approvals bool           // also (or, with neither field set, only) approvals
	All       bool           // everything
}

// Revoke takes decisions back: what they allowed is undecided again, and
// servers that run are told or stopped. It returns how many there were.
func (e *Engine) Revoke(ctx context.Context, what Revocation) (int, error) {
	if what == (Revocation{}) {
		return 0, errors.New("nothing was named to take back")
	}
	var gone []DecisionView
	for _, d := range e.Decisions() {
		fits := what.All || (what.Identity == "" || what.Identity == d.Identity) && (what.URI == "" || what.URI == d.URI) && (d.URI != "" || what.Approvals)
		if what.Approvals && what.Identity == "" && what.URI == "" && !what.All {
			fits = d.URI == ""
		}
		if fits {
			gone = append(gone, d)
		}
	}
	e.mu.Lock()
	for _, d := range gone {
		if d.UntilQuit && d.URI != "" {
			e.once.forget(d.Identity, d.URI)
		} else if d.UntilQuit {
			e.once.disapprove(d.Identity)
		}
	}
	e.mu.Unlock()
	err := e.update(ctx, func(tx *store.Tx) error {
		var revoke []store.Decision
		for _, d := range gone {
			switch {
			case d.UntilQuit:
			case d.URI == "":
				if err := tx.RemoveApproval(d.Identity); err != nil {
					return err
				}
			default:
				revoke = append(revoke, e.revocation(d.Identity, d.URI))
			}
		}
		return tx.Record(revoke...)
	})
	if err != nil {
		return 0, err
	}
	if len(gone) > 0 {
		e.mu.Lock()
		e.recordLocked(Activity{Kind: "decided", Subject: fmt.Sprintf("%d decisions", len(gone)), Text: "taken back by you"})
		e.publishLocked()
		e.mu.Unlock()
	}
	return len(gone), nil
}
