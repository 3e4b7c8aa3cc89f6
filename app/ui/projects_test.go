package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"github.com/google/go-cmp/cmp"

	"rootsmanager/app"
	"rootsmanager/app/detect"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
	"rootsmanager/app/ui/pick"
)

// openProjectsOf shows the screen without looking at this machine's editors.
func openProjectsOf(t *testing.T, c *sampleCore, width, height float32) (*Window, *projectsScreen, *sampleDialogs, *samplePicker) {
	t.Helper()
	w, d, p := openWindow(t, c, width, height)
	s := w.screens[screenProjects].(*projectsScreen)
	s.recent = func(context.Context) ([]detect.Suggestion, error) { return nil, nil }
	return w, s, d, p
}

func projectNames(s *projectsScreen) []string {
	var out []string
	for _, r := range s.rows {
		out = append(out, strings.Repeat(" ", r.depth)+r.name)
	}
	return out
}

// The whole way: a folder is chosen, searched for real, two of what it holds
// are ticked, and they are added with their names, once.
func TestProjectsAreFoundTickedAndAdded(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"shop/.git/HEAD":         "ref: refs/heads/feature/login\n",
		"shop/package.json":      `{"name":"shop","workspaces":["web"]}`,
		"shop/web/package.json":  `{"name":"@acme/web"}`,
		"tool/go.mod":            "module example.com/hammer\n",
		"keys/go.mod":            "module example.com/keys\n",
		"tool/vendor/x/go.mod":   "module x\n",
		"notes/only some text.x": "",
	} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	c := emptySampleCore()
	keys := dir + "/keys"
	c.checks[keys] = app.RootCheck{URI: "file://" + keys, Path: keys, Kind: root.Folder, Warning: "it holds keys"}
	w, s, d, p := openProjectsOf(t, c, 1280, 800)
	p.paths = []string{dir}
	w.openProjects()
	if w.current != screenProjects {
		t.Fatalf("%s is shown", w.current)
	}
	if diff := cmp.Diff([]string{"keys", "shop", " @acme/web", "hammer"}, projectNames(s)); diff != "" {
		t.Fatal(diff)
	}
	if r := s.rows[1]; r.kinds != "Git · npm workspace · Node" || r.branch != "feature/login" || r.note != "1 more inside" || r.changed.IsZero() {
		t.Errorf("the row of shop: %+v", r)
	}
	if len(s.on) != 0 || !s.add.Disabled() || len(c.calls) != 0 {
		t.Fatalf("before anything was ticked: %v ticked, calls %v", s.on, c.calls)
	}
	for _, i := range []int{0, 2, 3} {
		s.toggle(s.rows[i].path)
	}
	if s.add.Text != "Add 3 folders" || s.add.Disabled() {
		t.Errorf("the button says %q", s.add.Text)
	}
	s.add.Tapped(nil)
	if !slices.Contains(d.shown, "sensitive 1") {
		t.Fatalf("nobody asked about the keys: %v", d.shown)
	}
	d.accept(nil)
	settle(w)
	want := []string{fmt.Sprint("add roots ", []app.RootSpec{
		{Path: "file://" + dir + "/shop/web", Name: "@acme/web"}, {Path: "file://" + dir + "/tool", Name: "hammer"},
	})}
	if diff := cmp.Diff(want, c.calls); diff != "" {
		t.Error(diff)
	}
	if !s.here[dir+"/tool"] || len(s.on) != 1 || !s.on[keys] {
		t.Errorf("here %v, still ticked %v", s.here, s.on)
	}
	if text := shownText(w.notices.content()); !strings.Contains(text, "Added 2 folders.") || !strings.Contains(text, "[Undo]") {
		t.Errorf("the window says %q", text)
	}
	s.toggle(dir + "/tool") // what is here cannot be ticked
	if s.on[dir+"/tool"] {
		t.Error("a folder that is in the list was ticked")
	}
}

func sampleProjects(n int) *detect.Result {
	r := &detect.Result{Dir: "/home/user/work", Folders: n * 12, Elsewhere: 2}
	kinds := [][]detect.Kind{{detect.Git, detect.Go}, {detect.Git, detect.NpmWorkspace, detect.Node}, {detect.Git, detect.Python}, {detect.Git, detect.Rust}, {detect.Mercurial}, {detect.Maven}}
	for i := range n {
		path := fmt.Sprintf("/home/user/work/client-%02d/project-%04d", i/40, i)
		p := detect.Project{
			Path: path, Name: fmt.Sprintf("project-%d", i), Kinds: kinds[i%len(kinds)], Branch: "main", Changed: sampleNow.AddDate(0, 0, -i),
		}
		switch i % 10 {
		case 2:
			p.Branch = "feature/a-rather-long-branch-name-of-a-ticket"
		case 3:
			p.Kinds, p.Main = []detect.Kind{detect.Worktree}, fmt.Sprintf("/home/user/work/client-%02d/project-%04d", i/40, i-2)
		case 5:
			p.Branch = ""
		}
		r.Projects = append(r.Projects, p)
		if i%10 == 1 {
			for _, name := range []string{"api", "web", "shared components with a long name"} {
				r.Projects = append(r.Projects, detect.Project{
					Path: path + "/packages/" + name, Name: "@acme/" + name, Kinds: []detect.Kind{detect.Node}, Changed: sampleNow.AddDate(0, -1, 0), Parent: path,
				})
			}
		}
	}
	return r
}

func TestProjectsFilterAndTickAllShown(t *testing.T) {
	w, s, _, p := openProjectsOf(t, newSampleCore(), 1280, 800)
	p.paths = []string{"/home/user/work"}
	s.find = func(context.Context, string, *detect.Options) (*detect.Result, error) {
		return sampleProjects(5000), nil
	}
	w.openProjects()
	if len(s.rows) != 6500 {
		t.Fatalf("%d rows", len(s.rows))
	}
	s.search.SetText("@acme/web")
	if len(s.rows) != 500 || s.rows[0].depth != 0 {
		t.Fatalf("%d rows, the first at depth %d", len(s.rows), s.rows[0].depth)
	}
	s.all.Tapped(nil)
	if len(s.on) != 500 || s.all.Text != "Untick all" || s.add.Text != "Add 500 folders" {
		t.Errorf("%d ticked, %q, %q", len(s.on), s.all.Text, s.add.Text)
	}
	s.search.SetText("nothing like it")
	if !s.none.Visible() || s.panel.Visible() || len(s.on) != 500 {
		t.Errorf("none %v, panel %v, %d ticked", s.none.Visible(), s.panel.Visible(), len(s.on))
	}
	s.search.SetText("@acme/web")
	s.all.Tapped(nil)
	if len(s.on) != 0 {
		t.Errorf("%d are still ticked", len(s.on))
	}
	w.win.Canvas().Focus(s.list)
	s.list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	s.list.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if !s.on[s.rows[1].path] || len(s.on) != 1 {
		t.Errorf("Space ticked %v", s.on)
	}
	var asked *detect.Options
	s.find = func(_ context.Context, _ string, o *detect.Options) (*detect.Result, error) {
		asked = o
		return &detect.Result{Dir: "/home/user/work"}, nil
	}
	s.others.Tapped(nil)
	if asked == nil || !asked.OtherFilesystems || !s.none.Visible() || len(s.on) != 0 {
		t.Errorf("searched with %+v, %v ticked", asked, s.on)
	}
}

func TestProjectSearchShowsProgressAndIsCalledOff(t *testing.T) {
	w, s, _, p := openProjectsOf(t, emptySampleCore(), 1280, 800)
	p.paths = []string{"/home/user/work"}
	s.find = func(ctx context.Context, _ string, o *detect.Options) (*detect.Result, error) {
		o.Progress(detect.Progress{Folders: 12345, Projects: 1, In: "/home/user/work/deep/down"})
		if text := shownText(s.busy.box); !strings.Contains(text, "12,345 folders · 1 project") || !strings.Contains(text, "deep/down") || !s.busy.box.Visible() {
			t.Errorf("the card says %q", text)
		}
		if s.start.Visible() || s.panel.Visible() {
			t.Error("something else is shown beside the card")
		}
		s.cancel()
		o.Progress(detect.Progress{Folders: 99999})
		return nil, ctx.Err()
	}
	w.openProjects()
	if s.busy.box.Visible() || !s.start.Visible() || s.now.Folders == 99999 || s.found != nil {
		t.Errorf("after cancelling: %+v", s.projectSearch)
	}
	if text := shownText(w.notices.content()); text != "" {
		t.Errorf("cancelling is no error: %q", text)
	}

	s.find = func(context.Context, string, *detect.Options) (*detect.Result, error) {
		return nil, errors.New("/home/user/work cannot be searched: no such file or directory")
	}
	w.findProjects()
	if text := shownText(w.notices.content()); !strings.Contains(text, "cannot be searched") || s.stop != nil || !s.start.Visible() {
		t.Errorf("the window says %q", text)
	}
}

func TestLateProjectsOfAnEarlierSearchAreDropped(t *testing.T) {
	w, s, _, _ := openProjectsOf(t, emptySampleCore(), 1280, 800)
	w.show(screenProjects)
	s.find = func(_ context.Context, dir string, _ *detect.Options) (*detect.Result, error) {
		if dir == "/first" {
			s.run("/second", false)
		}
		return &detect.Result{Dir: dir, Projects: []detect.Project{{Path: dir + "/x", Name: dir, Kinds: []detect.Kind{detect.Go}}}}, nil
	}
	s.run("/first", false)
	if s.found.Dir != "/second" || len(s.rows) != 1 || s.rows[0].name != "/second" {
		t.Errorf("shows %+v", s.rows)
	}
}

// Without a choice of a folder, what the editors opened is suggested; ticking
// and adding works the same.
func TestEditorsFoldersAreSuggested(t *testing.T) {
	c := emptySampleCore()
	w, s, _, p := openProjectsOf(t, c, 1280, 800)
	p.err = pick.ErrCancelled
	s.recent = func(context.Context) ([]detect.Suggestion, error) {
		return []detect.Suggestion{{Path: "/home/user/shop", Editor: "VS Code", Opened: sampleNow}, {Path: "/home/user/tool", Editor: "GoLand"}}, nil
	}
	w.openProjects()
	if diff := cmp.Diff([]string{"shop", "tool"}, projectNames(s)); diff != "" {
		t.Fatal(diff)
	}
	s.all.Tapped(nil)
	s.add.Tapped(nil)
	settle(w)
	if len(c.calls) != 1 || len(s.on) != 0 || !s.here["/home/user/tool"] {
		t.Errorf("calls %v, ticked %v, here %v", c.calls, s.on, s.here)
	}
}

func TestWhatWasFoundOutlivesTheColours(t *testing.T) {
	c := newSampleCore()
	c.settings["theme"] = string(look.Light)
	w, s, _, p := openProjectsOf(t, c, 1280, 800)
	p.paths = []string{"/home/user/work"}
	s.find = func(context.Context, string, *detect.Options) (*detect.Result, error) { return sampleProjects(10), nil }
	w.openProjects()
	s.toggle(s.rows[0].path)
	w.show(screenSettings)
	w.setTheme(look.Dark)
	w.show(screenProjects)
	if again := w.screens[screenProjects].(*projectsScreen); again == s || len(again.rows) != 13 || again.add.Text != "Add 1 folder" {
		t.Errorf("%d rows, %q", len(again.rows), again.add.Text)
	}
}

// TestProjectsScreenDraws draws every state in both themes and sizes.
func TestProjectsScreenDraws(t *testing.T) {
	suggestions := []detect.Suggestion{
		{Path: "/home/user/work/shop", Editor: "VS Code", Opened: sampleNow.Add(-time.Hour)},
		{Path: "/home/user/work/tool", Editor: "GoLand", Opened: sampleNow.AddDate(0, 0, -3)},
	}
	for _, mode := range []look.Mode{look.Light, look.Dark} {
		for _, size := range [][2]float32{{1280, 800}, {900, 600}} {
			if os.Getenv("UI_PNG") == "" && (mode == look.Dark) != (size[0] < 1000) {
				continue
			}
			for _, state := range []string{"empty", "suggested", "searching", "found", "huge", "none", "filtered"} {
				t.Run(fmt.Sprintf("%s-%s-%v", state, mode, size[0]), func(t *testing.T) {
					c := newSampleCore()
					c.settings["theme"] = string(mode)
					c.snap.Roots[0].Path = "/home/user/work/client-00/project-0001"
					c.snap.Roots[1].Path = "/home/user/work/client-00/project-0002"
					w, s, _, p := openProjectsOf(t, c, size[0], size[1])
					picture := func() { shot(t, w, fmt.Sprintf("projects-%s-%s-%v", state, mode, size[0])) }
					p.paths = []string{"/home/user/work"}
					n := map[string]int{"found": 12, "huge": 5000, "filtered": 12}[state]
					s.find = func(_ context.Context, dir string, o *detect.Options) (*detect.Result, error) {
						if state == "searching" {
							o.Progress(detect.Progress{Folders: 84210, Projects: 318, In: dir + "/client-04/project-0162/packages/shared/src/components/deeply/nested/places"})
							picture()
						}
						if n == 0 {
							return &detect.Result{Dir: dir}, nil
						}
						return sampleProjects(n), nil
					}
					switch state {
					case "empty", "suggested":
						p.err = pick.ErrCancelled
						if state == "suggested" {
							s.recent = func(context.Context) ([]detect.Suggestion, error) { return suggestions, nil }
						}
					}
					w.openProjects()
					switch state {
					case "found":
						s.toggle(s.rows[0].path)
						s.toggle(s.rows[3].path)
						s.toggle(s.rows[5].path)
					case "filtered":
						s.search.SetText("web")
					case "searching":
						return
					}
					picture()
				})
			}
		}
	}
}
