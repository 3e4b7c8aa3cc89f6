package ask

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// keyWidth is the width of the names before the facts of a server.
const keyWidth float32 = 106

// Approval asks whether a server may be started or contacted. p.Approval must
// be set. answer is called once, with NotNow, AllowUntilQuit or AllowAlways;
// the returned function takes the question away without an answer.
//
// What would run is shown as the security best practices of MCP ask for it
// ("Local MCP Server Compromise"): exactly, untruncated, with its origin and
// what it may do.
func Approval(win fyne.Window, p app.Prompt, answer func(app.PromptAnswer)) (close func()) {
	return approval(win, p, answer, systemClock{}).close
}

func approval(win fyne.Window, p app.Prompt, answer func(app.PromptAnswer), clk clock) *modal {
	q := p.Approval
	m := &modal{win: win, clk: clk, width: wide}
	say := once(m, answer)
	refuse := func() { say(app.PromptAnswer{Verdict: app.NotNow}) }
	m.escape, m.enter = refuse, refuse

	name := map[string]any{"Name": visible(p.ServerName)}
	remote := q.URL != ""
	title, no, onceOnly, always := lang.L("Start “{{.Name}}”?", name), lang.L("Don’t start"), lang.L("Start once"), lang.L("Start and remember")
	if remote {
		title, no, onceOnly, always = lang.L("Contact “{{.Name}}”?", name), lang.L("Don’t contact"), lang.L("Contact once"), lang.L("Contact and remember")
	}
	m.head = heading(title, approvalLead(q))
	if p.Note != "" {
		m.head = look.Column(look.GapMedium, m.head, borrowedName(p))
	}
	m.scrolled(look.Column(gap, m.approvalBody(q)...))

	note := look.NewSmall(lang.L("Asked again if anything here changes"))
	note.Fit = look.FitWrap
	var copied *button
	copied = m.button(lang.L("Copy"), look.Secondary, func() {
		fyne.CurrentApp().Clipboard().SetContent(shownCommand(q))
		copied.SetText(lang.L("Copied"))
	})
	safe := m.button(no, look.Safe, refuse)
	m.foot = look.Stretch(look.Gap, 0, note, copied, safe,
		m.allowing(onceOnly, look.Secondary, func() { say(app.PromptAnswer{Verdict: app.AllowUntilQuit}) }),
		m.allowing(always, look.Secondary, func() { say(app.PromptAnswer{Verdict: app.AllowAlways}) }))
	m.show(safe)
	return m
}

// borrowedName warns of a server that calls itself by a name that is not its own.
func borrowedName(p app.Prompt) fyne.CanvasObject {
	return look.Notice(look.Warn, look.IconWarning, visible(p.Note), "")
}

// once returns a function that answers the first time it is called, and closes
// the question.
func once(m *modal, answer func(app.PromptAnswer)) func(app.PromptAnswer) {
	return func(a app.PromptAnswer) {
		if m.closed {
			return
		}
		m.close()
		answer(a)
	}
}

func approvalLead(q *app.ApprovalQuestion) string {
	from := lang.L("You added it.")
	if source := visible(q.Source); source != "" && source != "added by you" {
		from = lang.L("It comes from {{.Source}}.", map[string]any{"Source": source})
	}
	if q.URL != "" {
		return from + " " + lang.L("What you allow it to see is told to whoever runs this address.")
	}
	return from + " " + lang.L("It runs with your rights: it can do whatever you can, and read more than the folders you allow.")
}

func (m *modal) approvalBody(q *app.ApprovalQuestion) []fyne.CanvasObject {
	section := lang.L("This is what would run, exactly")
	if q.URL != "" {
		section = lang.L("This is where it would connect, exactly")
	}
	parts := []fyne.CanvasObject{
		look.Column(look.Gap, look.NewSection(section), m.codeBox(shownCommand(q), wide-2*padding, 8)),
	}
	if misleading(q.CommandLine) {
		parts = append(parts, look.Column(look.Gap,
			look.NewSection(lang.L("The program and each of its arguments")), arguments(q.CommandLine)))
	}
	var facts []fyne.CanvasObject
	fact := func(key, value string) {
		if value != "" {
			facts = append(facts, keyed(key, newExactOrText(value)))
		}
	}
	fact(lang.L("Program"), q.Program)
	fact(lang.L("Folder"), q.Dir)
	env := lang.L("Environment")
	if q.URL != "" {
		env = lang.L("Headers")
	}
	for i, line := range q.Env {
		if i > 0 {
			env = ""
		}
		facts = append(facts, keyed(env, envLine(line)))
	}
	if len(facts) > 0 {
		parts = append(parts, look.Column(look.Gap, facts...))
	}
	if len(q.Changes) > 0 {
		parts = append(parts, changes(q.Changes))
	}
	for _, w := range q.Warnings {
		parts = append(parts, look.Notice(look.Warn, look.IconWarning, visible(w.Title), visible(w.Detail)))
	}
	return parts
}

// shownCommand is the command line in one line, or the URL, with nothing
// hidden. It is also what is copied.
func shownCommand(q *app.ApprovalQuestion) string {
	if q.URL != "" {
		return visible(q.URL)
	}
	return visible(look.Quote(q.CommandLine))
}

// keyed is one fact: its name, and beside it the value.
func keyed(key string, value fyne.CanvasObject) fyne.CanvasObject {
	k := look.NewText(key)
	k.Color, k.Points = look.ColorMuted, 13
	return container.NewBorder(nil, nil, container.NewVBox(look.Width(keyWidth, k)), nil, value)
}

// newExactOrText shows a value in body type, or in fixed-width type when it
// holds spaces that body type would lose or is too long to be measured word by
// word.
func newExactOrText(value string) fyne.CanvasObject {
	if strings.Contains(value, "  ") || strings.TrimSpace(value) != value || len(value) > 200 {
		return newExact(value, look.ColorText)
	}
	t := look.NewText(visible(value))
	t.Points, t.Fit = 13, look.FitWrap
	return t
}

// envLine shows a variable or header. A secret's value is dots: how many says
// nothing about it.
func envLine(line app.EnvLine) fyne.CanvasObject {
	if line.Secret {
		return newExact(line.Name+"=••••••••  "+lang.L("(secret, not shown)"), look.ColorText)
	}
	return newExact(line.Name+"="+line.Value, look.ColorText)
}

// changes shows what differs from what was approved before, old above new.
func changes(list []app.FieldChange) fyne.CanvasObject {
	rows := make([]fyne.CanvasObject, 0, len(list))
	for _, c := range list {
		rows = append(rows, look.Inset(8, 9, 12, 12, look.Column(4,
			look.NewBold(visible(c.Field)),
			change(lang.L("was"), c.Old, look.ColorMuted),
			change(lang.L("now"), c.New, look.ColorText))))
	}
	return look.Column(look.Gap,
		look.Row(look.Gap, look.NewIcon(look.IconTurn, look.ColorWarning, 14),
			look.NewSection(lang.L("Changed since you last approved it")), layout.NewSpacer()),
		look.List(rows...))
}

func change(word, value string, c fyne.ThemeColorName) fyne.CanvasObject {
	if value == "" {
		value, c = lang.L("(none)"), look.ColorMuted
	}
	w := look.NewSmall(word)
	return container.NewBorder(nil, nil, container.NewVBox(look.Inset(1, 0, 0, 0, look.Width(36, w))), nil, newExact(value, c))
}
