package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
)

// gridCells is the scrolled part of the grid. It is as large as all cells but
// draws those in view; a drawn cell is reused when it leaves.
type gridCells struct {
	widget.BaseWidget
	g *grid

	slots    pool[cellPos, *cellSlot]
	rowLines []*canvas.Rectangle
	colLines []*canvas.Rectangle
	hoverBox *canvas.Rectangle
	ring     *canvas.Rectangle
	objects  []fyne.CanvasObject
	shade    string // the colours the slots were drawn in

	hover cellPos
	menu  *widget.PopUpMenu
}

// cellSlot is one drawn cell.
type cellSlot struct {
	img   *canvas.Image
	word  *canvas.Text
	shown cellLook
	drawn bool
	width float32 // of the column, when it was placed
}

var (
	_ fyne.Tappable     = (*gridCells)(nil)
	_ desktop.Hoverable = (*gridCells)(nil)
	_ fyne.Focusable    = (*gridCells)(nil)
)

func newGridCells(g *grid) *gridCells {
	c := &gridCells{
		g: g, hover: cellPos{-1, -1},
		hoverBox: canvas.NewRectangle(color.Transparent), ring: canvas.NewRectangle(color.Transparent),
	}
	c.ExtendBaseWidget(c)
	return c
}

// MinSize is the size of all cells.
func (c *gridCells) MinSize() fyne.Size {
	return fyne.NewSize(float32(len(c.g.servers))*c.g.colWidth, max(0, float32(len(c.g.folders))*gridRow-1))
}

// span is the range of rows and columns in view.
func (c *gridCells) span() (top, bottom, left, right int) {
	off, view := c.g.scroll.Offset, c.g.scroll.Size()
	top = max(0, int(off.Y/gridRow))
	bottom = min(len(c.g.folders), int((off.Y+view.Height)/gridRow)+1)
	left = max(0, int(off.X/c.g.colWidth))
	right = min(len(c.g.servers), int((off.X+view.Width)/c.g.colWidth)+1)
	return top, bottom, left, right
}

// update draws what came into view; all redraws every visible cell whose state
// differs from what is drawn.
func (c *gridCells) update(all bool) {
	top, bottom, left, right := c.span()
	if shade := look.Shade(); shade != c.shade {
		c.shade, all = shade, true
		for _, s := range c.slots.all {
			s.drawn = false
		}
	}
	changed := c.slots.keep(func(p cellPos) bool {
		return p.row >= top && p.row < bottom && p.col >= left && p.col < right
	})
	for row := top; row < bottom; row++ {
		for col := left; col < right; col++ {
			p := cellPos{row, col}
			s, ok := c.slots.at(p, newCellSlot)
			changed = changed || !ok
			if !ok || all || s.width != c.g.colWidth {
				cell, _ := c.g.cell(p)
				c.draw(s, p, cellLookOf(cell))
			}
		}
	}
	c.mark()
	c.rule(top, bottom, left, right)
	if changed || all {
		c.collect()
		canvas.Refresh(c.hoverBox)
	}
}

func newCellSlot() *cellSlot {
	s := &cellSlot{img: &canvas.Image{FillMode: canvas.ImageFillStretch}, word: canvas.NewText("", color.Transparent)}
	s.word.TextSize = look.SmallSize
	s.img.Resize(fyne.NewSquareSize(look.TickSize))
	return s
}

// draw puts a slot at a place and changes only what differs.
func (c *gridCells) draw(s *cellSlot, p cellPos, l cellLook) {
	if !s.drawn || s.shown.tick != l.tick {
		s.img.Resource = look.TickResource(l.tick)
		s.img.Refresh()
	}
	if !s.drawn || s.shown.word != l.word || s.shown.tone != l.tone {
		s.word.Text, s.word.Color = l.word, look.Color(l.tone.Color())
		s.word.Refresh()
	}
	s.shown, s.drawn, s.width = l, true, c.g.colWidth
	word := s.word.MinSize()
	x := float32(p.col) * c.g.colWidth
	y := float32(p.row) * gridRow
	total := look.TickSize
	if l.word != "" {
		total += 6 + word.Width
	}
	start := x + float32(int((c.g.colWidth-total)/2))
	s.img.Move(fyne.NewPos(start, y+(gridRow-1-look.TickSize)/2))
	s.word.Move(fyne.NewPos(start+look.TickSize+6, y+float32(int((gridRow-1-word.Height)/2))))
	s.word.Resize(word)
}

// rule draws the hairlines of the rows and columns in view.
func (c *gridCells) rule(top, bottom, left, right int) {
	size := c.MinSize()
	line := look.Color(look.ColorLine)
	c.rowLines = lines(c.rowLines, bottom-top, line)
	for i, l := range c.rowLines {
		place(l, 0, float32(top+i+1)*gridRow-1, max(size.Width, c.g.scroll.Size().Width), 1)
	}
	c.colLines = lines(c.colLines, right-left, line)
	for i, l := range c.colLines {
		setVisible(l, left+i+1 < len(c.g.servers) || size.Width < c.g.scroll.Size().Width)
		place(l, float32(left+i+1)*c.g.colWidth-1, 0, 1, size.Height)
	}
}

func lines(have []*canvas.Rectangle, n int, col color.Color) []*canvas.Rectangle {
	n = max(0, n)
	for len(have) < n {
		have = append(have, canvas.NewRectangle(col))
	}
	have = have[:n]
	for _, l := range have {
		l.FillColor = col
	}
	return have
}

// mark places the hover and the keyboard's focus.
func (c *gridCells) mark() {
	c.hoverBox.FillColor = look.Color(look.ColorHover)
	c.box(c.hoverBox, c.hover, 0)
	c.ring.StrokeColor, c.ring.StrokeWidth, c.ring.CornerRadius = look.Color(look.ColorAccent), 2, 4
	c.box(c.ring, c.g.focus, 2)
	if !c.g.focused {
		c.ring.Hide()
	}
}

func (c *gridCells) box(b *canvas.Rectangle, p cellPos, inset float32) {
	if p.row < 0 || p.col < 0 || p.row >= len(c.g.folders) || p.col >= len(c.g.servers) {
		b.Hide()
		return
	}
	b.Show()
	place(b, float32(p.col)*c.g.colWidth+inset, float32(p.row)*gridRow+inset, c.g.colWidth-1-2*inset, gridRow-1-2*inset)
}

func (c *gridCells) collect() {
	c.objects = append(c.objects[:0], c.hoverBox)
	for _, l := range c.rowLines {
		c.objects = append(c.objects, l)
	}
	for _, l := range c.colLines {
		c.objects = append(c.objects, l)
	}
	for s := range c.slots.shown() {
		c.objects = append(c.objects, s.img)
		if s.shown.word != "" {
			c.objects = append(c.objects, s.word)
		}
	}
	c.objects = append(c.objects, c.ring)
}

func (c *gridCells) at(pos fyne.Position) cellPos {
	p := cellPos{int(pos.Y / gridRow), int(pos.X / c.g.colWidth)}
	if p.row >= len(c.g.folders) || p.col >= len(c.g.servers) || pos.X < 0 || pos.Y < 0 {
		return cellPos{-1, -1}
	}
	return p
}

// Tapped implements fyne.Tappable: a click on the word opens the access menu,
// anywhere else in the cell it toggles.
func (c *gridCells) Tapped(ev *fyne.PointEvent) {
	p := c.at(ev.Position)
	if p.row < 0 {
		return
	}
	c.g.focus = p
	if cv := fyne.CurrentApp().Driver().CanvasForObject(c); cv != nil {
		cv.Focus(c)
	}
	c.g.focusMoved()
	s := c.slots.used[p]
	if s != nil && c.hasAccess(p) && ev.Position.X >= s.word.Position().X-2 && ev.Position.X <= s.word.Position().X+s.word.Size().Width+10 {
		c.openMenu(p)
		return
	}
	c.toggle(p)
}

// hasAccess reports whether a cell is allowed, so that choosing its access
// discloses nothing new.
func (c *gridCells) hasAccess(p cellPos) bool {
	cell, ok := c.g.cell(p)
	return ok && (cell.State == app.CellOn || cell.State == app.CellIdle)
}

func (c *gridCells) toggle(p cellPos) {
	cell, ok := c.g.cell(p)
	if ok && c.g.onTick != nil {
		c.g.onTick(c.g.servers[p.col], c.g.folders[p.row], cell)
	}
}

func (c *gridCells) setAccess(p cellPos, a root.Access) {
	if c.g.onAccess != nil {
		c.g.onAccess(c.g.servers[p.col], c.g.folders[p.row], a)
	}
}

// openMenu offers the access of a cell, below its word.
func (c *gridCells) openMenu(p cellPos) {
	cell, ok := c.g.cell(p)
	cv := fyne.CurrentApp().Driver().CanvasForObject(c)
	if !ok || cv == nil {
		return
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(c).
		AddXY(float32(p.col)*c.g.colWidth+c.g.colWidth/2-look.TickSize, float32(p.row+1)*gridRow-12)
	if s := c.slots.used[p]; s != nil {
		at.X = fyne.CurrentApp().Driver().AbsolutePositionForObject(c).X + s.word.Position().X - 8
	}
	selected := 0
	if cell.Access == root.ReadWrite {
		selected = 1
	}
	choices := []root.Access{root.ReadOnly, root.ReadWrite}
	c.menu = look.PopUpChoices(cv, at, []string{accessLong(root.ReadOnly), accessLong(root.ReadWrite)}, selected, func(i int) {
		if i != selected {
			c.setAccess(p, choices[i])
		}
	})
}

// MouseIn implements desktop.Hoverable.
func (c *gridCells) MouseIn(ev *desktop.MouseEvent) { c.MouseMoved(ev) }

// MouseMoved implements desktop.Hoverable.
func (c *gridCells) MouseMoved(ev *desktop.MouseEvent) {
	p := c.at(ev.Position)
	if p == c.hover {
		return
	}
	c.hover = p
	c.mark()
	canvas.Refresh(c.hoverBox)
	c.explain(p)
}

// MouseOut implements desktop.Hoverable.
func (c *gridCells) MouseOut() {
	c.hover = cellPos{-1, -1}
	c.mark()
	canvas.Refresh(c.hoverBox)
	c.explain(c.hover)
}

// explain shows why a cell is as it is, beside it.
func (c *gridCells) explain(p cellPos) {
	if c.g.hint == nil {
		return
	}
	cell, ok := c.g.cell(p)
	if !ok || cell.Reason == "" {
		c.g.hint("", fyne.Position{})
		return
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(c).
		AddXY(float32(p.col)*c.g.colWidth+c.g.colWidth/2, float32(p.row+1)*gridRow-8)
	c.g.hint(cell.Reason, at)
}

// CreateRenderer implements fyne.Widget.
func (c *gridCells) CreateRenderer() fyne.WidgetRenderer {
	c.update(true)
	return &cellsRenderer{c}
}

type cellsRenderer struct{ c *gridCells }

func (r *cellsRenderer) Destroy()                     {}
func (r *cellsRenderer) MinSize() fyne.Size           { return r.c.MinSize() }
func (r *cellsRenderer) Objects() []fyne.CanvasObject { return r.c.objects }
func (r *cellsRenderer) Layout(fyne.Size)             { r.c.update(false) }
func (r *cellsRenderer) Refresh()                     { r.c.update(true) }
