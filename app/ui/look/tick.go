package look

import (
	"fmt"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// TickState is what a tick box shows.
type TickState int

// The states of a tick. They differ in shape, not only in colour.
const (
	TickOff     TickState = iota // an empty box
	TickOn                       // full, with a check mark
	TickAsks                     // dashed, in the warning colour
	TickHeld                     // faded, with a check mark
	TickNever                    // a box with a cross
	TickIdle                     // outlined, with a check mark: holds once the server runs
	TickPartial                  // full, with a bar: some of several
)

// TickSize is the width and height of a tick box.
const TickSize float32 = 18

// TickResource is the drawing of a state in the colours of the current theme.
func TickResource(s TickState) fyne.Resource {
	box := func(fillName, lineName fyne.ThemeColorName, extra string) string {
		f := "none"
		if fillName != "" {
			f = "#" + hexOf(Color(fillName))
		}
		return fmt.Sprintf(`<path d="M6 2 H18 C20.2 2 22 3.8 22 6 V18 C22 20.2 20.2 22 18 22 H6 C3.8 22 2 20.2 2 18 V6 C2 3.8 3.8 2 6 2 Z" fill="%s" stroke="#%s" stroke-width="1.6"%s/>`, f, hexOf(Color(lineName)), extra)
	}
	mark := func(d string, c fyne.ThemeColorName) string {
		return fmt.Sprintf(`<path d="%s" fill="none" stroke="#%s" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/>`, d, hexOf(Color(c)))
	}
	const check = "M7 12.4 L10.6 16 L17.2 8.6"
	var body string
	switch s {
	case TickOn:
		body = box(ColorAccent, ColorAccent, "") + mark(check, ColorOnAccent)
	case TickPartial:
		body = box(ColorAccent, ColorAccent, "") + mark("M7.5 12 H16.5", ColorOnAccent)
	case TickAsks:
		body = box("", ColorWarning, ` stroke-dasharray="4 2.6"`)
	case TickHeld:
		body = box(ColorHeld, ColorHeld, "") + mark(check, ColorPanel)
	case TickNever:
		body = box("", ColorEdge, "") + mark("M8 8 L16 16", ColorError) + mark("M16 8 L8 16", ColorError)
	case TickIdle:
		body = box("", ColorAccent, "") + mark(check, ColorAccent)
	default:
		body = box(ColorPanel, ColorEdge, "")
	}
	name := fmt.Sprintf("look-tick-%d-%s-%s", s, hexOf(Color(ColorAccent)), hexOf(Color(ColorPanel)))
	return svgResource(name, body)
}

// Tick is a check box with room for words beside it. Space or a click calls
// OnTapped; the owner decides what the new state is and calls SetState.
type Tick struct {
	widget.DisableableWidget
	State    TickState
	Text     string // optional, beside the box
	OnTapped func()

	focused bool
}

var (
	_ fyne.Focusable = (*Tick)(nil)
	_ fyne.Tappable  = (*Tick)(nil)
)

// NewTick returns a tick box.
func NewTick(state TickState, tapped func()) *Tick {
	t := &Tick{State: state, OnTapped: tapped}
	t.ExtendBaseWidget(t)
	return t
}

// NewCheck returns a tick box with words that toggles between on and off by
// itself and tells changed.
func NewCheck(text string, on bool, changed func(bool)) *Tick {
	t := NewTick(TickOff, nil)
	t.Text = text
	if on {
		t.State = TickOn
	}
	t.OnTapped = func() {
		now := t.State != TickOn
		if now {
			t.SetState(TickOn)
		} else {
			t.SetState(TickOff)
		}
		if changed != nil {
			changed(now)
		}
	}
	return t
}

// Checked reports whether the tick is on.
func (t *Tick) Checked() bool { return t.State == TickOn }

// SetState changes what is shown.
func (t *Tick) SetState(s TickState) {
	if t.State == s {
		return
	}
	t.State = s
	t.Refresh()
}

// Tapped implements fyne.Tappable.
func (t *Tick) Tapped(*fyne.PointEvent) {
	if t.Disabled() || t.OnTapped == nil {
		return
	}
	t.OnTapped()
}

// FocusGained implements fyne.Focusable.
func (t *Tick) FocusGained() { t.focused = true; t.Refresh() }

// FocusLost implements fyne.Focusable.
func (t *Tick) FocusLost() { t.focused = false; t.Refresh() }

// TypedRune implements fyne.Focusable.
func (t *Tick) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (t *Tick) TypedKey(ev *fyne.KeyEvent) {
	if ev.Name == fyne.KeySpace {
		t.Tapped(nil)
		return
	}
	Forward(t, ev)
}

// Cursor implements desktop.Cursorable.
func (t *Tick) Cursor() desktop.Cursor { return desktop.DefaultCursor }

// CreateRenderer implements fyne.Widget.
func (t *Tick) CreateRenderer() fyne.WidgetRenderer {
	t.ExtendBaseWidget(t)
	r := &tickRenderer{t: t, ring: canvas.NewRectangle(color.Transparent), img: &canvas.Image{FillMode: canvas.ImageFillContain}, text: NewText("")}
	r.Refresh()
	return r
}

type tickRenderer struct {
	t    *Tick
	ring *canvas.Rectangle
	img  *canvas.Image
	text *Text
}

func (r *tickRenderer) Destroy() {}

func (r *tickRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ring, r.img, r.text}
}

func (r *tickRenderer) MinSize() fyne.Size {
	s := fyne.NewSquareSize(TickSize + 6)
	if r.t.Text != "" {
		m := r.text.MinSize()
		s = fyne.NewSize(s.Width+Gap-3+m.Width, max(s.Height, m.Height))
	}
	return s
}

func (r *tickRenderer) Layout(s fyne.Size) {
	top := (s.Height - TickSize) / 2
	r.img.Move(fyne.NewPos(3, top))
	r.img.Resize(fyne.NewSquareSize(TickSize))
	r.ring.Move(fyne.NewPos(0, top-3))
	r.ring.Resize(fyne.NewSquareSize(TickSize + 6))
	m := r.text.MinSize()
	r.text.Move(fyne.NewPos(3+TickSize+Gap, (s.Height-m.Height)/2))
	r.text.Resize(m)
}

func (r *tickRenderer) Refresh() {
	r.img.Resource = TickResource(r.t.State)
	r.img.Image = nil
	if r.t.Disabled() {
		r.img.Translucency = 0.5
	} else {
		r.img.Translucency = 0
	}
	if r.t.focused {
		paint(r.ring, "", ColorAccent, 2, 7)
	} else {
		paint(r.ring, "", "", 0, 0)
	}
	r.text.Content, r.text.Color = r.t.Text, ColorText
	if r.t.Disabled() {
		r.text.Color = ColorMuted
	}
	r.text.Refresh()
	r.Layout(r.t.Size())
	r.img.Refresh()
	r.ring.Refresh()
}
