package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rootsmanager/app/root"
)

// What a row of the ledger says.
const (
	rowDecision = "decision"
	rowApproval = "approval"
	rowRemoval  = "approval removed"
)

// ledgerRow is one row of the ledger: a decision, an approval or the removal
// of an approval.
type ledgerRow struct {
	kind     string
	decision Decision // rowDecision
	approval Approval // rowApproval; only Identity and Time for rowRemoval
}

// rowSubject is what a row is about; the newest row about it counts.
type rowSubject struct {
	identity Identity
	uri      string // empty for approvals
}

func (r *ledgerRow) subject() rowSubject {
	if r.kind == rowDecision {
		return rowSubject{r.decision.Identity, r.decision.URI}
	}
	return rowSubject{r.approval.Identity, ""}
}

func (r *ledgerRow) time() time.Time {
	if r.kind == rowDecision {
		return r.decision.Time
	}
	return r.approval.Time
}

// narrows tells whether the row can only make less be disclosed.
func (r *ledgerRow) narrows() bool {
	return r.kind == rowRemoval || r.kind == rowDecision && (r.decision.Verdict == Never || r.decision.Verdict == Revoked)
}

// encode gives the row's text: fields divided by tabs. It is what is sealed,
// byte for byte, so it is never encoded a second time.
func (r *ledgerRow) encode() string {
	var b strings.Builder
	b.Grow(256)
	b.WriteString(r.kind)
	add := func(fields ...string) {
		for _, f := range fields {
			b.WriteByte('\t')
			b.WriteString(escapeField(f))
		}
	}
	switch r.kind {
	case rowDecision:
		d := &r.decision
		add(timeField(d.Time), string(d.Identity), d.Starter, d.URI, d.Target, d.FileID,
			string(d.Access), string(d.Verdict), d.Origin, timeField(d.Expires))
	case rowApproval:
		a := &r.approval
		add(timeField(a.Time), string(a.Identity), string(a.Server), a.Starter, a.Program, a.ProgramHash, a.Shown, a.Origin)
	case rowRemoval:
		add(timeField(r.approval.Time), string(r.approval.Identity))
	}
	return b.String()
}

var errLedgerRow = errors.New("a row of the ledger cannot be read")

func decodeLedgerRow(seq int64, body string) (ledgerRow, error) {
	var f [12]string
	n := 0
	for rest, more := body, true; more; n++ {
		if n == len(f) {
			return ledgerRow{}, fmt.Errorf("%w: row %d", errLedgerRow, seq)
		}
		f[n], rest, more = strings.Cut(rest, "\t")
		f[n] = unescapeField(f[n])
	}
	row := ledgerRow{kind: f[0]}
	when, err := parseTimeField(f[1])
	if err != nil {
		return ledgerRow{}, fmt.Errorf("%w: row %d: %w", errLedgerRow, seq, err)
	}
	switch {
	case row.kind == rowDecision && n == 11:
		expires, err := parseTimeField(f[10])
		if err != nil {
			return ledgerRow{}, fmt.Errorf("%w: row %d: %w", errLedgerRow, seq, err)
		}
		row.decision = Decision{
			Seq: seq, Time: when, Identity: Identity(f[2]), Starter: f[3], URI: f[4], Target: f[5], FileID: f[6],
			Access: root.Access(f[7]), Verdict: Verdict(f[8]), Origin: f[9], Expires: expires,
		}
	case row.kind == rowApproval && n == 9:
		row.approval = Approval{
			Time: when, Identity: Identity(f[2]), Server: ServerID(f[3]), Starter: f[4],
			Program: f[5], ProgramHash: f[6], Shown: f[7], Origin: f[8],
		}
	case row.kind == rowRemoval && n == 3:
		row.approval = Approval{Time: when, Identity: Identity(f[2])}
	default:
		return ledgerRow{}, fmt.Errorf("%w: row %d", errLedgerRow, seq)
	}
	return row, nil
}

var (
	fieldEscaper   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\x00", `\0`)
	fieldUnescaper = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\0`, "\x00")
)

func escapeField(s string) string {
	if !strings.ContainsAny(s, "\\\t\n\x00") {
		return s
	}
	return fieldEscaper.Replace(s)
}

func unescapeField(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return fieldUnescaper.Replace(s)
}

func timeField(t time.Time) string { return strconv.FormatInt(nanos(t), 10) }

func parseTimeField(s string) (time.Time, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	return fromNanos(n), nil
}

// nanos is how times are stored; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
