package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// ButtonKind says how much a button asks for attention.
type ButtonKind int

// The kinds of button. A screen has at most one Primary.
const (
	Secondary ButtonKind = iota
	Primary
	Safe    // the answer Enter and Escape lead to: dark border, bold
	Danger  // quiet, red in its text only
	Quiet   // no border until the pointer is over it
	Link    // words in the accent colour
	IconBtn // an icon without words; Text is its tooltip and accessible name
)

// Button is a button in the style of the drawings. Space activates it, and
// Enter too unless NoEnter is set.
type Button struct {
	widget.DisableableWidget
	Text     string
	Icon     IconName
	Kind     ButtonKind
	Small    bool // 28 high and small text, for rows
	NoEnter  bool // Enter does nothing: for answers that must not be given by accident
	OnTapped func()
	OnHover  func(in bool) // the pointer came or went: for a hint; may be nil

	hovered, focused bool
}

var (
	_ fyne.Focusable    = (*Button)(nil)
	_ fyne.Tappable     = (*Button)(nil)
	_ desktop.Hoverable = (*Button)(nil)
)

// NewButton returns a button; tapped may be nil.
func NewButton(text string, kind ButtonKind, tapped func()) *Button {
	b := &Button{Text: text, Kind: kind, OnTapped: tapped}
	b.ExtendBaseWidget(b)
	return b
}

// NewIconButton returns a small button that shows only an icon; name says in
// words what it does.
func NewIconButton(icon IconName, name string, tapped func()) *Button {
	b := &Button{Text: name, Icon: icon, Kind: IconBtn, OnTapped: tapped}
	b.ExtendBaseWidget(b)
	return b
}

// SetText changes the words.
func (b *Button) SetText(s string) {
	if b.Text == s {
		return
	}
	b.Text = s
	b.Refresh()
}

// Tapped implements fyne.Tappable.
func (b *Button) Tapped(*fyne.PointEvent) {
	if b.Disabled() || b.OnTapped == nil {
		return
	}
	b.OnTapped()
}

// FocusGained implements fyne.Focusable.
func (b *Button) FocusGained() { b.focused = true; b.Refresh() }

// FocusLost implements fyne.Focusable.
func (b *Button) FocusLost() { b.focused = false; b.Refresh() }

// TypedRune implements fyne.Focusable.
func (b *Button) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (b *Button) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace:
		b.Tapped(nil)
	case fyne.KeyReturn, fyne.KeyEnter:
		if !b.NoEnter {
			b.Tapped(nil)
		}
	default:
		Forward(b, ev)
	}
}

// Forward hands a key that a focused widget has no use for to its window, so
// that keys such as F1 work wherever the focus is.
func Forward(from fyne.CanvasObject, ev *fyne.KeyEvent) {
	if cv := fyne.CurrentApp().Driver().CanvasForObject(from); cv != nil {
		if typed := cv.OnTypedKey(); typed != nil {
			typed(ev)
		}
	}
}

// MouseIn implements desktop.Hoverable.
func (b *Button) MouseIn(*desktop.MouseEvent) { b.hover(true) }

func (b *Button) hover(in bool) {
	b.hovered = in
	b.Refresh()
	if b.OnHover != nil {
		b.OnHover(in)
	}
}

// MouseMoved implements desktop.Hoverable.
func (b *Button) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (b *Button) MouseOut() { b.hover(false) }

// Cursor implements desktop.Cursorable.
func (b *Button) Cursor() desktop.Cursor {
	if b.Kind == Link && !b.Disabled() {
		return desktop.PointerCursor
	}
	return desktop.DefaultCursor
}

// CreateRenderer implements fyne.Widget.
func (b *Button) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	r := &buttonRenderer{
		b:    b,
		ring: canvas.NewRectangle(color.Transparent), box: canvas.NewRectangle(nil),
		text: NewText(""), icon: NewIcon(IconNone, ColorText, 16),
	}
	r.Refresh()
	return r
}

type buttonRenderer struct {
	b         *Button
	ring, box *canvas.Rectangle
	text      *Text
	icon      *Icon
}

func (r *buttonRenderer) Destroy() {}

func (r *buttonRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ring, r.box, r.icon, r.text}
}

func (r *buttonRenderer) pad() float32 {
	switch {
	case r.b.Kind == Link:
		return 4
	case r.b.Small:
		return 10
	}
	return 15
}

func (r *buttonRenderer) height() float32 {
	if r.b.Small || r.b.Kind == Link {
		return 28
	}
	return ButtonHeight
}

func (r *buttonRenderer) MinSize() fyne.Size {
	h := r.height()
	if r.b.Kind == IconBtn {
		return fyne.NewSquareSize(h)
	}
	w := r.text.MinSize().Width + 2*r.pad()
	if r.b.Icon != IconNone {
		w += 16 + Gap
	}
	return fyne.NewSize(w, h)
}

func (r *buttonRenderer) Layout(s fyne.Size) {
	r.box.Resize(s)
	r.ring.Move(fyne.NewPos(-3, -3))
	r.ring.Resize(s.Add(fyne.NewSquareSize(6)))
	r.icon.Resize(fyne.NewSquareSize(16))
	if r.b.Kind == IconBtn {
		r.icon.Move(fyne.NewPos((s.Width-16)/2, (s.Height-16)/2))
		return
	}
	text := r.text.MinSize()
	w := text.Width
	if r.b.Icon != IconNone {
		w += 16 + Gap
	}
	x := max(0, (s.Width-w)/2)
	if r.b.Icon != IconNone {
		r.icon.Move(fyne.NewPos(x, (s.Height-16)/2))
		x += 16 + Gap
	}
	r.text.Move(fyne.NewPos(x, (s.Height-text.Height)/2))
	r.text.Resize(text)
}

func (r *buttonRenderer) Refresh() {
	b := r.b
	fg, bg, line := ColorText, ColorPanel, ColorLine
	weight := false
	switch b.Kind {
	case Primary:
		fg, bg, line, weight = ColorOnAccent, ColorAccent, ColorAccent, true
	case Safe:
		line, weight = ColorText, true
	case Danger:
		fg = ColorError
	case Quiet, IconBtn:
		fg, bg, line = ColorMuted, "", ""
	case Link:
		fg, bg, line = ColorAccent, "", ""
	}
	if b.hovered && !b.Disabled() {
		switch b.Kind {
		case Primary:
			bg, line = ColorAccentHover, ColorAccentHover
		case Link:
		case Quiet, IconBtn:
			bg, fg = ColorChip, ColorText
		default:
			bg = ColorHover
		}
	}
	if b.Disabled() {
		fg = ColorMuted
		if b.Kind == IconBtn {
			fg = ColorLine
		}
		if b.Kind == Primary {
			bg, line = ColorChip, ColorLine
		}
	}
	paint(r.box, bg, line, 1, Radius)
	if b.focused {
		paint(r.ring, "", ColorAccent, 2, Radius+3)
	} else {
		paint(r.ring, "", "", 0, 0)
	}
	r.text.Content, r.text.Color = b.Text, fg
	r.text.Style = fyne.TextStyle{Bold: weight}
	r.text.Points = TextSize
	if b.Small {
		r.text.Points = SmallSize + 1
	}
	if b.Kind == IconBtn {
		r.text.Hide()
	} else {
		r.text.Show()
		r.text.Refresh()
	}
	r.icon.Set(b.Icon, fg)
	r.icon.Refresh()
	r.Layout(b.Size())
	r.box.Refresh()
	r.ring.Refresh()
}

// paint sets a rectangle's colours by name; an empty name paints nothing.
func paint(box *canvas.Rectangle, fill, line fyne.ThemeColorName, width, radius float32) {
	box.FillColor, box.StrokeColor = color.Transparent, color.Transparent
	if fill != "" {
		box.FillColor = Color(fill)
	}
	box.StrokeWidth = 0
	if line != "" {
		box.StrokeColor = Color(line)
		box.StrokeWidth = width
		if fill == "" {
			box.FillColor = clear(line)
		}
	}
	box.CornerRadius = radius
}

// clear is a colour that cannot be seen. On the way from a border to nothing
// Fyne's shader passes through the fill's colour: with plain transparent, which
// is black, a thin border turns dark.
func clear(name fyne.ThemeColorName) color.Color {
	c := color.NRGBAModel.Convert(Color(name)).(color.NRGBA)
	c.A = 1
	return c
}
