package ui

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/detect"
	"rootsmanager/app/ui/look"
)

// recentFolders asks what the editors of this user opened.
func recentFolders(ctx context.Context) ([]detect.Suggestion, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	return detect.Recent(ctx, home, detect.ConfigDirs())
}

// projectRowView is what a row shows.
type projectRowView struct {
	path, short string
	name        string
	note        string // beside the name
	kinds       string
	branch      string
	changed     time.Time
	depth       int
}

// show puts what was found through the filter into the list.
func (s *projectsScreen) show() {
	text := strings.ToLower(strings.TrimSpace(s.search.Text))
	searching := s.stop != nil
	s.rows = s.rows[:0]
	total := 0
	switch {
	case searching:
	case s.found != nil:
		total = len(s.grouped)
		s.showFound(text)
	default:
		total = len(s.opened)
		for _, o := range s.opened {
			v := projectRowView{path: o.Path, short: app.Short(o.Path), name: baseName(o.Path), kinds: o.Editor, changed: o.Opened}
			if matches(text, v.name, v.short, v.kinds) {
				s.rows = append(s.rows, v)
			}
		}
	}
	dir := ""
	if searching {
		dir = s.dir
	}
	s.busy.set(dir, s.now)
	s.none.SetContent(s.nothing(total))
	setVisible(s.start, !searching && s.found == nil && total == 0)
	setVisible(s.panel, len(s.rows) > 0)
	setVisible(s.none, !searching && len(s.rows) == 0 && (s.found != nil || total > 0))
	s.choose.SetText(lang.L("Choose a folder…"))
	if s.found != nil || searching {
		s.choose.SetText(lang.L("Choose another folder…"))
	}
	setVisible(s.choose, !s.start.Visible())
	setVisible(s.others, s.found != nil && s.found.Elsewhere > 0)
	some := !searching && total > 0
	setVisible(s.search, some)
	setVisible(s.add, some)
	if cv := s.w.win.Canvas(); !some && cv.Focused() == s.search {
		cv.Unfocus()
	}
	s.said.SetContent(s.summary())
	s.showTicks()
	if !some {
		s.ticked.SetContent("")
	}
	s.list.Refresh()
	s.page.Refresh()
}

// showFound lists what fits the filter; a row stands below the nearest row
// around it that is shown, too.
func (s *projectsScreen) showFound(text string) {
	var shown []int // depths of the rows around, as they were found
	for _, r := range s.grouped {
		v := projectRowView{
			path: r.Path, short: app.Plain(app.Short(r.Path), 4096), name: r.Name, kinds: kindWords(r.Kinds), branch: r.Branch, changed: r.Changed,
		}
		for len(shown) > 0 && shown[len(shown)-1] >= r.Depth {
			shown = shown[:len(shown)-1]
		}
		if !matches(text, v.name, v.short, v.kinds, v.branch) {
			continue
		}
		if n := s.inside[r.Path]; n > 0 && r.Depth == 0 {
			v.note = counted(n, "1 more inside", "{{.N}} more inside")
		}
		if v.depth = len(shown); r.Main != "" && r.Is(detect.Worktree) {
			v.note = lang.L("of “{{.Name}}”", map[string]any{"Name": baseName(r.Main)})
		}
		shown = append(shown, r.Depth)
		s.rows = append(s.rows, v)
	}
}

// nothing says why the list is empty.
func (s *projectsScreen) nothing(total int) string {
	if total > 0 {
		return lang.L("No project fits the filter.")
	}
	if s.found == nil {
		return ""
	}
	return lang.L("There is no project in {{.Path}}. Choose another folder, or add folders one by one.", map[string]any{"Path": app.Short(s.found.Dir)})
}

// summary says what the list holds, and what it lacks.
func (s *projectsScreen) summary() string {
	if s.found == nil {
		return lang.L("Opened lately in your editors")
	}
	said := lang.L("{{.Projects}} in {{.Path}}", map[string]any{"Projects": projects(len(s.found.Projects)), "Path": app.Short(s.found.Dir)})
	if len(s.rows) < len(s.found.Projects) {
		said += " · " + counted(len(s.rows), "1 fits the filter", "{{.N}} fit the filter")
	}
	if s.found.Partial {
		said += " · " + lang.L("there is more: choose a folder further down")
	}
	if s.found.Unreadable > 0 {
		said += " · " + counted(s.found.Unreadable, "1 folder could not be opened", "{{.N}} folders could not be opened")
	}
	if s.found.Elsewhere > 0 {
		said += " · " + counted(s.found.Elsewhere, "1 other drive left out", "{{.N}} other drives left out")
	}
	return said
}

// showTicks says how many are ticked, and what can be done with them.
func (s *projectsScreen) showTicks() {
	n := len(s.on)
	switch n {
	case 0:
		s.ticked.SetContent(lang.L("Tick what you work on. Servers are told of nothing until you tick that in Access."))
		s.add.SetText(lang.L("Add folders"))
	case 1:
		s.ticked.SetContent(lang.L("1 ticked"))
		s.add.SetText(lang.L("Add 1 folder"))
	default:
		s.ticked.SetContent(counted(n, "1 ticked", "{{.N}} ticked"))
		s.add.SetText(counted(n, "Add 1 folder", "Add {{.N}} folders"))
	}
	enable(s.add, n > 0)
	word := lang.L("Tick all")
	switch {
	case s.allTicked():
		word = lang.L("Untick all")
	case s.search.Text != "":
		word = lang.L("Tick all shown")
	}
	s.all.SetText(word)
	setVisible(s.all, slices.ContainsFunc(s.rows, func(r projectRowView) bool { return !s.here[r.path] }))
}

// kindWords names kinds as people do: three at most, what binds them first.
func kindWords(kinds []detect.Kind) string {
	words := make([]string, 0, 3)
	for _, k := range kinds {
		if len(words) < cap(words) {
			words = append(words, kindName(k))
		}
	}
	return strings.Join(words, " · ")
}

func kindName(k detect.Kind) string {
	switch k {
	case detect.Worktree:
		return lang.L("Git worktree")
	case detect.Submodule:
		return lang.L("Git submodule")
	case detect.GoWorkspace:
		return lang.L("Go workspace")
	case detect.PnpmWorkspace:
		return lang.L("pnpm workspace")
	case detect.NpmWorkspace:
		return lang.L("npm workspace")
	case detect.CargoWorkspace:
		return lang.L("Cargo workspace")
	case detect.CodeWorkspace:
		return lang.L("Code workspace")
	}
	return ownNames[k]
}

// ownNames are the same in every language.
var ownNames = map[detect.Kind]string{
	detect.Git: "Git", detect.Jujutsu: "Jujutsu", detect.Mercurial: "Mercurial", detect.Subversion: "Subversion",
	detect.Go: "Go", detect.Node: "Node", detect.Deno: "Deno", detect.Rust: "Rust", detect.Python: "Python", detect.Maven: "Maven",
	detect.Gradle: "Gradle", detect.DotNet: ".NET", detect.CMake: "CMake", detect.PHP: "PHP", detect.Ruby: "Ruby",
	detect.Elixir: "Elixir", detect.JetBrains: "JetBrains",
}

// baseName is the last part of a path, fit to be shown.
func baseName(path string) string {
	path = strings.TrimRight(path, `/\`)
	return app.Plain(path[strings.LastIndexAny(path, `/\`)+1:], 80)
}

const projectRowHeight float32 = 53

// projectRow is one project: a tick, what it is, and how to tell it apart.
type projectRow struct {
	widget.BaseWidget
	s       *projectsScreen
	v       projectRowView
	tick    *look.Tick
	nested  *look.Icon
	name    *look.Text
	note    *look.Text
	path    *look.Text
	kinds   *look.Text
	branch  *look.Text
	changed *look.Text
	pill    *look.Pill
	indent  *indentLayout
	row     *fyne.Container
}

func newProjectRow(s *projectsScreen) *projectRow {
	r := &projectRow{s: s, name: boldEnd(""), note: look.NewSmall(""), path: look.NewPath(""), kinds: look.NewText(""), branch: look.NewSmall(""), changed: look.NewSmall("")}
	r.tick = look.NewTick(look.TickOff, func() { s.toggle(r.v.path) })
	r.nested = look.NewIcon(look.IconNested, look.ColorMuted, 14)
	r.kinds.Points = 13
	r.note.Fit, r.kinds.Fit, r.branch.Fit, r.changed.Fit = look.FitEnd, look.FitEnd, look.FitEnd, look.FitEnd
	r.pill = look.NewPill(look.IconCheck, lang.L("Added"), look.Good)
	r.indent = &indentLayout{}
	words := look.Column(2, container.New(titleLayout{}, r.name, r.pill, r.note), r.path)
	r.row = container.New(rowLayout{height: projectRowHeight, pad: 14, widths: []float32{190, 150, 90}, from: []float32{500, 720, 620}},
		container.New(r.indent, r.tick, r.nested, words), r.kinds, r.branch, r.changed, look.HLine())
	r.ExtendBaseWidget(r)
	return r
}

func (r *projectRow) set(v projectRowView) {
	r.v = v
	r.name.SetContent(v.name)
	r.note.SetContent(v.note)
	setVisible(r.note, v.note != "")
	r.path.SetContent(v.short)
	r.kinds.SetContent(v.kinds)
	r.branch.SetContent(v.branch)
	r.changed.SetContent(look.ShortClock(v.changed, r.s.w.now()))
	here := r.s.here[v.path]
	setVisible(r.pill, here)
	setVisible(r.tick, !here)
	if r.s.on[v.path] {
		r.tick.SetState(look.TickOn)
	} else {
		r.tick.SetState(look.TickOff)
	}
	r.indent.depth = min(v.depth, 6)
	setVisible(r.nested, v.depth > 0)
	r.row.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (r *projectRow) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.row) }

// indentLayout places a tick, the mark of what is nested, and the words.
type indentLayout struct{ depth int }

const indentStep float32 = 20

// MinSize implements fyne.Layout.
func (*indentLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(120, o[2].MinSize().Height)
}

// Layout implements fyne.Layout.
func (l *indentLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	side := look.TickSize + 6
	place(o[0], 0, (s.Height-side)/2, side, side)
	x := side + look.Gap
	if l.depth > 0 {
		x += float32(l.depth-1) * indentStep
		place(o[1], x+2, 3, 14, 14)
		x += indentStep
	}
	place(o[2], x, 0, max(0, s.Width-x), s.Height)
}
