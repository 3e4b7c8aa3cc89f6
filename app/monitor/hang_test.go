package monitor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rootsmanager/app/root"
)

// bubble runs a test with a fake clock, a fake file system and two mounts: the
// local "/" and the remote "/net".
func bubble(t *testing.T, f func(t *testing.T, fs *fakeFS, mounts *fakeMounts, m *Monitor, w *log)) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake file system has Unix paths")
	}
	synctest.Test(t, func(t *testing.T) {
		fs := newFakeFS()
		mounts := newFakeMounts(&mount{key: "1", point: "/"}, &mount{key: "2", point: "/net", remote: true})
		m := New(&Options{fs: fs, mounts: mounts, watcher: noWatcher})
		w := &log{m: m, began: time.Now(), last: map[string]Observation{}}
		f(t, fs, mounts, m, w)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// log notes when a monitor said what.
type log struct {
	m     *Monitor
	began time.Time
	last  map[string]Observation
	lines []string
}

// after lets time go by and takes what is said.
func (w *log) after(d time.Duration) {
	timer := time.NewTimer(d)
	for over := false; ; {
		if over {
			synctest.Wait()
			select {
			case changes := <-w.m.Changes():
				w.note(changes)
				continue
			default:
				return
			}
		}
		select {
		case changes := <-w.m.Changes():
			w.note(changes)
		case <-timer.C:
			over = true
		}
	}
}

func (w *log) note(changes []Change) {
	for _, c := range changes {
		w.last[c.ID] = c.Now
		w.lines = append(w.lines, fmt.Sprintf("%s %s@%v", c.ID, c.Now.Status, time.Since(w.began)))
	}
}

func (w *log) count(status Status) int {
	n := 0
	for _, o := range w.last {
		if o.Status == status {
			n++
		}
	}
	return n
}

func many(prefix string, n int) []Place {
	places := make([]Place, n)
	for i := range places {
		path := fmt.Sprintf("%s/%d", prefix, i)
		places[i] = Place{ID: path, Path: path, Kind: root.Folder}
	}
	return places
}

func TestHungMountCostsOneSlotAndStallsNothingElse(t *testing.T) {
	bubble(t, func(t *testing.T, fs *fakeFS, _ *fakeMounts, m *Monitor, w *log) {
		letGo := fs.hang("/net")
		m.Watch(append(many("/net", 1000), many("/home", 100)...))
		w.after(time.Second)
		if w.count(Reachable) != 100 || len(w.last) != 100 {
			t.Errorf("after 1 s: %d reachable of %d, want the 100 local ones", w.count(Reachable), len(w.last))
		}
		w.after(time.Second)
		if w.count(Unreachable) != 1000 {
			t.Errorf("after 2 s: %d unreachable, want 1000", w.count(Unreachable))
		}
		fs.set(func() { fs.gone["/home/7"] = true })
		m.Recheck("/home/7")
		w.after(300 * time.Millisecond)
		if w.last["/home/7"].Status != Missing {
			t.Errorf("a local folder vanished: %+v", w.last["/home/7"])
		}
		w.after(10 * time.Minute)
		if fs.most["/net"] != 1 || m.Health().Stuck != 1 {
			t.Errorf("%d calls hung at once, health %+v; want 1", fs.most["/net"], m.Health())
		}
		began := time.Now()
		if o := m.Observe(context.Background(), Place{Path: "/net/x", Kind: root.Folder})[0]; o.Status != Unreachable || time.Since(began) != 0 {
			t.Errorf("a question about the same mount: %+v after %v, want an answer at once", o, time.Since(began))
		}
		letGo()
		w.after(1100 * time.Millisecond)
		if w.count(Unreachable) != 0 || m.Health().Stuck != 0 {
			t.Errorf("after the mount answered again: %d unreachable, health %+v", w.count(Unreachable), m.Health())
		}
	})
}

func TestQuestionAboutHungMountIsAnsweredAfterDeadline(t *testing.T) {
	bubble(t, func(t *testing.T, fs *fakeFS, _ *fakeMounts, m *Monitor, _ *log) {
		defer fs.hang("/net")()
		began := time.Now()
		got := m.Observe(context.Background(), Place{Path: "/net/x", Kind: root.Folder}, Place{Path: "/home", Kind: root.Folder}, Place{Path: "/net/y", Kind: root.Folder})
		if took := time.Since(began); got[0].Status != Unreachable || got[1].Status != Reachable || got[2].Status != Unreachable || took != 2*time.Second {
			t.Errorf("%+v after %v", got, took)
		}
	})
}

func TestLinksIntoHungMountHangInItsLane(t *testing.T) {
	bubble(t, func(t *testing.T, fs *fakeFS, _ *fakeMounts, m *Monitor, w *log) {
		defer fs.hang("/net")()
		links := many("/home/links", 50)
		for i, p := range links {
			fs.links[p.Path] = fmt.Sprintf("/net/%d", i)
		}
		m.Watch(append(links, many("/home", 100)...))
		w.after(2 * time.Second)
		if w.count(Reachable) != 100 || w.count(Unreachable) != 50 || fs.most["/net"] != 1 {
			t.Errorf("%d reachable, %d unreachable, %d hung at once", w.count(Reachable), w.count(Unreachable), fs.most["/net"])
		}
		fs.set(func() { delete(fs.links, links[0].Path) }) // leads nowhere bad any more
		m.Recheck(links[0].ID)
		w.after(time.Second)
		if o := w.last[links[0].ID]; o.Status != Reachable {
			t.Errorf("a link that became a folder is %+v", o)
		}
	})
}

func TestMountAnewIsLookedAtAlthoughTheOldOneHangs(t *testing.T) {
	bubble(t, func(t *testing.T, fs *fakeFS, mounts *fakeMounts, m *Monitor, w *log) {
		letGo := fs.hang("/net")
		m.Watch(many("/net", 10))
		w.after(3 * time.Second)
		fs.set(func() { delete(fs.hangs, "/net") }) // the old call stays where it is
		mounts.set(&mount{key: "1", point: "/"}, &mount{key: "3", point: "/net", remote: true})
		w.after(100 * time.Millisecond)
		if w.count(Reachable) != 10 || m.Health().Stuck != 1 {
			t.Errorf("%v, health %+v", w.last, m.Health())
		}
		letGo()
		w.after(time.Second)
		if m.Health().Stuck != 0 {
			t.Errorf("health %+v", m.Health())
		}
	})
}

func TestMountThatIsAlwaysTooSlowIsRetriedWithBackOff(t *testing.T) {
	bubble(t, func(t *testing.T, fs *fakeFS, _ *fakeMounts, m *Monitor, w *log) {
		fs.slow["/net"] = 3 * time.Second
		m.Watch(many("/net", 100))
		w.after(10 * time.Minute)
		// 3 s each, and pauses of 1, 2, 4, … 60 s between them.
		if n := fs.entered["/net"]; n < 10 || n > 17 {
			t.Errorf("asked %d times in 10 minutes, want about 14", n)
		}
		if w.count(Unreachable) != 100 || len(w.lines) != 100 {
			t.Errorf("%d unreachable, %d changes; want 100 of each", w.count(Unreachable), len(w.lines))
		}
		n := fs.entered["/net"]
		fs.set(func() { fs.slow = map[string]time.Duration{} })
		m.Recheck() // a person pressed "Retry": no pause
		w.after(4 * time.Second)
		if w.count(Reachable) != 100 {
			t.Errorf("%d reachable after a retry, asked %d times", w.count(Reachable), fs.entered["/net"]-n)
		}
	})
}

func TestDisappearanceIsHeldBackForExactlyTheFlapTime(t *testing.T) {
	bubble(t, func(t *testing.T, fs *fakeFS, mounts *fakeMounts, m *Monitor, w *log) {
		m.Watch(many("/home", 1))
		w.after(time.Second)
		gone := func(is bool) {
			fs.set(func() { fs.gone["/home/0"] = is })
			m.Recheck()
		}
		w.lines, w.began = nil, time.Now()
		gone(true)
		w.after(249 * time.Millisecond)
		gone(false)
		w.after(time.Second)
		if len(w.lines) != 0 {
			t.Errorf("it was back in time: %v", w.lines)
		}
		w.began = time.Now()
		gone(true)
		w.after(time.Second)
		gone(false)
		w.after(0)
		mounts.set(&mount{key: "1", point: "/", state: "changed"})
		w.after(0)
		fs.set(func() { fs.gone["/home/0"] = true })
		mounts.set(&mount{key: "1", point: "/", state: "changed again"})
		w.after(25 * time.Millisecond)
		want := "[/home/0 missing@250ms /home/0 reachable@1s /home/0 missing@1.01s]"
		if got := fmt.Sprint(w.lines); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestSlowReaderGetsTheLastStateOnce(t *testing.T) {
	bubble(t, func(t *testing.T, fs *fakeFS, _ *fakeMounts, m *Monitor, w *log) {
		m.Watch(many("/home", 3))
		w.after(time.Second)
		w.lines = nil
		for range 5 { // nobody reads meanwhile
			for _, gone := range []bool{true, false} {
				fs.set(func() { fs.gone["/home/0"], fs.gone["/home/1"] = gone, gone })
				m.Recheck()
				<-time.After(time.Second)
			}
		}
		fs.set(func() { fs.gone["/home/1"] = true })
		m.Recheck()
		<-time.After(time.Second)
		w.after(time.Second)
		if len(w.lines) != 1 || w.last["/home/1"].Status != Missing {
			t.Errorf("got %v, want only that /home/1 is missing", w.lines)
		}
	})
}

func TestWakingFromSleepLooksAtEverythingOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := newFakeFS()
		var asleep atomic.Int64
		looks := func() int { fs.mu.Lock(); defer fs.mu.Unlock(); return fs.entered["/home"] }
		fs.slow["/home"] = 0 // counts
		m := New(&Options{
			fs: fs, mounts: newFakeMounts(&mount{key: "1", point: "/"}), watcher: noWatcher, Sweep: 5 * time.Hour,
			wall: func() time.Time { return time.Now().Round(0).Add(time.Duration(asleep.Load())) },
		})
		w := &log{m: m, last: map[string]Observation{}}
		m.Watch(many("/home", 10))
		w.after(time.Minute)
		before := looks()
		synctest.Wait()
		asleep.Store(int64(8 * time.Hour))
		w.after(time.Minute)
		if n := looks() - before; n != 10 {
			t.Errorf("%d looks after waking, want one at each of 10", n)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestClosingDoesNotWaitForHungMount(t *testing.T) {
	bubble(t, func(t *testing.T, fs *fakeFS, _ *fakeMounts, m *Monitor, w *log) {
		letGo := fs.hang("/net")
		m.Watch(many("/net", 10))
		w.after(3 * time.Second)
		began := time.Now()
		if err := m.Close(); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		letGo()
		synctest.Wait()

		letGo = fs.hang("/net")
		m = New(&Options{fs: fs, mounts: newFakeMounts(), watcher: noWatcher})
		m.Watch(many("/net", 10))
		synctest.Wait()
		began = time.Now()
		if err := m.Close(); !errors.Is(err, errLeftBehind) || time.Since(began) != 2*time.Second {
			t.Errorf("a look that may yet come back: %v after %v", err, time.Since(began))
		}
		letGo()
	})
}
