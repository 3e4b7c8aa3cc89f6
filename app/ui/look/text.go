package look

import (
	"sort"
	"strings"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// Fit says what a [Text] does when its place is too narrow.
type Fit int

// The fits.
const (
	FitNone   Fit = iota // as wide as its words
	FitEnd               // "a long na…"
	FitMiddle            // "~/work/…/frontend", for paths
	FitWrap              // more lines
)

// Text is words in one style, without the padding of Fyne's Label. It follows
// the theme. Change a field, then call Refresh.
type Text struct {
	widget.BaseWidget
	Content string
	Color   fyne.ThemeColorName // default ColorText
	Points  float32             // size of type, default TextSize
	Style   fyne.TextStyle
	Align   fyne.TextAlign
	Fit     Fit
	// MaxLines bounds FitWrap; the last line then ends in "…". 0 is unbounded.
	MaxLines int
}

// NewText returns body text.
func NewText(s string) *Text { return newText(&Text{Content: s}) }

// NewBold returns body text in bold.
func NewBold(s string) *Text {
	return newText(&Text{Content: s, Style: fyne.TextStyle{Bold: true}})
}

// NewSmall returns small, muted text.
func NewSmall(s string) *Text {
	return newText(&Text{Content: s, Points: SmallSize, Color: ColorMuted})
}

// NewTitle returns the title of a screen or dialog.
func NewTitle(s string) *Text {
	return newText(&Text{Content: s, Points: TitleSize, Style: fyne.TextStyle{Bold: true}})
}

// NewHeading returns the head of a detail.
func NewHeading(s string) *Text {
	return newText(&Text{Content: s, Points: HeadingSize, Style: fyne.TextStyle{Bold: true}, Fit: FitEnd})
}

// NewSection returns the small bold line above a part of a screen.
func NewSection(s string) *Text {
	return newText(&Text{Content: s, Points: SmallSize, Color: ColorMuted, Style: fyne.TextStyle{Bold: true}})
}

// NewParagraph returns muted body text that wraps.
func NewParagraph(s string) *Text {
	return newText(&Text{Content: s, Color: ColorMuted, Fit: FitWrap})
}

// NewPath returns small muted text that is shortened in the middle.
func NewPath(s string) *Text {
	return newText(&Text{Content: s, Points: SmallSize, Color: ColorMuted, Fit: FitMiddle})
}

func newText(t *Text) *Text {
	t.ExtendBaseWidget(t)
	return t
}

// SetContent changes the words; it is cheap if they are the same.
func (t *Text) SetContent(s string) {
	if t.Content == s {
		return
	}
	t.Content = s
	t.Refresh()
}

// Set changes words and colour together.
func (t *Text) Set(s string, c fyne.ThemeColorName) {
	if t.Content == s && t.Color == c {
		return
	}
	t.Content, t.Color = s, c
	t.Refresh()
}

func (t *Text) size() float32 {
	if t.Points == 0 {
		return TextSize
	}
	return t.Points
}

func (t *Text) lineHeight() float32 {
	return lineHeight(t.size(), t.Style)
}

func lineHeight(size float32, style fyne.TextStyle) float32 {
	return fyne.MeasureText("Mg", size, style).Height
}

// CreateRenderer implements fyne.Widget.
func (t *Text) CreateRenderer() fyne.WidgetRenderer {
	t.ExtendBaseWidget(t)
	r := &textRenderer{t: t}
	r.Refresh()
	return r
}

type textRenderer struct {
	t     *Text
	lines []*canvas.Text
	objs  []fyne.CanvasObject
	width float32
	laid  bool // Layout was called: a width of 0 means no room
}

func (r *textRenderer) Destroy() {}

func (r *textRenderer) Objects() []fyne.CanvasObject { return r.objs }

func (r *textRenderer) MinSize() fyne.Size {
	t := r.t
	h := t.lineHeight()
	switch t.Fit {
	case FitEnd, FitMiddle:
		return fyne.NewSize(min(24, fyne.MeasureText(t.Content, t.size(), t.Style).Width), h)
	case FitWrap:
		return fyne.NewSize(24, h*float32(max(1, len(r.lines))))
	}
	return fyne.NewSize(fyne.MeasureText(t.Content, t.size(), t.Style).Width, h)
}

func (r *textRenderer) Layout(s fyne.Size) {
	if r.t.Fit != FitNone && (s.Width != r.width || !r.laid) {
		r.width, r.laid = s.Width, true
		r.compose()
	}
	h := r.t.lineHeight()
	top := max(0, (s.Height-h*float32(len(r.lines)))/2)
	if r.t.Fit == FitWrap {
		top = 0
	}
	for i, l := range r.lines {
		l.Move(fyne.NewPos(0, top+float32(i)*h))
		l.Resize(fyne.NewSize(s.Width, h))
	}
}

func (r *textRenderer) Refresh() {
	r.width = r.t.Size().Width
	r.laid = r.laid || r.width > 0
	r.compose()
	r.Layout(r.t.Size())
}

// compose splits the words into lines for r.width and paints what differs.
func (r *textRenderer) compose() {
	t := r.t
	words := []string{t.Content}
	switch {
	case r.width <= 0 && r.laid && (t.Fit == FitEnd || t.Fit == FitMiddle):
		words[0] = ""
	case r.width > 0:
		switch t.Fit {
		case FitEnd:
			words[0] = EllipsisEnd(t.Content, r.width, t.size(), t.Style)
		case FitMiddle:
			words[0] = EllipsisMiddle(t.Content, r.width, t.size(), t.Style)
		case FitWrap:
			words = wrapText(t.Content, r.width, t.size(), t.Style, t.MaxLines)
		}
	}
	for len(r.lines) < len(words) {
		l := canvas.NewText("", nil)
		r.lines = append(r.lines, l)
	}
	r.lines = r.lines[:len(words)]
	c := t.Color
	if c == "" {
		c = ColorText
	}
	col := Color(c)
	r.objs = r.objs[:0]
	for i, l := range r.lines {
		changed := l.Text != words[i] || l.Color != col || l.TextSize != t.size() || l.TextStyle != t.Style || l.Alignment != t.Align
		l.Text, l.Color, l.TextSize, l.TextStyle, l.Alignment = words[i], col, t.size(), t.Style, t.Align
		r.objs = append(r.objs, l)
		if changed {
			l.Refresh()
		}
	}
}

// EllipsisEnd cuts s at its end until it fits into width.
func EllipsisEnd(s string, width, size float32, style fyne.TextStyle) string {
	runes := []rune(s)
	return fit(s, len(runes), width, size, style, func(keep int) string {
		return strings.TrimRightFunc(string(runes[:keep]), unicode.IsSpace) + "…"
	})
}

// EllipsisMiddle cuts s in its middle until it fits into width; the end, which
// tells paths apart, keeps two thirds.
func EllipsisMiddle(s string, width, size float32, style fyne.TextStyle) string {
	runes := []rune(s)
	return fit(s, len(runes), width, size, style, func(keep int) string {
		head := keep / 3
		return string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
	})
}

// fit returns s if it fits, else the longest cut that does.
func fit(s string, n int, width, size float32, style fyne.TextStyle, cut func(keep int) string) string {
	if n < 2 || fyne.MeasureText(s, size, style).Width <= width+0.5 {
		return s
	}
	low, high := 0, n-1
	for low < high {
		mid := (low + high + 1) / 2
		if fyne.MeasureText(cut(mid), size, style).Width <= width {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return cut(low)
}

// wrapText breaks s at spaces, and inside words that are too long by themselves.
func wrapText(s string, width, size float32, style fyne.TextStyle, maxLines int) []string {
	var lines []string
	measure := func(s string) float32 { return fyne.MeasureText(s, size, style).Width }
	for _, paragraph := range strings.Split(s, "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			next := word
			if line != "" {
				next = line + " " + word
			}
			if measure(next) <= width {
				line = next
				continue
			}
			if line != "" {
				lines = append(lines, line)
			}
			line = word
			for runes := []rune(line); len(runes) > 1 && measure(string(runes)) > width; {
				n := 1 + sort.Search(len(runes)-1, func(i int) bool { return measure(string(runes[:i+2])) > width })
				lines = append(lines, string(runes[:n]))
				runes = runes[n:]
				line = string(runes)
			}
		}
		lines = append(lines, line)
	}
	if maxLines > 0 && len(lines) > maxLines {
		lines = lines[:maxLines]
		last := []rune(lines[maxLines-1])
		for len(last) > 0 && measure(string(last)+"…") > width {
			last = last[:len(last)-1]
		}
		lines[maxLines-1] = string(last) + "…"
	}
	return lines
}
