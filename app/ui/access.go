package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
)

// accessScreen is home: who sees what.
type accessScreen struct {
	w      *Window
	page   *fyne.Container
	head   *headBar
	search *look.SearchEntry
	grid   *grid
	middle *fyne.Container
	foot   *fyne.Container
	lately []*activityLine
	state  string // which of the middles is shown
}

func newAccessScreen(w *Window) *accessScreen {
	s := &accessScreen{w: w, grid: newGrid(), middle: container.NewStack()}
	s.search = look.NewSearchEntry(lang.L("Filter folders and servers"), func(string) { s.show() })
	s.search.OnLeave = s.focusGrid
	s.grid.hint = w.hints.show
	s.grid.onServer = func(i int) { w.openServer(s.grid.snap.Servers[i].ID) }
	s.grid.onFolder = func(i int) { w.openFolder(s.grid.snap.Roots[i].ID) }
	s.grid.onTick = func(server, folder int, cell app.Cell) {
		on, access := nextTick(cell)
		w.assign(s.grid.snap.Servers[server].ID, s.grid.snap.Roots[folder].ID, on, access)
	}
	s.grid.onAccess = func(server, folder int, access root.Access) {
		w.assign(s.grid.snap.Servers[server].ID, s.grid.snap.Roots[folder].ID, true, access)
	}
	lines := look.Column(look.GapTiny)
	for range 3 {
		l := newActivityLine()
		s.lately = append(s.lately, l)
		lines.Add(l)
	}
	s.foot = container.NewStack(look.NewSurface(look.ColorPanel, "", 0),
		look.Below(look.HLine(), look.Inset(12, 14, 20, 20, lines), nil))
	s.head = head(lang.L("Who sees what"), look.Width(220, s.search), w.projectsButton(),
		look.NewButton(lang.L("Add server…"), look.Secondary, w.addServer), w.addFoldersButton())
	s.page = screenOf(s.head, s.foot, s.middle)
	return s
}

func (s *accessScreen) content() fyne.CanvasObject { return s.page }
func (s *accessScreen) filter() *look.SearchEntry  { return s.search }

func (s *accessScreen) apply(*app.Snapshot) { s.show() }

func (s *accessScreen) focusGrid() {
	if s.state == "grid" {
		s.w.win.Canvas().Focus(s.grid.cells)
	}
}

// show puts the current snapshot through the filter into the grid.
func (s *accessScreen) show() {
	snap := s.w.snap
	now := s.w.now()
	for i, l := range s.lately {
		if i < len(snap.Activity) {
			l.set(snap.Activity[i], now)
			l.Show()
		} else {
			l.Hide()
		}
	}
	if s.foot.Visible() != (len(snap.Activity) > 0) {
		setVisible(s.foot, len(snap.Activity) > 0)
		s.page.Refresh()
	}
	setVisible(s.head.actions, len(snap.Roots) > 0) // the empty screen has the buttons in its middle
	switch {
	case len(snap.Roots) == 0:
		s.put("empty", s.empty)
		return
	case len(snap.Servers) == 0:
		s.put("no servers", s.noServers)
	default:
		s.put("grid", func() fyne.CanvasObject { return look.Around(20, s.grid) })
	}
	folders, servers := filterGrid(snap, s.search.Text)
	s.grid.set(snap, folders, servers)
}

func (s *accessScreen) put(state string, build func() fyne.CanvasObject) {
	if s.state == state {
		return
	}
	s.state = state
	s.middle.Objects = []fyne.CanvasObject{build()}
	s.middle.Refresh()
}

// empty is what a first start shows.
func (s *accessScreen) empty() fyne.CanvasObject {
	return look.EmptyState(look.IconLogo, lang.L("Choose the folders that AI servers may work in"),
		lang.L("Nothing is shared until you tick it. Drop folders here, or let us look for your projects."),
		s.builtIn(),
		look.NewButton(lang.L("Add server…"), look.Secondary, s.w.addServer), s.w.projectsButton(), s.w.addFoldersButton())
}

// noServers shows the folders, and what is missing to share them.
func (s *accessScreen) noServers() fyne.CanvasObject {
	title := look.NewBold(lang.L("Now add a server that may work in them"))
	text := look.NewSmall(lang.L("A server is the program or web address that an AI app talks to. It is told of a folder only where you tick it."))
	text.Fit = look.FitWrap
	card := look.Card(look.Inset(6, 6, 4, 4, look.Column(look.GapTiny, title, text,
		look.Inset(look.Gap, 0, 0, 0, look.Row(look.GapMedium, look.NewButton(lang.L("Add server…"), look.Secondary, s.w.addServer), s.builtIn())))))
	return look.Around(20, container.NewBorder(nil, look.Inset(look.GapMedium, 0, 0, 0, card), nil, nil, s.grid))
}

func (s *accessScreen) builtIn() fyne.CanvasObject {
	for _, v := range s.w.snap.Servers {
		if v.Name == "built-in" {
			return look.NewText("")
		}
	}
	just := look.NewText(lang.L("Just looking?"))
	just.Color = look.ColorMuted
	return look.Row(0, just, look.NewButton(lang.L("Try it with the built-in server"), look.Link, s.w.addBuiltIn))
}

// filterGrid chooses rows and columns. Words that are found in folders narrow
// the rows, words that are found in servers narrow the columns.
func filterGrid(snap *app.Snapshot, text string) (folders, servers []int) {
	text = strings.ToLower(strings.TrimSpace(text))
	for i := range snap.Roots {
		if r := &snap.Roots[i]; matches(text, r.Label, r.Short, string(r.Status)) {
			folders = append(folders, i)
		}
	}
	for i := range snap.Servers {
		if v := &snap.Servers[i]; matches(text, v.Name) {
			servers = append(servers, i)
		}
	}
	if text == "" || len(folders) > 0 && len(servers) > 0 {
		return folders, servers
	}
	if len(servers) > 0 {
		folders = all(len(snap.Roots))
	} else {
		servers = all(len(snap.Servers))
	}
	return folders, servers
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
