package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
)

// Row places objects side by side at their own width, centred on one line.
// layout.NewSpacer takes the room that is left; hidden objects take none.
func Row(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(row{gap}, objects...)
}

// Column places objects below each other at full width.
func Column(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedVBoxLayout(gap), objects...)
}

// Inset pads an object on its four sides.
func Inset(top, bottom, left, right float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedLayout(top, bottom, left, right), o)
}

// Around pads an object equally on all sides.
func Around(pad float32, o fyne.CanvasObject) *fyne.Container {
	return Inset(pad, pad, pad, pad, o)
}

// Middle centres an object vertically and gives it the full width. Spacers
// pass unchanged.
func Middle(o fyne.CanvasObject) fyne.CanvasObject {
	if s, ok := o.(layout.SpacerObject); ok && (s.ExpandHorizontal() || s.ExpandVertical()) {
		return o
	}
	return container.New(middle{}, o)
}

// Stretch is a row whose object number wide takes the room that is left.
func Stretch(gap float32, wide int, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(stretch{gap: gap, wide: wide}, objects...)
}

// Below places a head, a middle that takes the room that is left, and a foot
// below each other without gaps. Each may be nil.
func Below(head, middle, foot fyne.CanvasObject) *fyne.Container {
	l := &below{head: head, middle: middle, foot: foot}
	var objects []fyne.CanvasObject
	for _, o := range []fyne.CanvasObject{middle, head, foot} {
		if o != nil {
			objects = append(objects, o)
		}
	}
	return container.New(l, objects...)
}

type below struct{ head, middle, foot fyne.CanvasObject }

func (l *below) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for _, o := range visible(objects) {
		m := o.MinSize()
		s.Width = max(s.Width, m.Width)
		s.Height += m.Height
	}
	return s
}

func (l *below) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	top, bottom := float32(0), s.Height
	if l.head != nil && l.head.Visible() {
		top = l.head.MinSize().Height
		l.head.Move(fyne.Position{})
		l.head.Resize(fyne.NewSize(s.Width, top))
	}
	if l.foot != nil && l.foot.Visible() {
		h := l.foot.MinSize().Height
		bottom -= h
		l.foot.Move(fyne.NewPos(0, bottom))
		l.foot.Resize(fyne.NewSize(s.Width, h))
	}
	if l.middle != nil {
		l.middle.Move(fyne.NewPos(0, top))
		l.middle.Resize(fyne.NewSize(s.Width, max(0, bottom-top)))
	}
}

// Width gives an object a fixed width and its own height.
func Width(width float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(fixed{width: width}, o)
}

// Height gives an object at least a height.
func Height(height float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(fixed{height: height}, o)
}

// Measure keeps an object at most width wide, at the left.
func Measure(width float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(measure{width}, o)
}

type row struct{ gap float32 }

func spacer(o fyne.CanvasObject) bool {
	s, ok := o.(layout.SpacerObject)
	return ok && s.ExpandHorizontal()
}

func (l row) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for i, o := range visible(objects) {
		if i > 0 {
			s.Width += l.gap
		}
		if !spacer(o) {
			m := o.MinSize()
			s.Width += m.Width
			s.Height = max(s.Height, m.Height)
		}
	}
	return s
}

func (l row) Layout(objects []fyne.CanvasObject, s fyne.Size) {
	seen := visible(objects)
	spacers := 0
	for _, o := range seen {
		if spacer(o) {
			spacers++
		}
	}
	rest := s.Width - l.MinSize(objects).Width
	x := float32(0)
	for _, o := range seen {
		m := o.MinSize()
		if spacer(o) {
			m.Width = max(0, rest/float32(spacers))
		}
		o.Resize(m)
		o.Move(fyne.NewPos(x, (s.Height-m.Height)/2))
		x += m.Width + l.gap
	}
}

type middle struct{}

func (middle) MinSize(objects []fyne.CanvasObject) fyne.Size {
	if !objects[0].Visible() {
		return fyne.Size{}
	}
	return objects[0].MinSize()
}

func (middle) Layout(objects []fyne.CanvasObject, s fyne.Size) {
	h := objects[0].MinSize().Height
	objects[0].Resize(fyne.NewSize(s.Width, h))
	objects[0].Move(fyne.NewPos(0, (s.Height-h)/2))
}

type stretch struct {
	gap  float32
	wide int
}

func (l stretch) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for i, o := range visible(objects) {
		m := o.MinSize()
		if i > 0 {
			s.Width += l.gap
		}
		s.Width += m.Width
		s.Height = max(s.Height, m.Height)
	}
	return s
}

func (l stretch) Layout(objects []fyne.CanvasObject, s fyne.Size) {
	rest := s.Width
	seen := visible(objects)
	for i, o := range seen {
		if i > 0 {
			rest -= l.gap
		}
		if o != objects[l.wide] {
			rest -= o.MinSize().Width
		}
	}
	x := float32(0)
	for _, o := range seen {
		m := o.MinSize()
		if o == objects[l.wide] {
			m.Width = max(0, rest)
		}
		o.Resize(m)
		o.Move(fyne.NewPos(x, (s.Height-m.Height)/2))
		x += m.Width + l.gap
	}
}

func visible(objects []fyne.CanvasObject) []fyne.CanvasObject {
	out := make([]fyne.CanvasObject, 0, len(objects))
	for _, o := range objects {
		if o.Visible() {
			out = append(out, o)
		}
	}
	return out
}

type fixed struct{ width, height float32 }

func (l fixed) MinSize(objects []fyne.CanvasObject) fyne.Size {
	m := objects[0].MinSize()
	if l.width > 0 {
		m.Width = l.width
	}
	m.Height = max(m.Height, l.height)
	return m
}

func (l fixed) Layout(objects []fyne.CanvasObject, s fyne.Size) { objects[0].Resize(s) }

type measure struct{ width float32 }

func (l measure) MinSize(objects []fyne.CanvasObject) fyne.Size { return objects[0].MinSize() }

func (l measure) Layout(objects []fyne.CanvasObject, s fyne.Size) {
	objects[0].Resize(fyne.NewSize(min(s.Width, l.width), s.Height))
}
