package app

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// large is a profile of many servers, which are off, and roots, of which each
// server has some.
type large struct {
	*desk
	servers []store.ServerID
	roots   []store.RootID
}

func newLarge(tb testing.TB, servers, roots, each int) *large {
	tb.Helper()
	profile, base := tb.TempDir(), tb.TempDir()
	e, err := Open(tb.Context(), &Options{DataDir: profile, Store: &store.Options{Keyring: store.NewMemoryKeyring()}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	l := &large{desk: &desk{Engine: e, t: tb, dir: profile}}
	for i := range servers {
		id, err := e.AddServer(tb.Context(), ServerSpec{Name: fmt.Sprintf("server %d", i), Command: exe, Args: []string{"probe", fmt.Sprint(i)}})
		if err != nil {
			tb.Fatal(err)
		}
		l.servers = append(l.servers, id)
	}
	specs := make([]RootSpec, roots)
	for i := range specs {
		specs[i].Path = filepath.Join(base, fmt.Sprintf("parent%d", i%100), fmt.Sprintf("root%d", i))
		if err := os.MkdirAll(specs[i].Path, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	if l.roots, err = e.AddRoots(tb.Context(), specs); err != nil {
		tb.Fatal(err)
	}
	e.Start()
	l.until("all are seen", func(s *Snapshot) bool {
		for _, r := range s.Roots {
			if !r.Status.Usable() {
				return false
			}
		}
		return true
	})
	ticks := make([]Tick, 0, servers*each)
	for i, srv := range l.servers {
		for k := range each {
			ticks = append(ticks, Tick{Server: srv, Root: l.roots[(i*each+k)%roots], On: true, Access: root.ReadOnly})
		}
	}
	if err := e.Assign(tb.Context(), ticks); err != nil {
		tb.Fatal(err)
	}
	return l
}

// BenchmarkLargeProfile measures what the engine does most often, with 100
// servers, 10,000 roots and 1,000 of them assigned to each server.
func BenchmarkLargeProfile(b *testing.B) {
	l := newLarge(b, 100, 10_000, 1_000)
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			l.mu.Lock()
			l.publishLocked()
			l.mu.Unlock()
		}
	})
	b.Run("snapshot-after-one-status", func(b *testing.B) {
		for b.Loop() {
			l.mu.Lock()
			l.fresh[l.roots[5000]] = true
			l.publishLocked()
			l.mu.Unlock()
		}
	})
	b.Run("index-after-nothing", func(b *testing.B) {
		for b.Loop() {
			newIndex(l.state, l.index)
		}
	})
	b.Run("index-anew", func(b *testing.B) {
		for b.Loop() {
			newIndex(l.state, nil)
		}
	})
	b.Run("expose-one-server", func(b *testing.B) {
		for b.Loop() {
			l.mu.Lock()
			l.exposeLocked(l.links[l.servers[3]])
			l.mu.Unlock()
		}
	})
	b.Run("reconcile", func(b *testing.B) {
		for b.Loop() {
			l.mu.Lock()
			l.reconcileLocked()
			l.mu.Unlock()
		}
	})
	b.Run("tick", func(b *testing.B) {
		on := false
		for b.Loop() {
			if err := l.Assign(b.Context(), []Tick{{Server: l.servers[0], Root: l.roots[0], On: on, Access: root.ReadOnly}}); err != nil {
				b.Fatal(err)
			}
			on = !on
		}
	})
	b.Run("rename-one-root", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			if err := l.RenameRoot(b.Context(), l.roots[7], fmt.Sprint("name ", n)); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprintf("observed=%d", n), func(b *testing.B) {
			gone := false
			for b.Loop() {
				gone = !gone
				l.observed(l.transitions(n, gone))
			}
		})
	}
}

// transitions is what the monitor reports when the first n roots vanish, or are
// back.
func (l *large) transitions(n int, gone bool) []monitor.Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	changes := make([]monitor.Change, n)
	for i, id := range l.roots[:n] {
		was := l.seen[id]
		now := was
		now.Since = time.Now()
		if now.Status = monitor.Reachable; gone {
			now.Status = monitor.Missing
		}
		changes[i] = monitor.Change{ID: string(id), Previous: was, Now: now}
	}
	return changes
}
