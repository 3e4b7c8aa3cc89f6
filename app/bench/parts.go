package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"rootsmanager/app"
	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// tell measures one change for 100 servers, with 10 and with 1,000 roots.
func (b *bench) tell() error {
	for _, roots := range []int{10, 1000} {
		told, have, write, err := b.telling(100, roots, b.rounds(20))
		if err != nil {
			return err
		}
		b.times("change → all told (with 25 ms window)", ours, 100, roots, "", told)
		b.times("first → last notification written", ours, 100, roots, "≤ 5", write)
		b.times("change → all have the new list", ours, 100, roots, "", have)
		if err := b.typeScript(100, roots, b.rounds(20)); err != nil {
			fmt.Fprintln(os.Stderr, "bench: without the TypeScript client:", err)
		}
	}
	return nil
}

// telling gives, for each change, when the last server was told, when the last
// one had the new list, and how long writing to all took.
func (b *bench) telling(servers, roots, rounds int) (told, have, write []time.Duration, err error) {
	f, err := b.newField(servers, roots+1, roots)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	wait := time.NewTicker(pace)
	defer wait.Stop()
	for i := range 2 * rounds {
		<-wait.C
		on := i%2 == 0
		want := roots
		if on {
			want++
		}
		notified, answered, err := f.reach(want, func() error { return f.share(f.roots[roots:], on) })
		if err != nil {
			return nil, nil, nil, err
		}
		told = append(told, slices.Max(notified))
		have = append(have, slices.Max(answered))
		write = append(write, slices.Max(notified)-slices.Min(notified))
	}
	return told, have, write, nil
}

// disk measures from a folder being renamed away, and back, to 100 servers being
// told.
func (b *bench) disk() (err error) {
	const servers, roots = 100, 10
	f, err := b.newField(servers, roots, roots)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	wait := time.NewTicker(2 * pace)
	defer wait.Stop()
	var away, back []time.Duration
	for i := range b.rounds(20) {
		path := f.paths[i%roots]
		<-wait.C
		notified, _, err := f.reach(roots-1, func() error { return os.Rename(path, path+" gone") })
		if err != nil {
			return err
		}
		away = append(away, notified...)
		<-wait.C
		if notified, _, err = f.reach(roots, func() error { return os.Rename(path+" gone", path) }); err != nil {
			return err
		}
		back = append(back, notified...)
	}
	b.times("folder renamed away → told", ours, servers, roots, "p50 ≤ 40, p99 ≤ 100", slices.Clone(away))
	b.times("folder back → told", ours, servers, roots, "p50 ≤ 40, p99 ≤ 100", slices.Clone(back))
	b.times("event on disk → told", ours, servers, roots, "p50 ≤ 40, p99 ≤ 100", append(away, back...))
	return nil
}

// manyRoots measures what 10,000 folders cost.
func (b *bench) manyRoots() (err error) {
	const servers, roots = 100, 10_000
	f, err := b.newField(servers, roots, 10)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	places := make([]monitor.Place, roots)
	for i, path := range f.paths {
		places[i] = monitor.Place{ID: fmt.Sprint(i), Path: path, Kind: root.Folder}
	}
	var start, sweep []time.Duration
	for range b.rounds(8) {
		began := time.Now()
		m := monitor.New(&monitor.Options{Sweep: time.Hour})
		m.Watch(places)
		for n := roots; n > 0; {
			n -= len(<-m.Changes())
		}
		start = append(start, time.Since(began))
		for range 3 {
			began = time.Now()
			m.Observe(context.Background(), places...)
			sweep = append(sweep, time.Since(began))
		}
		if err := m.Close(); err != nil {
			return err
		}
	}
	b.times("start-up of the monitor", ours, 0, roots, "≤ 300", start)
	b.times("one sweep", ours, 0, roots, "≤ 60", sweep)
	tick, err := f.ticks(f.roots[5000], b.rounds(40))
	if err != nil {
		return err
	}
	b.times("one tick in the grid, in force", ours, servers, roots, "", tick)
	rest := 60 * time.Second
	if b.short {
		rest = 16 * time.Second // at least one sweep
	}
	used, err := processorTime()
	if err != nil {
		return err
	}
	began := time.Now()
	<-time.After(rest)
	after, err := processorTime()
	if err != nil {
		return err
	}
	b.value("idle, of one core", servers, roots, "%", "< 0.5", 100*float64(after-used)/float64(time.Since(began)))
	mb, err := residentMB()
	if err != nil {
		return err
	}
	b.value("memory of the engine", servers, roots, "MB", "", mb)
	return nil
}

// ticks sets one cell on and off.
func (f *field) ticks(r store.RootID, rounds int) ([]time.Duration, error) {
	var took []time.Duration
	for i := range rounds {
		began := time.Now()
		if err := f.AssignOnly(f.ctx, []app.Tick{{Server: f.servers[0], Root: r, On: i%2 == 0, Access: root.ReadOnly}}); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// The names of the curves; plot draws them.
const (
	byServers = "10 roots each: all have the new list"
	byRoots   = "10 servers: one tick, in force"
	byList    = "10 servers: all have a list of so many roots"
)

// curves measures how costs grow.
func (b *bench) curves() error {
	for _, servers := range []int{1, 10, 100, 300} {
		_, have, _, err := b.telling(servers, 10, b.rounds(8))
		if err != nil {
			return err
		}
		b.times(byServers, ours, servers, 10, "", have)
	}
	for _, roots := range []int{10, 100, 1000, 10_000} {
		if err := b.rootsCurve(roots); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) rootsCurve(roots int) (err error) {
	const servers = 10
	f, err := b.newField(servers, roots+1, roots)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var have []time.Duration
	wait := time.NewTicker(pace)
	defer wait.Stop()
	for i := range b.rounds(8) {
		<-wait.C
		_, answered, err := f.reach(roots+1-i%2, func() error { return f.share(f.roots[roots:], i%2 == 0) })
		if err != nil {
			return err
		}
		have = append(have, slices.Max(answered))
	}
	b.times(byList, ours, servers, roots, "", have)
	tick, err := f.ticks(f.roots[0], b.rounds(20))
	if err != nil {
		return err
	}
	b.times(byRoots, ours, servers, roots, "", tick)
	return nil
}
