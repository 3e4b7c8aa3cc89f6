package monitor

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"rootsmanager/app/root"
)

func noWatcher() (*fsnotify.Watcher, error) { return nil, syscall.EMFILE }

func TestOverflowOfEventsLooksAtEverything(t *testing.T) {
	var watcher *fsnotify.Watcher
	opts := &Options{Sweep: time.Hour, watcher: func() (w *fsnotify.Watcher, err error) {
		w, err = fsnotify.NewWatcher()
		watcher = w
		return w, err
	}}
	base := temp(t)
	var places []Place
	for i := range 50 {
		places = append(places, Place{ID: fmt.Sprint(i), Path: folder(t, base, fmt.Sprint(i)), Kind: root.Folder})
	}
	w := settled(t, opts, places...)
	for _, path := range watcher.WatchList() { // from now on events are lost
		must(t, watcher.Remove(path))
	}
	for _, p := range places {
		must(t, os.Remove(p.Path))
	}
	w.nothing(100 * time.Millisecond)
	watcher.Errors <- fsnotify.ErrEventOverflow
	for _, p := range places {
		w.wait(p.ID, Missing)
	}
}

func TestMoreEventsThanAreKeptCountAsOverflow(t *testing.T) {
	watcher, err := fsnotify.NewWatcher()
	must(t, err)
	l := newListener(watcher, func(string) bool { return true }, slog.New(slog.DiscardHandler))
	dir := temp(t)
	must(t, watcher.Add(dir))
	for i := range maxTouched + 10 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600))
	}
	must(t, os.Mkdir(filepath.Join(dir, "last"), 0o700))
	deadline := time.After(patience)
	for {
		select {
		case <-l.wake:
		case <-deadline:
			t.Fatal("no overflow was noted")
		}
		l.mu.Lock()
		n, overflow := len(l.paths), l.overflow
		l.mu.Unlock()
		if overflow {
			if n != maxTouched {
				t.Errorf("%d paths kept, want %d", n, maxTouched)
			}
			break
		}
	}
	if paths, overflow := l.take(); len(paths) != maxTouched || !overflow {
		t.Errorf("took %d paths, overflow %v", len(paths), overflow)
	}
	must(t, l.close(time.Second))
}
