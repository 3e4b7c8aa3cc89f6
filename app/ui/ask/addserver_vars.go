package ask

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"

	"rootsmanager/app/ui/look"
	"rootsmanager/store"
)

// maxVars bounds the variables or headers of one server.
const maxVars = 100

// varRows are the variables or headers of a server in the form.
type varRows struct {
	f      *serverForm
	header bool
	rows   []*varRow
	list   *fyne.Container
	field  *field
	more   *button
}

// varRow is one of them.
type varRow struct {
	name, value *entry
	secret      *tick
	kept        bool // a stored secret: an empty value leaves it as it is
	chosen      bool // the person set the secret switch
	object      fyne.CanvasObject
}

// tick is look's, and knows that Escape leaves the question.
type tick struct {
	look.Tick
	m *modal
}

// TypedKey implements fyne.Focusable.
func (t *tick) TypedKey(ev *fyne.KeyEvent) {
	if !t.m.typedKey(ev) {
		t.Tick.TypedKey(ev)
	}
}

func newVarRows(f *serverForm, header bool, was []store.Var) *varRows {
	v := &varRows{f: f, header: header, list: look.Column(look.Gap)}
	title, more := lang.L("Environment"), lang.L("Add a variable")
	if header {
		title, more = lang.L("Headers"), lang.L("Add a header")
	}
	v.more = f.button(more, look.Link, func() {
		row := v.add(store.Var{})
		f.relayout()
		f.win.Canvas().Focus(row.name)
	})
	v.field = newField(title, "", look.Column(look.Gap, v.list, look.Row(0, v.more, layout.NewSpacer())))
	for _, one := range was {
		v.add(one)
	}
	setVisible(v.list, len(v.rows) > 0)
	return v
}

func (v *varRows) add(one store.Var) *varRow {
	f := v.f
	row := &varRow{kept: one.Secret, chosen: one.Name != ""}
	row.name = f.entry(one.Name, lang.L("Name"), f.submit)
	hint := lang.L("Value")
	if row.kept {
		hint = lang.L("kept as it is; type to replace it")
	}
	row.value = f.entry(one.Value, hint, f.submit)
	row.secret = &tick{m: f.modal}
	row.secret.Text = lang.L("secret")
	row.secret.ExtendBaseWidget(row.secret)
	set := func(on bool) {
		state := look.TickOff
		if on {
			state = look.TickOn
		}
		row.secret.SetState(state)
		row.value.Password = on
		row.value.Refresh()
	}
	set(one.Secret)
	row.secret.OnTapped = func() {
		row.chosen = true
		set(!row.secret.Checked())
	}
	row.name.OnChanged = func(name string) {
		v.field.say("")
		if !row.chosen {
			set(secretName.MatchString(name))
		}
		f.relayout()
	}
	row.value.OnChanged = func(string) { v.field.say("") }
	remove := f.button(lang.L("Remove this line"), look.IconBtn, func() { v.remove(row) })
	remove.Icon = look.IconTrash
	row.object = look.Stretch(look.Gap, 1, look.Width(200, row.name), row.value, row.secret, remove)
	v.rows = append(v.rows, row)
	v.list.Add(row.object)
	v.list.Show()
	setVisible(v.more, len(v.rows) < maxVars)
	return row
}

func (v *varRows) remove(row *varRow) {
	v.rows = slices.DeleteFunc(v.rows, func(r *varRow) bool { return r == row })
	v.list.Remove(row.object)
	setVisible(v.list, len(v.rows) > 0)
	v.more.Show()
	v.field.say("")
	v.f.relayout()
	v.f.win.Canvas().Focus(v.more)
}

// vars are the lines that say something.
func (v *varRows) vars() []store.Var {
	var out []store.Var
	for _, row := range v.rows {
		name := strings.TrimSpace(row.name.Text)
		if name == "" && row.value.Text == "" {
			continue
		}
		out = append(out, store.Var{Name: name, Value: row.value.Text, Secret: row.secret.Checked()})
	}
	return out
}

// problem is the first line that cannot be right, and why.
func (v *varRows) problem() (fyne.Focusable, string) {
	v.field.say("")
	seen := map[string]bool{}
	for _, row := range v.rows {
		name := strings.TrimSpace(row.name.Text)
		if name == "" && row.value.Text == "" {
			continue
		}
		if text := nameProblem(name, v.header); text != "" {
			return row.name, text
		}
		key := name
		if v.header {
			key = strings.ToLower(name)
		}
		if seen[key] {
			return row.name, lang.L("“{{.Name}}” is there twice: remove one of the lines.", map[string]any{"Name": name})
		}
		seen[key] = true
		if row.kept && !row.secret.Checked() && row.value.Text == "" {
			return row.value, lang.L("Type the value of “{{.Name}}” anew, or leave it secret: its stored value is never shown.", map[string]any{"Name": name})
		}
	}
	return nil, ""
}
