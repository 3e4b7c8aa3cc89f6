package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// folderRow is one folder of a consent question. A click anywhere ticks it,
// except on its access. The list reuses rows: set says what it shows now.
type folderRow struct {
	widget.BaseWidget
	c       *consent
	folder  app.ConsentFolder
	focused bool
	hovered bool

	surface *look.Surface
	ring    *look.Surface
	tick    *canvas.Image
	label   *look.Text
	path    *look.Text
	pill    *look.Pill
	access  *accessChip
	below   *look.Text
	yes     *button
}

var (
	_ fyne.Tappable     = (*folderRow)(nil)
	_ desktop.Hoverable = (*folderRow)(nil)
)

func newFolderRow(c *consent) *folderRow {
	r := &folderRow{c: c}
	r.surface = look.NewSurface(look.ColorPanel, look.ColorLine, look.Radius)
	r.ring = look.NewSurface("", look.ColorAccent, look.Radius)
	r.tick = &canvas.Image{FillMode: canvas.ImageFillContain}
	r.label = look.NewText("")
	r.label.Fit = look.FitEnd
	r.path = look.NewPath("")
	r.pill = look.NewPill(look.IconWarning, "", look.Warn)
	r.access = newAccessChip(c, func(i int) {
		c.choice.setAccess(r.folder, accessAt(i))
		r.Refresh()
	})
	r.below = look.NewText("")
	r.below.Points, r.below.Fit = look.SmallSize, look.FitWrap
	r.yes = c.allowing(lang.L("Share it anyway"), look.Secondary, func() { c.list.confirm(r.folder) })
	r.yes.Small = true
	r.ExtendBaseWidget(r)
	return r
}

func (r *folderRow) set(f app.ConsentFolder, focused bool) {
	r.folder, r.focused = f, focused
	r.Refresh()
}

// Tapped implements fyne.Tappable.
func (r *folderRow) Tapped(*fyne.PointEvent) { r.c.list.toggle(r.folder) }

// MouseIn implements desktop.Hoverable.
func (r *folderRow) MouseIn(*desktop.MouseEvent) { r.hovered = true; r.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (r *folderRow) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (r *folderRow) MouseOut() { r.hovered = false; r.Refresh() }

// CreateRenderer implements fyne.Widget.
func (r *folderRow) CreateRenderer() fyne.WidgetRenderer {
	v := &folderRowRenderer{r}
	v.Refresh()
	return v
}

type folderRowRenderer struct{ r *folderRow }

func (v *folderRowRenderer) Destroy() {}

func (v *folderRowRenderer) Objects() []fyne.CanvasObject {
	r := v.r
	return []fyne.CanvasObject{r.surface, r.ring, r.tick, r.label, r.path, r.pill, r.access, r.below, r.yes}
}

func (v *folderRowRenderer) MinSize() fyne.Size {
	return fyne.NewSize(200, rowHeight+rowGap-look.GapTiny)
}

func (v *folderRowRenderer) asking() bool { return v.r.c.choice.asking == v.r.folder.Root }

func (v *folderRowRenderer) Layout(s fyne.Size) {
	const left = 12
	r := v.r
	w := s.Width - scrollMargin // clear of the scroll bar
	h := rowHeight
	below := belowHeight(r.folder, v.asking())
	h += below
	// One pixel in, or the list's edge would cut the line around the first.
	place(r.surface, 0, 1, w, h-1)
	place(r.ring, 1, 2, w-2, h-3)
	r.tick.Resize(fyne.NewSquareSize(look.TickSize))
	r.tick.Move(fyne.NewPos(left-1, (rowHeight-look.TickSize)/2))

	right := w - left
	if r.access.Visible() {
		m := r.access.MinSize()
		right -= m.Width
		place(r.access, right, (rowHeight-m.Height)/2, m.Width, m.Height)
		right -= look.Gap
	}
	if r.pill.Visible() {
		m := r.pill.MinSize()
		right -= m.Width
		place(r.pill, right, (rowHeight-m.Height)/2, m.Width, m.Height)
		right -= look.Gap
	}
	const x = left + look.TickSize + 9
	label, path := r.label.MinSize().Height, r.path.MinSize().Height
	top := (rowHeight - label - path) / 2
	place(r.label, x, top, right-x, label)
	place(r.path, x, top+label, right-x, path)

	if below == 0 {
		return
	}
	below -= belowFoot
	yes := r.yes.MinSize()
	place(r.yes, w-left-yes.Width, rowHeight+(below-yes.Height)/2, yes.Width, yes.Height)
	width := belowWidth(v.asking())
	text := heightAt(r.below, width)
	r.below.Move(fyne.NewPos(x, rowHeight+(below-text)/2))
}

// belowText is the line below a folder: the question for the second yes, or a
// reason that is too long for a pill.
func belowText(f app.ConsentFolder, asking bool) string {
	switch {
	case asking:
		return visible(f.Warning) + " " + lang.L("Share it anyway?")
	case isLong(f.Problem):
		return lang.L("Held back for now: {{.Why}}", map[string]any{"Why": visible(f.Problem)})
	}
	return ""
}

// isLong tells whether a reason needs a line of its own.
func isLong(problem string) bool { return len(problem) > 24 }

// belowFoot is the room under the line below a folder.
const belowFoot float32 = 8

func belowWidth(asking bool) float32 {
	w := wide - 2*padding - 60
	if asking {
		w -= 130 // the button beside it
	}
	return w
}

// belowHeight is what a row grows by for the line below its folder.
func belowHeight(f app.ConsentFolder, asking bool) float32 {
	text := belowText(f, asking)
	if text == "" {
		return 0
	}
	t := look.NewText(text)
	t.Points, t.Fit = look.SmallSize, look.FitWrap
	h := heightAt(t, belowWidth(asking))
	if asking {
		h = max(28, h)
	}
	return h + belowFoot
}

func (v *folderRowRenderer) Refresh() {
	r := v.r
	f, choice := r.folder, r.c.choice
	r.label.SetContent(visible(f.Label))
	r.path.SetContent(visible(f.Short))
	on := choice.ticked[f.Root]
	state := look.TickOff
	if on {
		state = look.TickOn
	}
	r.tick.Resource, r.tick.Image = look.TickResource(state), nil
	r.tick.Refresh()

	r.surface.Line = look.ColorLine
	r.surface.Fill = look.ColorPanel
	if r.hovered {
		r.surface.Fill = look.ColorHover
	}
	if v.asking() {
		r.surface.Fill, r.surface.Line = look.ColorWarningSoft, look.ColorWarning
	}
	r.surface.Refresh()
	setVisible(r.ring, r.focused)

	switch {
	case f.Warning != "":
		r.pill.Set(look.IconWarning, lang.L("sensitive place"), look.Warn)
		r.pill.Show()
	case isLong(f.Problem):
		r.pill.Set(look.IconTurn, lang.L("held back"), look.Info)
		r.pill.Show()
	case f.Problem != "":
		r.pill.Set(look.IconClock, visible(f.Problem), look.Neutral)
		r.pill.Show()
	default:
		r.pill.Hide()
	}
	r.access.set(accessIndex(choice.access[f.Root]))
	setVisible(r.access, f.Warning == "" || on)
	setVisible(r.yes, v.asking())
	below := belowText(f, v.asking())
	setVisible(r.below, below != "")
	color := look.ColorMuted
	if v.asking() {
		color = look.ColorWarning
	}
	r.below.Set(below, color)
	v.Layout(r.Size())
	canvas.Refresh(r)
}

func setVisible(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}

// accessChip shows a row's access and opens its menu. It is no stop of the Tab
// key: the list's keys R and W do the same.
type accessChip struct {
	widget.BaseWidget
	c        *consent
	selected int
	changed  func(int)
	pill     *look.Pill
	arrow    *look.Icon
}

func newAccessChip(c *consent, changed func(int)) *accessChip {
	a := &accessChip{c: c, changed: changed, pill: look.NewPill(look.IconNone, "", look.Neutral), arrow: look.NewIcon(look.IconDown, look.ColorMuted, 10)}
	a.ExtendBaseWidget(a)
	return a
}

func (a *accessChip) set(i int) {
	a.selected = i
	a.pill.Set(look.IconNone, accessWords()[i]+"    ", look.Neutral)
}

// Tapped implements fyne.Tappable.
func (a *accessChip) Tapped(*fyne.PointEvent) {
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(a)
	look.PopUpChoices(a.c.win.Canvas(), at.AddXY(0, a.Size().Height+2), accessWords(), a.selected, a.changed)
}

// Cursor implements desktop.Cursorable.
func (a *accessChip) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (a *accessChip) CreateRenderer() fyne.WidgetRenderer { return &accessChipRenderer{a} }

type accessChipRenderer struct{ a *accessChip }

func (v *accessChipRenderer) Destroy() {}

func (v *accessChipRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{v.a.pill, v.a.arrow}
}

func (v *accessChipRenderer) MinSize() fyne.Size { return v.a.pill.MinSize() }

func (v *accessChipRenderer) Layout(s fyne.Size) {
	v.a.pill.Resize(s)
	place(v.a.arrow, s.Width-18, (s.Height-10)/2, 10, 10)
}

func (v *accessChipRenderer) Refresh() {
	v.a.pill.Refresh()
	v.a.arrow.Refresh()
}
