package ask

import (
	"image/color"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app/ui/look"
)

const codeSize float32 = 13

var mono = fyne.TextStyle{Monospace: true}

// codeBox shows text exactly: it wraps at any character, scrolls when it is
// higher than rows, can be selected and copied, and cannot be changed. Unlike
// look's it knows that Escape leaves the question.
//
// The text has gone through visible and holds no line break: those in the entry
// are ours. Fyne's own wrapping takes half a minute for an argument of 5,000
// characters.
func (m *modal) codeBox(text string, width float32, rows int) fyne.CanvasObject {
	e := &readOnly{m: m, text: text}
	e.MultiLine = true
	e.Wrapping = fyne.TextWrapOff
	e.TextStyle = mono
	lines := breakLines(text, min(width, m.win.Canvas().Size().Width-2*windowInset-2*padding)-2*codePadding-4)
	wrapped := strings.Join(lines, "\n")
	e.Text = wrapped
	e.ExtendBaseWidget(e)
	e.OnChanged = func(string) { e.SetText(wrapped) }
	e.SetMinRowsVisible(min(len(lines), rows))
	return container.NewThemeOverride(e, codeTheme{})
}

// codePadding is the room around the text of a code box.
const codePadding float32 = 12

// codeTheme is the app's theme with the type and colours of a code box.
type codeTheme struct{}

func (codeTheme) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	switch n {
	case theme.ColorNameInputBackground:
		return look.Color(look.ColorBackground)
	case theme.ColorNameInputBorder:
		return look.Color(look.ColorLine)
	}
	return fyne.CurrentApp().Settings().Theme().Color(n, v)
}

func (codeTheme) Font(s fyne.TextStyle) fyne.Resource {
	return fyne.CurrentApp().Settings().Theme().Font(s)
}

func (codeTheme) Icon(n fyne.ThemeIconName) fyne.Resource {
	return fyne.CurrentApp().Settings().Theme().Icon(n)
}

func (codeTheme) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case theme.SizeNameText:
		return codeSize
	case theme.SizeNameInnerPadding:
		return codePadding
	}
	return fyne.CurrentApp().Settings().Theme().Size(n)
}

// readOnly is an entry whose text can be selected and copied only.
type readOnly struct {
	widget.Entry
	m    *modal
	text string
}

// TypedRune implements fyne.Focusable.
func (*readOnly) TypedRune(rune) {}

// AcceptsTab implements fyne.Tabbable: Tab goes on to the next.
func (*readOnly) AcceptsTab() bool { return false }

// TypedKey implements fyne.Focusable.
func (e *readOnly) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeyLeft, fyne.KeyRight, fyne.KeyUp, fyne.KeyDown, fyne.KeyHome, fyne.KeyEnd, fyne.KeyPageUp, fyne.KeyPageDown:
		e.Entry.TypedKey(ev)
	default:
		e.m.typedKey(ev)
	}
}

// TypedShortcut implements fyne.Shortcutable.
func (e *readOnly) TypedShortcut(s fyne.Shortcut) {
	switch s := s.(type) {
	case *fyne.ShortcutCopy:
		e.copy()
	case *fyne.ShortcutSelectAll:
		e.Entry.TypedShortcut(s)
	case *desktop.CustomShortcut:
		if s.KeyName == fyne.KeyLeft || s.KeyName == fyne.KeyRight {
			e.Entry.TypedShortcut(s)
		}
	}
}

// TappedSecondary implements fyne.SecondaryTappable.
func (e *readOnly) TappedSecondary(ev *fyne.PointEvent) {
	menu := fyne.NewMenu("", fyne.NewMenuItem(lang.L("Copy"), e.copy))
	widget.ShowPopUpMenuAtPosition(menu, e.m.win.Canvas(), ev.AbsolutePosition)
}

// copy copies what is selected, or all, without the line breaks of the box.
func (e *readOnly) copy() {
	text := strings.ReplaceAll(e.SelectedText(), "\n", "")
	if text == "" {
		text = e.text
	}
	fyne.CurrentApp().Clipboard().SetContent(text)
}

// exact is one text in fixed-width type that wraps at any character and keeps
// every space. It is for lists of arguments and values.
type exact struct {
	widget.BaseWidget
	text  string
	color fyne.ThemeColorName
}

func newExact(text string, c fyne.ThemeColorName) *exact {
	e := &exact{text: visible(text), color: c}
	e.ExtendBaseWidget(e)
	return e
}

// CreateRenderer implements fyne.Widget.
func (e *exact) CreateRenderer() fyne.WidgetRenderer {
	r := &exactRenderer{e: e}
	r.Refresh()
	return r
}

type exactRenderer struct {
	e     *exact
	width float32
	lines []fyne.CanvasObject
}

func (r *exactRenderer) Destroy() {}

func (r *exactRenderer) Objects() []fyne.CanvasObject { return r.lines }

func (r *exactRenderer) lineHeight() float32 {
	return fyne.MeasureText("M", codeSize, mono).Height
}

func (r *exactRenderer) MinSize() fyne.Size {
	return fyne.NewSize(40, r.lineHeight()*float32(max(1, len(r.lines))))
}

func (r *exactRenderer) Layout(s fyne.Size) {
	if s.Width != r.width {
		r.width = s.Width
		r.compose()
	}
	h := r.lineHeight()
	for i, l := range r.lines {
		l.Move(fyne.NewPos(0, float32(i)*h))
		l.Resize(fyne.NewSize(s.Width, h))
	}
}

func (r *exactRenderer) Refresh() {
	r.compose()
	r.Layout(r.e.Size())
}

func (r *exactRenderer) compose() {
	r.lines = nil
	for _, line := range breakLines(r.e.text, r.width) {
		t := canvas.NewText(line, look.Color(r.e.color))
		t.TextSize, t.TextStyle = codeSize, mono
		r.lines = append(r.lines, t)
	}
}

// breakLines wraps text in fixed-width type at any character.
func breakLines(text string, width float32) []string {
	if width <= 0 {
		return []string{text}
	}
	one := fyne.MeasureText("M", codeSize, mono).Width
	most := max(1, int(width/one))
	var lines []string
	line, wideSoFar := []rune(nil), 0
	for _, r := range text {
		cells := 1
		if r > 0x2E7F { // letters of East Asia and pictures take two
			cells = 2
		}
		if wideSoFar+cells > most && len(line) > 0 {
			lines = append(lines, string(line))
			line, wideSoFar = line[:0:0], 0
		}
		line = append(line, r)
		wideSoFar += cells
	}
	return append(lines, string(line))
}

// arguments lists words one below the other with their numbers, so that none
// can be mistaken for two or for a part of another.
func arguments(words []string) fyne.CanvasObject {
	rows := make([]fyne.CanvasObject, 0, len(words))
	for i, w := range words {
		number := look.NewSmall(strconv.Itoa(i + 1))
		number.Align = fyne.TextAlignTrailing
		color := look.ColorText
		if w == "" {
			w, color = lang.L("(empty)"), look.ColorMuted
		}
		row := container.NewBorder(nil, nil, container.NewVBox(look.Inset(0, 0, 0, look.GapMedium, look.Width(24, number))), nil, newExact(w, color))
		rows = append(rows, look.Inset(4, 4, 4, 8, row))
	}
	return look.List(rows...)
}
