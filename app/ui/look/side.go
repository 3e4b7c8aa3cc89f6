package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// SideItem is one entry of the side bar: icon, words, a count or a badge.
// Folded, it shows the icon alone, with the badge as a dot.
type SideItem struct {
	widget.BaseWidget
	Icon     IconName
	Text     string
	Count    string // muted, at the right
	Badge    string // on colour, at the right; wins over Count
	Selected bool
	Folded   bool
	OnTapped func()
	OnHover  func(in bool) // the pointer came or went: for a hint; may be nil

	hovered, focused bool
}

var (
	_ fyne.Focusable    = (*SideItem)(nil)
	_ desktop.Hoverable = (*SideItem)(nil)
)

// NewSideItem returns an entry.
func NewSideItem(icon IconName, text string, tapped func()) *SideItem {
	s := &SideItem{Icon: icon, Text: text, OnTapped: tapped}
	s.ExtendBaseWidget(s)
	return s
}

// SetMarks changes count and badge.
func (s *SideItem) SetMarks(count, badge string) {
	if s.Count == count && s.Badge == badge {
		return
	}
	s.Count, s.Badge = count, badge
	s.Refresh()
}

// SetSelected marks the entry of the screen that is shown.
func (s *SideItem) SetSelected(on bool) {
	if s.Selected == on {
		return
	}
	s.Selected = on
	s.Refresh()
}

// Tapped implements fyne.Tappable.
func (s *SideItem) Tapped(*fyne.PointEvent) {
	if s.OnTapped != nil {
		s.OnTapped()
	}
}

// FocusGained implements fyne.Focusable.
func (s *SideItem) FocusGained() { s.focused = true; s.Refresh() }

// FocusLost implements fyne.Focusable.
func (s *SideItem) FocusLost() { s.focused = false; s.Refresh() }

// TypedRune implements fyne.Focusable.
func (s *SideItem) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (s *SideItem) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		s.Tapped(nil)
	default:
		Forward(s, ev)
	}
}

// MouseIn implements desktop.Hoverable.
func (s *SideItem) MouseIn(*desktop.MouseEvent) { s.hover(true) }

func (s *SideItem) hover(in bool) {
	s.hovered = in
	s.Refresh()
	if s.OnHover != nil {
		s.OnHover(in)
	}
}

// MouseMoved implements desktop.Hoverable.
func (s *SideItem) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (s *SideItem) MouseOut() { s.hover(false) }

// CreateRenderer implements fyne.Widget.
func (s *SideItem) CreateRenderer() fyne.WidgetRenderer {
	s.ExtendBaseWidget(s)
	r := &sideRenderer{
		s: s, box: canvas.NewRectangle(color.Transparent), icon: NewIcon(s.Icon, ColorText, 16),
		text: NewText(""), count: NewSmall(""), badge: NewBadge("", Warn), dot: NewIcon(IconDot, ColorWarning, 9),
	}
	r.Refresh()
	return r
}

type sideRenderer struct {
	s           *SideItem
	box         *canvas.Rectangle
	icon        *Icon
	text, count *Text
	badge       *Badge
	dot         *Icon
}

func (r *sideRenderer) Destroy() {}

func (r *sideRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.box, r.icon, r.text, r.count, r.badge, r.dot}
}

func (r *sideRenderer) MinSize() fyne.Size { return fyne.NewSize(36, 36) }

func (r *sideRenderer) Layout(s fyne.Size) {
	r.box.Resize(s)
	mid := func(h float32) float32 { return (s.Height - h) / 2 }
	r.icon.Resize(fyne.NewSquareSize(16))
	if r.s.Folded {
		r.icon.Move(fyne.NewPos((s.Width-16)/2, mid(16)))
		r.dot.Move(fyne.NewPos((s.Width+16)/2-4, mid(16)-4))
		r.dot.Resize(fyne.NewSquareSize(9))
		return
	}
	r.icon.Move(fyne.NewPos(10, mid(16)))
	h := r.text.MinSize().Height
	r.text.Move(fyne.NewPos(36, mid(h)))
	r.text.Resize(fyne.NewSize(s.Width-36-10, h))
	c := r.count.MinSize()
	r.count.Move(fyne.NewPos(s.Width-10-c.Width, mid(c.Height)))
	r.count.Resize(c)
	b := r.badge.MinSize()
	r.badge.Move(fyne.NewPos(s.Width-10-b.Width, mid(b.Height)))
	r.badge.Resize(b)
}

func (r *sideRenderer) Refresh() {
	s := r.s
	fill, fg := fyne.ThemeColorName(""), ColorText
	switch {
	case s.Selected:
		fill, fg = ColorAccentSoft, ColorAccent
	case s.hovered:
		fill = ColorHover
	}
	line := fyne.ThemeColorName("")
	if s.focused {
		line = ColorAccent
	}
	paint(r.box, fill, line, 2, Radius)
	r.box.Refresh()
	iconColor := ColorMuted
	if s.Selected {
		iconColor = ColorAccent
	}
	r.icon.Set(s.Icon, iconColor)
	r.icon.Refresh()
	r.text.Content, r.text.Color = s.Text, fg
	r.text.Style = fyne.TextStyle{Bold: s.Selected}
	r.count.Content = s.Count
	r.badge.Text = s.Badge
	show(r.text, !s.Folded)
	show(r.count, !s.Folded && s.Badge == "")
	show(r.badge, !s.Folded && s.Badge != "")
	show(r.dot, s.Folded && s.Badge != "")
	r.text.Refresh()
	r.count.Refresh()
	r.badge.Refresh()
	r.dot.Refresh()
	r.Layout(s.Size())
}

func show(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}
