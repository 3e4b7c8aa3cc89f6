package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// Choice is a small chip with a word and an arrow, such as "read ▾". A click,
// Space or the down key opens its menu.
type Choice struct {
	widget.DisableableWidget
	Options  []string
	Selected int // index into Options
	Changed  func(int)
	Boxed    bool // as high as a button, with a border: for heads and forms

	hovered, focused bool
}

var (
	_ fyne.Focusable    = (*Choice)(nil)
	_ desktop.Hoverable = (*Choice)(nil)
)

// NewChoice returns a choice; changed is called only when a person chose.
func NewChoice(options []string, selected int, changed func(int)) *Choice {
	c := &Choice{Options: options, Selected: selected, Changed: changed}
	c.ExtendBaseWidget(c)
	return c
}

// SetSelected changes what is shown without calling Changed.
func (c *Choice) SetSelected(i int) {
	if c.Selected == i {
		return
	}
	c.Selected = i
	c.Refresh()
}

func (c *Choice) word() string {
	if c.Selected < 0 || c.Selected >= len(c.Options) {
		return ""
	}
	return c.Options[c.Selected]
}

// Tapped implements fyne.Tappable.
func (c *Choice) Tapped(*fyne.PointEvent) {
	if c.Disabled() {
		return
	}
	cv := fyne.CurrentApp().Driver().CanvasForObject(c)
	if cv == nil {
		return
	}
	pos := fyne.CurrentApp().Driver().AbsolutePositionForObject(c)
	PopUpChoices(cv, pos.AddXY(0, c.Size().Height+2), c.Options, c.Selected, c.choose)
}

func (c *Choice) choose(i int) {
	if i == c.Selected {
		return
	}
	c.SetSelected(i)
	if c.Changed != nil {
		c.Changed(i)
	}
}

// FocusGained implements fyne.Focusable.
func (c *Choice) FocusGained() { c.focused = true; c.Refresh() }

// FocusLost implements fyne.Focusable.
func (c *Choice) FocusLost() { c.focused = false; c.Refresh() }

// TypedRune implements fyne.Focusable.
func (c *Choice) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (c *Choice) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyDown:
		c.Tapped(nil)
	case fyne.KeyUp:
		if !c.Disabled() && c.Selected > 0 {
			c.choose(c.Selected - 1)
		}
	default:
		Forward(c, ev)
	}
}

// MouseIn implements desktop.Hoverable.
func (c *Choice) MouseIn(*desktop.MouseEvent) { c.hovered = true; c.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (c *Choice) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (c *Choice) MouseOut() { c.hovered = false; c.Refresh() }

// CreateRenderer implements fyne.Widget.
func (c *Choice) CreateRenderer() fyne.WidgetRenderer {
	c.ExtendBaseWidget(c)
	r := &choiceRenderer{
		c: c, ring: canvas.NewRectangle(color.Transparent), box: canvas.NewRectangle(nil),
		text: NewSmall(""), icon: NewIcon(IconDown, ColorMuted, 10),
	}
	r.text.Fit = FitEnd
	r.Refresh()
	return r
}

// choiceMax is the widest a chosen word is shown; the menu shows all of it.
const choiceMax float32 = 180

type choiceRenderer struct {
	c         *Choice
	ring, box *canvas.Rectangle
	text      *Text
	icon      *Icon
}

func (r *choiceRenderer) Destroy() {}

func (r *choiceRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ring, r.box, r.text, r.icon}
}

func (r *choiceRenderer) MinSize() fyne.Size {
	w := float32(0)
	for _, o := range r.c.Options {
		w = max(w, fyne.MeasureText(o, r.points(), fyne.TextStyle{}).Width)
	}
	w = min(w, choiceMax)
	if r.c.Boxed {
		return fyne.NewSize(w+2*r.pad()+18, ButtonHeight)
	}
	return fyne.NewSize(w+2*r.pad()+14, r.height())
}

func (r *choiceRenderer) points() float32 {
	if r.c.Boxed {
		return TextSize
	}
	return SmallSize
}

func (r *choiceRenderer) pad() float32 {
	if r.c.Boxed {
		return GapMedium
	}
	return pillPad
}

func (r *choiceRenderer) height() float32 {
	if r.c.Boxed {
		return ButtonHeight
	}
	return pillHeight + 2
}

func (r *choiceRenderer) radius() float32 {
	if r.c.Boxed {
		return Radius
	}
	return (pillHeight + 2) / 2
}

func (r *choiceRenderer) Layout(s fyne.Size) {
	h := r.height()
	top := (s.Height - h) / 2
	r.box.Move(fyne.NewPos(0, top))
	r.box.Resize(fyne.NewSize(s.Width, h))
	r.ring.Move(fyne.NewPos(-3, top-3))
	r.ring.Resize(fyne.NewSize(s.Width+6, h+6))
	m := r.text.MinSize()
	r.text.Move(fyne.NewPos(r.pad(), top+(h-m.Height)/2))
	r.text.Resize(fyne.NewSize(s.Width-2*r.pad()-12, m.Height))
	r.icon.Move(fyne.NewPos(s.Width-r.pad()-10, top+(h-10)/2))
	r.icon.Resize(fyne.NewSquareSize(10))
}

func (r *choiceRenderer) Refresh() {
	fill, fg, line := ColorChip, ColorMuted, fyne.ThemeColorName("")
	hovered := r.c.hovered && !r.c.Disabled()
	if r.c.Boxed {
		fill, fg, line = ColorPanel, ColorText, ColorLine
		if hovered {
			fill = ColorHover
		}
	} else if hovered {
		fg, line = ColorText, ColorLine
	}
	paint(r.box, fill, line, 1, r.radius())
	if r.c.focused {
		paint(r.ring, "", ColorAccent, 2, r.radius()+3)
	} else {
		paint(r.ring, "", "", 0, 0)
	}
	r.text.Content, r.text.Color, r.text.Points = r.c.word(), fg, r.points()
	r.text.Refresh()
	r.icon.Set(IconDown, fg)
	r.icon.Refresh()
	r.Layout(r.c.Size())
	r.box.Refresh()
	r.ring.Refresh()
}

// PopUpChoices opens a menu of options at a place of a canvas; the chosen one
// has a check mark. It returns the menu for tests.
func PopUpChoices(cv fyne.Canvas, at fyne.Position, options []string, selected int, choose func(int)) *widget.PopUpMenu {
	items := make([]*fyne.MenuItem, len(options))
	for i, o := range options {
		items[i] = fyne.NewMenuItem(o, func() { choose(i) })
		items[i].Checked = i == selected
	}
	m := widget.NewPopUpMenu(fyne.NewMenu("", items...), cv)
	m.ShowAtPosition(at)
	return m
}
