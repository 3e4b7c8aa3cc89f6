package store

import (
	"maps"
	"testing"
	"time"
)

// inForce opens the profile again and returns what is still in force.
func inForce(t *testing.T, dir string, opts *Options) map[string]bool {
	t.Helper()
	s, err := openSettled(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found := map[string]bool{}
	for id, byURI := range s.State().Decisions {
		for uri, d := range byURI {
			if d.InForce(time.Now()) {
				found[string(id)+" "+uri] = true
			}
		}
	}
	return found
}

func TestDecisionsAreTakenBack(t *testing.T) {
	tests := map[string]struct {
		filter DecisionFilter
		taken  int
		left   []string
	}{
		"one by one": {DecisionFilter{Identity: "a", URI: "file:///1"}, 1, []string{"a file:///2", "b file:///1"}},
		"per server": {DecisionFilter{Identity: "a"}, 2, []string{"b file:///1"}},
		"per folder": {DecisionFilter{URI: "file:///1"}, 2, []string{"a file:///2"}},
		"all":        {DecisionFilter{}, 3, nil},
		"none":       {DecisionFilter{Identity: "c"}, 0, []string{"a file:///1", "a file:///2", "b file:///1"}},
	}
	for name, tt := range tests {
		for _, locked := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " while the keyring is locked"}[locked], func(t *testing.T) {
				dir, ring := t.TempDir(), newSwitchRing()
				s, err := openSettled(t.Context(), dir, ring.options())
				if err != nil {
					t.Fatal(err)
				}
				update(t, s, func(tx *Tx) error {
					return tx.Record(
						Decision{Identity: "a", URI: "file:///1", Verdict: Allow}, Decision{Identity: "a", URI: "file:///2", Verdict: Never},
						Decision{Identity: "b", URI: "file:///1", Verdict: Allow})
				})
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if locked {
					ring.set(errLocked, nil)
				}
				if s, err = openSettled(t.Context(), dir, ring.options()); err != nil {
					t.Fatal(err)
				}
				update(t, s, func(tx *Tx) error {
					n, err := tx.Revoke(tt.filter, "dialog")
					if n != tt.taken {
						t.Errorf("took back %d", n)
					}
					return err
				})
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				ring.set(nil, nil)
				want := map[string]bool{}
				for _, one := range tt.left {
					want[one] = true
				}
				if got := inForce(t, dir, ring.options()); !maps.Equal(got, want) {
					t.Errorf("in force: %v, want %v", got, want)
				}
			})
		}
	}
}

func TestDecisionsExpire(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	s, err := openSettled(t.Context(), dir, testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx *Tx) error {
		return tx.Record(Decision{Identity: "id", URI: "u", Verdict: Allow, Expires: now.AddDate(0, 0, 30)}, Decision{Identity: "id", URI: "v", Verdict: Allow})
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	kept := openAt(t, dir).State().Decisions["id"]
	for days, want := range map[int]bool{0: true, 29: true, 30: false, 31: false} {
		if got := kept["u"].InForce(now.AddDate(0, 0, days)); got != want {
			t.Errorf("after %d days: %t", days, got)
		}
		if !kept["v"].InForce(now.AddDate(0, 0, days)) {
			t.Error("one without an end expired")
		}
	}
}
