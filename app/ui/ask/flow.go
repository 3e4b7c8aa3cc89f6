package ask

import (
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rootsmanager/app/ui/look"
)

// flow places objects side by side and goes on in the next row where there is
// no more room. Its height is known once it had its width.
type flow struct {
	gap    float32
	width  float32
	height float32
}

// MinSize implements fyne.Layout.
func (l *flow) MinSize(objects []fyne.CanvasObject) fyne.Size {
	if l.width > 0 {
		l.walk(objects, l.width, func(fyne.CanvasObject, fyne.Position, fyne.Size) {})
	}
	return fyne.NewSize(24, l.height)
}

// Layout implements fyne.Layout.
func (l *flow) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	l.walk(objects, size.Width, func(o fyne.CanvasObject, at fyne.Position, s fyne.Size) {
		o.Move(at)
		o.Resize(s)
	})
}

func (l *flow) walk(objects []fyne.CanvasObject, width float32, put func(fyne.CanvasObject, fyne.Position, fyne.Size)) {
	var x, y, row float32
	for _, o := range objects {
		m := o.MinSize()
		m.Width = min(m.Width, width)
		if x > 0 && x+m.Width > width {
			x, y, row = 0, y+row+l.gap, 0
		}
		put(o, fyne.NewPos(x, y), m)
		x, row = x+m.Width+l.gap, max(row, m.Height)
	}
	l.height = y + row
}

// maxChips bounds how many arguments are shown while typing; the approval
// shows all of them.
const maxChips = 60

// chips shows the words of a command line with their numbers while it is typed.
func chips(words []string) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	for i, w := range words {
		if i == maxChips {
			out = append(out, look.Inset(4, 4, 4, 4, look.NewSmall("… +"+strconv.Itoa(len(words)-maxChips))))
			break
		}
		number := look.NewSmall(strconv.Itoa(i + 1))
		text := look.NewText(visible(w))
		text.Points, text.Style = look.SmallSize, mono
		if w == "" {
			text.Content, text.Color = "∅", look.ColorMuted
		}
		// Nothing is cut that fits a row of its own.
		if most := wide - 2*padding - 60; text.MinSize().Width > most {
			text.Content = look.EllipsisMiddle(text.Content, most, text.Points, text.Style)
		}
		out = append(out, container.NewStack(look.NewSurface(look.ColorChip, "", look.Radius),
			look.Inset(3, 3, 8, 8, look.Row(6, number, text))))
	}
	return out
}
