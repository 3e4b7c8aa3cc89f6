package monitor

import (
	"slices"
	"sync/atomic"
	"time"

	"rootsmanager/app/root"
)

// loop owns all state; everything reaches it through channels.
type loop struct {
	opts    Options
	in      inbox
	out     chan []Change
	quit    chan struct{}
	done    chan struct{}
	health  atomic.Pointer[Health]
	results chan *batch
	web     *web

	places    map[string]*tracked
	asked     map[Place]*tracked    // looks that callers of Observe wait for
	held      map[*tracked]struct{} // missing, and not reported yet
	pending   []Change
	pendingAt map[string]int // ID to position in pending

	table      *mountTable
	lanes      map[string]*lane
	ready      map[*lane]struct{}
	running    map[*batch]struct{}
	stuckIn    map[*batch]*lane
	stuckLanes map[string]struct{} // never changed, only replaced
	stuckCalls int

	index     *index
	listener  *listener
	why       string               // why there are no events, or not for all folders
	ordered   bool                 // an order is with the listener
	verify    bool                 // the next order asks which watches there are
	renew     map[string]time.Time // paths that came or went, to be watched anew then
	full      bool                 // the system allows no more watches
	retryAt   time.Time            // to listen again, or to ask for more watches
	started   time.Time
	next      time.Time // when something is due
	beatAt    time.Time
	wallAt    time.Time
	sweepAt   time.Time
	sweeping  bool
	sweepCost time.Duration
}

// tracked is one place and all that is known of it.
type tracked struct {
	place Place
	obs   Observation // as reported
	shown fileKey     // of obs
	file  fileKey     // when it was last usable
	seen  result      // newest, may be kept back

	lastTarget string // where it was last, to know the lane
	at         string // hangs on these in the index
	links      []string

	hold       time.Time // it is missing, and that is kept back until then
	deliberate bool      // it was renamed or unmounted, which no editor does

	queued, urgent, running, again, gone, free bool
	lane                                       *lane
	sentTo                                     *mount

	asks []slot // answers these and is not watched
}

func (t *tracked) web() bool { return t.place.Kind == root.HTTPS }

// lost returns the file to look for elsewhere if the place is missing.
func (t *tracked) lost() fileKey {
	if t.file.ino != 0 {
		return t.file
	}
	key, _ := parseFileKey(t.place.FileID) // a key that cannot be read is the zero key: nothing is looked for
	return key
}

func (l *loop) run() {
	defer close(l.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var out chan<- []Change
		if len(l.pending) > 0 {
			out = l.out
		}
		var woken <-chan struct{}
		var answers <-chan watchReport
		if l.listener != nil {
			woken, answers = l.listener.wake, l.listener.answers
		}
		select {
		case <-l.quit:
			return
		case out <- l.pending:
			l.pending = nil
			clear(l.pendingAt)
		case <-l.in.wake:
			l.takeInbox()
		case <-woken:
			l.takeEvents(time.Now())
		case a := <-answers:
			l.takeAnswers(a, time.Now())
		case <-l.opts.mounts.changes():
			l.readMounts()
		case b := <-l.results:
			l.takeBatch(b, time.Now())
		case f := <-l.web.found:
			l.web.take(f, time.Now())
		case <-timer.C:
		}
		now := time.Now()
		l.next = now.Add(time.Hour)
		l.beat(now)
		l.giveUp(now)
		l.release(now)
		l.watchAnew(now)
		l.sweep(now)
		l.dispatch(now)
		l.order()
		l.report()
		timer.Reset(time.Until(l.next))
	}
}

func (l *loop) wakeAt(at time.Time) {
	if at.Before(l.next) {
		l.next = at
	}
}

func (l *loop) takeInbox() {
	set, places, all, recheck, asks := l.in.take()
	if set {
		l.replace(places)
	}
	again := func(t *tracked) {
		if t.lane != nil {
			t.lane.notUntil = time.Time{}
		}
		l.put(t, true)
	}
	if all {
		for _, t := range l.places {
			again(t)
		}
	}
	for _, id := range recheck {
		if t := l.places[id]; t != nil {
			again(t)
		}
	}
	for _, a := range asks {
		for i, p := range a.places {
			if t := l.asked[p]; t != nil && t.queued { // nobody looked yet: one look answers both
				t.asks = append(t.asks, slot{a, i})
				continue
			}
			t := &tracked{place: p, asks: []slot{{a, i}}, obs: Observation{Status: Unknown}}
			l.asked[p] = t
			l.put(t, true)
		}
	}
}

// replace brings the set of places up to date.
func (l *loop) replace(places []Place) {
	kept := make(map[string]struct{}, len(places))
	for _, p := range places {
		if _, twice := kept[p.ID]; twice {
			continue
		}
		kept[p.ID] = struct{}{}
		t := l.places[p.ID]
		switch {
		case t != nil && t.place == p:
			continue
		case t != nil && t.place.Path == p.Path && t.place.Kind == p.Kind:
			t.place = p
		default:
			if t != nil {
				l.forget(t)
			}
			t = &tracked{place: p, obs: Observation{Status: Unknown, Since: time.Now()}}
			l.places[p.ID] = t
		}
		l.put(t, true)
	}
	for id, t := range l.places {
		if _, ok := kept[id]; !ok {
			l.forget(t)
		}
	}
}

func (l *loop) forget(t *tracked) {
	t.gone, t.queued = true, false
	delete(l.held, t)
	delete(l.places, t.place.ID)
	l.unhang(t)
	if i, ok := l.pendingAt[t.place.ID]; ok {
		l.dropPending(i)
	}
}

// take takes what a look found and decides whether and when it is reported.
func (l *loop) take(t *tracked, r result, again bool) {
	now := time.Now()
	if t.asks != nil {
		o := Observation{Status: r.status, Since: now, Target: r.target, FileID: r.file.String(), Detail: r.detail, MovedTo: r.movedTo}
		for _, s := range t.asks {
			s.of.answer(s.index, o)
		}
		if l.asked[t.place] == t {
			delete(l.asked, t.place)
		}
		return
	}
	t.seen = r
	l.hang(t, r)
	if r.target != "" {
		t.lastTarget = r.target
	}
	if r.status != Missing || !t.obs.Status.Usable() {
		t.hold, t.deliberate = time.Time{}, false
		delete(l.held, t)
		l.publish(t, r, now)
		return
	}
	window := l.opts.Flap
	if t.deliberate {
		window /= 25
	}
	if until := now.Add(window); t.hold.IsZero() || until.Before(t.hold) {
		t.hold = until
	}
	switch {
	case now.Before(t.hold):
		l.held[t] = struct{}{}
		l.wakeAt(t.hold)
	case !again: // else it was touched since, and the next look decides
		t.hold, t.deliberate = time.Time{}, false
		l.publish(t, r, now)
	}
}

// release looks again at what was kept back long enough; that look is reported.
func (l *loop) release(now time.Time) {
	for t := range l.held {
		if now.Before(t.hold) {
			l.wakeAt(t.hold)
			continue
		}
		delete(l.held, t)
		l.put(t, true)
	}
}

func (l *loop) publish(t *tracked, r result, now time.Time) {
	previous := t.obs
	next := Observation{Status: r.status, Since: previous.Since, Target: r.target, Detail: r.detail, MovedTo: r.movedTo}
	if next.FileID = previous.FileID; r.file != t.shown {
		next.FileID, t.shown = r.file.String(), r.file
	}
	if r.status.Usable() {
		t.file = r.file
	}
	if next.Status != previous.Status {
		next.Since = now
	}
	t.obs = next
	if !same(next, previous) {
		l.emit(Change{ID: t.place.ID, Previous: previous, Now: next})
	}
}

// same reports whether two observations make no difference to anybody.
func same(a, b Observation) bool {
	return a.Status == b.Status && a.Target == b.Target && a.MovedTo == b.MovedTo
}

// emit queues a change, merged with one of the same place that was not read yet.
func (l *loop) emit(c Change) {
	i, ok := l.pendingAt[c.ID]
	if !ok {
		l.pendingAt[c.ID] = len(l.pending)
		l.pending = append(l.pending, c)
		return
	}
	c.Previous = l.pending[i].Previous
	if same(c.Now, c.Previous) {
		l.dropPending(i)
		return
	}
	l.pending[i] = c
}

func (l *loop) dropPending(i int) {
	delete(l.pendingAt, l.pending[i].ID)
	l.pending = slices.Delete(l.pending, i, i+1)
	for id, at := range l.pendingAt {
		if at > i {
			l.pendingAt[id] = at - 1
		}
	}
}

// hang attaches t to the paths its status depends on.
func (l *loop) hang(t *tracked, r result) {
	if t.web() || t.gone || r.status == Unreachable && t.at != "" {
		return
	}
	if t.at == r.at && slices.Equal(t.links, r.links) {
		l.index.ensure(t.at) // a watch may have failed when the folder was gone for a moment
		return
	}
	old := *t
	t.at, t.links = r.at, r.links
	watched := l.index.attach(t, t.at)
	for _, link := range t.links {
		watched = l.index.attach(t, link) || watched
	}
	l.unhangFrom(t, old.at, old.links)
	if watched { // it may have changed between the look and now
		l.put(t, true)
	}
}

func (l *loop) unhang(t *tracked) { l.unhangFrom(t, t.at, t.links) }

func (l *loop) unhangFrom(t *tracked, at string, links []string) {
	if at == "" {
		return
	}
	l.index.detach(t, at)
	for _, link := range links {
		l.index.detach(t, link)
	}
}
