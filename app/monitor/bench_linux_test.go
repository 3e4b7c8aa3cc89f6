package monitor

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSweep measures one look at everything, beside a plain stat of each
// root, in elapsed and in processor time.
func BenchmarkSweep(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		for _, parents := range slices.Compact([]int{10, n}) {
			b.Run(fmt.Sprintf("roots=%d/parents=%d", n, parents), func(b *testing.B) {
				places := tenThousand(b, parents)[:n]
				m := New(&Options{Sweep: time.Hour})
				defer stop(b, m)
				m.Watch(places)
				ready(b, m, n)
				watched(b, m)
				var took, used, stat times
				for b.Loop() {
					began, busy := time.Now(), cpu(b)
					m.Observe(context.Background(), places...)
					took, used = append(took, time.Since(began)), append(used, cpu(b)-busy)
					began = time.Now()
					for _, p := range places {
						if _, err := os.Stat(p.Path); err != nil {
							b.Fatal(err)
						}
					}
					stat = append(stat, time.Since(began))
				}
				took.report(b, "sweep")
				used.report(b, "sweep-cpu")
				stat.report(b, "plain-stat")
			})
		}
	}
}

// BenchmarkIdle measures what 10,000 roots cost while nothing happens, with
// the usual sweep. Run it with -benchtime=1x; it takes a minute.
func BenchmarkIdle(b *testing.B) {
	places := tenThousand(b, 10_000)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var costs times
	m := New(&Options{swept: func(cost time.Duration) { costs = append(costs, cost) }})
	m.Watch(places)
	ready(b, m, len(places))
	watched(b, m)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "heap-MB")
	for b.Loop() {
		began, used := time.Now(), cpu(b)
		<-time.After(time.Minute)
		b.ReportMetric(100*float64(cpu(b)-used)/float64(time.Since(began)), "idle-%-of-a-core")
	}
	stop(b, m)
	costs.report(b, "sweep")
}
