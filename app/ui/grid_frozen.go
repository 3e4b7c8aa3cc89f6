package ui

import (
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app/ui/look"
)

// gridHeads is the header row: one head for every server in view.
type gridHeads struct {
	widget.BaseWidget
	g     *grid
	slots pool[int, *headSlot]
	shade string // the colours the slots were built in
	hover int
}

type headSlot struct {
	col    int
	back   *canvas.Rectangle
	ring   *canvas.Rectangle
	line   *canvas.Rectangle
	dot    *look.Icon
	name   *look.Text
	detail *look.Text
}

var (
	_ fyne.Tappable     = (*gridHeads)(nil)
	_ fyne.Scrollable   = (*gridHeads)(nil)
	_ desktop.Hoverable = (*gridHeads)(nil)
)

func newGridHeads(g *grid) *gridHeads {
	h := &gridHeads{g: g, hover: -1}
	h.ExtendBaseWidget(h)
	return h
}

func (h *gridHeads) update(bool) {
	_, _, left, right := h.g.cells.span()
	if shade := look.Shade(); shade != h.shade {
		h.shade = shade
		h.slots.forget()
	}
	h.slots.keep(func(col int) bool { return col >= left && col < right })
	for col := left; col < right; col++ {
		s, _ := h.slots.at(col, newHeadSlot)
		s.col = col
		h.draw(s)
		canvas.Refresh(s.back)
	}
}

func newHeadSlot() *headSlot {
	s := &headSlot{
		back: canvas.NewRectangle(color.Transparent), ring: canvas.NewRectangle(color.Transparent), line: canvas.NewRectangle(color.Transparent),
		dot: look.NewDot(look.Neutral), name: look.NewBold(""), detail: look.NewSmall(""),
	}
	s.name.Fit, s.detail.Fit = look.FitEnd, look.FitEnd
	s.detail.Align = fyne.TextAlignCenter
	return s
}

func (h *gridHeads) draw(s *headSlot) {
	g := h.g
	v := g.snap.Servers[g.servers[s.col]]
	x := float32(s.col)*g.colWidth - g.scroll.Offset.X
	height := gridHead - 1
	s.back.FillColor = color.Transparent
	if h.hover == s.col {
		s.back.FillColor = look.Color(look.ColorHover)
	}
	place(s.back, x, 0, g.colWidth-1, height)
	s.line.FillColor = look.Color(look.ColorLine)
	setVisible(s.line, s.col+1 < len(g.servers))
	place(s.line, x+g.colWidth-1, 0, 1, height)
	s.ring.StrokeColor, s.ring.StrokeWidth, s.ring.CornerRadius = look.Color(look.ColorAccent), 2, 4
	place(s.ring, x+2, 2, g.colWidth-5, height-4)
	if g.focused && g.focus.row < 0 && g.focus.col == s.col {
		s.ring.Show()
	} else {
		s.ring.Hide()
	}
	tone := serverTone(v)
	s.dot.Set(look.DotShape(tone), tone.Color())
	s.name.SetContent(v.Name)
	s.detail.SetContent(serverShort(v))
	const pad, dot, gap = 8, 11, 5
	room := g.colWidth - 1 - 2*pad
	nameWidth := min(fyne.MeasureText(v.Name, look.TextSize, s.name.Style).Width+1, room-dot-gap)
	nameHeight, detailHeight := s.name.MinSize().Height, s.detail.MinSize().Height
	top := (height - nameHeight - detailHeight) / 2
	start := x + pad + float32(int((room-dot-gap-nameWidth)/2))
	place(s.dot, start, top+float32(int((nameHeight-dot)/2))+1, dot, dot)
	place(s.name, start+dot+gap, top, nameWidth, nameHeight)
	place(s.detail, x+pad, top+nameHeight, room, detailHeight)
}

// Tapped implements fyne.Tappable.
func (h *gridHeads) Tapped(ev *fyne.PointEvent) {
	if col := h.at(ev.Position); col >= 0 && h.g.onServer != nil {
		h.g.onServer(h.g.servers[col])
	}
}

func (h *gridHeads) at(pos fyne.Position) int {
	col := int((pos.X + h.g.scroll.Offset.X) / h.g.colWidth)
	if col < 0 || col >= len(h.g.servers) {
		return -1
	}
	return col
}

// Scrolled implements fyne.Scrollable.
func (h *gridHeads) Scrolled(ev *fyne.ScrollEvent) { h.g.scroll.Scrolled(ev) }

// MouseIn implements desktop.Hoverable.
func (h *gridHeads) MouseIn(ev *desktop.MouseEvent) { h.MouseMoved(ev) }

// MouseMoved implements desktop.Hoverable.
func (h *gridHeads) MouseMoved(ev *desktop.MouseEvent) {
	if col := h.at(ev.Position); col != h.hover {
		h.hover = col
		h.update(false)
		if col >= 0 && h.g.hint != nil {
			v := h.g.snap.Servers[h.g.servers[col]]
			at := fyne.CurrentApp().Driver().AbsolutePositionForObject(h).
				AddXY(float32(col)*h.g.colWidth-h.g.scroll.Offset.X+h.g.colWidth/2, gridHead)
			h.g.hint(v.Problem, at)
		}
	}
}

// MouseOut implements desktop.Hoverable.
func (h *gridHeads) MouseOut() {
	h.hover = -1
	h.update(false)
	if h.g.hint != nil {
		h.g.hint("", fyne.Position{})
	}
}

// Cursor implements desktop.Cursorable.
func (h *gridHeads) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (h *gridHeads) CreateRenderer() fyne.WidgetRenderer { return &clippedRenderer{h, h.objects} }

func (h *gridHeads) objects() []fyne.CanvasObject {
	out := make([]fyne.CanvasObject, 0, 6*len(h.slots.used))
	for s := range h.slots.shown() {
		out = append(out, s.back, s.line, s.dot, s.name, s.detail, s.ring)
	}
	return out
}

// gridRows is the frozen folder and status columns.
type gridRows struct {
	widget.BaseWidget
	g     *grid
	slots pool[int, *rowSlot]
	shade string // the colours the slots were built in
	hover int
}

type rowSlot struct {
	row  int
	back *canvas.Rectangle
	ring *canvas.Rectangle
	line *canvas.Rectangle
	name *look.Text
	warn *look.Icon
	path *look.Text
	pill *look.Pill
}

var (
	_ fyne.Tappable     = (*gridRows)(nil)
	_ fyne.Scrollable   = (*gridRows)(nil)
	_ desktop.Hoverable = (*gridRows)(nil)
)

func newGridRows(g *grid) *gridRows {
	r := &gridRows{g: g, hover: -1}
	r.ExtendBaseWidget(r)
	return r
}

func (r *gridRows) update(bool) {
	top, bottom, _, _ := r.g.cells.span()
	now := time.Now()
	if shade := look.Shade(); shade != r.shade {
		r.shade = shade
		r.slots.forget()
	}
	r.slots.keep(func(row int) bool { return row >= top && row < bottom })
	for row := top; row < bottom; row++ {
		s, _ := r.slots.at(row, newRowSlot)
		s.row = row
		r.draw(s, now)
		canvas.Refresh(s.back) // refreshing all of r would throw away the textures of its texts
	}
}

func newRowSlot() *rowSlot {
	s := &rowSlot{
		back: canvas.NewRectangle(color.Transparent), ring: canvas.NewRectangle(color.Transparent), line: canvas.NewRectangle(color.Transparent),
		name: look.NewBold(""), warn: look.NewIcon(look.IconWarning, look.ColorWarning, 13), path: look.NewPath(""), pill: look.NewPill(look.IconNone, "", look.Neutral),
	}
	s.name.Fit = look.FitEnd
	return s
}

func (r *gridRows) draw(s *rowSlot, now time.Time) {
	g := r.g
	v := g.snap.Roots[g.folders[s.row]]
	y := float32(s.row)*gridRow - g.scroll.Offset.Y
	s.back.FillColor = color.Transparent
	if r.hover == s.row {
		s.back.FillColor = look.Color(look.ColorHover)
	}
	place(s.back, 0, y, g.left, gridRow-1)
	s.line.FillColor = look.Color(look.ColorLine)
	place(s.line, 0, y+gridRow-1, g.left, 1)
	s.ring.StrokeColor, s.ring.StrokeWidth, s.ring.CornerRadius = look.Color(look.ColorAccent), 2, 4
	place(s.ring, 2, y+2, g.left-4, gridRow-5)
	if g.focused && g.focus.col < 0 && g.focus.row == s.row {
		s.ring.Show()
	} else {
		s.ring.Hide()
	}
	s.name.SetContent(v.Label)
	path := v.Short
	if v.Target != "" {
		path += " → " + v.Target
	}
	s.path.SetContent(path)
	m := rootMark(v, now)
	s.pill.Set(m.icon, m.text, m.tone)
	room := g.left - gridStatus - 24
	nameHeight, pathHeight := s.name.MinSize().Height, s.path.MinSize().Height
	top := y + float32(int((gridRow-1-nameHeight-pathHeight)/2))
	nameWidth := min(room, fyne.MeasureText(v.Label, look.TextSize, s.name.Style).Width+1)
	if v.Warning != "" {
		nameWidth = min(nameWidth, room-18)
		s.warn.Show()
		place(s.warn, 12+nameWidth+5, top+3, 13, 13)
	} else {
		s.warn.Hide()
	}
	place(s.name, 12, top, nameWidth, nameHeight)
	place(s.path, 12, top+nameHeight, room, pathHeight)
	pill := s.pill.MinSize()
	place(s.pill, g.left-gridStatus, y+float32(int((gridRow-1-pill.Height)/2)), min(pill.Width, gridStatus-8), pill.Height)
}

// Tapped implements fyne.Tappable.
func (r *gridRows) Tapped(ev *fyne.PointEvent) {
	if row := r.at(ev.Position); row >= 0 && r.g.onFolder != nil {
		r.g.onFolder(r.g.folders[row])
	}
}

func (r *gridRows) at(pos fyne.Position) int {
	row := int((pos.Y + r.g.scroll.Offset.Y) / gridRow)
	if row < 0 || row >= len(r.g.folders) {
		return -1
	}
	return row
}

// Scrolled implements fyne.Scrollable.
func (r *gridRows) Scrolled(ev *fyne.ScrollEvent) { r.g.scroll.Scrolled(ev) }

// MouseIn implements desktop.Hoverable.
func (r *gridRows) MouseIn(ev *desktop.MouseEvent) { r.MouseMoved(ev) }

// MouseMoved implements desktop.Hoverable.
func (r *gridRows) MouseMoved(ev *desktop.MouseEvent) {
	row := r.at(ev.Position)
	if row == r.hover {
		return
	}
	r.hover = row
	r.update(false)
	if r.g.hint == nil {
		return
	}
	text := ""
	if row >= 0 {
		v := r.g.snap.Roots[r.g.folders[row]]
		if text = rootAdvice(v); v.Warning != "" {
			text = joinSentences(v.Warning, text)
		}
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(r).
		AddXY(120, float32(row+1)*gridRow-r.g.scroll.Offset.Y-4)
	r.g.hint(text, at)
}

// MouseOut implements desktop.Hoverable.
func (r *gridRows) MouseOut() {
	r.hover = -1
	r.update(false)
	if r.g.hint != nil {
		r.g.hint("", fyne.Position{})
	}
}

// Cursor implements desktop.Cursorable.
func (r *gridRows) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (r *gridRows) CreateRenderer() fyne.WidgetRenderer { return &clippedRenderer{r, r.objects} }

func (r *gridRows) objects() []fyne.CanvasObject {
	out := make([]fyne.CanvasObject, 0, 8*len(r.slots.used))
	for s := range r.slots.shown() {
		out = append(out, s.back, s.line, s.name, s.warn, s.path, s.pill, s.ring)
	}
	return out
}

// frozen is a part of the grid that follows its scroll offset by itself.
type frozen interface {
	fyne.CanvasObject
	update(bool)
}

// clippedRenderer draws a frozen part and cuts what sticks out.
type clippedRenderer struct {
	of      frozen
	objects func() []fyne.CanvasObject
}

func (r *clippedRenderer) Destroy()                     {}
func (r *clippedRenderer) MinSize() fyne.Size           { return fyne.NewSize(1, 1) }
func (r *clippedRenderer) Layout(fyne.Size)             {}
func (r *clippedRenderer) Objects() []fyne.CanvasObject { return r.objects() }

func (r *clippedRenderer) Refresh() {
	for _, o := range r.objects() {
		o.Refresh()
	}
	r.of.update(true)
}

// IsClip makes Fyne cut at the widget's bounds.
func (r *clippedRenderer) IsClip() {}
