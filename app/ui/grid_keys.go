package ui

import (
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
)

// FocusGained implements fyne.Focusable.
func (c *gridCells) FocusGained() {
	c.g.focused = true
	c.g.focus.row, c.g.focus.col = max(c.g.focus.row, min(0, len(c.g.folders)-1)), max(c.g.focus.col, min(0, len(c.g.servers)-1))
	c.g.focusMoved()
}

// FocusLost implements fyne.Focusable.
func (c *gridCells) FocusLost() {
	c.g.focused = false
	c.explain(cellPos{-1, -1})
	c.g.focusMoved()
}

// TypedRune implements fyne.Focusable: R and W choose the access of a ticked
// cell.
func (c *gridCells) TypedRune(r rune) {
	p := c.g.focus
	if !c.hasAccess(p) {
		return
	}
	switch unicode.ToLower(r) {
	case 'r':
		c.setAccess(p, root.ReadOnly)
	case 'w':
		c.setAccess(p, root.ReadWrite)
	}
}

// TypedKey implements fyne.Focusable.
func (c *gridCells) TypedKey(ev *fyne.KeyEvent) {
	g := c.g
	p := g.focus
	switch ev.Name {
	case fyne.KeyUp:
		p.row--
	case fyne.KeyDown:
		p.row++
	case fyne.KeyLeft:
		p.col--
	case fyne.KeyRight:
		p.col++
	case fyne.KeyHome:
		p.row, p.col = 0, 0
	case fyne.KeyEnd:
		p.row, p.col = len(g.folders)-1, len(g.servers)-1
	case fyne.KeyPageUp:
		p.row = max(0, p.row-g.page())
	case fyne.KeyPageDown:
		p.row += g.page()
	case fyne.KeySpace:
		c.act(p, c.toggle)
		return
	case fyne.KeyReturn, fyne.KeyEnter:
		c.act(p, func(p cellPos) {
			if c.hasAccess(p) {
				c.openMenu(p)
			}
		})
		return
	default:
		look.Forward(c, ev)
		return
	}
	p.row = max(-1, min(p.row, len(g.folders)-1))
	p.col = max(-1, min(p.col, len(g.servers)-1))
	if p.row < 0 && p.col < 0 { // the corner holds nothing
		return
	}
	g.focus = p
	g.reveal()
	g.focusMoved()
	c.explain(p)
}

// act does what a key means at a place: in the header and the folder column it
// opens the server or folder.
func (c *gridCells) act(p cellPos, onCell func(cellPos)) {
	switch {
	case p.row < 0 && p.col >= 0:
		if c.g.onServer != nil {
			c.g.onServer(c.g.servers[p.col])
		}
	case p.col < 0 && p.row >= 0:
		if c.g.onFolder != nil {
			c.g.onFolder(c.g.folders[p.row])
		}
	case p.row >= 0:
		onCell(p)
	}
}

// focusMoved redraws the three places the focus can be in.
func (g *grid) focusMoved() {
	g.cells.mark()
	canvas.Refresh(g.cells.hoverBox)
	g.heads.update(true)
	g.rows.update(true)
}
