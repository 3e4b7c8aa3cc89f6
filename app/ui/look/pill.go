package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// Pill is a state: a shape, a word and a colour, always all three.
type Pill struct {
	widget.BaseWidget
	Icon IconName
	Text string
	Tone Tone
}

// NewPill returns a pill.
func NewPill(icon IconName, text string, tone Tone) *Pill {
	p := &Pill{Icon: icon, Text: text, Tone: tone}
	p.ExtendBaseWidget(p)
	return p
}

// Set changes what is shown; it is cheap if nothing differs.
func (p *Pill) Set(icon IconName, text string, tone Tone) {
	if p.Icon == icon && p.Text == text && p.Tone == tone {
		return
	}
	p.Icon, p.Text, p.Tone = icon, text, tone
	p.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (p *Pill) CreateRenderer() fyne.WidgetRenderer {
	p.ExtendBaseWidget(p)
	t := NewSmall("")
	t.Fit = FitEnd
	r := &pillRenderer{p: p, box: canvas.NewRectangle(color.Transparent), icon: NewIcon(IconNone, ColorMuted, pillIcon), text: t}
	r.Refresh()
	return r
}

const (
	pillHeight float32 = 20
	pillIcon   float32 = 10
	pillPad    float32 = 8
)

type pillRenderer struct {
	p    *Pill
	box  *canvas.Rectangle
	icon *Icon
	text *Text
}

func (r *pillRenderer) Destroy() {}

func (r *pillRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.box, r.icon, r.text}
}

func (r *pillRenderer) wide() float32 {
	w := 2*pillPad + fyne.MeasureText(r.p.Text, SmallSize, fyne.TextStyle{}).Width
	if r.p.Icon != IconNone {
		w += pillIcon + 4
	}
	return w
}

func (r *pillRenderer) MinSize() fyne.Size { return fyne.NewSize(r.wide(), pillHeight) }

func (r *pillRenderer) Layout(s fyne.Size) {
	w := min(r.wide(), s.Width)
	top := (s.Height - pillHeight) / 2
	r.box.Move(fyne.NewPos(0, top))
	r.box.Resize(fyne.NewSize(w, pillHeight))
	x := pillPad
	if r.p.Icon != IconNone {
		r.icon.Move(fyne.NewPos(x, top+(pillHeight-pillIcon)/2))
		r.icon.Resize(fyne.NewSquareSize(pillIcon))
		x += pillIcon + 4
	}
	h := lineHeight(SmallSize, fyne.TextStyle{})
	r.text.Move(fyne.NewPos(x, top+(pillHeight-h)/2))
	r.text.Resize(fyne.NewSize(max(0, w-x-pillPad+1), h))
}

func (r *pillRenderer) Refresh() {
	paint(r.box, r.p.Tone.Soft(), "", 0, pillHeight/2)
	r.icon.Set(r.p.Icon, r.p.Tone.Color())
	r.icon.Refresh()
	r.text.Content, r.text.Color = r.p.Text, r.p.Tone.Color()
	r.Layout(r.p.Size())
	r.text.Refresh()
	r.box.Refresh()
}

// Dot is the small round mark before a server's name. Its shape differs with
// its tone as well: full, ring, half, cross.
type Dot = Icon

// NewDot returns a status dot; put the word beside it.
func NewDot(tone Tone) *Dot {
	return NewIcon(DotShape(tone), tone.Color(), 11)
}

// DotShape is the icon of a dot in a tone.
func DotShape(tone Tone) IconName {
	switch tone {
	case Good:
		return IconDot
	case Warn:
		return IconHalf
	case Bad:
		return IconCross
	}
	return IconRing
}

// Badge is a number on a full colour, such as the count of waiting questions.
// It hides itself while the text is empty.
type Badge struct {
	widget.BaseWidget
	Text string
	Tone Tone
}

// NewBadge returns a badge.
func NewBadge(text string, tone Tone) *Badge {
	b := &Badge{Text: text, Tone: tone}
	b.ExtendBaseWidget(b)
	return b
}

// SetText changes the number.
func (b *Badge) SetText(s string) {
	if b.Text == s {
		return
	}
	b.Text = s
	b.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (b *Badge) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	t := newText(&Text{Points: 11, Style: fyne.TextStyle{Bold: true}, Align: fyne.TextAlignCenter})
	r := &badgeRenderer{b: b, box: canvas.NewRectangle(color.Transparent), text: t}
	r.Refresh()
	return r
}

type badgeRenderer struct {
	b    *Badge
	box  *canvas.Rectangle
	text *Text
}

func (r *badgeRenderer) Destroy() {}

func (r *badgeRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.box, r.text}
}

func (r *badgeRenderer) MinSize() fyne.Size {
	if r.b.Text == "" {
		return fyne.NewSize(0, 18)
	}
	return fyne.NewSize(max(20, r.text.MinSize().Width+12), 18)
}

func (r *badgeRenderer) Layout(s fyne.Size) {
	top := (s.Height - 18) / 2
	r.box.Move(fyne.NewPos(0, top))
	r.box.Resize(fyne.NewSize(s.Width, 18))
	h := r.text.MinSize().Height
	r.text.Move(fyne.NewPos(0, (s.Height-h)/2))
	r.text.Resize(fyne.NewSize(s.Width, h))
}

func (r *badgeRenderer) Refresh() {
	if r.b.Text == "" {
		r.box.Hide()
		r.text.Hide()
		return
	}
	r.box.Show()
	r.text.Show()
	paint(r.box, r.b.Tone.Color(), "", 0, 9)
	r.text.Content, r.text.Color = r.b.Text, ColorOnAccent
	r.text.Refresh()
	r.Layout(r.b.Size())
	r.box.Refresh()
}
