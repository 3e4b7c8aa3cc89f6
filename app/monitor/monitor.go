package monitor

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options are the settings of a [Monitor]. The zero value is right for use.
type Options struct {
	// Logger gets what goes wrong, without paths above debug. nil: nothing is logged.
	Logger *slog.Logger
	// Sweep is the shortest time between two looks at everything. A sweep that
	// takes long is made less often, so that it stays below a third of a per
	// cent of one core. Where events are missing it is a fifth of that. 0: 15 s.
	Sweep time.Duration
	// Deadline is how long one look may take. 0: 2 s.
	Deadline time.Duration
	// Flap is how long a deleted root may be gone unnoticed. 0: 250 ms.
	Flap time.Duration
	// Client sends the HEAD requests for https roots; its redirect policy is
	// not used. nil: one with the system's settings.
	Client *http.Client

	fs      fileSystem
	mounts  mountSource
	watcher func() (*fsnotify.Watcher, error)
	wall    func() time.Time    // the wall clock, which goes on while the machine sleeps
	swept   func(time.Duration) // told the cost of each sweep, from the loop's goroutine
}

// Monitor watches places. Its methods may be called from any goroutine.
type Monitor struct {
	loop   *loop
	close  sync.Once
	closed error
}

// New starts a monitor that watches nothing yet. opts may be nil and is copied.
func New(opts *Options) *Monitor {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Sweep = orDefault(o.Sweep, 15*time.Second)
	o.Deadline = orDefault(o.Deadline, 2*time.Second)
	o.Flap = orDefault(o.Flap, 250*time.Millisecond)
	if o.fs == nil {
		o.fs = native{}
	}
	if o.watcher == nil {
		o.watcher = fsnotify.NewWatcher
	}
	if o.wall == nil {
		o.wall = func() time.Time { return time.Now().Round(0) }
	}
	if o.mounts == nil {
		mounts, err := systemMounts()
		if err != nil {
			o.Logger.Warn("mounts are only seen by the sweep", "error", err)
			mounts = noMounts{}
		}
		o.mounts = mounts
	}
	m := &Monitor{loop: newLoop(o)}
	go m.loop.run()
	return m
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// Watch replaces the whole set of places and returns at once. Places with an ID
// and path as before keep what was observed; new ones are looked at now.
// Places with an ID that came before in the slice are left out.
func (m *Monitor) Watch(places []Place) {
	m.loop.in.put(func(in *inbox) { in.set, in.places = true, slices.Clone(places) })
}

// Changes returns the channel of transitions, in batches and in order. The
// first observation of a place is a change from Unknown. A reader that is slow
// blocks nothing: changes are merged until it reads, and what changed back in
// the meantime is left out. The channel is closed by [Monitor.Close].
func (m *Monitor) Changes() <-chan []Change { return m.loop.out }

// Observe looks at places now and returns what it found, in the same order.
// They need not be watched, nor have an ID. It takes no longer than the deadline
// for each place on the same drive; places on a drive that is known not to
// answer are Unreachable at once. If ctx ends or the monitor is closed, all are
// Unknown, with the reason as Detail.
//
// An https place that was asked for less than a minute ago is not asked again.
func (m *Monitor) Observe(ctx context.Context, places ...Place) []Observation {
	if len(places) == 0 {
		return nil
	}
	a := &ask{left: len(places), obs: make([]Observation, len(places)), done: make(chan struct{})}
	a.places = slices.Clone(places)
	m.loop.in.put(func(in *inbox) { in.asks = append(in.asks, a) })
	why := "the monitor is closed"
	select {
	case <-a.done:
		return a.obs
	case <-ctx.Done():
		why = ctx.Err().Error()
	case <-m.loop.done:
	}
	unknown := make([]Observation, len(places))
	for i := range unknown {
		unknown[i] = Observation{Status: Unknown, Since: time.Now(), Detail: why}
	}
	return unknown
}

// Recheck looks at the places with these IDs now, at all of them if there are
// none, and returns at once; a transition comes through [Monitor.Changes]. A
// pause because a drive did not answer is cut short. https places are asked at
// most once a minute all the same.
func (m *Monitor) Recheck(ids ...string) {
	ids = slices.Clone(ids)
	m.loop.in.put(func(in *inbox) {
		in.all = in.all || len(ids) == 0
		in.recheck = append(in.recheck, ids...)
	})
}

// Health says how well the monitor can see.
func (m *Monitor) Health() Health { return *m.loop.health.Load() }

// Close stops the monitor, waits for its goroutines and closes the channel of
// changes. Calls that are known to be stuck in the kernel are left behind and end
// when the kernel gives them back. Others get the deadline to come back, and
// Close fails if they do not.
func (m *Monitor) Close() error {
	m.close.Do(func() { m.closed = m.loop.close() })
	return m.closed
}

// inbox is what callers want of the loop.
type inbox struct {
	mu      sync.Mutex
	set     bool
	places  []Place
	all     bool
	recheck []string
	asks    []*ask
	wake    chan struct{}
}

func (in *inbox) put(f func(*inbox)) {
	in.mu.Lock()
	f(in)
	in.mu.Unlock()
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

func (in *inbox) take() (set bool, places []Place, all bool, recheck []string, asks []*ask) {
	in.mu.Lock()
	defer in.mu.Unlock()
	set, places, all, recheck, asks = in.set, in.places, in.all, in.recheck, in.asks
	in.set, in.places, in.all, in.recheck, in.asks = false, nil, false, nil, nil
	return set, places, all, recheck, asks
}

// slot is where one answer of an ask goes.
type slot struct {
	of    *ask
	index int
}

// ask is one call of Observe. Only the loop writes to it.
type ask struct {
	places []Place
	obs    []Observation
	left   int
	done   chan struct{}
}

func (a *ask) answer(i int, o Observation) {
	a.obs[i] = o
	if a.left--; a.left == 0 {
		close(a.done)
	}
}

// noMounts stands in where the mount table cannot be had.
type noMounts struct{}

func (noMounts) read() (*mountTable, error) { return newMountTable(nil), nil }
func (noMounts) changes() <-chan struct{}   { return nil }
func (noMounts) close()                     {}

func newLoop(o Options) *loop {
	l := &loop{
		opts: o, out: make(chan []Change), quit: make(chan struct{}), done: make(chan struct{}),
		results: make(chan *batch), places: map[string]*tracked{}, asked: map[Place]*tracked{}, held: map[*tracked]struct{}{},
		pendingAt: map[string]int{}, lanes: map[string]*lane{}, ready: map[*lane]struct{}{},
		running: map[*batch]struct{}{}, stuckIn: map[*batch]*lane{}, index: newIndex(), renew: map[string]time.Time{},
		table: newMountTable(nil), started: time.Now(),
	}
	l.in.wake = make(chan struct{}, 1)
	l.wallAt = o.wall()
	l.web = newWeb(l)
	l.health.Store(&Health{Mode: Events})
	l.readMounts()
	l.listen()
	l.report()
	return l
}

func (l *loop) close() error {
	close(l.quit)
	<-l.done
	l.web.close()
	l.opts.mounts.close()
	var err error
	if l.listener != nil {
		err = l.listener.close(l.opts.Deadline)
	}
	patience := time.NewTimer(l.opts.Deadline)
	defer patience.Stop()
	for b := range l.running {
		select {
		case <-b.done:
		case <-patience.C:
			err = errors.Join(err, errLeftBehind)
			patience.Reset(0)
		}
	}
	close(l.out)
	return err
}
