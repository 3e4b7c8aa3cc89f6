package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app/ui/look"
)

// entry is a text field of a question: Escape leaves the question, Enter
// submits it, also where the text may have several lines, unless lines is set.
type entry struct {
	widget.Entry
	m      *modal
	submit func()
	lines  bool // Enter starts a new line
}

func (m *modal) entry(text, placeholder string, submit func()) *entry {
	e := &entry{m: m, submit: submit}
	e.ExtendBaseWidget(e)
	e.SetText(text)
	e.SetPlaceHolder(placeholder)
	return e
}

// several lets the field have rows of text.
func (e *entry) several(rows int) *entry {
	e.MultiLine = true
	e.SetMinRowsVisible(rows)
	e.Wrapping = fyne.TextWrapBreak // last: there is no width to wrap at yet
	return e
}

// AcceptsTab implements fyne.Tabbable: Tab goes on to the next field.
func (e *entry) AcceptsTab() bool { return false }

// TypedKey implements fyne.Focusable.
func (e *entry) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeyEscape:
		e.m.escape()
	case fyne.KeyReturn, fyne.KeyEnter:
		if e.lines {
			e.Entry.TypedKey(ev)
		} else if e.submit != nil {
			e.submit()
		}
	default:
		e.Entry.TypedKey(ev)
	}
}

// options is look's choice, and knows that Escape leaves the question.
type options struct {
	look.Choice
	m *modal
}

func (m *modal) options(words []string, selected int) *options {
	o := &options{m: m}
	o.Options, o.Selected = words, selected
	o.ExtendBaseWidget(o)
	return o
}

// TypedKey implements fyne.Focusable.
func (o *options) TypedKey(ev *fyne.KeyEvent) {
	if !o.m.typedKey(ev) {
		o.Choice.TypedKey(ev)
	}
}

// field is a labelled part of a form with room for what is wrong with it.
type field struct {
	box  fyne.CanvasObject
	note *look.Text
	hint string
}

func newField(label, hint string, content fyne.CanvasObject) *field {
	f := &field{hint: hint, note: look.NewSmall("")}
	f.note.Fit = look.FitWrap
	f.box = look.Column(look.GapTiny+2, look.NewSection(label), content, f.note)
	f.say("")
	return f
}

// say shows what is wrong, or with "" the hint again.
func (f *field) say(problem string) {
	text, color := problem, look.ColorError
	if problem == "" {
		text, color = f.hint, look.ColorMuted
	}
	f.note.Set(text, color)
	setVisible(f.note, text != "")
}

// warn shows a remark that does not stop anything.
func (f *field) warn(remark string) {
	if remark == "" {
		f.say("")
		return
	}
	f.note.Set(remark, look.ColorWarning)
	f.note.Show()
}
