package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app/ui/look"
)

// newList returns Fyne's virtual list without its gaps, in the colours of the
// drawings. Rows draw their own hairline.
func newList(length func() int, row func() fyne.CanvasObject, update func(int, fyne.CanvasObject)) (*widget.List, fyne.CanvasObject) {
	l := widget.NewList(length, row, func(id widget.ListItemID, o fyne.CanvasObject) {
		if id >= 0 && id < length() {
			update(id, o)
		}
	})
	l.HideSeparators = true
	return l, container.NewThemeOverride(l, listTheme{})
}

// listTheme is the app's theme without padding between rows.
type listTheme struct{}

func (listTheme) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	switch n {
	case theme.ColorNameSelection:
		return look.Color(look.ColorAccentSoft)
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
