package ask

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app/ui/look"
)

// Message says what went wrong: what, why, and what to do next; cause and next
// may be empty. The returned function takes it away.
func Message(win fyne.Window, title, cause, next string) (close func()) {
	return newMessage(win, title, cause, next, systemClock{}).close
}

func newMessage(win fyne.Window, title, cause, next string, clk clock) *modal {
	m := &modal{win: win, clk: clk, width: narrow}
	m.escape, m.enter = m.close, m.close
	t := look.NewTitle(visible(title))
	t.Fit = look.FitWrap
	m.head = container.NewBorder(nil, nil,
		look.Inset(2, 0, 0, look.GapMedium, container.NewVBox(look.NewIcon(look.IconWarning, look.ColorError, 20))), nil, t)
	var parts []fyne.CanvasObject
	if cause != "" {
		p := look.NewParagraph(visible(cause))
		parts = append(parts, p)
	}
	if next != "" {
		n := look.NewText(visible(next))
		n.Fit = look.FitWrap
		parts = append(parts, n)
	}
	m.scrolled(look.Column(look.GapMedium, parts...))
	closeIt := m.button(lang.L("Close"), look.Safe, m.close)
	m.foot = look.Stretch(look.Gap, 0, look.NewSmall(""), closeIt)
	m.show(closeIt)
	return m
}

// RenameOptions are the parts of [Rename]. Answer is required.
type RenameOptions struct {
	Title string // "Rename “frontend”"
	Label string // above the field: "Name"
	Hint  string // below the field, may be empty
	Value string // what the field holds at first, selected
	// Check says what is wrong with a text and what to do; nil lets pass.
	// It is called with every key.
	Check func(string) error
	// Answer is called once with the new text, after the question closed. It
	// is not called when the question was left or nothing was changed.
	Answer func(string)
}

// Rename asks for one short text. Enter takes it, Escape leaves it as it was.
// The returned function takes the question away.
func Rename(win fyne.Window, opts RenameOptions) (close func()) {
	return newRename(win, opts, systemClock{}).close
}

// rename is the question while it is open.
type rename struct {
	*modal
	opts  RenameOptions
	text  *entry
	field *field
	save  *button
}

func newRename(win fyne.Window, opts RenameOptions, clk clock) *rename {
	r := &rename{modal: &modal{win: win, clk: clk, width: narrow}, opts: opts}
	r.escape = r.close
	r.enter = r.submit
	r.head = heading(visible(opts.Title), "")
	r.text = r.entry(opts.Value, "", r.submit)
	r.field = newField(opts.Label, opts.Hint, r.text)
	r.text.OnChanged = func(string) { r.update() }
	r.scrolled(r.field.box)
	r.save = r.button(lang.L("Save"), look.Primary, r.submit)
	r.foot = look.Stretch(look.Gap, 0, look.NewSmall(""), r.button(lang.L("Cancel"), look.Secondary, r.escape), r.save)
	r.update()
	r.show(r.text)
	r.text.TypedShortcut(&fyne.ShortcutSelectAll{})
	return r
}

func (r *rename) update() {
	r.field.say("")
	if r.opts.Check != nil {
		if err := r.opts.Check(strings.TrimSpace(r.text.Text)); err != nil {
			r.field.say(sentence(err))
			r.save.Disable()
			r.relayout()
			return
		}
	}
	r.save.Enable()
	r.relayout()
}

func (r *rename) submit() {
	text := strings.TrimSpace(r.text.Text)
	if r.closed || r.save.Disabled() {
		return
	}
	r.close()
	if text != r.opts.Value {
		r.opts.Answer(text)
	}
}
