package ui

import (
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// shot draws the window and keeps the picture if UI_PNG names a folder.
func shot(t *testing.T, w *Window, name string) {
	t.Helper()
	settle(w)
	dir := os.Getenv("UI_PNG")
	if dir == "" && !strings.HasPrefix(name, "normal-dark-900") { // drawing costs most of the time
		return
	}
	img := w.win.Canvas().Capture()
	if img.Bounds().Empty() {
		t.Fatal("nothing was drawn")
	}
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

// TestEveryScreenDrawsInEveryState builds and draws all screens, empty, as
// drawn, failing and huge, in both themes and both sizes.
func TestEveryScreenDrawsInEveryState(t *testing.T) {
	states := map[string]func() *sampleCore{
		"empty":  emptySampleCore,
		"normal": newSampleCore,
		"huge":   func() *sampleCore { return hugeSampleCore(10000, 100) },
		"folders": func() *sampleCore {
			c := newSampleCore()
			c.snap.Servers = nil
			return c
		},
		"long": func() *sampleCore {
			c := newSampleCore()
			long := strings.Repeat("a very long name indeed ", 4)
			for i := range c.snap.Servers {
				c.snap.Servers[i].Name = fmt.Sprint(i, " ", long)[:80]
				c.snap.Servers[i].SelfName = long
				c.snap.Servers[i].CommandLine = []string{"/usr/bin/node", strings.Repeat("/a/long/path", 60), "--flag", long}
				c.snap.Servers[i].Problem = strings.Repeat("The server did not answer. ", 12)
				c.snap.Servers[i].Dir = strings.Repeat("/home/user/work", 12)
			}
			for i := range c.snap.Roots {
				c.snap.Roots[i].Label = fmt.Sprint(i, " ", long)
				c.snap.Roots[i].Short = "~" + strings.Repeat("/clients/2026", 12)
				c.snap.Roots[i].Warning = "it holds keys"
				c.snap.Roots[i].NestedIn = long
			}
			for i := range c.snap.Activity {
				c.snap.Activity[i].Subject = long
				c.snap.Activity[i].Text = "was told " + long + long + long
			}
			c.snap.Workspace.Name = long
			c.snap.Prompts = []app.Prompt{prompt(long, false), prompt("two", true)}
			c.stderr = []string{strings.Repeat("panic: ", 100)}
			return c
		},
		"trouble": func() *sampleCore {
			c := newSampleCore()
			c.decisions = sampleDecisions()
			c.snap.Health.Sealed, c.snap.Health.SealedText = false, "Decisions last until you quit: the keyring does not answer"
			c.snap.Health.SealedHelp = "Unlock the keyring, then start Roots Manager again"
			c.snap.Roots[0].Warning = "it holds keys for other computers"
			c.snap.Roots[1].NestedIn = "frontend"
			c.snap.Servers[0].MayKeep = true
			return c
		},
	}
	for name, build := range states {
		for _, mode := range []look.Mode{look.Light, look.Dark} {
			for _, size := range [][2]float32{{1280, 800}, {900, 600}} {
				if os.Getenv("UI_PNG") == "" && (mode == look.Dark) != (size[0] < 1000) {
					continue // the other two combinations add nothing but time
				}
				if name == "huge" && (mode == look.Dark || size[0] < 1000) {
					continue
				}
				t.Run(fmt.Sprintf("%s-%s-%v", name, mode, size[0]), func(t *testing.T) {
					c := build()
					c.settings["theme"] = string(mode)
					w, _, _ := openWindow(t, c, size[0], size[1])
					for _, s := range []screenName{screenAccess, screenServers, screenFolders, screenActivity, screenRequests, screenDecided, screenSettings} {
						w.show(s)
						shot(t, w, fmt.Sprintf("%s-%s-%v-%s", name, mode, size[0], s))
					}
				})
			}
		}
	}
}
