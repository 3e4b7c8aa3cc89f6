package ui

import (
	"context"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
	"rootsmanager/store"
)

// decisionsScreen lists every approval and consent in force, newest first,
// each with a way to take it back.
type decisionsScreen struct {
	w      *Window
	page   *fyne.Container
	search *look.SearchEntry
	all    *look.Button
	sure   time.Time // until when a second press takes everything back
	list   *navList
	panel  *fyne.Container
	empty  fyne.CanvasObject
	none   *look.Text

	seq  uint64
	held []app.DecisionView
	rows []app.DecisionView
}

// sureStays is how long "Really…?" waits for the second press.
const sureStays = 5 * time.Second

func newDecisionsScreen(w *Window) *decisionsScreen {
	s := &decisionsScreen{w: w}
	s.search = look.NewSearchEntry(lang.L("Filter decisions"), func(string) { s.show() })
	s.search.OnLeave = func() { w.win.Canvas().Focus(s.list) }
	s.all = look.NewButton(lang.L("Take all back"), look.Danger, s.takeAllBack)
	var box fyne.CanvasObject
	s.list, box = newList(look.ColorChip, func() int { return len(s.rows) },
		func() fyne.CanvasObject { return newDecisionRow(s) },
		func(id int, o fyne.CanvasObject) { o.(*decisionRow).set(s.rows[id], w.now()) },
		func(int) {})
	s.panel = container.NewStack(look.NewSurface(look.ColorPanel, look.ColorLine, look.Radius), look.Around(1, box))
	s.empty = look.EmptyState(look.IconLock, lang.L("Nothing decided yet"),
		lang.L("What you approve and what you share is listed here, and can be taken back at any time."), nil)
	s.none = look.NewParagraph(lang.L("No decision fits the filter."))
	s.none.Align = fyne.TextAlignCenter
	s.page = screenOf(head(lang.L("Decisions"), look.Width(220, s.search), s.all), nil,
		container.NewStack(look.Around(20, s.panel), s.empty, container.NewCenter(look.Width(420, s.none))))
	return s
}

func (s *decisionsScreen) content() fyne.CanvasObject { return s.page }
func (s *decisionsScreen) filter() *look.SearchEntry  { return s.search }

func (s *decisionsScreen) apply(snap *app.Snapshot) {
	if s.seq != snap.Seq {
		s.seq, s.held = snap.Seq, s.w.core.Decisions()
	}
	s.show()
}

func (s *decisionsScreen) show() {
	text := strings.ToLower(strings.TrimSpace(s.search.Text))
	s.rows = s.rows[:0]
	for _, d := range s.held {
		if matches(text, d.Label, d.Short, d.Runs, strings.Join(d.Servers, " "), string(d.Verdict)) {
			s.rows = append(s.rows, d)
		}
	}
	setVisible(s.empty, len(s.held) == 0)
	setVisible(s.panel, len(s.rows) > 0)
	setVisible(s.none, len(s.held) > 0 && len(s.rows) == 0)
	setVisible(s.all, len(s.held) > 0)
	s.list.Refresh()
}

// clock lets "Really…?" lapse.
func (s *decisionsScreen) clock() {
	if !s.sure.IsZero() && s.w.now().After(s.sure) {
		s.sure = time.Time{}
		s.all.SetText(lang.L("Take all back"))
	}
}

// takeAllBack needs a second press, because it cannot be undone: giving back
// what was taken must be decided anew.
func (s *decisionsScreen) takeAllBack() {
	if s.sure.IsZero() {
		s.sure = s.w.now().Add(sureStays)
		s.all.SetText(lang.L("Really take all back?"))
		return
	}
	s.sure = time.Time{}
	s.all.SetText(lang.L("Take all back"))
	s.revoke(app.Revocation{All: true}, lang.L("Everything was taken back. Servers are asked about again."))
}

func (s *decisionsScreen) takeBack(d app.DecisionView) {
	said := lang.L("Taken back: {{.What}}.", map[string]any{"What": decisionSubject(d)})
	s.revoke(app.Revocation{Identity: d.Identity, URI: d.URI}, said)
}

func (s *decisionsScreen) revoke(what app.Revocation, said string) {
	s.w.do(command{
		run: func(ctx context.Context) error {
			_, err := s.w.core.Revoke(ctx, what)
			return err
		},
		done: func() { s.w.notices.say(look.Good, look.IconUndo, said) },
	})
}

// decisionSubject names what was decided about.
func decisionSubject(d app.DecisionView) string {
	if d.URI != "" {
		return d.Label
	}
	if len(d.Servers) == 0 {
		return lang.L("Start a server that is not in the list")
	}
	return lang.L("Start “{{.Name}}”", map[string]any{"Name": decisionServer(d)})
}

// decisionServer names for whom.
func decisionServer(d app.DecisionView) string {
	if len(d.Servers) == 0 {
		return lang.L("none in the list")
	}
	return strings.Join(d.Servers, ", ")
}

// decisionRow is one decision of the list.
type decisionRow struct {
	widget.BaseWidget
	s      *decisionsScreen
	d      app.DecisionView
	title  *look.Text
	detail *look.Text
	server *look.Text
	pill   *look.Pill
	when   *look.Text
	back   *look.Button
	row    *fyne.Container
}

func newDecisionRow(s *decisionsScreen) *decisionRow {
	r := &decisionRow{s: s, title: boldEnd(""), detail: look.NewPath(""), server: look.NewText(""), when: look.NewSmall("")}
	r.server.Fit, r.server.Points = look.FitEnd, 13
	r.pill = look.NewPill(look.IconCheck, "", look.Good)
	r.back = look.NewButton(lang.L("Take back"), look.Danger, func() { s.takeBack(r.d) })
	r.row = container.New(rowLayout{height: 53, pad: 14, widths: []float32{150, 170, 130, 100}, from: []float32{560, 0, 760, 0}},
		look.Column(2, r.title, r.detail), r.server, container.NewHBox(r.pill), r.when, container.NewHBox(r.back), look.HLine())
	r.ExtendBaseWidget(r)
	return r
}

func (r *decisionRow) set(d app.DecisionView, now time.Time) {
	r.d = d
	r.title.SetContent(decisionSubject(d))
	detail := d.Runs
	if d.URI != "" {
		detail = d.Short
	}
	if d.Target != "" {
		detail += " → " + app.Short(d.Target)
	}
	r.detail.SetContent(detail)
	r.server.SetContent(decisionServer(d))
	icon, word, tone := decisionMark(d)
	r.pill.Set(icon, word, tone)
	r.when.SetContent(decidedWhen(d, now))
	r.Refresh()
}

func decisionMark(d app.DecisionView) (look.IconName, string, look.Tone) {
	switch {
	case d.Verdict == store.Never:
		return look.IconForbidden, lang.L("Refused"), look.Bad
	case d.UntilQuit:
		return look.IconClock, lang.L("Until you quit"), look.Info
	case d.URI == "":
		return look.IconCheck, lang.L("Approved"), look.Good
	case d.Access == root.ReadWrite:
		return look.IconCheck, lang.L("Read and write"), look.Good
	}
	return look.IconCheck, lang.L("Read"), look.Good
}

func decidedWhen(d app.DecisionView, now time.Time) string {
	switch {
	case d.Time.IsZero():
		return ""
	case !d.Expires.IsZero():
		return lang.L("until {{.Day}}", map[string]any{"Day": look.Day(d.Expires)})
	case now.Sub(d.Time) < 24*time.Hour:
		return look.ShortClock(d.Time, now)
	}
	return look.Day(d.Time)
}

// CreateRenderer implements fyne.Widget.
func (r *decisionRow) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.row) }
