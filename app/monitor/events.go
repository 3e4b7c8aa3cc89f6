package monitor

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// touched is what events said of a path since they were last taken.
type touched struct {
	op fsnotify.Op
}

// maxTouched bounds the paths that are kept until the loop takes them; beyond
// it everything is looked at instead.
const maxTouched = 8192

// listener holds the watcher. One goroutine takes its events, so fast that the
// kernel's queue does not fill, and one adds and removes watches, because that
// can block.
type listener struct {
	logger  *slog.Logger
	watcher *fsnotify.Watcher
	knows   func(path string) bool
	wake    chan struct{} // there are events
	answers chan watchReport
	orders  chan watchOrder
	quit    chan struct{}
	done    sync.WaitGroup

	mu       sync.Mutex
	paths    map[string]touched
	overflow bool // events were lost
	created  []appearance
	busy     time.Time
}

// appearance is a path that was created or moved into a watched folder.
type appearance struct {
	path string
	at   time.Time
}

const (
	maxCreated = 64
	createdFor = 10 * time.Second
)

type watchOrder struct {
	remove []string
	add    []string
	list   bool // tell which watches there are
}

type watchReport struct {
	added []watchAnswer
	there map[string]struct{} // as asked for by list
}

type watchAnswer struct {
	path string
	err  error
}

func newListener(watcher *fsnotify.Watcher, knows func(string) bool, logger *slog.Logger) *listener {
	l := &listener{
		logger: logger, watcher: watcher, knows: knows, wake: make(chan struct{}, 1), paths: map[string]touched{},
		answers: make(chan watchReport), orders: make(chan watchOrder, 1), quit: make(chan struct{}),
	}
	l.done.Add(2)
	go l.listen()
	go l.obey()
	return l
}

func (l *listener) listen() {
	defer l.done.Done()
	for {
		select {
		case e, ok := <-l.watcher.Events:
			if !ok {
				return
			}
			if e.Op&^fsnotify.Write == 0 {
				continue // what is in a file makes no difference
			}
			if !l.note(nameOf(e.Name), e.Op) {
				continue
			}
		case err, ok := <-l.watcher.Errors:
			if !ok {
				return
			}
			// An overflow, or an error that may have cost events as well.
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				l.logger.Warn("file-system events failed", "error", err)
			}
			l.mu.Lock()
			l.overflow = true
			l.mu.Unlock()
		}
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// note keeps an event for the loop and reports whether the loop cares. What
// others do beside the roots does not wake it.
func (l *listener) note(path string, op fsnotify.Op) bool {
	known := l.knows(path)
	l.mu.Lock()
	defer l.mu.Unlock()
	if op.Has(fsnotify.Create) {
		if len(l.created) == 2*maxCreated {
			l.created = append(l.created[:0], l.created[maxCreated:]...)
		}
		l.created = append(l.created, appearance{path, time.Now()})
	}
	if !known {
		return false
	}
	if len(l.paths) < maxTouched {
		l.paths[path] = touched{l.paths[path].op | op}
	} else {
		l.overflow = true
	}
	return true
}

// appeared returns what was created lately: a folder that vanished may be there.
func (l *listener) appeared(now time.Time) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	paths := make([]string, 0, maxCreated)
	for _, a := range l.created[max(0, len(l.created)-maxCreated):] {
		if now.Sub(a.at) <= createdFor {
			paths = append(paths, a.path)
		}
	}
	return paths
}

// take returns what happened since the last call, and whether events were lost.
func (l *listener) take() (map[string]touched, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	paths, overflow := l.paths, l.overflow
	l.paths, l.overflow = map[string]touched{}, false
	return paths, overflow
}

func (l *listener) obey() {
	defer l.done.Done()
	for {
		var order watchOrder
		select {
		case <-l.quit:
			return
		case order = <-l.orders:
		}
		l.started(time.Now())
		for _, path := range order.remove {
			// It is gone already if the folder is; a watch is never wrong, only needless.
			if err := l.watcher.Remove(path); err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) {
				l.logger.Debug("removing a watch", "error", err)
			}
		}
		report := watchReport{added: make([]watchAnswer, 0, len(order.add))}
		for _, path := range order.add {
			l.started(time.Now())
			report.added = append(report.added, watchAnswer{path, l.watcher.Add(path)})
		}
		if order.list {
			report.there = map[string]struct{}{}
			for _, path := range l.watcher.WatchList() {
				report.there[path] = struct{}{}
			}
		}
		l.started(time.Time{})
		select {
		case <-l.quit:
			return
		case l.answers <- report:
		}
	}
}

func (l *listener) started(at time.Time) {
	l.mu.Lock()
	l.busy = at
	l.mu.Unlock()
}

// stuck reports whether adding a watch has not come back for longer than d.
func (l *listener) stuck(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.busy.IsZero() && time.Since(l.busy) > d
}

// close ends the goroutines. If adding a watch hangs, so does closing: then
// both are left behind after the deadline.
func (l *listener) close(deadline time.Duration) error {
	close(l.quit)
	closed := make(chan error, 1)
	go func() {
		err := l.watcher.Close()
		l.done.Wait()
		closed <- err
	}()
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	select {
	case err := <-closed:
		return err
	case <-timer.C:
		return errLeftBehind
	}
}

var errLeftBehind = errors.New("a file system does not answer; what waits for it was left behind")
