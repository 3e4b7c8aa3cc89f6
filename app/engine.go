package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/mcpclient"
	"rootsmanager/store"
)

// DefaultConsentWait is how long an answer to roots/list waits for a person:
// servers built on the TypeScript SDK give up after 60 s.
const DefaultConsentWait = 50 * time.Second

// Options say how an engine runs. All but DataDir may be left zero.
type Options struct {
	DataDir     string                                      // profile folder; required
	Starter     string                                      // who starts servers; default "roots-manager"
	Prompter    bool                                        // somebody can answer prompts; otherwise the undecided is answered with what is allowed, at once
	ApproveAll  bool                                        // everything is approved and allowed for this run, and nothing of that is stored
	ConsentWait time.Duration                               // how long an answer waits for a decision; default 50 s
	Version     string                                      // of this program, as told to servers
	OpenPage    func(ctx context.Context, url string) error // shows a login page; default: the system's browser
	Logger      *slog.Logger                                // default: discard
	Store       *store.Options

	// Coalesce is how long changes are gathered before a server is told. Zero:
	// the setting [SettingCoalesce], else 25 ms.
	Coalesce time.Duration
	// MaxMessage is the size in bytes of the largest message taken from a
	// server. Zero: the setting [SettingMaxMessage], else 8 MiB.
	MaxMessage int

	// Only is the name of the one server that may be started; empty: each that
	// is on.
	Only string

	askWait time.Duration // for tests; zero is 10 s
}

// Settings that hold from the next start on. What is no number within the
// bounds counts as not set.
const (
	SettingCoalesce   = "announce-after-ms" // 1 to 10,000
	SettingMaxMessage = "message-limit-mib" // 1 to 256
)

// sessionOptions are those of every session. Zero is the session's default.
func (o *Options) sessionOptions(settings map[string]string) *mcpclient.Options {
	number := func(key string, most int) int {
		n, err := strconv.Atoi(settings[key])
		if err != nil || n < 1 || n > most {
			return 0
		}
		return n
	}
	return &mcpclient.Options{
		Logger: o.Logger, ClientVersion: o.Version,
		Coalesce:   cmp.Or(o.Coalesce, time.Duration(number(SettingCoalesce, 10_000))*time.Millisecond),
		MaxMessage: cmp.Or(o.MaxMessage, number(SettingMaxMessage, 256)<<20),
	}
}

// Engine is the core: it holds the profile, decides what each server is told,
// keeps one session per enabled server and publishes snapshots.
//
// Its methods may be called from any goroutine. Commands block until their
// change is committed and the snapshot that shows it is published. New
// goroutines start in Start and end before Close returns.
type Engine struct {
	opts    Options
	log     *slog.Logger
	store   *store.Store
	monitor *monitor.Monitor
	places  root.Places
	session *mcpclient.Options

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wait   sync.WaitGroup

	undoing sync.Mutex // held while one change is undone

	snapshot atomic.Pointer[Snapshot]
	wake     chan struct{} // subscribers have a new snapshot to see
	stale    chan struct{} // something changed that the snapshot does not show yet

	mu         sync.Mutex // guards everything below; never held over disk, keyring, process or network
	started    bool
	closed     bool
	state      *store.State
	index      *index                               // derived from state
	seen       map[store.RootID]monitor.Observation // replaced, never changed: snapshots keep it
	facts      map[store.RootID]rootFacts
	views      []RootView // of the last snapshot, made for the layout viewed
	viewed     *layout
	fresh      map[store.RootID]bool // seen anew since the last snapshot
	watched    []monitor.Place       // what the monitor was told last
	links      map[store.ServerID]*link
	prompts    []*question
	once       sessionDecisions
	quiet      map[quietKey]quietUntil
	activity   []Activity // newest last, bounded
	undo       []undoStep
	takingBack bool // a change is being undone
	seq        uint64
	events     []Event // waiting for the event goroutine
	hasEvent   chan struct{}
	subs       map[int]func(*Snapshot)
	eventSub   map[int]func(Event)
	nextSub    int
}

// Open opens the profile. It starts no server; see [Engine.Start].
func Open(ctx context.Context, opts *Options) (*Engine, error) {
	if opts == nil || opts.DataDir == "" {
		return nil, errors.New("no profile folder was named: give one with --data-dir")
	}
	o := *opts
	if o.Starter == "" {
		o.Starter = "roots-manager"
	}
	if o.ConsentWait <= 0 {
		o.ConsentWait = DefaultConsentWait
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	so := store.Options{}
	if o.Store != nil {
		so = *o.Store
	}
	if so.Logger == nil {
		so.Logger = o.Logger
	}
	st, err := store.Open(ctx, o.DataDir, &so)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		opts:     o,
		log:      o.Logger,
		store:    st,
		monitor:  monitor.New(&monitor.Options{Logger: o.Logger}),
		places:   root.SystemPlaces(o.DataDir),
		session:  o.sessionOptions(st.State().Settings),
		wake:     make(chan struct{}, 1),
		stale:    make(chan struct{}, 1),
		hasEvent: make(chan struct{}, 1),
		seen:     make(map[store.RootID]monitor.Observation),
		facts:    make(map[store.RootID]rootFacts),
		fresh:    make(map[store.RootID]bool),
		links:    make(map[store.ServerID]*link),
		quiet:    make(map[quietKey]quietUntil),
		subs:     make(map[int]func(*Snapshot)),
		eventSub: make(map[int]func(Event)),
	}
	e.once.reset()
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.state = st.State()
	e.index = newIndex(e.state, nil)
	if err := e.loadActivity(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("read the activity log: %w", err), e.monitor.Close(), st.Close())
	}
	e.mu.Lock()
	e.publishLocked()
	e.mu.Unlock()
	return e, nil
}

// Start connects the enabled servers and watches the roots. It returns at
// once; a second call does nothing.
func (e *Engine) Start() {
	e.mu.Lock()
	if e.started || e.closed {
		e.mu.Unlock()
		return
	}
	e.started = true
	e.wait.Add(5)
	go e.publishLoop()
	go e.notifyLoop()
	go e.eventLoop()
	go e.followLoop()
	e.watchLocked()
	after := e.reconcileLocked()
	e.mu.Unlock()
	after.run()
	go func() { // what the servers that are off would run is shown, too
		defer e.wait.Done()
		e.adopt(e.store.State())
	}()
}

// Close stops every server and goroutine, at the latest after about 3 s.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	var sessions []*mcpclient.Session
	for _, l := range e.links {
		if l.session != nil {
			sessions = append(sessions, l.session)
		}
		l.stopTimers()
	}
	e.withdrawAllLocked()
	e.mu.Unlock()

	e.cancel()
	var group sync.WaitGroup
	errs := make([]error, len(sessions))
	for i, s := range sessions {
		group.Go(func() { errs[i] = s.Close() })
	}
	group.Wait()
	e.wait.Wait()
	e.handEvents() // how the sessions ended
	for _, l := range e.links {
		removeNothing(l.nothing)
	}
	return errors.Join(append(errs, e.monitor.Close(), e.store.Close())...)
}

// DataDir is the profile's folder.
func (e *Engine) DataDir() string { return e.opts.DataDir }

// Snapshot returns the newest snapshot; never nil.
func (e *Engine) Snapshot() *Snapshot { return e.snapshot.Load() }

// Subscribe calls see with the newest snapshot, at once and after every
// change, coalesced. After Start the calls come from one goroutine, one at a
// time; see may block, at the price of missing snapshots in between.
func (e *Engine) Subscribe(see func(*Snapshot)) (cancel func()) {
	e.mu.Lock()
	id := e.nextSub
	e.nextSub++
	e.subs[id] = see
	e.mu.Unlock()
	e.signal(e.wake)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.subs, id)
	}
}

// Events calls see with every event from now on, in order, from one
// goroutine. see must not block for long: events are held in memory meanwhile.
func (e *Engine) Events(see func(Event)) (cancel func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	id := e.nextSub
	e.nextSub++
	e.eventSub[id] = see
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.eventSub, id)
	}
}

// publishDelay coalesces what sessions and the monitor report into one snapshot.
const publishDelay = 8 * time.Millisecond

// publishLoop publishes what changed outside of commands. Between two snapshots
// there are at least four times as long as the last one took, so that showing
// never takes more than a fifth of the lock's time.
func (e *Engine) publishLoop() {
	defer e.wait.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	delay := publishDelay
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-e.stale:
		}
		timer.Reset(delay)
		select {
		case <-e.ctx.Done():
			return
		case <-timer.C:
		}
		e.mu.Lock()
		began := time.Now()
		e.publishLocked()
		delay = max(publishDelay, 4*time.Since(began))
		e.mu.Unlock()
	}
}

// notifyLoop shows new snapshots to the subscribers.
func (e *Engine) notifyLoop() {
	defer e.wait.Done()
	shown := make(map[int]uint64)
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-e.wake:
		}
		snap := e.Snapshot()
		e.mu.Lock()
		due := make(map[int]func(*Snapshot))
		for id, see := range e.subs {
			if shown[id] < snap.Seq {
				due[id] = see
			}
		}
		e.mu.Unlock()
		for id, see := range due {
			shown[id] = snap.Seq
			see(snap)
		}
	}
}

// eventLoop hands events to their subscribers.
func (e *Engine) eventLoop() {
	defer e.wait.Done()
	for {
		select {
		case <-e.ctx.Done():
			e.handEvents()
			return
		case <-e.hasEvent:
			e.handEvents()
		}
	}
}

func (e *Engine) handEvents() {
	e.mu.Lock()
	batch := e.events
	e.events = nil
	sees := make([]func(Event), 0, len(e.eventSub))
	for _, see := range e.eventSub {
		sees = append(sees, see)
	}
	e.mu.Unlock()
	for _, ev := range batch {
		for _, see := range sees {
			see(ev)
		}
	}
}

// followLoop takes in what the monitor sees and what other processes commit,
// and lets expired decisions lapse.
func (e *Engine) followLoop() {
	defer e.wait.Done()
	lapse := time.NewTicker(time.Minute)
	defer lapse.Stop()
	for {
		select {
		case <-e.ctx.Done():
			return
		case changes := <-e.monitor.Changes():
			e.observed(changes)
		case <-e.store.Changes():
			e.adopt(e.store.State())
		case <-lapse.C:
			e.adopt(e.store.State())
		}
	}
}

// emitLocked queues an event. Without subscribers there is nothing to keep.
func (e *Engine) emitLocked(ev Event) {
	if len(e.eventSub) == 0 {
		return
	}
	if ev.Time.IsZero() {
		ev.Time = time.Now()
	}
	e.events = append(e.events, ev)
	e.signal(e.hasEvent)
}

// touchLocked asks for a new snapshot soon.
func (e *Engine) touchLocked() { e.signal(e.stale) }

func (e *Engine) signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// followUps is work that commits to the outside world; it runs after the lock
// is released.
type followUps []func()

func (f followUps) run() {
	for _, do := range f {
		do()
	}
}

// commit makes one change durable. It takes effect when the state is adopted.
func (e *Engine) commit(ctx context.Context, change func(*store.Tx) error) error {
	_, err := e.store.Update(ctx, change)
	return err
}

// update commits one change and returns when the snapshot that shows it is
// published.
func (e *Engine) update(ctx context.Context, change func(*store.Tx) error) error {
	if err := e.commit(ctx, change); err != nil {
		return err
	}
	e.adopt(e.store.State())
	return nil
}

// adopt makes a committed state the current one, unless a newer one already is.
func (e *Engine) adopt(state *store.State) {
	e.replan(e.ctx, state)
	e.mu.Lock()
	before := e.index
	e.mu.Unlock()
	index := before
	if state != before.state {
		index = newIndex(state, before) // off the lock: with many roots it takes a while
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return
	}
	if state != e.state && state.Version >= e.state.Version {
		e.state, e.index = state, index
		e.watchLocked()
	}
	after := e.reconcileLocked()
	e.publishLocked()
	e.mu.Unlock()
	after.run()
}

// replan works out, off the lock, what the servers whose entry changed would
// run now.
func (e *Engine) replan(ctx context.Context, state *store.State) {
	sealed := e.store.Seal().Sealed
	e.mu.Lock()
	var changed []store.Server
	for _, srv := range state.Servers {
		if l := e.links[srv.ID]; l == nil || l.plan == nil || !l.plan.same(srv) || l.plan.sealed != sealed && len(l.plan.env) > 0 {
			changed = append(changed, srv)
		}
	}
	e.mu.Unlock()
	for _, srv := range changed {
		p := newPlan(ctx, e.store, e.opts.Starter, srv)
		e.mu.Lock()
		l := e.links[srv.ID]
		if l == nil {
			l = newLink(e, srv.ID)
			e.links[srv.ID] = l
		}
		l.plan = p
		e.mu.Unlock()
	}
}
