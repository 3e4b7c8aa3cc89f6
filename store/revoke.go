package store

import (
	"cmp"
	"slices"
	"time"
)

// InForce tells whether a decision still counts at a time: it was not taken
// back and did not expire.
func (d Decision) InForce(now time.Time) bool {
	return d.Verdict != Revoked && (d.Expires.IsZero() || now.Before(d.Expires))
}

// DecisionFilter says which decisions are meant; empty fields do not count, so
// the zero value means all.
type DecisionFilter struct {
	Identity Identity
	URI      string
}

// Revoke takes back every decision that passes the filter, allowed or refused,
// and returns how many. Also while the keyring is away, when the ledger cannot
// be read: what is taken back then need not be genuine, so it is taken from
// the file as it stands.
func (t *Tx) Revoke(f DecisionFilter, origin string) (int, error) {
	held := t.draft.Decisions
	if !t.ledger.readable() {
		rows, err := readRows(t.ctx, t.sql, 0)
		if err != nil {
			t.err = err
			return 0, err
		}
		unverified := newDraft(t.State())
		for _, r := range rows {
			row, err := decodeLedgerRow(r.seq, r.body)
			if err == nil && row.kind == rowDecision {
				unverified.applyNewer(&row)
			}
		}
		held = unverified.Decisions
	}
	var gone []Decision
	for id, byURI := range held {
		for uri, d := range byURI {
			if d.Verdict != Revoked && (f.Identity == "" || f.Identity == id) && (f.URI == "" || f.URI == uri) {
				gone = append(gone, Decision{Identity: id, URI: uri, Starter: d.Starter, Access: d.Access, Verdict: Revoked, Origin: origin})
			}
		}
	}
	slices.SortFunc(gone, func(a, b Decision) int { return cmp.Or(cmp.Compare(a.Identity, b.Identity), cmp.Compare(a.URI, b.URI)) })
	return len(gone), t.Record(gone...)
}
