package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app/ui/look"
)

// healthLine is one line of the side bar's foot: a dot and words. When
// something is not as it should be, a click tells how to mend it.
type healthLine struct {
	widget.BaseWidget
	w      *Window
	good   bool
	text   string
	help   string
	folded bool

	dot     *look.Icon
	words   *look.Text
	focused bool
}

var (
	_ fyne.Tappable     = (*healthLine)(nil)
	_ fyne.Focusable    = (*healthLine)(nil)
	_ desktop.Hoverable = (*healthLine)(nil)
)

func newHealthLine(w *Window) *healthLine {
	h := &healthLine{w: w, dot: look.NewDot(look.Neutral), words: look.NewSmall("")}
	h.words.Fit = look.FitWrap
	h.words.MaxLines = 4
	h.ExtendBaseWidget(h)
	return h
}

func (h *healthLine) set(good bool, text, help string) {
	if h.good == good && h.text == text && h.help == help {
		return
	}
	h.good, h.text, h.help = good, text, help
	tone := look.Good
	if !good {
		tone = look.Warn
	}
	h.dot.Set(look.DotShape(tone), tone.Color())
	words := look.ColorMuted
	if !good {
		words = look.ColorWarning
	}
	h.words.Set(text, words)
	h.Refresh()
}

func (h *healthLine) fold(on bool) {
	h.folded = on
	if on {
		h.words.Hide()
	} else {
		h.words.Show()
	}
	h.Refresh()
}

// Tapped implements fyne.Tappable.
func (h *healthLine) Tapped(*fyne.PointEvent) {
	if h.help != "" || h.folded {
		tone, icon := look.Warn, look.IconWarning
		if h.good {
			tone, icon = look.Good, look.IconInfo
		}
		h.w.notices.say(tone, icon, joinSentences(h.text, h.help))
	}
}

// FocusGained implements fyne.Focusable.
func (h *healthLine) FocusGained() { h.focused = true; h.Refresh() }

// FocusLost implements fyne.Focusable.
func (h *healthLine) FocusLost() { h.focused = false; h.Refresh() }

// TypedRune implements fyne.Focusable.
func (h *healthLine) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (h *healthLine) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		h.Tapped(nil)
	default:
		look.Forward(h, ev)
	}
}

// MouseIn implements desktop.Hoverable.
func (h *healthLine) MouseIn(*desktop.MouseEvent) {
	if !h.folded && h.help == "" {
		return
	}
	text := h.help
	if h.folded {
		text = joinSentences(h.text, h.help)
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(h)
	h.w.hints.show(text, at.AddXY(0, -8))
}

// MouseMoved implements desktop.Hoverable.
func (h *healthLine) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (h *healthLine) MouseOut() { h.w.hints.show("", fyne.Position{}) }

// CreateRenderer implements fyne.Widget.
func (h *healthLine) CreateRenderer() fyne.WidgetRenderer {
	return &healthRenderer{h, canvas.NewRectangle(color.Transparent)}
}

type healthRenderer struct {
	h    *healthLine
	ring *canvas.Rectangle
}

func (r *healthRenderer) Destroy() {}

func (r *healthRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ring, r.h.dot, r.h.words}
}

func (r *healthRenderer) MinSize() fyne.Size {
	if r.h.folded {
		return fyne.NewSize(36, 20)
	}
	return fyne.NewSize(36, max(20, r.h.words.MinSize().Height+2))
}

func (r *healthRenderer) Layout(s fyne.Size) {
	r.ring.Resize(s)
	if r.h.folded {
		place(r.h.dot, (s.Width-11)/2, (s.Height-11)/2, 11, 11)
		return
	}
	place(r.h.dot, 10, 4, 11, 11)
	place(r.h.words, 29, 1, s.Width-29-4, s.Height)
}

func (r *healthRenderer) Refresh() {
	r.ring.StrokeWidth, r.ring.CornerRadius = 0, 4
	if r.h.focused {
		r.ring.StrokeWidth, r.ring.StrokeColor = 2, look.Color(look.ColorAccent)
	}
	r.Layout(r.h.Size())
	r.ring.Refresh()
	r.h.dot.Refresh()
	r.h.words.Refresh()
}
