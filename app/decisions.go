package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

// Revocation names what is taken back. The zero value names nothing.
type Revocation struct {
	Identity store.Identity // this server's: its approval, too, unless URI is set
	URI      string         // consent for this root; with Identity, of this server only
	All      bool           // every approval and every consent
}

// Revoke takes decisions back, also those that cannot be seen while the
// keyring is away: what they allowed is undecided again, and servers that run
// are told or stopped. It returns how many there were.
func (e *Engine) Revoke(ctx context.Context, what Revocation) (int, error) {
	if what == (Revocation{}) {
		return 0, errors.New("nothing was named to take back")
	}
	if what.All {
		what.Identity, what.URI = "", ""
	}
	n := e.revokeOnce(what)
	err := e.update(ctx, func(tx *store.Tx) error {
		if what.URI == "" {
			for id := range tx.State().Approvals {
				if what.All || id == what.Identity {
					n++
					if err := tx.RemoveApproval(id); err != nil {
						return err
					}
				}
			}
		}
		consents, err := tx.Revoke(store.DecisionFilter{Identity: what.Identity, URI: what.URI}, "decisions")
		n += consents
		return err
	})
	if err != nil {
		return 0, err
	}
	e.mu.Lock()
	e.recordLocked(Activity{Kind: "decided", Subject: countDecisions(n), Text: was(n) + " taken back by you"})
	e.publishLocked()
	e.mu.Unlock()
	return n, nil
}

// revokeOnce takes back what was decided until quit.
func (e *Engine) revokeOnce(what Revocation) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id := range e.once.approved {
		if what.URI == "" && (what.All || id == what.Identity) {
			e.once.disapprove(id)
			n++
		}
	}
	for id, byURI := range e.once.allowed {
		for uri := range byURI {
			if (what.Identity == "" || id == what.Identity) && (what.URI == "" || uri == what.URI) {
				e.once.forget(id, uri)
				n++
			}
		}
	}
	return n
}

func countDecisions(n int) string {
	if n == 1 {
		return "1 decision"
	}
	return fmt.Sprintf("%d decisions", n)
}

// RetryKeyring looks for the keyring at once, and lets it show its prompt if
// it is locked. It does not wait: the next snapshots tell.
func (e *Engine) RetryKeyring() { e.store.LookAtKeyring() }

// AcknowledgeTampering says that the person has seen that decisions had been
// altered outside of this app. The altered ledger is kept.
func (e *Engine) AcknowledgeTampering(ctx context.Context) error {
	if err := e.store.AcknowledgeTampering(ctx); err != nil {
		return err
	}
	e.adopt(e.store.State())
	return nil
}

// ExportActivity writes the whole audit log, oldest first, as JSON Lines
// ("json") or CSV ("csv").
func (e *Engine) ExportActivity(ctx context.Context, w io.Writer, format string) error {
	if err := e.store.Flush(ctx); err != nil {
		return err
	}
	if format == "csv" {
		return e.store.ExportAuditCSV(ctx, w, store.AuditFilter{})
	}
	return e.store.ExportAuditJSON(ctx, w, store.AuditFilter{})
}
