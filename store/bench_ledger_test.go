package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rootsmanager/app/root"
)

// withDecisions makes a profile with n decisions of realistic length.
func withDecisions(tb testing.TB, dir string, ring Keyring, n int) {
	tb.Helper()
	s, err := openSettled(tb.Context(), dir, &Options{Keyring: ring})
	if err != nil {
		tb.Fatal(err)
	}
	update(tb, s, func(tx *Tx) error {
		for i := range n {
			if err := tx.Record(aDecision(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
}

func aDecision(i int) Decision {
	path := fmt.Sprintf("/home/somebody/work/a project with a long name/part %d", i)
	return Decision{
		Identity: Identity(fmt.Sprintf("%064x", i%50)), Starter: "roots-manager", URI: "file://" + path, Target: path,
		FileID: "2049:1234567", Access: root.ReadOnly, Verdict: Allow, Origin: "dialog",
	}
}

// Opening and verifying 10,000 decisions must take less than 50 ms.
func BenchmarkOpenAndVerify10000Decisions(b *testing.B) {
	dir, ring := b.TempDir(), NewMemoryKeyring()
	withDecisions(b, dir, ring, 10_000)
	for b.Loop() {
		s, err := openSettled(b.Context(), dir, &Options{Keyring: ring})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if !s.Seal().Sealed || len(s.State().Decisions) != 50 {
			b.Fatal("not verified")
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// A decision must be on disk and sealed in less than 30 ms at p50, without the
// keyring's own time.
func BenchmarkSealOneDecision(b *testing.B) {
	dir, ring := b.TempDir(), NewMemoryKeyring()
	withDecisions(b, dir, ring, 10_000)
	s := openWith(b, dir, &Options{Keyring: ring})
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		update(b, s, func(tx *Tx) error { return tx.Record(aDecision(i)) })
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}
