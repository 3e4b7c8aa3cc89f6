package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
	"rootsmanager/store"
)

func accessOf(w *Window) *accessScreen { return w.screens[screenAccess].(*accessScreen) }

// pos is the middle of a cell, in the coordinates of the cells.
func pos(g *grid, row, col int) fyne.Position {
	return fyne.NewPos((float32(col)+0.5)*g.colWidth, (float32(row)+0.5)*gridRow)
}

func press(f fyne.Focusable, keys ...fyne.KeyName) {
	for _, k := range keys {
		f.TypedKey(&fyne.KeyEvent{Name: k})
	}
}

func TestClickOnACellAssignsThatPair(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	g := accessOf(w).grid
	g.cells.Tapped(&fyne.PointEvent{Position: pos(g, 1, 3)}) // backend, notes-api: off
	g.cells.Tapped(&fyne.PointEvent{Position: pos(g, 0, 3)}) // frontend, notes-api: asks
	g.cells.Tapped(&fyne.PointEvent{Position: pos(g, 3, 0).SubtractXY(40, 0)})
	want := []app.Tick{
		{Server: "notes-api", Root: "backend", On: true, Access: root.ReadOnly},
		{Server: "notes-api", Root: "frontend", On: true, Access: root.ReadOnly},
		{Server: "filesystem", Root: "Backup drive", On: false, Access: root.ReadOnly},
	}
	if d := cmp.Diff(want, c.ticks); d != "" {
		t.Error(d)
	}
}

func TestCellShowsWhatTheSnapshotSays(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	g := accessOf(w).grid
	want := map[cellPos]cellLook{
		{0, 0}: {look.TickOn, "write", look.Neutral},
		{2, 0}: {look.TickOn, "read", look.Neutral},
		{3, 0}: {look.TickHeld, "held back", look.Bad},
		{5, 0}: {look.TickHeld, "ask again", look.Bad},
		{0, 3}: {look.TickAsks, "asks", look.Warn},
		{5, 2}: {look.TickNever, "never", look.Bad},
		{1, 4}: {look.TickIdle, "read", look.Neutral},
		{4, 4}: {look.TickOff, "", look.Neutral},
	}
	for p, l := range want {
		s := g.cells.slots.used[p]
		if s == nil {
			t.Fatalf("the cell %v is not drawn", p)
		}
		if s.shown != l {
			t.Errorf("the cell %v shows %v, want %v", p, s.shown, l)
		}
	}
}

func TestKeyboardMovesTicksAndChangesAccess(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	g := accessOf(w).grid
	w.win.Canvas().Focus(g.cells)
	if g.focus != (cellPos{0, 0}) {
		t.Fatalf("the focus starts at %v", g.focus)
	}
	press(g.cells, fyne.KeyDown, fyne.KeyRight, fyne.KeyRight)
	press(g.cells, fyne.KeySpace) // backend, playwright
	g.cells.TypedRune('w')
	g.cells.TypedRune('R')
	press(g.cells, fyne.KeySpace)
	want := []app.Tick{
		{Server: "playwright", Root: "backend", On: true, Access: root.ReadOnly},
		{Server: "playwright", Root: "backend", On: true, Access: root.ReadWrite},
		{Server: "playwright", Root: "backend", On: true, Access: root.ReadOnly},
		{Server: "playwright", Root: "backend", On: false, Access: root.ReadOnly},
	}
	if d := cmp.Diff(want, c.ticks); d != "" {
		t.Error(d)
	}
	press(g.cells, fyne.KeyEnd)
	if g.focus != (cellPos{5, 4}) {
		t.Errorf("End leads to %v", g.focus)
	}
	press(g.cells, fyne.KeyHome, fyne.KeyUp)
	if g.focus != (cellPos{-1, 0}) {
		t.Errorf("up from the first row leads to %v, want the header", g.focus)
	}
	press(g.cells, fyne.KeyReturn)
	if w.current != screenServers || w.screens[screenServers].(*serversScreen).selected != "filesystem" {
		t.Errorf("Enter on a head shows %s", w.current)
	}
}

func TestFocusStaysInViewInAHugeGrid(t *testing.T) {
	w, _, _ := openWindow(t, hugeSampleCore(10000, 100), 1280, 800)
	g := accessOf(w).grid
	w.win.Canvas().Focus(g.cells)
	press(g.cells, fyne.KeyEnd)
	if g.focus != (cellPos{9999, 99}) {
		t.Fatalf("End leads to %v", g.focus)
	}
	if g.cells.slots.used[g.focus] == nil {
		t.Error("the focused cell is not drawn")
	}
	press(g.cells, fyne.KeyPageUp)
	if g.cells.slots.used[g.focus] == nil || g.focus.row >= 9999 {
		t.Errorf("after PageUp the focus is at %v", g.focus)
	}
	if n := len(g.cells.slots.all); n > 400 {
		t.Errorf("%d cells exist, want only those in view", n)
	}
	if n := len(g.rows.slots.all); n > 40 {
		t.Errorf("%d rows exist", n)
	}
}

func TestFilterNarrowsRowsAndColumns(t *testing.T) {
	snap := newSampleCore().Snapshot()
	for _, c := range []struct {
		text             string
		folders, servers []int
	}{
		{"", []int{0, 1, 2, 3, 4, 5}, []int{0, 1, 2, 3, 4}},
		{"FRONT", []int{0}, []int{0, 1, 2, 3, 4}},
		{"git", []int{0, 1, 2, 3, 4, 5}, []int{1}},
		{"missing", []int{3}, []int{0, 1, 2, 3, 4}},
		{"backup", []int{3}, []int{0, 1, 2, 3, 4}},
		{"nothing like it", nil, nil},
	} {
		folders, servers := filterGrid(snap, c.text)
		if c.folders == nil { // nothing found: everything goes but the columns
			if len(folders) != 0 {
				t.Errorf("%q leaves the folders %v", c.text, folders)
			}
			continue
		}
		if !cmp.Equal(folders, c.folders) || !cmp.Equal(servers, c.servers) {
			t.Errorf("%q leaves %v × %v, want %v × %v", c.text, folders, servers, c.folders, c.servers)
		}
	}
}

func TestTypingInTheFilterNarrowsTheGrid(t *testing.T) {
	w, _, _ := openWindow(t, newSampleCore(), 1280, 800)
	a := accessOf(w)
	test.Type(a.search, "backend")
	if !cmp.Equal(a.grid.folders, []int{1}) {
		t.Errorf("the grid shows %v", a.grid.folders)
	}
	press(a.search, fyne.KeyEscape)
	if len(a.grid.folders) != 6 {
		t.Errorf("Escape leaves %v", a.grid.folders)
	}
}

func TestHoverExplainsAHeldCell(t *testing.T) {
	w, _, _ := openWindow(t, newSampleCore(), 1280, 800)
	g := accessOf(w).grid
	g.cells.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: pos(g, 3, 0)}})
	if !w.hints.panel.Visible() || w.hints.words.Content != "The folder is missing – held back until it returns" {
		t.Errorf("the hint says %q", w.hints.words.Content)
	}
	g.cells.MouseOut()
	if w.hints.panel.Visible() {
		t.Error("the hint stays after the pointer left")
	}
}

func TestClickOnTheWordOpensTheAccessMenu(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	g := accessOf(w).grid
	slot := g.cells.slots.used[cellPos{0, 0}]
	g.cells.Tapped(&fyne.PointEvent{Position: slot.word.Position().AddXY(4, 4)})
	if len(c.ticks) != 0 {
		t.Fatalf("the click on the word ticked: %v", c.ticks)
	}
	if g.cells.menu == nil || len(g.cells.menu.Items) != 2 {
		t.Fatal("no menu with two kinds of access opened")
	}
	g.cells.menu.ActivateNext()
	g.cells.menu.TriggerLast()
	if len(c.ticks) > 0 && c.ticks[0].Access == root.ReadWrite {
		t.Errorf("the access did not change: %v", c.ticks)
	}
}

func TestGridShowsNewSnapshotWithoutRebuilding(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	g := accessOf(w).grid
	slot := g.cells.slots.used[cellPos{4, 4}]
	if err := c.Assign(t.Context(), []app.Tick{{Server: "search", Root: "invoices-2026.csv", On: true, Access: root.ReadWrite}}); err != nil {
		t.Fatal(err)
	}
	if g.cells.slots.used[cellPos{4, 4}] != slot {
		t.Error("the cell was rebuilt: it would flicker")
	}
	if slot.shown.word != "write" {
		t.Errorf("the cell shows %v", slot.shown)
	}
	_ = store.RootID("")
}
