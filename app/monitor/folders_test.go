package monitor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rootsmanager/app/root"
)

func TestFirstLookIsAChangeFromUnknown(t *testing.T) {
	dir := temp(t)
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	w := start(t, noSweep,
		Place{ID: "there", Path: folder(t, dir, "there"), Kind: root.Folder},
		Place{ID: "file", Path: file, Kind: root.File},
		Place{ID: "gone", Path: filepath.Join(dir, "gone", "deeper"), Kind: root.Folder},
		Place{ID: "kind", Path: file, Kind: root.Folder},
		Place{ID: "grown", Path: dir, Kind: root.File},
	)
	for id, status := range map[string]Status{"there": Reachable, "file": Reachable, "gone": Missing, "kind": NotAFolder, "grown": ChangedTarget} {
		c := w.until(id, func(c Change) bool { return c.ID == id })
		if c.Now.Status != status || c.Previous.Status != Unknown || c.Now.Since.IsZero() {
			t.Errorf("%s: %+v, want %s", id, c, status)
		}
		if usable := status.Usable(); (c.Now.Detail == "") != usable || usable && (c.Now.FileID == "" || c.Now.Target == "") {
			t.Errorf("%s: %+v", id, c.Now)
		}
	}
	if h := w.m.Health(); h.Watched != 5 {
		t.Errorf("health %+v", h)
	}
}

func TestDeletedFolderIsMissingAndComesBackByItself(t *testing.T) {
	dir := folder(t, temp(t), "project")
	w := settled(t, noSweep, Place{ID: "p", Path: dir, Kind: root.Folder})
	must(t, os.Remove(dir))
	c := w.wait("p", Missing)
	if c.Previous.Status != Reachable || c.Now.Detail == "" || c.Now.Target != "" {
		t.Errorf("%+v", c)
	}
	must(t, os.Mkdir(dir, 0o755))
	began := time.Now()
	c = w.wait("p", Reachable)
	if c.Previous.Status != Missing || !c.Now.Since.After(c.Previous.Since) {
		t.Errorf("%+v", c)
	}
	t.Logf("back after %v", time.Since(began))
}

func TestDeletedTreeComesBackStepByStep(t *testing.T) {
	base := temp(t)
	top := filepath.Join(base, "a")
	dir := folder(t, top, "b", "c")
	w := settled(t, &Options{Sweep: time.Hour, Flap: 20 * time.Millisecond}, Place{ID: "p", Path: dir, Kind: root.Folder})
	for range 20 {
		must(t, os.RemoveAll(top))
		w.wait("p", Missing)
		must(t, os.MkdirAll(dir, 0o755)) // in one go: each step must be caught
		w.wait("p", Reachable)
	}
}

func TestDeleteAndRecreateTellsNobody(t *testing.T) {
	base := temp(t)
	dir := folder(t, base, "project")
	file := filepath.Join(base, "notes.txt")
	must(t, os.WriteFile(file, nil, 0o600))
	w := settled(t, &Options{Sweep: time.Hour, Flap: time.Second},
		Place{ID: "dir", Path: dir, Kind: root.Folder}, Place{ID: "file", Path: file, Kind: root.File})
	must(t, os.RemoveAll(dir))
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.Rename(file, file+"~")) // as an editor saves
	must(t, os.WriteFile(file, []byte("new"), 0o600))
	must(t, os.WriteFile(file+".tmp", []byte("newer"), 0o600))
	must(t, os.Rename(file+".tmp", file))
	w.nothing(1500 * time.Millisecond)
	must(t, os.Remove(dir)) // and the new one is watched as the old one was
	w.wait("dir", Missing)
}

func TestRenamesAreSeen(t *testing.T) {
	for _, which := range []string{"folder", "parent", "grandparent"} {
		t.Run(which, func(t *testing.T) {
			base := temp(t)
			grandparent := filepath.Join(base, "g")
			parent := filepath.Join(grandparent, "p")
			dir := folder(t, parent, "project")
			opts := &Options{Sweep: time.Hour}
			if !watchAncestors {
				opts.Sweep = 50 * time.Millisecond
			}
			w := settled(t, opts, Place{ID: "p", Path: dir, Kind: root.Folder})
			from := map[string]string{"folder": dir, "parent": parent, "grandparent": grandparent}[which]
			began := time.Now()
			must(t, os.Rename(from, from+" moved"))
			c := w.wait("p", Missing)
			t.Logf("missing after %v", time.Since(began))
			if which == "folder" && c.Now.MovedTo != dir+" moved" {
				t.Errorf("moved to %q", c.Now.MovedTo)
			}
			began = time.Now()
			must(t, os.Rename(from+" moved", from))
			if c = w.wait("p", Reachable); c.Now.MovedTo != "" {
				t.Errorf("%+v", c.Now)
			}
			t.Logf("back after %v", time.Since(began))
			must(t, os.Remove(dir)) // the watches inside are the right ones again
			w.wait("p", Missing)
		})
	}
}

func TestFolderMovedToAnotherWatchedFolderIsFound(t *testing.T) {
	base := temp(t)
	old, other := folder(t, base, "old", "project"), folder(t, base, "new", "other")
	w := settled(t, noSweep, Place{ID: "p", Path: old, Kind: root.Folder}, Place{ID: "o", Path: other, Kind: root.Folder})
	moved := filepath.Join(base, "new", "project")
	must(t, os.Rename(old, moved))
	if c := w.wait("p", Missing); c.Now.MovedTo != moved {
		t.Errorf("moved to %q, want %q", c.Now.MovedTo, moved)
	}
	// A new start of the app finds it by what consent remembers.
	file := w.m.Observe(context.Background(), Place{Path: moved, Kind: root.Folder})[0].FileID
	must(t, os.Rename(moved, moved+"2"))
	obs := w.m.Observe(context.Background(), Place{Path: moved, Kind: root.Folder, FileID: file})[0]
	if obs.Status != Missing || obs.MovedTo != moved+"2" {
		t.Errorf("%+v", obs)
	}
}

func TestDeletedFolderIsNotFoundInItsSuccessor(t *testing.T) {
	base := temp(t)
	dir := folder(t, base, "project")
	w := settled(t, noSweep, Place{ID: "p", Path: dir, Kind: root.Folder})
	must(t, os.Remove(dir))
	folder(t, base, "another") // gets the same file number on many file systems
	if c := w.wait("p", Missing); c.Now.MovedTo != "" {
		t.Errorf("moved to %q", c.Now.MovedTo)
	}
}

func TestRepointedLinkIsAnotherTarget(t *testing.T) {
	base := temp(t)
	one, two := folder(t, base, "one"), folder(t, base, "two")
	link, inner := filepath.Join(base, "link"), filepath.Join(base, "inner")
	if err := os.Symlink(one, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	must(t, os.Symlink("link/..", inner)) // a link that leads through another
	w := settled(t, noSweep,
		Place{ID: "bound", Path: link, Kind: root.Folder, Target: one},
		Place{ID: "free", Path: link, Kind: root.Folder},
		Place{ID: "through", Path: filepath.Join(inner, "one"), Kind: root.Folder, Target: one},
	)
	must(t, os.Symlink(two, link+"2"))
	began := time.Now()
	must(t, os.Rename(link+"2", link))
	c := w.wait("bound", ChangedTarget)
	t.Logf("seen after %v", time.Since(began))
	if c.Now.Target != two || !strings.Contains(c.Now.Detail, two) {
		t.Errorf("%+v", c.Now)
	}
	must(t, os.Remove(link))
	must(t, os.Symlink(one, link))
	w.wait("bound", Reachable)
	must(t, os.Remove(one))
	w.wait("bound", Missing)
	must(t, os.Mkdir(one, 0o755))
	w.wait("bound", Reachable)
	must(t, os.Remove(link))
	must(t, os.Symlink(link, link))
	if c := w.wait("bound", Missing); c.Now.Detail == "" {
		t.Errorf("%+v", c.Now)
	}
}

func TestFolderReplacedByFileIsNotAFolder(t *testing.T) {
	dir := folder(t, temp(t), "project")
	w := settled(t, noSweep, Place{ID: "p", Path: dir, Kind: root.Folder})
	must(t, os.Rename(dir, dir+"2"))
	must(t, os.WriteFile(dir, nil, 0o600))
	w.wait("p", NotAFolder)
	must(t, os.Remove(dir))
	must(t, os.Rename(dir+"2", dir))
	w.wait("p", Reachable)
}

func TestSweepFindsWhatEventsMiss(t *testing.T) {
	dir := folder(t, temp(t), "project")
	w := start(t, &Options{Sweep: 20 * time.Millisecond, watcher: noWatcher}, Place{ID: "p", Path: dir, Kind: root.Folder})
	w.wait("p", Reachable)
	must(t, os.Remove(dir))
	w.wait("p", Missing)
	must(t, os.Mkdir(dir, 0o755))
	w.wait("p", Reachable)
	if h := w.m.Health(); h.Mode != SweepOnly || !strings.Contains(h.Reason, "max_user_instances") {
		t.Errorf("health %+v", h)
	}
}

func TestWatchReplacesTheSet(t *testing.T) {
	base := temp(t)
	a, b := folder(t, base, "a"), folder(t, base, "b")
	w := settled(t, noSweep, Place{ID: "a", Path: a, Kind: root.Folder}, Place{ID: "b", Path: b, Kind: root.Folder})
	w.m.Watch([]Place{{ID: "b", Path: b, Kind: root.Folder}, {ID: "c", Path: base, Kind: root.Folder}, {ID: "b", Path: a, Kind: root.Folder}})
	w.wait("c", Reachable)
	must(t, os.Remove(a))
	must(t, os.Remove(b))
	w.wait("b", Missing)
	for _, c := range w.seen {
		if c.ID == "a" {
			t.Errorf("not watched any more: %+v", c)
		}
	}
	w.m.Watch([]Place{{ID: "b", Path: base, Kind: root.Folder}})
	if c := w.wait("b", Reachable); c.Previous.Status != Unknown {
		t.Errorf("another path under the same ID starts anew: %+v", c)
	}
	w.m.Watch(nil)
	w.m.Observe(context.Background(), Place{Path: base, Kind: root.Folder})
	x := w.m.loop.index
	must(t, w.m.Close())
	if len(x.nodes) != 0 || len(w.m.loop.places) != 0 || x.watched != 0 {
		t.Errorf("left behind: %d nodes, %d places, %d watches", len(x.nodes), len(w.m.loop.places), x.watched)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	dir := temp(t)
	m := New(nil)
	m.Watch([]Place{{ID: "p", Path: dir, Kind: root.Folder}})
	must(t, m.Close())
	must(t, m.Close())
	for range m.Changes() { // closed
	}
	if o := m.Observe(context.Background(), Place{Path: dir, Kind: root.Folder})[0]; o.Status != Unknown || o.Detail == "" {
		t.Errorf("%+v", o)
	}
	m.Watch(nil)
	m.Recheck()
}

func TestObserveNeedsNoWatch(t *testing.T) {
	dir := temp(t)
	w := start(t, noSweep)
	got := w.m.Observe(context.Background(),
		Place{Path: filepath.Join(dir, "no"), Kind: root.Folder}, Place{Path: dir, Kind: root.Folder}, Place{Path: dir, Kind: root.Folder})
	if len(got) != 3 || got[0].Status != Missing || got[1].Status != Reachable || got[1].Target != dir || got[2].FileID != got[1].FileID {
		t.Errorf("%+v", got)
	}
	if w.m.Observe(context.Background()) != nil {
		t.Error("nothing was asked")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := w.m.Observe(ctx, Place{Path: dir, Kind: root.Folder}); got[0].Status != Unknown && got[0].Status != Reachable {
		t.Errorf("%+v", got)
	}
	w.nothing(50 * time.Millisecond)
}
