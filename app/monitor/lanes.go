package monitor

import (
	"sync"
	"time"
)

// The bounds of the pool.
const (
	maxRunning = 16  // batches at once
	maxStuck   = 64  // calls that did not come back, beyond which no batch is started
	batchSize  = 256 // places looked at in one go, on one file system
	firstPause = time.Second
	longPause  = time.Minute
)

// lane is the queue of one mount. At most one batch of it runs at a time, so a
// mount that does not answer holds one slot.
type lane struct {
	key      string
	urgent   []*tracked
	patient  []*tracked // of a sweep
	running  bool
	stuck    int       // calls in it that are beyond their deadline
	notUntil time.Time // pause after it was stuck
	pause    time.Duration
}

// job is one place to look at.
type job struct {
	t      *tracked
	place  Place
	search fileKey // what to look for elsewhere if it is missing
	free   bool
	result result
}

// batch is some places of one lane, looked at one after another by a goroutine.
type batch struct {
	lane       *lane
	table      *mountTable
	stuck      map[string]struct{}
	candidates []string
	jobs       []job
	sweep      bool
	done       chan struct{}

	mu        sync.Mutex
	next      int // the job being worked on; those before it have results
	started   time.Time
	on        *mount
	abandoned bool
	took      time.Duration
}

// begin moves on to job i. False: the loop gave the batch up while the job
// before it did not come back.
func (b *batch) begin(i int, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.abandoned {
		return false
	}
	b.next, b.started = i, now
	return true
}

func (b *batch) onto(m *mount) {
	b.mu.Lock()
	b.on = m
	b.mu.Unlock()
}

// abandon gives the batch up if its current job has run for longer than d.
// Otherwise it returns when that will be so.
func (b *batch) abandon(now time.Time, d time.Duration) (given bool, on *mount, next int, due time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	due = b.started.Add(d)
	if b.next >= len(b.jobs) || now.Before(due) {
		return false, nil, 0, due
	}
	b.abandoned = true
	return true, b.on, b.next, due
}

// work looks at the places of a batch and hands it back.
func (l *loop) work(b *batch) {
	defer close(b.done)
	began := time.Now()
	w := walker{
		fs: l.opts.fs, table: b.table, stuck: b.stuck, lane: b.lane.key, onto: b.onto,
		dirs: make(map[string]*spot, 16), within: map[string]map[uint64]string{},
	}
	for i := range b.jobs {
		if !b.begin(i, time.Now()) {
			break
		}
		j := &b.jobs[i]
		w.free = j.free
		found := w.look(j.place, j.search, b.candidates)
		b.mu.Lock()
		if !b.abandoned {
			j.result = found
		}
		b.mu.Unlock()
	}
	b.begin(len(b.jobs), time.Now())
	b.took = time.Since(began)
	select {
	case l.results <- b:
	case <-l.quit:
	}
}

// put adds a place to the lane of the mount it lies on.
func (l *loop) put(t *tracked, urgent bool) {
	if t.web() {
		l.web.want(t)
		return
	}
	if t.running {
		t.again = true
		return
	}
	if t.queued && (t.urgent || !urgent) {
		return
	}
	if t.queued { // it is in the patient queue; the second entry is skipped when its turn comes
		t.urgent = true
		t.lane.urgent = append(t.lane.urgent, t)
		return
	}
	at := t.lastTarget
	if at == "" {
		at = t.place.Path
	}
	m := l.table.of(at)
	if t.sentTo != nil {
		m, t.free = t.sentTo, true
	}
	ln := l.lane(m.key)
	if ln.stuck > 0 {
		t.sentTo, t.free = nil, false
		l.take(t, stuckResult(t), false)
		return
	}
	t.queued, t.urgent, t.lane = true, urgent, ln
	if urgent {
		ln.urgent = append(ln.urgent, t)
	} else {
		ln.patient = append(ln.patient, t)
	}
	l.ready[ln] = struct{}{}
}

func stuckResult(t *tracked) result {
	return result{status: Unreachable, detail: errStuck.Error(), at: t.place.Path}
}

func (l *loop) lane(key string) *lane {
	ln := l.lanes[key]
	if ln == nil {
		ln = &lane{key: key, pause: firstPause}
		l.lanes[key] = ln
	}
	return ln
}

// dispatch starts batches for lanes that have work.
func (l *loop) dispatch(now time.Time) {
	for ln := range l.ready {
		if len(l.running) >= maxRunning || l.stuckCalls >= maxStuck {
			return
		}
		if ln.running || ln.stuck > 0 {
			continue
		}
		if now.Before(ln.notUntil) {
			l.wakeAt(ln.notUntil)
			continue
		}
		l.start(ln, now)
	}
}

func (l *loop) start(ln *lane, now time.Time) {
	b := &batch{lane: ln, table: l.table, stuck: l.stuckLanes, sweep: true, done: make(chan struct{}), started: now}
	for _, queue := range []*[]*tracked{&ln.urgent, &ln.patient} {
		urgent := queue == &ln.urgent
		n := 0
		for n < len(*queue) && len(b.jobs) < batchSize {
			t := (*queue)[n]
			n++
			if !t.queued || t.lane != ln || t.urgent != urgent {
				continue
			}
			j := job{t: t, place: t.place, free: t.free, search: t.lost()}
			t.free, t.sentTo = false, nil
			t.queued, t.running = false, true
			b.jobs = append(b.jobs, j)
			b.sweep = b.sweep && !urgent
		}
		*queue = (*queue)[n:]
		if len(*queue) == 0 {
			*queue = nil
		}
	}
	if ln.urgent == nil && ln.patient == nil {
		delete(l.ready, ln)
	}
	if len(b.jobs) == 0 {
		return
	}
	if l.listener != nil {
		b.candidates = l.listener.appeared(now)
	}
	ln.running = true
	l.running[b] = struct{}{}
	l.wakeAt(now.Add(l.opts.Deadline))
	go l.work(b)
}

// takeBatch takes what a batch found, or notes that a stuck one came back.
func (l *loop) takeBatch(b *batch, now time.Time) {
	if _, ok := l.running[b]; !ok {
		l.cameBack(b, now)
		return
	}
	delete(l.running, b)
	b.lane.running = false
	b.lane.pause = firstPause
	if b.sweep {
		l.sweepCost += b.took
	}
	for i := range b.jobs {
		l.takeJob(&b.jobs[i])
	}
}

func (l *loop) takeJob(j *job) {
	t := j.t
	t.running = false
	if t.gone {
		return
	}
	if j.place != t.place { // it was changed meanwhile
		t.again = false
		l.put(t, true)
		return
	}
	if j.result.lane != nil {
		t.sentTo = j.result.lane
		t.again = false
		l.put(t, true)
		return
	}
	again := t.again
	t.again = false
	l.take(t, j.result, again)
	if again {
		l.put(t, true)
	}
}

// giveUp abandons batches whose current job is beyond its deadline.
func (l *loop) giveUp(now time.Time) {
	for b := range l.running {
		given, on, next, due := b.abandon(now, l.opts.Deadline)
		if !given {
			l.wakeAt(due)
			continue
		}
		delete(l.running, b)
		l.stuckCalls++
		b.lane.running = false
		ln := b.lane
		if on != nil {
			ln = l.lane(on.key)
		}
		ln.stuck++
		l.stuckIn[b] = ln
		l.noteStuck()
		l.opts.Logger.Warn("a file system does not answer", "stuck", l.stuckCalls)
		for i := range b.jobs[:next] {
			l.takeJob(&b.jobs[i])
		}
		t := b.jobs[next].t
		t.running, t.again = false, false
		if !t.gone {
			l.take(t, stuckResult(t), false)
		}
		for _, j := range b.jobs[next+1:] {
			j.t.running, j.t.again = false, false
			if !j.t.gone {
				l.put(j.t, true)
			}
		}
		l.drain(ln)
	}
}

// drain answers for all that waits in a lane that is stuck.
func (l *loop) drain(ln *lane) {
	waiting := append(ln.urgent, ln.patient...)
	ln.urgent, ln.patient = nil, nil
	delete(l.ready, ln)
	for _, t := range waiting {
		if t.queued && t.lane == ln {
			t.queued, t.free, t.sentTo = false, false, nil
			l.take(t, stuckResult(t), false)
		}
	}
}

// cameBack frees the slot of a stuck call. What it found is old by now: the
// lane is looked at anew, after a pause that grows while it goes on like this.
func (l *loop) cameBack(b *batch, now time.Time) {
	ln, ok := l.stuckIn[b]
	if !ok {
		return
	}
	delete(l.stuckIn, b)
	l.stuckCalls--
	ln.stuck--
	ln.notUntil = now.Add(ln.pause)
	ln.pause = min(2*ln.pause, longPause)
	l.noteStuck()
	for _, t := range l.places {
		if !t.web() && t.seen.status == Unreachable {
			l.put(t, true)
		}
	}
}

// noteStuck publishes which lanes are stuck, for walkers that come by.
func (l *loop) noteStuck() {
	stuck := map[string]struct{}{}
	for key, ln := range l.lanes {
		if ln.stuck > 0 {
			stuck[key] = struct{}{}
		}
	}
	l.stuckLanes = stuck
}
