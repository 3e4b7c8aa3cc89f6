package ask

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rootsmanager/app/ui/look"
)

// Sizes of a question, in Fyne's pixels.
const (
	wide        float32 = 700 // width of the large questions
	narrow      float32 = 460 // width of the small ones
	padding     float32 = 24
	gap         float32 = 18 // between the parts of a question
	windowInset float32 = 16 // what stays of the window around a question
)

// modal is a panel above the window, with a head and a foot that are always
// seen and a body between them that gets the height that is left.
type modal struct {
	win   fyne.Window
	clk   clock
	width float32

	head, body, foot fyne.CanvasObject
	// natural is the height the body would like at a width; nil asks its
	// MinSize.
	natural func(width float32) float32

	// escape and enter are called for these keys wherever the focus is, except
	// in a button or entry that has a use of its own for Enter.
	escape, enter func()

	root    *fyne.Container
	shown   time.Time
	before  func(*fyne.KeyEvent) // the window's key handler, given back at the end
	closed  bool
	onClose []func()
}

// show puts the question above the window and the focus on first.
func (m *modal) show(first fyne.Focusable) {
	m.root = container.New(modalLayout{m},
		look.NewSurface(look.ColorScrim, "", 0),
		look.NewSurface(look.ColorPanel, look.ColorLine, look.DialogRadius),
		m.head, m.body, m.foot)
	cv := m.win.Canvas()
	m.before = cv.OnTypedKey()
	cv.SetOnTypedKey(func(ev *fyne.KeyEvent) { m.typedKey(ev) })
	cv.Overlays().Add(m.root)
	m.root.Resize(cv.Size())
	m.shown = m.clk.now()
	if first != nil {
		cv.Focus(first)
	}
}

// close takes the question away without an answer. It may be called again.
func (m *modal) close() {
	if m.closed {
		return
	}
	m.closed = true
	for _, f := range m.onClose {
		f()
	}
	cv := m.win.Canvas()
	cv.SetOnTypedKey(m.before)
	cv.Overlays().Remove(m.root)
}

// typedKey serves the keys that mean the same everywhere in a question and
// tells whether it was one.
func (m *modal) typedKey(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyEscape:
		m.escape()
	case fyne.KeyReturn, fyne.KeyEnter:
		if m.enter != nil {
			m.enter()
		}
	default:
		return false
	}
	return true
}

// guarded makes f do nothing while the question is too new to have been read.
func (m *modal) guarded(f func()) func() {
	return func() {
		if m.clk.now().Sub(m.shown) >= guardTime {
			f()
		}
	}
}

// relayout gives head, body and foot their heights anew after one changed.
func (m *modal) relayout() {
	if m.root != nil && !m.closed {
		m.root.Layout.Layout(m.root.Objects, m.root.Size())
	}
}

// work runs f off the Fyne goroutine, then done on it, unless the question was
// closed in between. The context ends when the question closes or stop is
// called.
func (m *modal) work(f func(context.Context) error, done func(error)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	m.onClose = append(m.onClose, cancel)
	go func() {
		defer cancel()
		err := f(ctx)
		m.clk.do(func() {
			if !m.closed {
				done(err)
			}
		})
	}()
	return cancel
}

// button returns a button of this question.
func (m *modal) button(text string, kind look.ButtonKind, tapped func()) *button {
	b := &button{m: m}
	b.Text, b.Kind, b.OnTapped = text, kind, tapped
	b.ExtendBaseWidget(b)
	return b
}

// allowing returns a button that allows something: guarded, and never pressed
// by Enter.
func (m *modal) allowing(text string, kind look.ButtonKind, tapped func()) *button {
	b := m.button(text, kind, m.guarded(tapped))
	b.NoEnter = true
	return b
}

// button is look's, and knows that Escape leaves the question.
type button struct {
	look.Button
	m *modal
}

// TypedKey implements fyne.Focusable.
func (b *button) TypedKey(ev *fyne.KeyEvent) {
	if ev.Name == fyne.KeyEscape {
		b.m.escape()
		return
	}
	b.Button.TypedKey(ev)
}

// modalLayout places scrim, panel, head, body and foot.
type modalLayout struct{ m *modal }

// MinSize implements fyne.Layout. A question never makes the window grow.
func (modalLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }

// Layout implements fyne.Layout.
func (l modalLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	scrim, panel, head, body, foot := objects[0], objects[1], objects[2], objects[3], objects[4]
	scrim.Move(fyne.Position{})
	scrim.Resize(size)

	w := min(l.m.width, size.Width-2*windowInset)
	inner := w - 2*padding
	headHeight, footHeight := heightAt(head, inner), heightAt(foot, inner)
	var bodyHeight float32
	if l.m.natural != nil {
		bodyHeight = l.m.natural(inner)
	} else {
		bodyHeight = heightAt(body, inner)
	}
	gaps := gapIf(headHeight) + gapIf(bodyHeight)
	room := size.Height - 2*windowInset - 2*padding - headHeight - footHeight - gaps
	bodyHeight = max(0, min(bodyHeight, room))

	h := headHeight + bodyHeight + footHeight + gaps + 2*padding
	x, y := (size.Width-w)/2, max(windowInset, (size.Height-h)/2)
	panel.Move(fyne.NewPos(x, y))
	panel.Resize(fyne.NewSize(w, h))

	x, y = x+padding, y+padding
	place(head, x, y, inner, headHeight)
	y += headHeight + gapIf(headHeight)
	// A scrolling body reaches to the panel's edge on the right, so that its
	// bar does not lie on the text.
	place(body, x, y, inner+scrollMargin, bodyHeight)
	y += bodyHeight + gapIf(bodyHeight)
	place(foot, x, y, inner, footHeight)
}

// scrollMargin is the room a body has for its scroll bar beside its content.
const scrollMargin = padding - 8

func gapIf(height float32) float32 {
	if height == 0 {
		return 0
	}
	return gap
}

func place(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(x, y))
	o.Resize(fyne.NewSize(w, h))
}

// heightAt is the height an object needs at a width, and lays it out so. Wrapped
// text knows its height only once it has its width, and its containers one
// step later.
func heightAt(o fyne.CanvasObject, width float32) float32 {
	h := o.MinSize().Height
	for range 4 {
		o.Resize(fyne.NewSize(width, h))
		settle(o)
		next := o.MinSize().Height
		if next == h {
			break
		}
		h = next
	}
	return h
}

// settle runs the layouts of nested containers again: one that keeps its size
// would not do so by itself when something inside it changed.
func settle(o fyne.CanvasObject) {
	c, ok := o.(*fyne.Container)
	if !ok {
		return
	}
	if c.Layout != nil {
		c.Layout.Layout(c.Objects, c.Size())
	}
	for _, child := range c.Objects {
		settle(child)
	}
}

// scrolled makes content the body of a question: as high as it needs, and
// scrolling when the window is too small for that.
func (m *modal) scrolled(content fyne.CanvasObject) {
	// The content keeps clear of the scroll bar.
	inside := look.Inset(0, 0, 0, scrollMargin, content)
	m.body = container.NewVScroll(inside)
	m.natural = func(width float32) float32 { return heightAt(inside, width+scrollMargin) }
}

// heading is the head of a question: what is asked, and one sentence more.
func heading(title, lead string) fyne.CanvasObject {
	t := look.NewTitle(title)
	t.Fit = look.FitWrap
	if lead == "" {
		return t
	}
	return look.Column(look.Gap, t, look.NewParagraph(lead))
}
