package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app/ui/look"
)

// navList is Fyne's virtual list, where the arrow keys choose and keys it has
// no use for go to the window.
type navList struct {
	widget.List
	chosen  int       // row that is selected, -1 for none
	onSpace func(int) // what Space does to the chosen row; nil: nothing
}

// newList returns a list without gaps between its rows, which draw their own
// hairline; selection is the colour behind the chosen row.
func newList(selection fyne.ThemeColorName, length func() int, row func() fyne.CanvasObject, update func(int, fyne.CanvasObject), choose func(int)) (*navList, fyne.CanvasObject) {
	l := &navList{chosen: -1}
	l.Length, l.CreateItem = length, row
	l.UpdateItem = func(id widget.ListItemID, o fyne.CanvasObject) {
		if id >= 0 && id < length() {
			update(id, o)
		}
	}
	l.OnSelected = func(id widget.ListItemID) {
		l.chosen = id
		if id < length() {
			choose(id)
		}
	}
	l.OnUnselected = func(widget.ListItemID) { l.chosen = -1 }
	l.HideSeparators = true
	l.ExtendBaseWidget(l)
	return l, container.NewThemeOverride(l, listTheme{selection})
}

// FocusGained implements fyne.Focusable: the chosen row shows where the keys go.
func (l *navList) FocusGained() {
	if l.chosen < 0 {
		l.Select(0)
	}
}

// FocusLost implements fyne.Focusable.
func (l *navList) FocusLost() {}

// TypedKey implements fyne.Focusable.
func (l *navList) TypedKey(ev *fyne.KeyEvent) {
	to, last := l.chosen, l.Length()-1
	switch ev.Name {
	case fyne.KeyUp:
		to--
	case fyne.KeyDown:
		to++
	case fyne.KeyHome:
		to = 0
	case fyne.KeyEnd:
		to = last
	case fyne.KeyPageUp:
		to -= 8
	case fyne.KeyPageDown:
		to += 8
	case fyne.KeySpace:
		if l.onSpace != nil {
			l.onSpace(l.chosen)
			return
		}
	default:
		look.Forward(l, ev)
		return
	}
	if last >= 0 {
		l.Select(min(max(to, 0), last))
	}
}

// listTheme is the app's theme without padding between rows.
type listTheme struct{ selection fyne.ThemeColorName }

func (t listTheme) Color(n fyne.ThemeColorName, _ fyne.ThemeVariant) color.Color {
	switch n {
	case theme.ColorNameSelection:
		return look.Color(t.selection)
	case theme.ColorNameHover, theme.ColorNameFocus:
		return look.Color(look.ColorHover)
	}
	return fyne.CurrentApp().Settings().Theme().Color(n, fyne.CurrentApp().Settings().ThemeVariant())
}

func (listTheme) Font(s fyne.TextStyle) fyne.Resource { return theme.DefaultTheme().Font(s) }

func (listTheme) Icon(n fyne.ThemeIconName) fyne.Resource { return theme.DefaultTheme().Icon(n) }

func (listTheme) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case theme.SizeNamePadding, theme.SizeNameSelectionRadius:
		return 0
	}
	return fyne.CurrentApp().Settings().Theme().Size(n)
}

// rowLayout places the columns of a list row: fixed widths at the right, the
// first column takes the rest. Column i is left out below from[i] pixels.
type rowLayout struct {
	height float32
	pad    float32
	widths []float32 // of columns 1…; column 0 is the rest
	from   []float32 // least row width at which the column is shown, 0 is always
}

func (l rowLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(200, l.height)
}

func (l rowLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	x := s.Width - l.pad
	for i := len(l.widths) - 1; i >= 0; i-- {
		c := o[i+1]
		if s.Width < l.from[i] {
			c.Hide()
			continue
		}
		c.Show()
		x -= l.widths[i]
		h := c.MinSize().Height
		place(c, x, float32(int((s.Height-1-h)/2)), l.widths[i], h)
		x -= look.GapMedium
	}
	h := o[0].MinSize().Height
	place(o[0], l.pad, float32(int((s.Height-1-h)/2)), x-l.pad, h)
	place(o[len(l.widths)+1], 0, s.Height-1, s.Width, 1) // the hairline
}
