package app

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// soakTime is how long the soak runs: ROOTS_MANAGER_SOAK, such as 30m, or the
// form for every day.
func soakTime(t *testing.T) time.Duration {
	text := os.Getenv("ROOTS_MANAGER_SOAK")
	if text == "" {
		return time.Minute
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// soak is an engine with half its servers crashing at random, and folders that
// come and go.
type soak struct {
	*desk
	healthy, crashing []store.ServerID
	roots             []store.RootID
	paths             []string
}

const (
	soakServers = 50
	soakRoots   = 1000
)

func newSoak(t *testing.T) *soak {
	s := &soak{desk: newDesk(t, Options{ApproveAll: true})}
	dir := t.TempDir()
	specs := make([]RootSpec, soakRoots)
	for i := range specs {
		specs[i].Path = filepath.Join(dir, fmt.Sprint("parent", i%20), fmt.Sprint(i))
		s.paths = append(s.paths, specs[i].Path)
	}
	s.makeAll()
	var err error
	if s.roots, err = s.AddRoots(t.Context(), specs); err != nil {
		t.Fatal(err)
	}
	for i := range soakServers / 2 {
		s.healthy = append(s.healthy, s.addProbe(fmt.Sprint("healthy ", i), fmt.Sprint(i)))
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		id, err := s.AddServer(t.Context(), ServerSpec{Name: fmt.Sprint("crashing ", i), Command: exe, Args: []string{"misbehave", "crashes at random", fmt.Sprint(i)}, Enabled: true})
		if err != nil {
			t.Fatal(err)
		}
		s.crashing = append(s.crashing, id)
	}
	return s
}

func (s *soak) makeAll() {
	s.t.Helper()
	for _, path := range s.paths {
		if err := os.MkdirAll(path, 0o700); err != nil {
			s.t.Fatal(err)
		}
	}
}

// stir changes things at random until the time is over.
func (s *soak) stir(d time.Duration) (changes int) {
	s.t.Helper()
	over := time.After(d)
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	for {
		select {
		case <-over:
			return changes
		case <-pace.C:
		}
		changes++
		switch n := rand.IntN(100); {
		case n < 40: // some cells
			var ticks []Tick
			for range 1 + rand.IntN(10) {
				srv := s.healthy[rand.IntN(len(s.healthy))]
				if rand.IntN(2) == 0 {
					srv = s.crashing[rand.IntN(len(s.crashing))]
				}
				ticks = append(ticks, Tick{Server: srv, Root: s.roots[rand.IntN(len(s.roots))], On: rand.IntN(3) > 0, Access: root.ReadOnly})
			}
			if err := s.AssignOnly(s.t.Context(), ticks); err != nil {
				s.t.Fatal(err)
			}
		case n < 50:
			if err := s.RenameRoot(s.t.Context(), s.roots[rand.IntN(len(s.roots))], fmt.Sprint("name ", rand.IntN(1000))); err != nil {
				s.t.Fatal(err)
			}
		case n < 55: // a person starts one again that was given up
			if err := s.RestartServer(s.t.Context(), s.crashing[rand.IntN(len(s.crashing))]); err != nil {
				s.t.Fatal(err)
			}
		default: // folders come and go
			for range 1 + rand.IntN(50) {
				path := s.paths[rand.IntN(len(s.paths))]
				err := os.Remove(path)
				if os.IsNotExist(err) {
					err = os.Mkdir(path, 0o700)
				}
				if err != nil {
					s.t.Fatal(err)
				}
			}
		}
	}
}

// rest lets everything come to rest with the same folders and ticks, and no
// server that crashes, so that what is used then can be compared.
func (s *soak) rest() (heap uint64, goroutines, files int) {
	s.t.Helper()
	s.makeAll()
	for _, id := range s.crashing {
		if err := s.SetServerEnabled(s.t.Context(), id, false); err != nil {
			s.t.Fatal(err)
		}
	}
	s.until("every healthy server has the newest folders", func(snap *Snapshot) bool {
		for _, v := range snap.Roots {
			if !v.Status.Usable() {
				return false
			}
		}
		for _, id := range s.healthy {
			v := server(snap, id)
			if v.State != ServerConnected || v.Delivery != DeliveryCurrent || v.Exposed != v.Assigned {
				return false
			}
		}
		for _, id := range s.crashing {
			if server(snap, id).State != ServerOff {
				return false
			}
		}
		return true
	})
	soon(s.t, "servers that are off still run", func() []int { return processesWith(s.t, "crashes at random") })
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	heap, goroutines, files = m.HeapAlloc, runtime.NumGoroutine(), descriptors(s.t)
	for _, id := range s.crashing {
		if err := s.SetServerEnabled(s.t.Context(), id, true); err != nil {
			s.t.Fatal(err)
		}
	}
	return heap, goroutines, files
}

func TestSoak(t *testing.T) {
	long := soakTime(t)
	s := newSoak(t)
	changes := s.stir(long / 2) // warm-up: caches, logs and undo fill
	heap, goroutines, files := s.rest()
	changes += s.stir(long / 2)
	heapAfter, goroutinesAfter, filesAfter := s.rest()
	t.Logf("%d changes in %v: heap %.1f → %.1f MB, goroutines %d → %d, descriptors %d → %d",
		changes, long, float64(heap)/1e6, float64(heapAfter)/1e6, goroutines, goroutinesAfter, files, filesAfter)
	if heapAfter > heap+heap/10 {
		t.Errorf("memory grew by more than a tenth")
	}
	if goroutinesAfter > goroutines+5 { // a question or a timer that is under way
		t.Errorf("goroutines grew from %d to %d", goroutines, goroutinesAfter)
	}
	if filesAfter > files+2 {
		t.Errorf("file descriptors grew from %d to %d", files, filesAfter)
	}
	for _, id := range s.healthy { // the servers themselves tell
		var want []string
		for _, r := range s.Snapshot().Roots {
			if s.Snapshot().Cells.Cell(id, r.ID).State == CellOn {
				want = append(want, r.Path)
			}
		}
		s.sees(id, want...)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	soon(t, "processes are left", func() []int { return children(t) })
}
