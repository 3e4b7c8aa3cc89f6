package ui

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// How long the bar at the foot of the window stays.
const (
	undoStays  = 12 * time.Second
	sayStays   = 8 * time.Second
	errorStays = 60 * time.Second
)

// notices is the bar at the foot of the window: what was just done, with a way
// back; what is under way, with a way to stop it; what failed, and what to do.
type notices struct {
	w       *Window
	place   *fyne.Container
	until   time.Time // zero: until it is taken away
	undo    string    // label the Undo button takes back; empty if there is none
	undoSeq uint64    // snapshot the label was read from
	serial  int
}

func newNotices(w *Window) *notices {
	return &notices{w: w, place: container.New(noticeLayout{})}
}

func (n *notices) content() fyne.CanvasObject { return n.place }

func (n *notices) put(stays time.Duration, bar fyne.CanvasObject) int {
	n.undo = ""
	n.until = time.Time{}
	if stays > 0 {
		n.until = n.w.now().Add(stays)
	}
	n.serial++
	n.place.Objects = []fyne.CanvasObject{bar}
	n.place.Refresh()
	return n.serial
}

func (n *notices) clear() {
	n.undo = ""
	n.until = time.Time{}
	n.place.Objects = nil
	n.place.Refresh()
}

func (n *notices) closer() *look.Button {
	return look.NewIconButton(look.IconClose, lang.L("Close"), n.clear)
}

// say tells something that needs no answer.
func (n *notices) say(tone look.Tone, icon look.IconName, text string) {
	n.put(sayStays, look.Toast(tone, icon, text, n.closer()))
}

// fail tells what went wrong and what to do.
func (n *notices) fail(what string, err error) {
	text := errorSentence(err)
	if what != "" {
		text = what + " " + text
	}
	n.put(errorStays, look.Toast(look.Bad, look.IconWarning, text, n.closer()))
}

// offerUndo tells what was done and offers to take it back while the core can.
func (n *notices) offerUndo(text string, s *app.Snapshot) {
	if s.UndoLabel == "" {
		n.say(look.Good, look.IconCheck, text)
		return
	}
	n.put(undoStays, look.Toast(look.Neutral, look.IconCheck, text,
		look.NewButton(lang.L("Undo"), look.Link, n.w.undo), n.closer()))
	n.undo, n.undoSeq = s.UndoLabel, s.Seq
}

// busy shows that something is under way. The result takes it away again.
func (n *notices) busy(text string, cancel func()) (done func()) {
	spin := widget.NewActivity()
	spin.Start()
	words := look.NewText(text)
	words.Fit = look.FitEnd
	row := container.NewBorder(nil, nil, look.Inset(0, 0, 0, look.Gap, look.Width(20, spin)),
		look.NewButton(lang.L("Cancel"), look.Link, cancel), look.Middle(words))
	serial := n.put(0, container.NewStack(look.NewSurface(look.ColorPanel, look.ColorLine, look.Radius), look.Inset(6, 6, 14, 6, row)))
	return func() {
		spin.Stop()
		if n.serial == serial {
			n.clear()
		}
	}
}

// apply takes the Undo button away when something else would be undone.
func (n *notices) apply(s *app.Snapshot) {
	if n.undo != "" && s.Seq >= n.undoSeq && s.UndoLabel != n.undo {
		n.clear()
	}
}

func (n *notices) clock(now time.Time) {
	if !n.until.IsZero() && now.After(n.until) {
		n.clear()
	}
}

// noticeLayout centres the bar above the lower edge.
type noticeLayout struct{}

func (noticeLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }

func (noticeLayout) Layout(objects []fyne.CanvasObject, s fyne.Size) {
	for _, o := range objects {
		width := min(620, s.Width-40)
		o.Resize(fyne.NewSize(width, o.MinSize().Height))
		height := o.MinSize().Height // of the wrapped text
		o.Resize(fyne.NewSize(width, height))
		o.Move(fyne.NewPos((s.Width-width)/2, s.Height-height-20))
	}
}

// hints shows a remark beside what the pointer or the keyboard is on. It takes
// no clicks.
type hints struct {
	layer *fyne.Container
	panel *fyne.Container
	words *look.Text
	at    fyne.Position
}

func newHints() *hints {
	h := &hints{words: look.NewText("")}
	h.words.Points = look.SmallSize
	h.words.Fit = look.FitWrap
	h.panel = container.NewStack(look.NewSurface(look.ColorPanel, look.ColorLine, look.Radius), look.Inset(6, 7, 10, 10, h.words))
	h.panel.Hide()
	h.layer = container.New(h, h.panel)
	return h
}

func (h *hints) content() fyne.CanvasObject { return h.layer }

// show puts words below a place of the window; empty words take them away.
func (h *hints) show(text string, at fyne.Position) {
	if text == "" {
		if h.panel.Visible() {
			h.panel.Hide()
		}
		return
	}
	h.words.SetContent(text)
	h.at = at
	h.panel.Show()
	h.Layout(nil, h.layer.Size())
	h.layer.Refresh()
}

// over shows words below a widget while the pointer is on it.
func (h *hints) over(o fyne.CanvasObject, in bool, text string) {
	if !in {
		text = ""
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	h.show(text, at.AddXY(o.Size().Width/2, o.Size().Height+2))
}

// beside shows words at the right of a widget while the pointer is on it.
func (h *hints) beside(o fyne.CanvasObject, in bool, text string) {
	if !in {
		text = ""
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	h.show(text, at.AddXY(o.Size().Width+18+(widest(text)+22)/2, 4))
}

// explained makes a hint of a button's name.
func (h *hints) explained(b *look.Button) *look.Button {
	b.OnHover = func(in bool) { h.over(b, in, b.Text) }
	return b
}

// MinSize implements fyne.Layout.
func (h *hints) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }

// Layout implements fyne.Layout: the remark stays inside the window.
func (h *hints) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	width := min(hintWidth, widest(h.words.Content)+22)
	h.panel.Resize(fyne.NewSize(width, 10))
	height := h.panel.MinSize().Height
	h.panel.Resize(fyne.NewSize(width, height))
	x := max(8, min(h.at.X-width/2, s.Width-width-8))
	y := h.at.Y
	if y+height > s.Height-8 {
		y = s.Height - 8 - height
	}
	h.panel.Move(fyne.NewPos(x, y))
}

// hintWidth is the widest a remark gets before it wraps.
const hintWidth float32 = 420

// widest measures the longest line of a remark.
func widest(text string) float32 {
	w := float32(0)
	for line := range strings.SplitSeq(text, "\n") {
		w = max(w, fyne.MeasureText(line, look.SmallSize, fyne.TextStyle{}).Width)
	}
	return w
}
