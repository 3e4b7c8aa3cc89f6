package store

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rootsmanager/app/root"
)

// crashRing is a keyring that keeps, at one of its writes, a copy of what the
// disk and the keyring hold at that moment: exactly what a process that is
// killed there leaves behind. Writes to the keyring stand before and after
// each commit, so every gap between two writes is met.
type crashRing struct {
	*MemoryKeyring
	countdown int // writes until the copy is made; negative: none
	after     bool
	take      func(items map[string]string)
}

func (r *crashRing) Set(account, value string) error {
	r.countdown--
	if r.countdown == 0 && !r.after {
		r.take(r.Items())
	}
	err := r.MemoryKeyring.Set(account, value)
	if r.countdown == 0 && r.after {
		r.take(r.Items())
	}
	return err
}

// model is what a person decided, as far as the window showed it as done.
type model map[string]Verdict

// TestThousandInterleavingsOfDecideCrashRestart: no decision that was shown is
// lost, nothing undecided is allowed, no false alarm.
func TestThousandInterleavingsOfDecideCrashRestart(t *testing.T) {
	rounds := 1_000
	if testing.Short() {
		rounds = 50
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	base := t.TempDir()
	var dir string
	var items map[string]string
	// What was being decided at the crash may be there or not, but whole.
	var undecided, decidedToo model
	for round := range rounds {
		if round%50 == 0 { // a new profile
			dir, items = fmt.Sprintf("%s/new%d", base, round), nil
			undecided, decidedToo = model{}, model{}
		}
		notDue(t, dir, time.Now())
		ring := &crashRing{MemoryKeyring: NewMemoryKeyring(), after: random.IntN(2) == 0}
		maps.Copy(ring.items, items)
		s, err := openSettled(t.Context(), dir, &Options{Keyring: ring, unsynced: true})
		if err != nil {
			t.Fatal(err)
		}
		where := fmt.Sprintf("seed %d, round %d", seed, round)
		if got := s.Seal(); got != (SealState{Sealed: true}) {
			t.Fatalf("%s: false alarm: %+v", where, got)
		}
		shown := decided(s.State())
		if !maps.Equal(shown, undecided) && !maps.Equal(shown, decidedToo) {
			t.Fatalf("%s: after the crash %v, want %v or %v", where, shown, undecided, decidedToo)
		}

		// The copy stands for the crashed machine: shown and pending as they
		// are at that moment.
		next := fmt.Sprintf("%s/%d", base, round+1)
		var crashItems map[string]string
		var atCrash, pending model
		now := maps.Clone(shown)
		var deciding model
		ring.countdown = 1 + random.IntN(12)
		ring.take = func(all map[string]string) {
			copyProfile(t, dir, next)
			crashItems, atCrash, pending = all, maps.Clone(now), maps.Clone(deciding)
		}
		for crashItems == nil {
			deciding = model{}
			_, err := s.Update(t.Context(), func(tx *Tx) error {
				for range 1 + random.IntN(3) {
					uri := "file:///" + strconv.Itoa(random.IntN(30))
					verdict := []Verdict{Allow, Never, Revoked}[random.IntN(3)]
					deciding[uri] = verdict
					if err := tx.Record(Decision{Identity: "id", URI: uri, Access: root.ReadOnly, Verdict: verdict}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(where, err)
			}
			maps.Copy(now, deciding)
		}
		if err := s.Close(); err != nil {
			t.Fatal(where, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		dir, items = next, crashItems

		undecided, decidedToo = atCrash, maps.Clone(atCrash)
		maps.Copy(decidedToo, pending)
	}
}

// notDue lets it look as if there was a backup made at a time, so that none is
// made by itself.
func notDue(t *testing.T, dir string, when time.Time) {
	t.Helper()
	path := filepath.Join(dir, backupDir, backupPrefix+when.UTC().Format(backupTime)+".db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func decided(st *State) model {
	m := model{}
	for uri, d := range st.Decisions["id"] {
		m[uri] = d.Verdict
	}
	return m
}

func TestKilledProcessesLoseNoDecisionAndRaiseNoAlarm(t *testing.T) {
	dir := t.TempDir()
	kills := 30
	if testing.Short() {
		kills = 3
	}
	total := 0
	for kill := range kills {
		// Two at a time, so that one is killed while the other decides.
		name := Identity("kill" + strconv.Itoa(kill))
		first, in, out := startChild(t, "decide", dir, "STORE_TEST_NAME="+string(name), "STORE_TEST_COUNT=100000")
		second, in2, out2 := startChild(t, "decide", dir, "STORE_TEST_NAME=other", "STORE_TEST_COUNT=100000")
		for _, w := range []io.WriteCloser{in, in2} {
			if _, err := io.WriteString(w, "go\n"); err != nil {
				t.Fatal(err)
			}
		}
		shown := 0
		for range 1 + rand.IntN(15) {
			if _, err := out.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			shown++
		}
		for _, cmd := range []interface{ Kill() error }{first.Process, second.Process} {
			if err := cmd.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		rest, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		shown += strings.Count(string(rest), "\n")
		if _, err := io.Copy(io.Discard, out2); err != nil {
			t.Fatal(err)
		}
		if first.Wait() == nil || second.Wait() == nil {
			t.Fatal("a child ended by itself")
		}
		total += shown
		s, err := openSettled(t.Context(), dir, testOptions(dir))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Seal(); got != (SealState{Sealed: true}) {
			t.Fatalf("kill %d: false alarm: %+v", kill, got)
		}
		if n := len(s.State().Decisions[name]); n < shown || n > shown+1 {
			t.Errorf("kill %d: %d decisions, shown were %d", kill, n, shown)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d decisions shown over %d kills", total, kills)
}
