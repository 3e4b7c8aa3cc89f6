package ui

import (
	"context"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// activityScreen is what happened, newest first. Without a filter it shows the
// snapshot's entries as they come; with one it searches the whole log.
type activityScreen struct {
	w      *Window
	page   *fyne.Container
	search *look.SearchEntry
	server *look.Choice
	kind   *look.Choice
	since  *look.Choice
	list   *navList
	empty  *look.Text

	names   []string // of the server choice
	rows    []app.Activity
	asked   int // searches started; only the last one is shown
	newest  time.Time
	pending bool
}

// activityKinds are the kinds a person can filter by, in their words.
var activityKinds = []struct{ kind, word string }{
	{"", "Everything"},
	{"told", "Told"},
	{"asked", "Asked"},
	{"answered", "Answered"},
	{"decided", "Decided"},
	{"approved", "Approved"},
	{"started", "Started"},
	{"stopped", "Stopped"},
	{"failed", "Failed"},
	{"status", "Folder status"},
	{"changed", "Changed"},
}

// activitySpans are how far back a person can look, in their words; 0 is the
// whole log.
var activitySpans = []struct {
	days int
	word string
}{{0, "Any time"}, {1, "Last 24 hours"}, {7, "Last 7 days"}, {30, "Last 30 days"}}

func newActivityScreen(w *Window) *activityScreen {
	s := &activityScreen{w: w}
	s.search = look.NewSearchEntry(lang.L("Search"), func(string) { s.refilter() })
	s.search.OnLeave = func() { w.win.Canvas().Focus(s.list) }
	s.server = look.NewChoice([]string{lang.L("All servers")}, 0, func(int) { s.refilter() })
	var kinds []string
	for _, k := range activityKinds {
		kinds = append(kinds, lang.L(k.word))
	}
	s.kind = look.NewChoice(kinds, 0, func(int) { s.refilter() })
	var spans []string
	for _, span := range activitySpans {
		spans = append(spans, lang.L(span.word))
	}
	s.since = look.NewChoice(spans, 0, func(int) { s.refilter() })
	s.server.Boxed, s.kind.Boxed, s.since.Boxed = true, true, true
	var box fyne.CanvasObject
	s.list, box = newList(look.ColorChip, func() int { return len(s.rows) },
		func() fyne.CanvasObject { return newActivityRow(w) },
		func(id int, o fyne.CanvasObject) { o.(*activityRow).set(s.rows[id], w.now()) },
		func(int) {})
	s.empty = look.NewParagraph("")
	s.empty.Align = fyne.TextAlignCenter
	s.page = screenOf(head(lang.L("Activity"), s.kind, s.server, s.since, look.Width(170, s.search),
		look.NewButton(lang.L("Export…"), look.Secondary, w.exportActivity)), nil,
		container.NewStack(look.On(look.ColorPanel, box), container.NewCenter(look.Width(420, s.empty))))
	return s
}

func (s *activityScreen) content() fyne.CanvasObject { return s.page }
func (s *activityScreen) filter() *look.SearchEntry  { return s.search }

func (s *activityScreen) apply(snap *app.Snapshot) {
	names := []string{lang.L("All servers")}
	for i := range snap.Servers {
		names = append(names, snap.Servers[i].Name)
	}
	if strings.Join(names, "\n") != strings.Join(s.names, "\n") {
		chosen := s.serverName()
		s.names = names
		s.server.Options, s.server.Selected = names, 0
		for i, n := range names {
			if i > 0 && n == chosen {
				s.server.Selected = i
			}
		}
		s.server.Refresh()
	}
	if !s.filtered() {
		s.set(snap.Activity)
		return
	}
	if len(snap.Activity) > 0 && !snap.Activity[0].Time.Equal(s.newest) {
		s.pending = true // searched again with the next second, not with every entry
	}
	if s.rows == nil {
		s.refilter()
	}
}

func (s *activityScreen) clock() {
	if s.pending && s.filtered() {
		s.refilter()
	}
}

func (s *activityScreen) serverName() string {
	if s.server.Selected <= 0 || s.server.Selected >= len(s.names) {
		return ""
	}
	return s.names[s.server.Selected]
}

func (s *activityScreen) filtered() bool {
	return strings.TrimSpace(s.search.Text) != "" || s.server.Selected > 0 || s.kind.Selected > 0 || s.since.Selected > 0
}

func (s *activityScreen) refilter() {
	s.asked++
	s.pending = false
	if a := s.w.snap.Activity; len(a) > 0 {
		s.newest = a[0].Time
	}
	if !s.filtered() {
		s.set(s.w.snap.Activity)
		return
	}
	asked := s.asked
	f := app.ActivityFilter{Text: strings.TrimSpace(s.search.Text), Server: s.serverName(), Kind: activityKinds[s.kind.Selected].kind, Limit: 500}
	if days := activitySpans[s.since.Selected].days; days > 0 {
		f.Since = s.w.now().AddDate(0, 0, -days)
	}
	var found []app.Activity
	s.w.do(command{
		run: func(ctx context.Context) (err error) {
			found, err = s.w.core.SearchActivity(ctx, f)
			return err
		},
		done: func() {
			if asked == s.asked {
				s.set(found)
			}
		},
	})
}

func (s *activityScreen) set(rows []app.Activity) {
	s.rows = rows
	switch {
	case len(rows) > 0:
		s.empty.SetContent("")
	case s.filtered():
		s.empty.SetContent(lang.L("Nothing like that has happened."))
	default:
		s.empty.SetContent(lang.L("Nothing has happened yet. What servers ask, what they are told and what you decide will be listed here."))
	}
	s.list.Refresh()
}

// activityMark is the shape and colour of a kind of entry.
func activityMark(kind string) (look.IconName, look.Tone) {
	switch kind {
	case "told":
		return look.IconSend, look.Info
	case "asked":
		return look.IconQuestion, look.Info
	case "answered":
		return look.IconCheck, look.Good
	case "decided", "approved":
		return look.IconCheck, look.Good
	case "started":
		return look.IconDot, look.Good
	case "stopped":
		return look.IconRing, look.Neutral
	case "failed":
		return look.IconCross, look.Bad
	case "status":
		return look.IconFolder, look.Warn
	}
	return look.IconEdit, look.Neutral
}

// activityRow is one entry of the list.
type activityRow struct {
	widget.BaseWidget
	w    *Window
	a    app.Activity
	icon *look.Icon
	line *activityLine
	rule fyne.CanvasObject

	shade string
}

func newActivityRow(w *Window) *activityRow {
	r := &activityRow{w: w, icon: look.NewIcon(look.IconDot, look.ColorMuted, 14), line: newActivityLine(), rule: look.HLine()}
	for _, t := range []*look.Text{r.line.subject, r.line.rest} {
		t.Points = 13
	}
	r.line.rest.Color = look.ColorText
	r.ExtendBaseWidget(r)
	return r
}

func (r *activityRow) set(a app.Activity, now time.Time) {
	r.a = a
	if shade := look.Shade(); shade != r.shade { // the list keeps rows that are not in the window
		r.shade = shade
		r.Refresh()
	}
	icon, tone := activityMark(a.Kind)
	r.icon.Set(icon, tone.Color())
	r.line.set(a, now)
}

// MouseIn implements desktop.Hoverable: what has no room in the line, and the
// places that were told, are shown below it.
func (r *activityRow) MouseIn(*desktop.MouseEvent) {
	const most = 8
	places := r.a.URIs
	if len(places) > most {
		places = append(places[:most:most], lang.L("and {{.N}} more", map[string]any{"N": number(len(r.a.URIs) - most)}))
	}
	text := strings.Join(places, "\n")
	if sentence := r.a.Subject + " " + r.a.Text; fyne.MeasureText(sentence, 13, fyne.TextStyle{}).Width > r.line.Size().Width-whenWidth {
		text = strings.TrimSpace(sentence + "\n" + text)
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(r)
	r.w.hints.show(text, at.AddXY(48+whenWidth+150, r.Size().Height-2))
}

// MouseMoved implements desktop.Hoverable.
func (r *activityRow) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (r *activityRow) MouseOut() { r.w.hints.show("", fyne.Position{}) }

// CreateRenderer implements fyne.Widget.
func (r *activityRow) CreateRenderer() fyne.WidgetRenderer { return &activityRowRenderer{r} }

type activityRowRenderer struct{ r *activityRow }

func (x *activityRowRenderer) Destroy()           {}
func (x *activityRowRenderer) MinSize() fyne.Size { return fyne.NewSize(300, 37) }

func (x *activityRowRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{x.r.icon, x.r.line, x.r.rule}
}

func (x *activityRowRenderer) Layout(s fyne.Size) {
	place(x.r.icon, 20, (s.Height-1-14)/2, 14, 14)
	place(x.r.line, 48, (s.Height-1-18)/2, s.Width-48-20, 18)
	place(x.r.rule, 0, s.Height-1, s.Width, 1)
}

func (x *activityRowRenderer) Refresh() {
	for _, o := range x.Objects() {
		o.Refresh()
	}
}
