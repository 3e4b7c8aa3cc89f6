package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
	"rootsmanager/store"
)

// requestsScreen lists what waits for the person.
type requestsScreen struct {
	w     *Window
	page  *fyne.Container
	rows  *fyne.Container
	empty fyne.CanvasObject
	box   *container.Scroll
	key   string
	left  map[app.PromptID]*look.Text
}

// request is a question, or a server that waits for approval although its
// question was closed.
type request struct {
	prompt *app.Prompt
	server store.ServerID
	name   string
	count  int
}

// openRequests lists what waits for the person, oldest question first.
func openRequests(snap *app.Snapshot) []request {
	var out []request
	asked := map[store.ServerID]bool{}
	for i := range snap.Prompts {
		p := &snap.Prompts[i]
		r := request{prompt: p, server: p.Server, name: p.ServerName}
		if p.Approval != nil {
			asked[p.Server] = true
		} else if p.Consent != nil {
			r.count = len(p.Consent.Folders)
		}
		out = append(out, r)
	}
	for i := range snap.Servers {
		if v := &snap.Servers[i]; v.State == app.ServerWaiting && !asked[v.ID] {
			out = append(out, request{server: v.ID, name: v.Name})
		}
	}
	return out
}

func newRequestsScreen(w *Window) *requestsScreen {
	s := &requestsScreen{w: w, rows: look.Column(look.GapMedium), left: map[app.PromptID]*look.Text{}}
	s.empty = look.EmptyState(look.IconInbox, lang.L("Nothing waits for you"),
		lang.L("When a server is to be started for the first time, or asks for folders you have not decided about, the question is here."), nil)
	s.box = container.NewVScroll(look.Around(20, s.rows))
	s.page = screenOf(head(lang.L("Requests")), nil, container.NewStack(s.box, s.empty))
	return s
}

func (s *requestsScreen) content() fyne.CanvasObject { return s.page }
func (s *requestsScreen) filter() *look.SearchEntry  { return nil }

func (s *requestsScreen) apply(snap *app.Snapshot) {
	open := openRequests(snap)
	setVisible(s.empty, len(open) == 0)
	setVisible(s.box, len(open) > 0)
	key := ""
	for _, r := range open {
		key += fmt.Sprint(r.server, r.name, r.count)
		if r.prompt != nil {
			key += string(r.prompt.ID)
		}
		key += "\n"
	}
	if key == s.key {
		return
	}
	s.key = key
	clear(s.left)
	s.rows.Objects = nil
	for _, r := range open {
		s.rows.Add(s.card(r))
	}
	s.rows.Refresh()
	s.clock()
}

func (s *requestsScreen) card(r request) fyne.CanvasObject {
	var title, text string
	icon := look.IconServer
	switch {
	case r.prompt == nil:
		title = lang.L("Start “{{.Name}}”?", map[string]any{"Name": r.name})
		text = lang.L("It stays off until you approve what it runs.")
	case r.prompt.Approval != nil:
		title = lang.L("Start “{{.Name}}”?", map[string]any{"Name": r.name})
		text = look.Quote(r.prompt.Approval.CommandLine)
		if r.prompt.Approval.URL != "" {
			text = r.prompt.Approval.URL
		}
	default:
		icon = look.IconFolder
		title = lang.L("“{{.Name}}” asks which folders it may work in", map[string]any{"Name": r.name})
		text = lang.L("{{.Folders}} to decide about", map[string]any{"Folders": folders(r.count)})
	}
	left := look.NewSmall("")
	answer := look.NewButton(lang.L("Answer…"), look.Secondary, func() { s.answer(r) })
	if r.prompt != nil {
		s.left[r.prompt.ID] = left
	}
	words := look.Column(2, boldEnd(title), look.NewPath(text))
	if r.prompt != nil {
		words.Add(left)
	}
	row := container.NewBorder(nil, nil, look.Inset(0, 0, 2, look.GapMedium, look.NewIcon(icon, look.ColorWarning, 20)), look.Row(0, answer), words)
	return look.Panel(look.Inset(14, 14, 14, 14, row))
}

func boldEnd(s string) *look.Text {
	t := look.NewBold(s)
	t.Fit = look.FitEnd
	return t
}

// answer opens the question. Where it was closed before, the core is asked to
// put it again.
func (s *requestsScreen) answer(r request) {
	if r.prompt != nil {
		s.w.questions.raise(r.prompt.ID)
		return
	}
	s.w.do(command{busy: lang.L("Asking again…"), run: func(ctx context.Context) error { return s.w.core.RestartServer(ctx, r.server) }})
}

// clock counts down for the servers that wait.
func (s *requestsScreen) clock() {
	now := s.w.now()
	for i := range s.w.snap.Prompts {
		p := &s.w.snap.Prompts[i]
		t := s.left[p.ID]
		if t == nil {
			continue
		}
		if p.Deadline.IsZero() {
			t.SetContent(lang.L("Asked {{.Ago}}. Nobody waits for the answer.", map[string]any{"Ago": look.Ago(p.Asked, now)}))
			continue
		}
		t.SetContent(lang.L("Answers by itself in {{.Left}} with what is allowed so far.", map[string]any{"Left": look.Countdown(max(0, p.Deadline.Sub(now)))}))
	}
}
