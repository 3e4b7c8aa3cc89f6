package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
	"rootsmanager/store"
)

// serversScreen is the list of servers and one of them in detail.
type serversScreen struct {
	w      *Window
	page   *fyne.Container
	search *look.SearchEntry
	list   *navList
	split  *fyne.Container
	empty  fyne.CanvasObject
	detail *serverDetail

	rows     []int // indices into the snapshot's servers
	selected store.ServerID
}

func newServersScreen(w *Window) *serversScreen {
	s := &serversScreen{w: w, detail: newServerDetail(w)}
	s.search = look.NewSearchEntry(lang.L("Filter servers"), func(string) { s.show() })
	s.search.OnLeave = func() { w.win.Canvas().Focus(s.list) }
	var listBox fyne.CanvasObject
	s.list, listBox = newList(look.ColorAccentSoft, func() int { return len(s.rows) },
		func() fyne.CanvasObject { return newServerRow() },
		func(id int, o fyne.CanvasObject) { o.(*serverRow).set(w.snap.Servers[s.rows[id]]) },
		func(id int) { s.choose(w.snap.Servers[s.rows[id]].ID) })
	s.split = container.New(splitLayout{}, look.On(look.ColorPanel, listBox), look.VLine(), s.detail.content())
	s.empty = look.EmptyState(look.IconServer, lang.L("No server yet"),
		lang.L("A server is the program or web address that an AI app talks to. Add one, approve what it runs, then tick the folders it may work in."),
		look.NewButton(lang.L("Try it with the built-in server"), look.Link, w.addBuiltIn),
		look.NewButton(lang.L("Add server…"), look.Primary, w.addServer))
	s.page = screenOf(head(lang.L("Servers"), look.Width(200, s.search),
		look.NewButton(lang.L("Add server…"), look.Primary, w.addServer)), nil, container.NewStack(s.split, s.empty))
	return s
}

func (s *serversScreen) content() fyne.CanvasObject { return s.page }
func (s *serversScreen) filter() *look.SearchEntry  { return s.search }
func (s *serversScreen) apply(*app.Snapshot)        { s.show() }
func (s *serversScreen) clock()                     { s.detail.clock() }

func (s *serversScreen) show() {
	snap := s.w.snap
	text := strings.ToLower(strings.TrimSpace(s.search.Text))
	s.rows = s.rows[:0]
	at := -1
	for i := range snap.Servers {
		if v := &snap.Servers[i]; matches(text, v.Name, serverLine(*v), v.SelfName) {
			if v.ID == s.selected {
				at = len(s.rows)
			}
			s.rows = append(s.rows, i)
		}
	}
	if len(snap.Servers) == 0 {
		s.split.Hide()
		s.empty.Show()
		return
	}
	s.empty.Hide()
	s.split.Show()
	if at < 0 && len(s.rows) > 0 {
		at = 0
	}
	s.list.Refresh()
	if at >= 0 {
		s.selected = snap.Servers[s.rows[at]].ID
		s.list.Select(at)
		s.detail.show(snap.Servers[s.rows[at]])
	} else {
		s.selected = ""
		s.detail.clear()
	}
}

// choose shows a server in detail.
func (s *serversScreen) choose(id store.ServerID) {
	if s.selected == id && s.detail.id == id {
		return
	}
	s.selected = id
	for i := range s.w.snap.Servers {
		if s.w.snap.Servers[i].ID == id {
			s.detail.show(s.w.snap.Servers[i])
		}
	}
}

// openServer brings a server into view.
func (w *Window) openServer(id store.ServerID) {
	s := w.screens[screenServers].(*serversScreen)
	s.search.SetText("")
	s.selected = id
	if w.current == screenServers {
		s.show()
		return
	}
	w.show(screenServers)
}

// splitLayout is a list, a line, and the detail.
type splitLayout struct{}

func (splitLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return fyne.NewSize(500, 200) }

func (splitLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	side := float32(280)
	if s.Width < 960 {
		side = 220
	}
	place(o[0], 0, 0, side-1, s.Height)
	place(o[1], side-1, 0, 1, s.Height)
	place(o[2], side, 0, s.Width-side, s.Height)
}

// serverRow is one server in the list.
type serverRow struct {
	widget.BaseWidget
	dot  *look.Icon
	name *look.Text
	line *look.Text
	rule fyne.CanvasObject

	shade string
}

func newServerRow() *serverRow {
	r := &serverRow{dot: look.NewDot(look.Neutral), name: look.NewBold(""), line: look.NewSmall(""), rule: look.HLine()}
	r.name.Fit, r.line.Fit = look.FitEnd, look.FitEnd
	r.ExtendBaseWidget(r)
	return r
}

func (r *serverRow) set(v app.ServerView) {
	if shade := look.Shade(); shade != r.shade { // the list keeps rows that are not in the window
		r.shade = shade
		r.Refresh()
	}
	tone := serverTone(v)
	r.dot.Set(look.DotShape(tone), tone.Color())
	r.name.SetContent(v.Name)
	r.line.SetContent(serverLine(v))
}

// CreateRenderer implements fyne.Widget.
func (r *serverRow) CreateRenderer() fyne.WidgetRenderer { return &serverRowRenderer{r} }

type serverRowRenderer struct{ r *serverRow }

func (x *serverRowRenderer) Destroy()           {}
func (x *serverRowRenderer) MinSize() fyne.Size { return fyne.NewSize(120, 61) }

func (x *serverRowRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{x.r.dot, x.r.name, x.r.line, x.r.rule}
}

func (x *serverRowRenderer) Layout(s fyne.Size) {
	r := x.r
	name, line := r.name.MinSize().Height, r.line.MinSize().Height
	top := float32(int((s.Height - 1 - name - line) / 2))
	place(r.dot, 16, top+5, 11, 11)
	place(r.name, 34, top, s.Width-34-16, name)
	place(r.line, 16, top+name, s.Width-32, line)
	place(r.rule, 0, s.Height-1, s.Width, 1)
}

func (x *serverRowRenderer) Refresh() {
	x.Layout(x.r.Size())
	for _, o := range x.Objects() {
		o.Refresh()
	}
}
