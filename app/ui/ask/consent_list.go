package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
)

// Heights of the rows of a consent question.
const (
	rowHeight float32 = 54
	rowGap    float32 = 6
)

// folderList is the list of a consent question: the rows that can be seen are
// all there is of them. It has the focus as a whole; the arrow keys go through
// it, Space ticks, R and W choose the access.
type folderList struct {
	widget.List
	c       *consent
	at      int // the row the keys act on
	focused bool
}

func newFolderList(c *consent) *folderList {
	l := &folderList{c: c}
	l.Length = func() int { return len(c.choice.rows) }
	l.CreateItem = func() fyne.CanvasObject { return newFolderRow(c) }
	l.UpdateItem = func(id widget.ListItemID, o fyne.CanvasObject) {
		if id < 0 || id >= len(c.choice.rows) {
			return
		}
		o.(*folderRow).set(c.choice.folders[c.choice.rows[id]], l.focused && id == l.at)
	}
	l.HideSeparators = true
	l.ExtendBaseWidget(l)
	l.resize()
	return l
}

// wanted is the height that shows every row.
func (l *folderList) wanted() float32 {
	if len(l.c.choice.rows) == 0 {
		return rowHeight
	}
	h := float32(0)
	for _, i := range l.c.choice.rows {
		h += l.height(l.c.choice.folders[i])
	}
	// The list puts the theme's padding between its rows.
	return h + float32(len(l.c.choice.rows)-1)*look.GapTiny
}

func (l *folderList) height(f app.ConsentFolder) float32 {
	h := rowHeight + rowGap - look.GapTiny
	return h + belowHeight(f, l.c.choice.asking == f.Root)
}

// resize gives every row its height.
func (l *folderList) resize() {
	for row, i := range l.c.choice.rows {
		l.SetItemHeight(row, l.height(l.c.choice.folders[i]))
	}
}

// rowsChanged draws the rows anew after the filter or a row's height changed.
func (l *folderList) rowsChanged() {
	l.at = max(0, min(l.at, len(l.c.choice.rows)-1))
	l.resize()
	l.Refresh()
}

func (l *folderList) toggle(f app.ConsentFolder) {
	before := l.c.choice.asking
	l.c.choice.toggle(f)
	l.after(before)
}

func (l *folderList) confirm(f app.ConsentFolder) {
	before := l.c.choice.asking
	l.c.choice.confirm(f)
	l.after(before)
	l.c.win.Canvas().Focus(l) // the button that had the focus is gone
}

func (l *folderList) after(before any) {
	if before != any(l.c.choice.asking) {
		l.rowsChanged()
	} else {
		l.Refresh()
	}
	l.c.update()
}

func (l *folderList) current() (app.ConsentFolder, bool) {
	if l.at < 0 || l.at >= len(l.c.choice.rows) {
		return app.ConsentFolder{}, false
	}
	return l.c.choice.folders[l.c.choice.rows[l.at]], true
}

// FocusGained implements fyne.Focusable.
func (l *folderList) FocusGained() {
	l.focused = true
	l.Refresh()
}

// FocusLost implements fyne.Focusable.
func (l *folderList) FocusLost() {
	l.focused = false
	l.Refresh()
}

// TypedRune implements fyne.Focusable.
func (l *folderList) TypedRune(r rune) {
	f, ok := l.current()
	if !ok {
		return
	}
	switch r {
	case 'r', 'R':
		l.c.choice.setAccess(f, root.ReadOnly)
	case 'w', 'W':
		l.c.choice.setAccess(f, root.ReadWrite)
	default:
		return
	}
	l.Refresh()
}

// TypedKey implements fyne.Focusable.
func (l *folderList) TypedKey(ev *fyne.KeyEvent) {
	last := len(l.c.choice.rows) - 1
	switch ev.Name {
	case fyne.KeyUp:
		l.moveTo(max(0, l.at-1))
	case fyne.KeyDown:
		l.moveTo(min(last, l.at+1))
	case fyne.KeyHome, fyne.KeyPageUp:
		l.moveTo(0)
	case fyne.KeyEnd, fyne.KeyPageDown:
		l.moveTo(last)
	case fyne.KeySpace:
		if f, ok := l.current(); ok {
			l.toggle(f)
		}
	default:
		l.c.typedKey(ev)
	}
}

func (l *folderList) moveTo(row int) {
	if row < 0 {
		return
	}
	l.at = row
	l.ScrollTo(row)
	l.Refresh()
}

// accessWords are the choices of a row, in the order of its menu.
func accessWords() []string { return []string{lang.L("read"), lang.L("write")} }

func accessIndex(a root.Access) int {
	if a == root.ReadWrite {
		return 1
	}
	return 0
}

func accessAt(i int) root.Access {
	if i == 1 {
		return root.ReadWrite
	}
	return root.ReadOnly
}
