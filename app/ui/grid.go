package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
)

// Sizes of the Access grid.
const (
	gridRow    float32 = 57  // height of a row with its line
	gridHead   float32 = 57  // height of the header
	gridCol    float32 = 128 // least width of a server's column
	gridColMax float32 = 180 // widest, when there are few servers
	gridFolder float32 = 228 // least width of the folder column
	gridStatus float32 = 164 // width of the status column
)

// grid is the Access grid: folders down, servers across. The header row and
// the folder and status columns stay in place while the cells scroll. Only
// what can be seen exists: a grid of 10,000 folders and 100 servers holds some
// 150 cells.
type grid struct {
	widget.BaseWidget

	// what a person did
	onTick   func(server, folder int, cell app.Cell)
	onAccess func(server, folder int, access root.Access)
	onServer func(server int)
	onFolder func(folder int)
	hint     func(text string, at fyne.Position) // empty text takes the hint away

	snap    *app.Snapshot
	folders []int // rows: indices into snap.Roots
	servers []int // columns: indices into snap.Servers

	colWidth, left float32
	focus          cellPos // where the keyboard is; -1 is the header or the folder column
	focused        bool

	frame  *look.Surface
	corner *fyne.Container
	status *fyne.Container
	cells  *gridCells
	heads  *gridHeads
	rows   *gridRows
	scroll *container.Scroll
	lines  []*look.Surface
}

// cellPos is a place in the grid, counted in visible rows and columns.
type cellPos struct{ row, col int }

func newGrid() *grid {
	g := &grid{snap: &app.Snapshot{}, colWidth: gridCol, left: gridFolder + gridStatus}
	g.cells = newGridCells(g)
	g.heads = newGridHeads(g)
	g.rows = newGridRows(g)
	g.scroll = container.NewScroll(g.cells)
	g.scroll.OnScrolled = func(fyne.Position) { g.scrolled() }
	g.frame = look.NewSurface(look.ColorPanel, look.ColorLine, look.Radius)
	g.corner = container.NewWithoutLayout(look.NewBold(lang.L("Folder")))
	g.status = container.NewWithoutLayout(look.NewBold(lang.L("Status")))
	for range 2 {
		g.lines = append(g.lines, look.NewSurface(look.ColorLine, "", 0))
	}
	g.ExtendBaseWidget(g)
	return g
}

// set shows a snapshot through the rows and columns that a filter left.
func (g *grid) set(snap *app.Snapshot, folders, servers []int) {
	resized := len(folders) != len(g.folders) || len(servers) != len(g.servers)
	g.snap, g.folders, g.servers = snap, folders, servers
	g.focus.row = min(g.focus.row, len(folders)-1)
	g.focus.col = min(g.focus.col, len(servers)-1)
	if resized {
		g.arrange(g.Size())
	}
	g.cells.update(true)
	g.heads.update(true)
	g.rows.update(true)
}

func (g *grid) cell(p cellPos) (app.Cell, bool) {
	if p.row < 0 || p.col < 0 || p.row >= len(g.folders) || p.col >= len(g.servers) || g.snap.Cells == nil {
		return app.Cell{State: app.CellOff}, false
	}
	return g.snap.Cells.Cell(g.snap.Servers[g.servers[p.col]].ID, g.snap.Roots[g.folders[p.row]].ID), true
}

func (g *grid) scrolled() {
	g.cells.update(false)
	g.heads.update(false)
	g.rows.update(false)
	if g.hint != nil {
		g.hint("", fyne.Position{})
	}
}

// arrange places the parts for a size and returns the size that is used: with
// few folders the frame ends below the last.
func (g *grid) arrange(s fyne.Size) {
	if s.Width <= 2 || s.Height <= 2 {
		return
	}
	n := max(1, len(g.servers))
	inner := s.Width - 2
	leftMin := gridFolder + gridStatus
	if inner < 900 {
		leftMin -= 48
	}
	g.colWidth = max(gridCol, min(gridColMax, float32(int((inner-leftMin)/float32(n)))))
	g.left = max(leftMin, inner-g.colWidth*float32(n))
	width := inner
	if len(g.servers) > 0 {
		width = min(inner, g.left+g.colWidth*float32(len(g.servers)))
	} else {
		g.left = inner
	}
	height := min(s.Height-2, gridHead+gridRow*float32(len(g.folders))-1)
	// room for the bar below the cells when they do not fit
	if g.left+g.colWidth*float32(len(g.servers)) > inner && height < s.Height-2 {
		height = min(s.Height-2, height+8)
	}
	g.frame.Resize(fyne.NewSize(width+2, height+2))
	statusX := g.left - gridStatus
	place(g.corner, 1, 1, statusX, gridHead-1)
	place(g.status, 1+statusX, 1, gridStatus, gridHead-1)
	for _, c := range []*fyne.Container{g.corner, g.status} {
		t := c.Objects[0]
		x := float32(12)
		if c == g.status {
			x = 0
		}
		t.Move(fyne.NewPos(x, gridHead-1-10-t.MinSize().Height))
		t.Resize(t.MinSize())
	}
	place(g.heads, 1+g.left, 1, width-g.left, gridHead-1)
	place(g.rows, 1, 1+gridHead, g.left, height-gridHead)
	place(g.scroll, 1+g.left, 1+gridHead, width-g.left, height-gridHead)
	place(g.lines[0], 1, gridHead, width, 1)
	place(g.lines[1], 1+g.left, 1, 1, height)
	if len(g.servers) == 0 {
		g.lines[1].Hide()
	} else {
		g.lines[1].Show()
	}
	g.cells.Resize(g.cells.MinSize().Max(g.scroll.Size()))
	g.scroll.Refresh()
	g.scrolled()
}

func place(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(x, y))
	o.Resize(fyne.NewSize(max(0, w), max(0, h)))
}

// reveal scrolls until the focused cell can be seen.
func (g *grid) reveal() {
	off, view := g.scroll.Offset, g.scroll.Size()
	if g.focus.row >= 0 {
		top := float32(g.focus.row) * gridRow
		off.Y = max(min(off.Y, top), top+gridRow-view.Height)
	}
	if g.focus.col >= 0 {
		x := float32(g.focus.col) * g.colWidth
		off.X = max(min(off.X, x), x+g.colWidth-view.Width)
	}
	if off != g.scroll.Offset {
		g.scroll.ScrollToOffset(off)
		g.scrolled()
	}
}

// page is how many rows can be seen at once.
func (g *grid) page() int { return max(1, int(g.scroll.Size().Height/gridRow)) }

// CreateRenderer implements fyne.Widget.
func (g *grid) CreateRenderer() fyne.WidgetRenderer {
	return &gridRenderer{g}
}

type gridRenderer struct{ g *grid }

func (r *gridRenderer) Destroy()           {}
func (r *gridRenderer) MinSize() fyne.Size { return fyne.NewSize(320, 160) }

func (r *gridRenderer) Layout(s fyne.Size) { r.g.arrange(s) }

func (r *gridRenderer) Objects() []fyne.CanvasObject {
	g := r.g
	return []fyne.CanvasObject{g.frame, g.corner, g.status, g.heads, g.rows, g.scroll, g.lines[0], g.lines[1]}
}

func (r *gridRenderer) Refresh() {
	for _, o := range r.Objects() {
		o.Refresh()
	}
}
