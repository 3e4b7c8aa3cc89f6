package store

import (
	"strconv"
	"testing"
	"time"
)

func TestLongLedgerIsShortenedWithoutAlarm(t *testing.T) {
	dir := t.TempDir()
	running := openAt(t, dir)
	update(t, running, func(tx *Tx) error {
		if err := tx.PutApproval(Approval{Identity: "id", Program: "/bin/true"}); err != nil {
			return err
		}
		for i := range compactRows + 10 {
			verdict := Allow
			if i%3 == 0 {
				verdict = Never
			}
			if err := tx.Record(Decision{Identity: "id", URI: "file:///" + strconv.Itoa(i%100), Verdict: verdict}); err != nil {
				return err
			}
		}
		return nil
	})
	want := decided(running.State())

	for range 2 { // the first one shortens it
		s := openAt(t, dir)
		if got := s.Seal(); got != (SealState{Sealed: true}) {
			t.Fatalf("false alarm: %+v", got)
		}
		if got := decided(s.State()); len(got) != 100 || len(want) != 100 || s.State().Approvals["id"].Program != "/bin/true" {
			t.Errorf("%d decisions, want %d", len(got), len(want))
		}
		for uri, verdict := range want {
			if got := verdictOf(s, uri); got != verdict {
				t.Errorf("%s: %s, want %s", uri, got, verdict)
			}
		}
		var rows, archived int
		if err := s.db.QueryRow("SELECT (SELECT COUNT(*) FROM ledger), (SELECT COUNT(*) FROM ledger_archive)").Scan(&rows, &archived); err != nil || rows != 101 || archived != compactRows+11 {
			t.Errorf("%d rows, %d archived, %v", rows, archived, err)
		}
	}

	// The process that ran all the time goes on.
	st := update(t, running, func(tx *Tx) error {
		return tx.Record(Decision{Identity: "id", URI: "file:///new", Verdict: Allow, Time: time.Now()})
	})
	if got := running.Seal(); got != (SealState{Sealed: true}) || len(st.Decisions["id"]) != 101 {
		t.Errorf("%+v, %d decisions", got, len(st.Decisions["id"]))
	}
	if got := openAt(t, dir); got.Seal() != (SealState{Sealed: true}) || len(got.State().Decisions["id"]) != 101 {
		t.Errorf("%+v", got.Seal())
	}
}
