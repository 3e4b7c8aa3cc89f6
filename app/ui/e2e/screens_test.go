//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"rootsmanager/mcpclient/peers"
)

// sizes at which every screen has to be readable, in pixels.
var sizes = []struct {
	name          string
	width, height int
}{{"900", 900, 600}, {"1280", 1280, 800}}

// Every screen and dialog, in both themes and at both sizes, with real content
// that comes in through the command line while the window is open. The pictures
// are for people to look at: build/e2e/screens.
func TestScreensInBothThemesAndSizes(t *testing.T) {
	node, files, everything := peers.Node(t), peers.Filesystem(t), peers.Everything(t)
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			t.Setenv("FYNE_THEME", theme)
			p := NewPerson(t)
			album := NewAlbum(t, theme+"-", "e2e", "screens")
			g, w, e := open(t, p)
			shoot := func(name string) {
				t.Helper()
				for _, size := range sizes {
					w.Resize(size.width, size.height)
					w.Still(250 * time.Millisecond)
					album.Keep(w, theme+"-"+name+"-"+size.name)
				}
			}
			shoot("empty")

			photos, thesis := p.Folder("Photos 2026"), p.Folder("Thesis – draft")
			p.Do("root", "add", photos)
			p.Do("root", "add", thesis)
			p.Do("root", "add", filepath.Join(thesis, "hello.txt"), "--name", "Greeting")
			gone := p.Folder("USB stick")
			p.Do("root", "add", gone)
			if err := os.RemoveAll(gone); err != nil {
				t.Fatal(err)
			}
			e.Wait("root.status", func(ev Event) bool { return ev.URI == URI(gone) && ev.Status == "missing" })
			shoot("no-server")

			p.Do("server", "add", "files", "--", node, files)
			for _, folder := range []string{photos, thesis, gone} {
				p.Do("root", "add", folder, "--server", "files")
			}
			w.Still(unhurried)
			shoot("approve")
			w.Key("Tab", "Tab", "space") // Start and remember
			e.Wait("consent.requested", Of("files"))
			w.Still(unhurried)
			w.Key("Tab", "space", "Down", "space")
			shoot("consent")
			w.Key("shift+Tab", "space") // Allow
			e.Wait("roots.answered", Of("files"), Answered(photos, thesis))

			p.Do("server", "add", "everything", "--", node, everything, "stdio")
			w.Still(unhurried)
			w.Key("Tab", "Tab", "space")
			e.Wait("server.connected", Of("everything"))
			p.Do("server", "add", "broken", "--", node, filepath.Join(p.Home, "no-such-server.js"))
			w.Still(unhurried)
			w.Key("Tab", "space") // Start once
			e.Wait("roots.answered", Of("everything"))

			for _, screen := range []struct{ name, key string }{
				{"access", "alt+1"},
				{"servers", "alt+2"},
				{"folders", "alt+3"},
				{"activity", "alt+4"},
				{"requests", "alt+5"},
				{"settings", "ctrl+comma"},
			} {
				w.Key(screen.key)
				shoot(screen.name)
			}
			w.Key("alt+1")
			for _, dialog := range []struct{ name, key string }{
				{"add-server", "ctrl+n"},
				{"type-path", "ctrl+l"},
			} {
				w.Key(dialog.key)
				shoot(dialog.name)
				w.Key("Escape")
			}
			w.Key("F1")
			shoot("keys")
			w.Key("Escape", "ctrl+q")
			if status := g.Wait(); status != 0 {
				t.Errorf("status %d:\n%s", status, g.Stderr())
			}
		})
	}
}
