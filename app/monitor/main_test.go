package monitor

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rootsmanager/app/root"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("MONITOR_TEST_OBSERVE"); path != "" {
		observeForParent(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// patience is how long tests wait for what must happen.
const patience = 10 * time.Second

// watching is a monitor under test and what it said.
type watching struct {
	*testing.T
	m    *Monitor
	last map[string]Observation
	seen []Change // all, in order
}

func start(t *testing.T, opts *Options, places ...Place) *watching {
	t.Helper()
	w := &watching{T: t, m: New(opts), last: map[string]Observation{}}
	t.Cleanup(func() {
		if err := w.m.Close(); err != nil {
			t.Error(err)
		}
	})
	w.m.Watch(places)
	return w
}

// settled starts and waits until all places are reachable and watched.
func settled(t *testing.T, opts *Options, places ...Place) *watching {
	t.Helper()
	w := start(t, opts, places...)
	for _, p := range places {
		w.wait(p.ID, Reachable)
	}
	w.quiet()
	return w
}

// quiet waits until the watches stand: everything that was asked for before has
// been done when the answer to a question comes, except for watches still on
// their way to the kernel.
func (w *watching) quiet() {
	w.Helper()
	deadline := time.Now().Add(patience)
	for stable := 0; stable < 5; {
		before := w.m.Health().Folders
		w.m.Observe(context.Background(), Place{Path: os.TempDir(), Kind: root.Folder})
		if h := w.m.Health(); h.Mode == SweepOnly || h.Folders > 0 && h.Folders == before {
			stable++
		} else {
			stable = 0
		}
		if time.Now().After(deadline) {
			w.Fatalf("no watches: %+v", w.m.Health())
		}
	}
}

// wait returns the first change of a place to a status that has not been
// waited for yet.
func (w *watching) wait(id string, status Status) Change {
	w.Helper()
	return w.until(fmt.Sprintf("%s to become %s", id, status), func(c Change) bool { return c.ID == id && c.Now.Status == status })
}

func (w *watching) until(what string, is func(Change) bool) Change {
	w.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		for i, c := range w.seen {
			if is(c) {
				later := w.seen[i+1:]
				w.seen = slices.DeleteFunc(slices.Clone(w.seen[:i+1]), func(e Change) bool { return e.ID == c.ID })
				w.seen = append(w.seen, later...)
				return c
			}
		}
		select {
		case changes := <-w.m.Changes():
			for _, c := range changes {
				w.last[c.ID] = c.Now
			}
			w.seen = append(w.seen, changes...)
		case <-timeout.C:
			w.Fatalf("waited in vain for %s; last: %+v", what, w.last)
		}
	}
}

// nothing checks that no change comes for a while.
func (w *watching) nothing(during time.Duration) {
	w.Helper()
	select {
	case c := <-w.m.Changes():
		w.Errorf("nothing should be told, but was: %+v", c)
	case <-time.After(during):
	}
}

func folder(t *testing.T, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// temp is a temporary folder without links in its path.
func temp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// skip skips, or fails where every peer has to be there.
func skip(t *testing.T, why ...any) {
	t.Helper()
	if os.Getenv("REQUIRE_PEERS") == "1" {
		t.Fatal(why...)
	}
	t.Skip(why...)
}

// noSweep keeps the sweep from helping the events along.
var noSweep = &Options{Sweep: time.Hour}

// observeForParent looks at one path and prints what it is, for tests that
// need a user with fewer rights.
func observeForParent(path string) {
	m := New(nil)
	for _, o := range m.Observe(context.Background(), Place{Path: path, Kind: root.Folder}) {
		if _, err := io.WriteString(os.Stdout, string(o.Status)); err != nil {
			os.Exit(3)
		}
	}
	if err := m.Close(); err != nil {
		os.Exit(4)
	}
}
