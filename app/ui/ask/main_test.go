package ask

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"go.uber.org/goleak"

	"rootsmanager/app/ui/look"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeClock stands still until it is moved. Work that comes back to the Fyne
// goroutine waits in its queue for the test to run it, so that one goroutine
// touches the widgets.
type fakeClock struct {
	at    time.Time
	queue chan func()
	ticks map[int]func()
	made  int
}

func newFakeClock() *fakeClock {
	return &fakeClock{at: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), queue: make(chan func(), 16), ticks: map[int]func(){}}
}

func (c *fakeClock) now() time.Time { return c.at }

func (c *fakeClock) do(f func()) { c.queue <- f }

func (c *fakeClock) every(_ time.Duration, f func()) func() {
	c.made++
	id := c.made
	c.ticks[id] = f
	return func() { delete(c.ticks, id) }
}

// pass lets time go by.
func (c *fakeClock) pass(d time.Duration) {
	c.at = c.at.Add(d)
	for _, f := range c.ticks {
		f()
	}
}

// await runs the next thing that comes back from work.
func (c *fakeClock) await(t *testing.T) {
	t.Helper()
	select {
	case f := <-c.queue:
		f()
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came back within 20 s")
	}
}

// window returns an empty window in our look.
func window(t *testing.T, width, height float32) fyne.Window {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(look.NewTheme(look.Light))
	w := test.NewTempWindow(t, container.NewStack(canvas.NewRectangle(nil)))
	w.SetPadded(false)
	w.Resize(fyne.NewSize(width, height))
	return w
}

// press sends a key as the desktop driver does: to what has the focus, else to
// the window.
func press(w fyne.Window, key fyne.KeyName) {
	ev := &fyne.KeyEvent{Name: key}
	if focused := w.Canvas().Focused(); focused != nil {
		focused.TypedKey(ev)
	} else if f := w.Canvas().OnTypedKey(); f != nil {
		f(ev)
	}
}

// stops are the things Tab goes through, beginning with the one that has the
// focus.
func stops(t *testing.T, w fyne.Window) []fyne.Focusable {
	t.Helper()
	var out []fyne.Focusable
	first := w.Canvas().Focused()
	for range 100 {
		out = append(out, w.Canvas().Focused())
		test.FocusNext(w.Canvas())
		if w.Canvas().Focused() == first {
			return out
		}
	}
	t.Fatal("Tab never comes back to where it began")
	return nil
}

// inside tells whether an object lies wholly in the window and can be seen.
func inside(w fyne.Window, o fyne.CanvasObject) bool {
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	size := w.Canvas().Size()
	return o.Visible() && at.X >= 0 && at.Y >= 0 && at.X+o.Size().Width <= size.Width && at.Y+o.Size().Height <= size.Height
}

// texts are all the words drawn below an object.
func texts(o fyne.CanvasObject) []string {
	var out []string
	switch o := o.(type) {
	case *canvas.Text:
		return []string{o.Text}
	case *readOnly:
		return []string{o.text}
	case *fyne.Container:
		for _, child := range o.Objects {
			out = append(out, texts(child)...)
		}
	case fyne.Widget:
		for _, child := range test.WidgetRenderer(o).Objects() {
			out = append(out, texts(child)...)
		}
	}
	return out
}
