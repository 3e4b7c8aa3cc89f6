package ask

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// more are the settings of a server that few people need: folded away until
// asked for, or until one of them is set.
type more struct {
	open     *button
	box      *fyne.Container
	revision *options
	answers  *options
	web      *options
}

func (f *serverForm) newMore(was app.ServerSpec) *more {
	m := &more{}
	pinned := slices.Index(app.Revisions(), was.Revision) + 1
	m.revision = f.options(append([]string{lang.L("Automatic")}, app.Revisions()...), pinned)
	m.answers = f.options([]string{lang.L("Answer with the ticked folders"), lang.L("Refuse to answer")}, index(was.RootsOff))
	m.web = f.options([]string{lang.L("Keep them from it"), lang.L("It may be told of them")}, index(was.AllowHTTPS))
	row := func(label, hint string, o *options) fyne.CanvasObject {
		return newField(label, hint, look.Row(0, o, layout.NewSpacer())).box
	}
	m.box = look.Column(gap,
		row(lang.L("Protocol revision"), lang.L("Leave it automatic unless the server needs an old one."), m.revision),
		row(lang.L("When it asks for folders"), "", m.answers),
		row(lang.L("Web addresses among the folders"), lang.L("Some servers refuse every folder when one of them is a web address."), m.web))
	m.open = f.button(lang.L("More settings"), look.Link, func() { f.unfold(m) })
	m.box.Hide()
	if was.Revision != "" || was.RootsOff || was.AllowHTTPS {
		m.open.Hide()
		m.box.Show()
	}
	return m
}

func index(on bool) int {
	if on {
		return 1
	}
	return 0
}

// unfold shows the settings and puts the focus on the first.
func (f *serverForm) unfold(m *more) {
	m.open.Hide()
	m.box.Show()
	f.relayout()
	f.win.Canvas().Focus(m.revision)
}

// into writes the settings into a spec.
func (m *more) into(spec *app.ServerSpec) {
	spec.Revision = ""
	if m.revision.Selected > 0 {
		spec.Revision = app.Revisions()[m.revision.Selected-1]
	}
	spec.RootsOff, spec.AllowHTTPS = m.answers.Selected == 1, m.web.Selected == 1
}
