//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"rootsmanager/mcpclient/peers"
)

// unhurried is longer than the time for which answers that allow something do
// nothing after a question has opened.
const unhurried = 700 * time.Millisecond

// open starts the program's window for a person.
func open(t *testing.T, p *Person) (*Program, *Window, *Events) {
	t.Helper()
	Display(t)
	file := filepath.Join(t.TempDir(), "events.jsonl")
	g := p.Start(nil, Binary(t), "--data-dir", p.Profile, "--events", file)
	w := g.Window("^Roots Manager")
	t.Cleanup(func() {
		if t.Failed() {
			NewAlbum(t, "", "e2e", "failed-"+t.Name()).TakeAll("at-the-end")
		}
	})
	w.Painted()
	w.Still(200 * time.Millisecond)
	return g, w, NewEvents(g, file)
}

// toList leaves whatever has the keyboard for the list or grid of the screen.
func toList(w *Window) { w.Key("ctrl+f", "ctrl+a", "BackSpace", "Escape") }

// seen asks the server, in its detail, what it sees, and returns its answer.
func seen(w *Window, e *Events) []string {
	w.t.Helper()
	w.Key("alt+2")
	toList(w)
	w.Key("Tab", "space") // the first button beside it: Ask what it sees
	return e.Wait("server.seen").Folders
}

// The main job from an empty profile to a folder in which a server that nobody
// here wrote works, and back, with keys alone.
func TestAddedFolderReachesRealServerAndLeavesItAgain(t *testing.T) {
	node, server := peers.Node(t), peers.Filesystem(t)
	p := NewPerson(t)
	photos, notes := p.Folder("Photos #1 100%"), p.Folder("Notes")
	album := NewAlbum(t, "", "e2e")
	g, w, e := open(t, p)
	album.Take(w, "empty")

	// A server is added; nothing starts before it is approved.
	w.Key("ctrl+n")
	w.Still(300 * time.Millisecond)
	w.Type(node + " " + server)
	w.Key("Tab")
	w.Still(300 * time.Millisecond)
	album.Take(w, "add-server")
	w.Key("shift+Tab", "Return")
	w.Still(unhurried)
	album.Take(w, "approve")

	// Enter is the safe answer.
	w.Key("Return")
	w.Still(unhurried)
	e.None("server.connected")
	if started := g.Running(server); len(started) > 0 {
		t.Errorf("without approval these processes were started: %v", started)
	}
	w.Key("alt+2")
	toList(w)
	w.Key("Tab", "space") // Approve…
	w.Still(unhurried)
	w.Key("Tab", "Tab", "space") // Start and remember
	connected := e.Wait("server.connected")
	if connected.Transport != "stdio" || connected.ProtocolVersion != "2025-11-25" {
		t.Errorf("connected over %s at %s", connected.Transport, connected.ProtocolVersion)
	}
	name := connected.Server
	e.Wait("roots.answered", Of(name), Answered())
	w.Still(300 * time.Millisecond)
	album.Take(w, "connected")

	// A folder is added with the desktop's own dialog.
	w.Key("alt+1", "ctrl+o")
	dialog := g.Dialog("^Add folders")
	dialog.Painted()
	dialog.Still(300 * time.Millisecond)
	dialog.Type(photos) // a slash opens the dialog's own line for paths
	dialog.Still(600 * time.Millisecond)
	album.TakeAll("native-dialog")
	dialog.Key("Return")
	dialog.Gone()
	e.Wait("root.status", func(ev Event) bool { return ev.URI == URI(photos) && ev.Status == "reachable" })
	w.Raise()
	w.Still(300 * time.Millisecond)
	album.Take(w, "folder-added")
	e.None("roots.notified") // it was not ticked for anybody

	// A tick is consent: the server is told, asks again, and has it. The keys go
	// to the grid, not to the button last used on the screen that went.
	w.Key("Down", "Home", "space")
	e.Wait("roots.notified", Of(name))
	e.Wait("roots.answered", Of(name), Answered(photos))
	w.Still(300 * time.Millisecond)
	album.Take(w, "ticked")
	if got := seen(w, e); !slices.Equal(got, []string{photos}) {
		t.Errorf("the server works in %q, ticked was %q", got, photos)
	}
	w.Still(300 * time.Millisecond)
	album.Take(w, "what-it-sees")

	// Somebody's script assigns another folder: that is no consent, so the
	// window asks once the server does.
	p.Do("root", "add", notes, "--server", name)
	e.Wait("root.status", func(ev Event) bool { return ev.URI == URI(notes) && ev.Status == "reachable" })
	w.Key("alt+2")
	toList(w)
	w.Key("Tab", "Tab", "space") // Restart
	e.Wait("server.disconnected", Of(name))
	e.Wait("consent.requested", Of(name))
	w.Still(unhurried)
	album.Take(w, "consent")
	w.Key("Tab", "space") // round to the list, and tick: nothing can be allowed yet
	w.Still(300 * time.Millisecond)
	album.Take(w, "consent-ticked")
	e.None("consent.decided")
	w.Key("shift+Tab", "space") // back to the last button: Allow 1 folder
	if decided := e.Wait("consent.decided", Of(name)); decided.Decision != "allow" {
		t.Errorf("decided was %q", decided.Decision)
	}
	e.Wait("roots.answered", Of(name), Answered(photos, notes))
	if got := seen(w, e); !slices.Equal(got, []string{photos, notes}) {
		t.Errorf("the server works in %q, allowed were %q and %q", got, photos, notes)
	}

	// Both are removed; the last one is taken even from a server that would
	// keep what it had.
	remove := func() {
		w.Key("alt+3")
		toList(w)
		w.Key("Home", "Delete")
	}
	remove()
	e.Wait("roots.answered", Of(name), Answered(notes))
	w.Still(300 * time.Millisecond)
	album.Take(w, "first-removed")
	if got := seen(w, e); !slices.Equal(got, []string{notes}) {
		t.Errorf("the server works in %q after %q was removed", got, photos)
	}
	remove()
	e.Wait("roots.answered", Of(name), Answered())
	if got := seen(w, e); len(got) != 0 {
		t.Errorf("the server still works in %q", got)
	}
	w.Still(300 * time.Millisecond)
	album.Take(w, "all-removed")
	w.Key("alt+4")
	w.Still(300 * time.Millisecond)
	album.Take(w, "activity")

	// Quitting leaves nothing running.
	children := g.Running("")
	if len(g.Running(server)) != 1 {
		t.Errorf("the server should run below the program once; there are %v", g.Running(server))
	}
	w.Key("ctrl+q")
	if status := g.Wait(); status != 0 {
		t.Errorf("the program ended with status %d:\n%s", status, g.Stderr())
	}
	Gone(t, children)
}

// What the window shows as done survives the hardest end, and an approved
// server needs no second yes.
func TestTickSurvivesKill(t *testing.T) {
	p := NewPerson(t)
	folder := p.Folder("Work")
	p.Do("server", "add", "files", "--", peers.Node(t), peers.Filesystem(t))
	p.Do("root", "add", folder)

	g, w, e := open(t, p)
	w.Still(unhurried)
	w.Key("Tab", "Tab", "space") // Start and remember
	e.Wait("roots.answered", Answered())
	w.Key("alt+1")
	toList(w)
	w.Key("Home", "space")
	e.Wait("roots.answered", Answered(folder))
	children := g.Running("")
	g.Signal(syscall.SIGKILL)
	g.Wait()
	Gone(t, children)

	g, w, e = open(t, p)
	e.Wait("server.connected", Of("files"))
	e.Wait("roots.answered", Answered(folder))
	w.Key("ctrl+q")
	if status := g.Wait(); status != 0 {
		t.Errorf("status %d:\n%s", status, g.Stderr())
	}
}

// With the mouse: a tick, which is then undone, and a native dialog that is
// closed without an answer.
func TestMouseTicksAndOpensDialog(t *testing.T) {
	p := NewPerson(t)
	kept, other := p.Folder("kept"), p.Folder("other")
	p.Do("server", "add", "files", "--", peers.Node(t), peers.Filesystem(t))
	p.Do("root", "add", kept)
	p.Do("root", "add", other)
	g, w, e := open(t, p)
	w.Still(unhurried)
	w.Key("Tab", "Tab", "space") // Start and remember
	e.Wait("roots.answered", Answered())
	w.Key("Down", "Home", "space") // a server with nothing left would be restarted
	e.Wait("roots.answered", Answered(kept))
	w.Still(300 * time.Millisecond)

	// Moving down takes the focus ring from the first row's cell to the second's.
	cells := w.Changed(func() { w.Key("Down") })
	x, y := (cells.Min.X+cells.Max.X)/2, cells.Min.Y+cells.Dy()*3/4
	w.Click(x, y)
	e.Wait("roots.answered", Answered(kept, other))
	w.Key("ctrl+z")
	e.Wait("roots.answered", Answered(kept))

	// The primary button stands at the right of the head.
	width := w.picture().Bounds().Dx()
	w.Click(width-80, 28)
	dialog := g.Dialog("^Add folders")
	dialog.Painted()
	dialog.Still(300 * time.Millisecond)
	dialog.Key("Escape")
	dialog.Gone()
	w.Raise()
	w.Still(300 * time.Millisecond)
	e.None("root.status")
	w.Key("ctrl+q")
	if status := g.Wait(); status != 0 {
		t.Errorf("status %d:\n%s", status, g.Stderr())
	}
}
