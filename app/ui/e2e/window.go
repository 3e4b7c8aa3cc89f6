package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	_ "image/png" // pictures are read back
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Window is one window on the display.
type Window struct {
	ID string // as xdotool writes it
	t  testing.TB
	of *Program
}

// Window waits for the program's window with the title, a regular expression.
func (g *Program) Window(title string) *Window {
	g.t.Helper()
	return find(g.t, g, "--pid", strconv.Itoa(g.PID()), "--name", title)
}

// Dialog waits for a window with the title, of any process: a native dialog
// belongs to a program of its own.
func (g *Program) Dialog(title string) *Window {
	g.t.Helper()
	return find(g.t, g, "--name", title)
}

func find(t testing.TB, g *Program, by ...string) *Window {
	t.Helper()
	ctx := within(t, Patience)
	w := &Window{t: t, of: g}
	err := until(ctx, func() (bool, error) {
		out, _ := output(ctx, "xdotool", append([]string{"search", "--all", "--onlyvisible"}, by...)...) // status 1: none yet
		if ids := strings.Fields(out); len(ids) > 0 {
			w.ID = ids[len(ids)-1]
			return true, nil
		}
		return false, g.alive()
	})
	if err != nil {
		t.Fatalf("no window %q: %v", by[len(by)-1], err)
	}
	w.Raise()
	return w
}

func (w *Window) xdotool(args ...string) string {
	w.t.Helper()
	out, err := output(within(w.t, Patience), "xdotool", args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// Raise brings the window to the front and gives it the keyboard.
func (w *Window) Raise() {
	w.t.Helper()
	w.xdotool("windowactivate", "--sync", w.ID)
	w.xdotool("windowfocus", "--sync", w.ID)
}

// Resize gives the window's content another size, in pixels.
func (w *Window) Resize(width, height int) {
	w.t.Helper()
	w.xdotool("windowsize", "--sync", w.ID, strconv.Itoa(width), strconv.Itoa(height))
}

// Key presses keys one after the other, with X11's names: "ctrl+n", "Tab".
func (w *Window) Key(keys ...string) {
	w.t.Helper()
	w.xdotool(append([]string{"key", "--clearmodifiers", "--delay", "40"}, keys...)...)
}

// Type types text.
func (w *Window) Type(text string) {
	w.t.Helper()
	w.xdotool("type", "--clearmodifiers", "--delay", "8", "--", text)
}

// Click clicks at a place of the window, in pixels from its top left corner.
func (w *Window) Click(x, y int) {
	w.t.Helper()
	w.xdotool("mousemove", "--window", w.ID, strconv.Itoa(x), strconv.Itoa(y), "click", "1")
}

// Gone waits until the window is closed.
func (w *Window) Gone() {
	w.t.Helper()
	ctx := within(w.t, Patience)
	err := until(ctx, func() (bool, error) {
		_, err := output(ctx, "xdotool", "getwindowgeometry", w.ID)
		return err != nil, nil
	})
	if err != nil {
		w.t.Fatalf("the window is still there: %v", err)
	}
}

// Still waits until the picture of the window has not changed for a while: what
// was asked for is drawn, and an answer is no longer too early to count. A
// window that keeps moving, a blinking cursor say, is waited for at most 5 s.
func (w *Window) Still(while time.Duration) {
	w.t.Helper()
	ctx := within(w.t, 5*time.Second)
	var last [sha256.Size]byte
	since := time.Now()
	err := until(ctx, func() (bool, error) {
		raw, err := output(ctx, "import", "-silent", "-window", w.ID, "-depth", "8", "rgb:-")
		if err != nil {
			return ctx.Err() != nil, nil // it may be closing
		}
		if sum := sha256.Sum256([]byte(raw)); sum != last {
			last, since = sum, time.Now()
		}
		return time.Since(since) >= while, w.of.alive()
	})
	if err != nil && ctx.Err() == nil {
		w.t.Fatal(err)
	}
}

// Painted waits until the window shows more than one flat colour, and returns
// when it was seen.
func (w *Window) Painted() time.Time {
	w.t.Helper()
	ctx := within(w.t, Patience)
	err := until(ctx, func() (bool, error) {
		// Every 16th pixel is enough to tell text from a flat surface.
		raw, err := output(ctx, "import", "-silent", "-window", w.ID, "-depth", "8", "rgb:-")
		if err != nil {
			return false, w.of.alive()
		}
		seen := map[string]bool{}
		for i := 0; i+3 <= len(raw); i += 16 * 3 {
			seen[raw[i:i+3]] = true
		}
		return len(seen) > 8, nil
	})
	if err != nil {
		w.t.Fatalf("the window stays empty: %v", err)
	}
	return time.Now()
}

// Changed returns what part of the window's picture an action changed, to find
// a place without knowing the layout.
func (w *Window) Changed(action func()) image.Rectangle {
	w.t.Helper()
	before := w.picture()
	action()
	w.Still(300 * time.Millisecond)
	after := w.picture()
	var box image.Rectangle
	b := before.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if before.At(x, y) != after.At(x, y) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if box.Empty() {
		w.t.Fatal("nothing changed in the window")
	}
	return box
}

func (w *Window) picture() image.Image {
	w.t.Helper()
	raw, err := output(within(w.t, Patience), "import", "-silent", "-window", w.ID, "png:-")
	if err != nil {
		w.t.Fatal(err)
	}
	picture, _, err := image.Decode(strings.NewReader(raw))
	if err != nil {
		w.t.Fatal(err)
	}
	return picture
}

// Album keeps numbered pictures of a story.
type Album struct {
	dir string
	n   int
	t   testing.TB
}

// NewAlbum returns an album in a folder below build/; pictures of an earlier
// run with the same prefix are removed.
func NewAlbum(t testing.TB, prefix string, folder ...string) *Album {
	t.Helper()
	dir := Build(t, folder...)
	old, _ := filepath.Glob(filepath.Join(dir, prefix+"*.png"))
	for _, picture := range old {
		if err := os.Remove(picture); err != nil {
			t.Fatal(err)
		}
	}
	return &Album{dir: dir, t: t}
}

// Take keeps a picture of the window as NN-step.png, read back from the X
// server, and checks that it shows something.
func (a *Album) Take(w *Window, step string) {
	a.t.Helper()
	a.n++
	a.keep(w.ID, fmt.Sprintf("%02d-%s.png", a.n, step))
}

// Keep keeps a picture of the window under a name of its own.
func (a *Album) Keep(w *Window, name string) {
	a.t.Helper()
	a.keep(w.ID, name+".png")
}

// TakeAll keeps a picture of the whole display: for windows beside each other.
func (a *Album) TakeAll(step string) {
	a.t.Helper()
	a.n++
	a.keep("root", fmt.Sprintf("%02d-%s.png", a.n, step))
}

func (a *Album) keep(window, name string) {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	// Also in a cleanup, when the test's own context has ended.
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if _, err := output(ctx, "import", "-silent", "-window", window, path); err != nil {
		a.t.Fatal(err)
	}
	if n := colours(a.t, path); n < 20 {
		a.t.Errorf("%s has only %d colours: the window is not drawn", name, n)
	}
}

// colours counts the different colours of a picture.
func colours(t testing.TB, path string) int {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, _, err := image.Decode(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	seen := map[[3]uint32]bool{}
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 2 {
		for x := b.Min.X; x < b.Max.X; x += 2 {
			red, green, blue, _ := picture.At(x, y).RGBA()
			seen[[3]uint32{red, green, blue}] = true
		}
	}
	return len(seen)
}
