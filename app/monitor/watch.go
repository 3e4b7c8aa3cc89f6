package monitor

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"rootsmanager/app/root"
)

const (
	beatEvery    = time.Second
	retryEvery   = time.Minute
	maxDrift     = 3 * time.Second // between the clocks, beyond which the machine slept
	longestSweep = 5 * time.Minute
	sweepShare   = 300 // a sweep is made at most every 300 times its own cost
	orderSize    = 2048
	renewAfter   = 100 * time.Millisecond
)

// beat does what has to be done now and then.
func (l *loop) beat(now time.Time) {
	if now.Before(l.beatAt) {
		l.wakeAt(l.beatAt)
		return
	}
	wall := l.opts.wall()
	if !l.beatAt.IsZero() {
		// The wall clock goes on while the machine sleeps, Go's own does not.
		elapsed := now.Sub(l.beatAt.Add(-beatEvery))
		if drift := wall.Sub(l.wallAt) - elapsed; drift > maxDrift || drift < -maxDrift {
			l.opts.Logger.Info("the clock jumped; looking at everything", "drift", drift)
			for _, t := range l.places {
				l.web.stale(t)
				l.put(t, true)
			}
		}
	}
	l.wallAt = wall
	l.beatAt = now.Add(beatEvery)
	l.wakeAt(l.beatAt)
	l.web.beat(now)
	if !l.retryAt.IsZero() && !now.Before(l.retryAt) {
		l.retryAt = time.Time{}
		if l.listener == nil {
			l.listen()
		}
		if l.full {
			l.full = false
			l.askAgain()
		}
	}
}

// sweep looks at everything when it is time.
func (l *loop) sweep(now time.Time) {
	if now.Before(l.sweepAt) {
		l.wakeAt(l.sweepAt)
		return
	}
	if l.sweeping && l.opts.swept != nil {
		l.opts.swept(l.sweepCost)
	}
	every := l.opts.Sweep
	if l.mode() == SweepOnly {
		every /= 5
	}
	every = min(max(every, sweepShare*l.sweepCost), longestSweep)
	l.sweeping, l.sweepCost = true, 0
	l.sweepAt = now.Add(every)
	l.wakeAt(l.sweepAt)
	if l.opts.mounts.changes() == nil {
		l.readMounts()
	}
	l.askAgain()
	l.verify = true
	for _, t := range l.places {
		if !t.web() {
			l.put(t, false)
		}
	}
}

// readMounts brings the mount table up to date and looks at what lies on
// mounts that came, went or were remounted.
func (l *loop) readMounts() {
	table, err := l.opts.mounts.read()
	if err != nil {
		l.opts.Logger.Warn("reading the mount table failed", "error", err)
		return
	}
	keys := make(map[string]struct{}, len(table.byPoint)+1)
	keys[table.top.key] = struct{}{}
	for point, m := range table.byPoint {
		keys[m.key] = struct{}{}
		if was := l.table.byPoint[point]; was != nil && was.key == m.key && was.known.Load() {
			m.device.Store(was.device.Load())
			m.known.Store(true)
		}
	}
	points := table.changed(l.table)
	l.table = table
	for _, point := range points {
		l.index.lost(point)
		l.index.visit(point, func(t *tracked) {
			t.deliberate = true
			t.lastTarget = ""
			l.put(t, true)
		})
	}
	for key, ln := range l.lanes {
		if _, ok := keys[key]; ok {
			continue
		}
		waiting := append(ln.urgent, ln.patient...)
		ln.urgent, ln.patient = nil, nil
		delete(l.ready, ln)
		if !ln.running && ln.stuck == 0 {
			delete(l.lanes, key)
		}
		for _, t := range waiting {
			if t.queued && t.lane == ln {
				t.queued, t.sentTo, t.lastTarget = false, nil, ""
				l.put(t, true)
			}
		}
	}
}

func (l *loop) takeEvents(now time.Time) {
	paths, overflow := l.listener.take()
	if overflow {
		l.opts.Logger.Info("events were lost; looking at everything")
		l.sweepAt = now
	}
	for path, e := range paths {
		if e.op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0 {
			l.index.lost(path)
			l.renew[path] = now.Add(renewAfter)
		}
		l.index.visit(path, func(t *tracked) {
			if e.op&fsnotify.Rename != 0 && t.place.Kind != root.File {
				t.deliberate = true
			}
			t.lastTarget = ""
			l.put(t, true)
		})
	}
}

// watchAnew watches folders once more, a while after they came or went. A folder
// that was renamed keeps its watch under the old name until fsnotify has taken
// notice; to watch it under the new name before that is to no avail.
func (l *loop) watchAnew(now time.Time) {
	for path, at := range l.renew {
		if now.Before(at) {
			l.wakeAt(at)
			continue
		}
		delete(l.renew, path)
		l.index.lost(path)
	}
}

// listen starts to take events; without them the sweep comes more often.
func (l *loop) listen() {
	watcher, err := l.opts.watcher()
	if err != nil {
		l.why = fmt.Sprintf("This computer gives no file-system events (%v), so folders are looked at every few seconds. Close programs that watch many files, or raise fs.inotify.max_user_instances.", err)
		l.opts.Logger.Warn("no file-system events", "error", err)
		l.retryAt = time.Now().Add(retryEvery)
		return
	}
	l.why = ""
	l.listener = newListener(watcher, l.index.knows, l.opts.Logger)
}

// order sends watches to add and to remove to the listener, the folders that
// hold places first.
func (l *loop) order() {
	if l.listener == nil || l.ordered || !l.verify && len(l.index.unwanted) == 0 && (len(l.index.wanted) == 0 || l.full) {
		return
	}
	o := watchOrder{list: l.verify}
	l.verify = false
	for path := range l.index.unwanted {
		o.remove = append(o.remove, path)
	}
	clear(l.index.unwanted)
	if !l.full {
		nodes := make([]*node, 0, len(l.index.wanted))
		for n := range l.index.wanted {
			if l.table.of(n.path).remote {
				delete(l.index.wanted, n) // no events for what others do there, and asking may block
				continue
			}
			nodes = append(nodes, n)
		}
		slices.SortFunc(nodes, func(a, b *node) int {
			if (a.direct > 0) != (b.direct > 0) {
				if a.direct > 0 {
					return -1
				}
				return 1
			}
			return len(b.path) - len(a.path)
		})
		for _, n := range nodes[:min(len(nodes), orderSize)] {
			n.asked = true
			delete(l.index.wanted, n)
			o.add = append(o.add, n.path)
		}
	}
	if len(o.add)+len(o.remove) == 0 && !o.list {
		return
	}
	l.ordered = true
	l.listener.orders <- o // never blocks: it has room for one, and there is one at a time
}

func (l *loop) takeAnswers(report watchReport, now time.Time) {
	l.ordered = false
	if report.there != nil {
		for path, n := range l.index.nodes {
			if _, there := report.there[path]; n.watched && !there {
				l.index.lose(n)
			}
		}
	}
	for _, a := range report.added {
		n := l.index.nodes[a.path]
		if n == nil || !n.asked {
			continue
		}
		n.asked = false
		switch {
		case a.err == nil:
			n.watched = true
			l.index.watched++
			// It may have changed between the look and the watch.
			n.each(func(t *tracked) { l.put(t, true) })
		case errors.Is(a.err, syscall.ENOSPC), errors.Is(a.err, syscall.EMFILE), errors.Is(a.err, syscall.ENFILE):
			if !l.full {
				l.opts.Logger.Warn("out of watches", "error", a.err)
			}
			l.full = true
			l.retryAt = now.Add(retryEvery)
		default:
			// It is gone again or may not be read: the sweep asks again.
			l.opts.Logger.Debug("a folder cannot be watched", "error", a.err)
		}
	}
}

// askAgain wants watches for all folders that need one and have none.
func (l *loop) askAgain() {
	if l.listener == nil || l.full {
		return
	}
	for _, n := range l.index.nodes {
		l.index.check(n)
	}
}

func (l *loop) mode() Mode {
	if l.listener == nil || l.full || l.listener.stuck(l.opts.Deadline) {
		return SweepOnly
	}
	return Events
}

// report publishes the health if it changed.
func (l *loop) report() {
	h := Health{Mode: l.mode(), Watched: len(l.places), Stuck: l.stuckCalls}
	switch {
	case h.Mode == Events:
	case l.listener == nil:
		h.Reason = l.why
	case l.full:
		h.Reason = "This computer allows no more watched folders, so some are looked at every few seconds. Close programs that watch many files, or raise fs.inotify.max_user_watches."
	default:
		h.Reason = "A drive does not answer and holds up file-system events, so folders are looked at every few seconds."
	}
	h.Folders = l.index.watched
	if *l.health.Load() != h {
		l.health.Store(&h)
	}
}
