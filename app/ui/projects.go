package ui

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/detect"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
)

// projectsScreen finds projects below a folder and adds those that are ticked.
// It adds nothing by itself.
type projectsScreen struct {
	w *Window
	*projectSearch
	page   *fyne.Container
	search *look.SearchEntry
	choose *look.Button
	list   *navList
	panel  *fyne.Container
	strip  *fyne.Container
	said   *look.Text
	all    *look.Button
	others *look.Button
	start  fyne.CanvasObject
	none   *look.Text
	busy   *searchCard
	ticked *look.Text
	add    *look.Button

	rows []projectRowView
}

// projectSearch is what a search holds. It outlives the screen, which is built
// anew when the theme changes.
type projectSearch struct {
	find   func(context.Context, string, *detect.Options) (*detect.Result, error)
	recent func(context.Context) ([]detect.Suggestion, error)

	dir     string // that is or was searched; empty: none yet
	stop    context.CancelFunc
	serial  int // of the search under way: what comes from an older one is late
	now     detect.Progress
	found   *detect.Result
	opened  []detect.Suggestion
	grouped []detect.Row
	inside  map[string]int // how many rows stand below a row at the top
	on      map[string]bool
	here    map[string]bool // paths that are in the list already
}

// recentTime bounds the look at what editors opened.
const recentTime = 3 * time.Second

func newProjectsScreen(w *Window) *projectsScreen {
	s := &projectsScreen{w: w}
	if old, ok := w.screens[screenProjects].(*projectsScreen); ok {
		s.projectSearch = old.projectSearch
	} else {
		s.projectSearch = &projectSearch{find: detect.Find, recent: recentFolders, on: map[string]bool{}}
	}
	s.search = look.NewSearchEntry(lang.L("Filter projects"), func(string) { s.show() })
	s.search.OnLeave = func() { w.win.Canvas().Focus(s.list) }
	s.choose = look.NewButton(lang.L("Choose a folder…"), look.Secondary, w.findProjects)
	var box fyne.CanvasObject
	s.list, box = newList(look.ColorChip, func() int { return len(s.rows) },
		func() fyne.CanvasObject { return newProjectRow(s) },
		func(id int, o fyne.CanvasObject) { o.(*projectRow).set(s.rows[id]) },
		func(int) {})
	s.list.onSpace = func(id int) {
		if id >= 0 && id < len(s.rows) {
			s.toggle(s.rows[id].path)
		}
	}
	s.said = look.NewText("")
	s.said.Color, s.said.Fit = look.ColorMuted, look.FitEnd
	s.others = look.NewButton(lang.L("Search other drives, too"), look.Link, func() { s.run(s.dir, true) })
	s.all = look.NewButton("", look.Link, s.tickAll)
	s.strip = look.Inset(12, 0, 20, 20, look.Stretch(look.GapMedium, 0, s.said, s.others, s.all))
	s.panel = look.Below(s.strip, look.Inset(8, 20, 20, 20,
		container.NewStack(look.NewSurface(look.ColorPanel, look.ColorLine, look.Radius), look.Around(1, box))), nil)
	s.start = look.EmptyState(look.IconSearch, lang.L("Find the projects you work on"),
		lang.L("Choose the folder that holds your work. Repositories and projects in it are listed, and you tick the ones to add. Nothing is added or shared by itself."), nil,
		look.NewButton(lang.L("Choose a folder…"), look.Primary, w.findProjects))
	s.none = look.NewParagraph("")
	s.none.Align = fyne.TextAlignCenter
	s.busy = newSearchCard(s.cancel)
	s.ticked = look.NewText("")
	s.ticked.Color, s.ticked.Fit = look.ColorMuted, look.FitEnd
	s.add = look.NewButton("", look.Primary, s.addTicked)
	foot := look.Below(look.HLine(), look.Inset(10, 10, 20, 20, look.Stretch(look.Gap, 0, s.ticked,
		look.NewButton(lang.L("Back"), look.Secondary, func() { w.show(screenAccess) }), s.add)), nil)
	s.page = screenOf(head(lang.L("Find projects"), look.Width(220, s.search), s.choose),
		container.NewStack(look.NewSurface(look.ColorPanel, "", 0), foot),
		container.NewStack(s.panel, s.start, container.NewCenter(look.Width(460, s.none)), container.NewCenter(s.busy.box)))
	return s
}

func (s *projectsScreen) content() fyne.CanvasObject { return s.page }
func (s *projectsScreen) filter() *look.SearchEntry  { return s.search }

func (s *projectsScreen) apply(snap *app.Snapshot) {
	s.here = make(map[string]bool, len(snap.Roots))
	for i := range snap.Roots {
		if r := &snap.Roots[i]; r.Kind != root.HTTPS {
			s.here[r.Path] = true
			delete(s.on, r.Path)
		}
	}
	s.show()
}

// projectsButton leads here from other screens.
func (w *Window) projectsButton() *look.Button {
	return look.NewButton(lang.L("Find projects…"), look.Secondary, w.openProjects)
}

// openProjects shows the screen: what was found last, or else what the editors
// opened lately, while the desktop's own dialog asks where to look.
func (w *Window) openProjects() {
	w.show(screenProjects) // this may build it anew
	s := w.screens[screenProjects].(*projectsScreen)
	if s.found != nil || s.stop != nil {
		return
	}
	s.suggest()
	w.findProjects()
}

// suggest looks for what the editors opened. Where that cannot be read there is
// nothing to suggest, and nothing to say.
func (s *projectsScreen) suggest() {
	w := s.w
	var opened []detect.Suggestion
	w.do(command{
		run: func(ctx context.Context) (err error) {
			ctx, cancel := context.WithTimeout(ctx, recentTime)
			defer cancel()
			opened, err = s.recent(ctx)
			return err
		},
		done: func() {
			s.opened = opened
			w.showProjects()
		},
		failed: func(err error) bool {
			w.log.Debug("what editors opened is not known", "error", err)
			return true
		},
	})
}

// findProjects asks where to look, and looks there.
func (w *Window) findProjects() {
	var paths []string
	w.do(command{
		forever: true,
		run: func(ctx context.Context) (err error) {
			paths, err = w.opts.Picker.Folders(ctx, lang.L("Find projects in…"))
			return err
		},
		done: func() {
			if len(paths) > 0 {
				w.screens[screenProjects].(*projectsScreen).run(paths[0], false)
			}
		},
		failed: w.pickFailed,
	})
}

// run searches a folder; a search under way is called off.
func (s *projectsScreen) run(dir string, everywhere bool) {
	if s.stop != nil {
		s.stop()
	}
	w, m := s.w, s.projectSearch
	ctx, stop := context.WithCancel(w.ctx)
	m.serial++
	serial := m.serial
	m.dir, m.stop, m.found, m.grouped, m.now = dir, stop, nil, nil, detect.Progress{}
	clear(m.on)
	var found *detect.Result
	var grouped []detect.Row
	opts := &detect.Options{OtherFilesystems: everywhere, Progress: func(now detect.Progress) {
		fyne.Do(func() {
			if m.serial == serial && m.stop != nil {
				m.now = now
				w.showProjects()
			}
		})
	}}
	w.showProjects()
	w.do(command{
		forever: true,
		run: func(context.Context) (err error) {
			defer stop()
			found, err = m.find(ctx, dir, opts)
			if err == nil {
				grouped = detect.Grouped(found.Projects)
			}
			return err
		},
		done: func() {
			if m.serial != serial {
				return
			}
			m.stop, m.found, m.grouped = nil, found, grouped
			m.inside = map[string]int{}
			for _, r := range grouped {
				if r.Depth > 0 {
					m.inside[grouped[r.Group].Path]++
				}
			}
			w.showProjects()
		},
		failed: func(error) bool {
			if m.serial != serial {
				return true
			}
			m.stop, m.dir = nil, ""
			w.showProjects()
			return false
		},
	})
}

// cancel calls the search off.
func (s *projectsScreen) cancel() {
	if s.stop != nil {
		s.stop()
	}
	s.serial++
	s.stop, s.dir = nil, ""
	s.show()
}

// showProjects draws the screen if it is in view.
func (w *Window) showProjects() {
	if w.current == screenProjects {
		w.screens[screenProjects].(*projectsScreen).show()
	}
}

// toggle ticks or unticks a project.
func (s *projectsScreen) toggle(path string) {
	if s.here[path] {
		return
	}
	if s.on[path] {
		delete(s.on, path)
	} else {
		s.on[path] = true
	}
	s.showTicks()
	s.list.Refresh()
}

// tickAll ticks every row that is shown and can be added; if all are, it
// unticks them.
func (s *projectsScreen) tickAll() {
	on := !s.allTicked()
	for _, r := range s.rows {
		if on && !s.here[r.path] {
			s.on[r.path] = true
		} else {
			delete(s.on, r.path)
		}
	}
	s.showTicks()
	s.list.Refresh()
}

func (s *projectsScreen) allTicked() bool {
	some := false
	for _, r := range s.rows {
		if !s.here[r.path] {
			if some = true; !s.on[r.path] {
				return false
			}
		}
	}
	return some
}

// addTicked hands what is ticked on to where every folder is added: sensitive
// places are asked about there.
func (s *projectsScreen) addTicked() {
	var paths, names []string
	add := func(path, name string) {
		if !s.on[path] {
			return
		}
		if name == filepath.Base(path) {
			name = ""
		}
		paths, names = append(paths, path), append(names, name)
	}
	if s.found != nil {
		for _, p := range s.found.Projects {
			add(p.Path, p.Name)
		}
	} else {
		for _, o := range s.opened {
			add(o.Path, "")
		}
	}
	if len(paths) > 0 {
		s.w.addNamed(paths, names)
	}
}

// searchCard says how far a search is.
type searchCard struct {
	box    *fyne.Container
	spin   *widget.Activity
	title  *look.Text
	counts *look.Text
	in     *look.Text
}

func newSearchCard(cancel func()) *searchCard {
	c := &searchCard{spin: widget.NewActivity(), title: look.NewBold(""), counts: look.NewText(""), in: look.NewPath("")}
	c.title.Fit, c.counts.Color = look.FitMiddle, look.ColorMuted
	words := look.Column(look.GapTiny, c.title, c.counts, c.in)
	row := look.Stretch(look.GapMedium, 1, look.Width(28, c.spin), look.Width(360, words), look.NewButton(lang.L("Cancel"), look.Secondary, cancel))
	c.box = look.Width(560, look.Card(look.Around(10, row)))
	return c
}

// set shows where a search is; an empty folder hides the card.
func (c *searchCard) set(dir string, now detect.Progress) {
	if dir == "" {
		c.spin.Stop()
		c.box.Hide()
		return
	}
	c.title.SetContent(lang.L("Looking in {{.Path}}", map[string]any{"Path": app.Short(dir)}))
	c.counts.SetContent(counted(now.Folders, "1 folder", "{{.N}} folders") + " · " + projects(now.Projects))
	in := now.In
	if rel, err := filepath.Rel(dir, now.In); err == nil && now.In != "" {
		in = rel
	}
	c.in.SetContent(app.Plain(strings.ReplaceAll(in, string(filepath.Separator), "/"), 300))
	c.spin.Start()
	c.box.Show()
}

func projects(n int) string {
	if n == 0 {
		return lang.L("no project yet")
	}
	return counted(n, "1 project", "{{.N}} projects")
}
