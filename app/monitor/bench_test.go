package monitor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rootsmanager/app/root"
)

// tenThousand makes 10,000 folders, spread over some parents.
func tenThousand(b *testing.B, parents int) []Place {
	b.Helper()
	base, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	places := make([]Place, 10_000)
	for i := range places {
		path := filepath.Join(base, fmt.Sprint(i%parents), fmt.Sprint(i))
		if err := os.MkdirAll(path, 0o755); err != nil {
			b.Fatal(err)
		}
		places[i] = Place{ID: fmt.Sprint(i), Path: path, Kind: root.Folder}
	}
	return places
}

// times collects durations and reports their median and 99th percentile.
type times []time.Duration

func (d times) report(b *testing.B, name string) {
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2].Microseconds())/1000, name+"-p50-ms")
	b.ReportMetric(float64(d[len(d)*99/100].Microseconds())/1000, name+"-p99-ms")
}

func ready(b *testing.B, m *Monitor, n int) {
	b.Helper()
	for n > 0 {
		select {
		case changes := <-m.Changes():
			n -= len(changes)
		case <-time.After(patience):
			b.Fatalf("%d places have no status", n)
		}
	}
}

func watched(b *testing.B, m *Monitor) {
	b.Helper()
	for before := -1; ; {
		m.Observe(context.Background(), Place{Path: "/", Kind: root.Folder})
		h := m.Health()
		if h.Mode != Events || h.Folders > 0 && h.Folders == before {
			return
		}
		before = h.Folders
		<-time.After(20 * time.Millisecond)
	}
}

func stop(b *testing.B, m *Monitor) {
	b.Helper()
	if err := m.Close(); err != nil {
		b.Error(err)
	}
}

// BenchmarkStart measures from New to a status for each of 10,000 roots.
func BenchmarkStart(b *testing.B) {
	for _, parents := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("roots=10000/parents=%d", parents), func(b *testing.B) {
			places := tenThousand(b, parents)
			var took times
			for b.Loop() {
				began := time.Now()
				m := New(&Options{Sweep: time.Hour})
				m.Watch(places)
				ready(b, m, len(places))
				took = append(took, time.Since(began))
				b.StopTimer()
				watched(b, m)
				stop(b, m)
				b.StartTimer()
			}
			took.report(b, "start")
		})
	}
}

// BenchmarkEvent measures from a change on disk to the change being told,
// while 10,000 roots are watched.
func BenchmarkEvent(b *testing.B) {
	places := tenThousand(b, 100)
	m := New(&Options{Sweep: time.Hour})
	defer stop(b, m)
	m.Watch(places)
	ready(b, m, len(places))
	watched(b, m)
	var away, back times
	i := 0
	for b.Loop() {
		path := places[i%len(places)].Path
		i += 101
		began := time.Now()
		if err := os.Rename(path, path+"x"); err != nil {
			b.Fatal(err)
		}
		ready(b, m, 1)
		away = append(away, time.Since(began))
		began = time.Now()
		if err := os.Rename(path+"x", path); err != nil {
			b.Fatal(err)
		}
		ready(b, m, 1)
		back = append(back, time.Since(began))
	}
	away.report(b, "renamed-away")
	back.report(b, "back")
}

// BenchmarkWatch measures a small difference to a set of 10,000.
func BenchmarkWatch(b *testing.B) {
	places := tenThousand(b, 100)
	m := New(&Options{Sweep: time.Hour})
	defer stop(b, m)
	m.Watch(places[1:])
	ready(b, m, len(places)-1)
	watched(b, m)
	var took times
	for b.Loop() {
		began := time.Now()
		m.Watch(places)
		ready(b, m, 1)
		took = append(took, time.Since(began))
		b.StopTimer()
		m.Watch(places[1:])
		m.Observe(context.Background(), places[0])
		b.StartTimer()
	}
	took.report(b, "added")
}
