package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// Surface is a filled rectangle that follows the theme.
type Surface struct {
	widget.BaseWidget
	Fill   fyne.ThemeColorName // empty paints nothing
	Line   fyne.ThemeColorName // empty has no border
	Radius float32
	Min    fyne.Size
}

// NewSurface returns a surface.
func NewSurface(fill, line fyne.ThemeColorName, radius float32) *Surface {
	s := &Surface{Fill: fill, Line: line, Radius: radius}
	s.ExtendBaseWidget(s)
	return s
}

// SetFill changes the fill; it is cheap if nothing differs.
func (s *Surface) SetFill(fill fyne.ThemeColorName) {
	if s.Fill == fill {
		return
	}
	s.Fill = fill
	s.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (s *Surface) CreateRenderer() fyne.WidgetRenderer {
	s.ExtendBaseWidget(s)
	r := &surfaceRenderer{s: s, box: canvas.NewRectangle(color.Transparent)}
	r.Refresh()
	return r
}

type surfaceRenderer struct {
	s   *Surface
	box *canvas.Rectangle
}

func (r *surfaceRenderer) Destroy()                     {}
func (r *surfaceRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.box} }
func (r *surfaceRenderer) MinSize() fyne.Size           { return r.s.Min }
func (r *surfaceRenderer) Layout(s fyne.Size)           { r.box.Resize(s) }

func (r *surfaceRenderer) Refresh() {
	paint(r.box, r.s.Fill, r.s.Line, 1, r.s.Radius)
	r.box.Refresh()
}

// HLine is a horizontal hairline.
func HLine() fyne.CanvasObject {
	s := NewSurface(ColorLine, "", 0)
	s.Min = fyne.NewSize(1, 1)
	return s
}

// VLine is a vertical hairline.
func VLine() fyne.CanvasObject { return HLine() }

// Panel puts content on a white panel with a line around it.
func Panel(content fyne.CanvasObject) *fyne.Container {
	return container.NewStack(NewSurface(ColorPanel, ColorLine, Radius), content)
}

// Card is a Panel with the padding of a dialog row.
func Card(content fyne.CanvasObject) *fyne.Container {
	return Panel(Inset(10, 10, 12, 12, content))
}

// List is a Panel of rows with hairlines between them.
func List(rows ...fyne.CanvasObject) *fyne.Container {
	var all []fyne.CanvasObject
	for i, r := range rows {
		if i > 0 {
			all = append(all, HLine())
		}
		all = append(all, r)
	}
	return Panel(Around(1, Column(0, all...)))
}

// On puts content on a plain background without a border.
func On(fill fyne.ThemeColorName, content fyne.CanvasObject) *fyne.Container {
	return container.NewStack(NewSurface(fill, "", 0), content)
}

// Notice is a message on a soft background: a warning in a dialog, an error in
// the window. Detail may be empty.
func Notice(tone Tone, icon IconName, title, detail string) *fyne.Container {
	return container.NewStack(NewSurface(tone.Soft(), tone.Color(), Radius), Plain(tone, icon, title, detail))
}

// Plain is a [Notice] without its background.
func Plain(tone Tone, icon IconName, title, detail string) *fyne.Container {
	head := NewText(title)
	head.Fit = FitWrap
	body := []fyne.CanvasObject{head}
	if detail != "" {
		d := NewSmall(detail)
		d.Fit = FitWrap
		body = append(body, d)
	}
	mark := container.NewVBox(Inset(2, 0, 0, 0, NewIcon(icon, tone.Color(), 16)))
	row := container.NewBorder(nil, nil, Inset(0, 0, 0, 4, mark), nil, Column(2, body...))
	return Inset(8, 9, 12, 12, row)
}

// KeyValue is one line of a detail: "Protocol   2025-11-25".
type KeyValue struct {
	Key, Value string
	Tone       Tone // colours the value; Neutral leaves it as text
}

// KeyValues shows lines with the keys in a column of keyWidth pixels.
func KeyValues(keyWidth float32, rows ...KeyValue) *fyne.Container {
	var lines []fyne.CanvasObject
	for _, row := range rows {
		k := NewText(row.Key)
		k.Color, k.Points = ColorMuted, 13
		v := NewText(row.Value)
		v.Fit, v.Points = FitWrap, 13
		if row.Tone != Neutral {
			v.Color = row.Tone.Color()
		}
		lines = append(lines, container.NewBorder(nil, nil, Width(keyWidth, container.NewVBox(k)), nil, v))
	}
	return Column(Gap, lines...)
}
