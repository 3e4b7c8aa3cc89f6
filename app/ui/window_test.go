package ui

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/storage"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
	"rootsmanager/app/ui/pick"
	"rootsmanager/store"
)

func TestMain(m *testing.M) {
	// The words are tested in English, whatever the desktop speaks.
	if err := os.Setenv("LANGUAGE", "en"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// TestClosingTheWindowEndsItsGoroutines runs a command that hangs and closes
// the window.
func TestClosingTheWindowEndsItsGoroutines(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	w.spawn = func(f func()) { w.wait.Go(f) }
	w.follow()
	started := make(chan struct{})
	w.do(command{forever: true, run: func(ctx context.Context) error {
		close(started)
		<-ctx.Done()
		return ctx.Err()
	}})
	<-started
	w.close()
	ended := make(chan struct{})
	go func() { w.wait.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Fatal("goroutines of the window still run 5 s after it was closed")
	}
}

// shownText collects the words of the bar at the foot of the window.
func shownText(o fyne.CanvasObject) string {
	switch x := o.(type) {
	case *look.Text:
		return x.Content
	case *look.Button:
		return "[" + x.Text + "]"
	case *fyne.Container:
		var parts []string
		for _, c := range x.Objects {
			if s := shownText(c); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, " ")
	}
	return ""
}

func prompt(id string, consent bool) app.Prompt {
	p := app.Prompt{ID: app.PromptID(id), Server: store.ServerID(id), ServerName: id, Asked: sampleNow, Deadline: sampleNow.Add(50 * time.Second)}
	if consent {
		p.Consent = &app.ConsentQuestion{}
	} else {
		p.Approval = &app.ApprovalQuestion{CommandLine: []string{"/usr/bin/npx", id}}
	}
	return p
}

func TestQuestionsComeOneAtATime(t *testing.T) {
	c := newSampleCore()
	w, d, _ := openWindow(t, c, 1280, 800)
	must(t, c.change("ask", func(s *app.Snapshot) {
		s.Prompts = []app.Prompt{prompt("one", false), prompt("two", true), prompt("three", true)}
	}))
	if d.open != 1 || !cmp.Equal(d.shown, []string{"approval one"}) {
		t.Fatalf("%d open, shown %v", d.open, d.shown)
	}
	w.addServer() // a person's own dialog waits as well, but before the others
	d.answer(app.PromptAnswer{Verdict: app.NotNow})
	d.closed()
	if !cmp.Equal(d.shown, []string{"approval one", "server", "consent two"}) {
		t.Fatalf("shown %v", d.shown)
	}
	d.answer(app.PromptAnswer{Verdict: app.NeverAllow})
	d.answer(app.PromptAnswer{Verdict: app.AllowAlways, Folders: map[store.RootID]root.Access{"frontend": root.ReadOnly}})
	if d.most != 1 {
		t.Errorf("%d dialogs were open at once", d.most)
	}
	if d.open != 0 {
		t.Errorf("%d dialogs are still open", d.open)
	}
	want := map[app.PromptID]app.PromptAnswer{
		"one":   {Verdict: app.NotNow},
		"two":   {Verdict: app.NeverAllow},
		"three": {Verdict: app.AllowAlways, Folders: map[store.RootID]root.Access{"frontend": root.ReadOnly}},
	}
	if diff := cmp.Diff(want, c.answers); diff != "" {
		t.Error(diff)
	}
}

func TestVanishedQuestionClosesAndTheNextOpens(t *testing.T) {
	c := newSampleCore()
	_, d, _ := openWindow(t, c, 1280, 800)
	must(t, c.change("ask", func(s *app.Snapshot) { s.Prompts = []app.Prompt{prompt("one", true), prompt("two", true)} }))
	must(t, c.change("gone", func(s *app.Snapshot) { s.Prompts = []app.Prompt{prompt("two", true)} }))
	if d.dismissed != 1 || d.open != 1 || d.shown[len(d.shown)-1] != "consent two" {
		t.Errorf("dismissed %d, open %d, shown %v", d.dismissed, d.open, d.shown)
	}
	must(t, c.change("gone", func(s *app.Snapshot) { s.Prompts = nil }))
	if d.open != 0 || len(c.answers) != 0 {
		t.Errorf("open %d, answers %v: closing must not answer", d.open, c.answers)
	}
}

func TestFailedAnswerIsAskedAgain(t *testing.T) {
	c := newSampleCore()
	w, d, _ := openWindow(t, c, 1280, 800)
	must(t, c.change("ask", func(s *app.Snapshot) { s.Prompts = []app.Prompt{prompt("one", true)} }))
	c.fail = errSample
	d.answer(app.PromptAnswer{Verdict: app.AllowAlways})
	if got := shownText(w.notices.place); !strings.Contains(got, "The disk is full: make room and try again.") {
		t.Errorf("the bar says %q", got)
	}
	must(t, c.change("later", nil))
	if len(d.shown) != 2 {
		t.Errorf("shown %v, want the question again", d.shown)
	}
}

func TestSensitiveFoldersNeedASecondYes(t *testing.T) {
	c := newSampleCore()
	c.checks["/home/u/.ssh"] = app.RootCheck{URI: "file:///home/u/.ssh", Path: "/home/u/.ssh", Warning: "it holds keys"}
	c.checks["/"] = app.RootCheck{Path: "/", Blocked: "it is the whole disk"}
	w, d, p := openWindow(t, c, 1280, 800)
	p.paths = []string{"/home/u/work", "/home/u/.ssh", "/"}
	w.addFolders()
	if !cmp.Equal(d.shown, []string{"sensitive 1"}) {
		t.Fatalf("shown %v", d.shown)
	}
	d.accept(nil)
	if got := c.calls[len(c.calls)-1]; got != "add roots [{file:///home/u/work  false}]" {
		t.Errorf("after no: %s", got)
	}
	if got := shownText(w.notices.place); !strings.Contains(got, "whole disk") || !strings.Contains(got, "[Undo]") {
		t.Errorf("the bar says %q", got)
	}
	w.addFolders()
	d.accept([]app.RootCheck{c.checks["/home/u/.ssh"]})
	if got := c.calls[len(c.calls)-1]; got != "add roots [{file:///home/u/work  false} {file:///home/u/.ssh  true}]" {
		t.Errorf("after yes: %s", got)
	}
}

func TestClosingTheFolderDialogIsNoError(t *testing.T) {
	w, _, p := openWindow(t, newSampleCore(), 1280, 800)
	p.err = pick.ErrCancelled
	w.addFolders()
	if got := shownText(w.notices.place); got != "" {
		t.Errorf("the bar says %q", got)
	}
	p.err = errors.New("no dialog could be opened: type the path instead")
	w.addFolders()
	if got := shownText(w.notices.place); !strings.Contains(got, "[Type a path…]") {
		t.Errorf("the bar says %q", got)
	}
}

func TestDroppedFoldersAreAdded(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	w.dropped([]fyne.URI{storage.NewFileURI("/home/u/c++ proj#1")})
	if got := c.calls[len(c.calls)-1]; !strings.Contains(got, "/home/u/c++ proj#1") {
		t.Errorf("the last call is %s", got)
	}
}

func TestRemovingOffersUndo(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	w.openFolder("backend")
	w.typedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
	if len(c.Snapshot().Roots) != 5 {
		t.Fatal("nothing was removed")
	}
	if got := shownText(w.notices.place); !strings.Contains(got, "Removed “backend”") || !strings.Contains(got, "[Undo]") {
		t.Errorf("the bar says %q", got)
	}
	w.undo()
	if c.calls[len(c.calls)-1] != "undo" {
		t.Errorf("the last call is %s", c.calls[len(c.calls)-1])
	}
	if got := shownText(w.notices.place); !strings.Contains(got, "Undone") {
		t.Errorf("the bar says %q", got)
	}
}

func TestBarGoesAfterItsTime(t *testing.T) {
	w, _, _ := openWindow(t, newSampleCore(), 1280, 800)
	w.notices.say(look.Good, look.IconCheck, "Done.")
	w.notices.clock(sampleNow.Add(sayStays - time.Second))
	if shownText(w.notices.place) == "" {
		t.Error("the bar went too early")
	}
	w.notices.clock(sampleNow.Add(sayStays + time.Second))
	if got := shownText(w.notices.place); got != "" {
		t.Errorf("the bar still says %q", got)
	}
}

func TestFoldersAreMovedAndRenamedByKeyboard(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	w.openFolder("backend")
	settle(w)
	w.moveFolder(-1)
	w.moveFolder(-1) // it is first already
	if got := c.calls[len(c.calls)-1]; got != "move backend 0" {
		t.Errorf("the last call is %s", got)
	}
	f := w.screens[screenFolders].(*foldersScreen)
	w.win.Canvas().Focus(f.list)
	press(f.list, fyne.KeyF2) // the list has no use for it and hands it on
	e, ok := w.win.Canvas().Focused().(*renameEntry)
	if !ok {
		t.Fatalf("F2 focuses %T", w.win.Canvas().Focused())
	}
	e.SetText("Back end")
	press(e, fyne.KeyReturn)
	if got := c.calls[len(c.calls)-1]; got != "rename backend Back end" {
		t.Errorf("the last call is %s", got)
	}
	if f.editing != "" {
		t.Error("the name is still being edited")
	}
}

func TestScreensByKeyboardAndRequestsBadge(t *testing.T) {
	c := newSampleCore()
	w, d, _ := openWindow(t, c, 1280, 800)
	for _, s := range w.shortcuts() {
		if s.show == "Alt+5" {
			s.do()
		}
	}
	if w.current != screenRequests {
		t.Errorf("Alt+5 shows %s", w.current)
	}
	if got := w.side.items[screenRequests].Badge; got != "1" {
		t.Errorf("the badge is %q: notes-api waits for approval", got)
	}
	r := w.screens[screenRequests].(*requestsScreen)
	r.answer(openRequests(w.snap)[0])
	if got := c.calls[len(c.calls)-1]; got != "restart notes-api" {
		t.Errorf("the last call is %s", got)
	}
	must(t, c.change("ask", func(s *app.Snapshot) { s.Prompts = []app.Prompt{prompt("one", true), prompt("two", true)} }))
	if got := w.side.items[screenRequests].Badge; got != "3" {
		t.Errorf("the badge is %q", got)
	}
	if d.open != 1 {
		t.Errorf("%d dialogs are open", d.open)
	}
}

func TestActivityFilterSearchesTheWholeLog(t *testing.T) {
	w, _, _ := openWindow(t, newSampleCore(), 1280, 800)
	w.show(screenActivity)
	a := w.screens[screenActivity].(*activityScreen)
	if len(a.rows) != 5 {
		t.Fatalf("%d entries", len(a.rows))
	}
	a.search.SetText("missing")
	if len(a.rows) != 1 || a.rows[0].Subject != "Backup drive" {
		t.Errorf("found %v", a.rows)
	}
	a.search.SetText("nothing like it")
	if len(a.rows) != 0 || a.empty.Content == "" {
		t.Errorf("found %v and says %q", a.rows, a.empty.Content)
	}
	a.search.SetText("")
	a.server.SetSelected(2) // git
	a.refilter()
	if len(a.rows) != 2 {
		t.Errorf("git has %v", a.rows)
	}
	a.server.SetSelected(0)
	a.since.SetSelected(1)
	w.now = func() time.Time { return sampleNow.AddDate(0, 0, 5) }
	a.refilter()
	if len(a.rows) != 0 {
		t.Errorf("five days later the last 24 hours have %v", a.rows)
	}
}

func TestServerDetailFollowsTheSnapshot(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	w.openServer("git")
	s := w.screens[screenServers].(*serversScreen)
	if s.detail.id != "git" || s.detail.name.Content != "git" {
		t.Fatalf("the detail shows %s", s.detail.name.Content)
	}
	pills := s.detail.pills.Objects
	must(t, c.change("other", nil))
	if len(pills) == 0 || &pills[0] != &s.detail.pills.Objects[0] {
		t.Error("a snapshot without a difference rebuilt the detail")
	}
	must(t, c.change("current", func(x *app.Snapshot) {
		x.Servers = append([]app.ServerView(nil), x.Servers...)
		x.Servers[1].Delivery = app.DeliveryCurrent
	}))
	if p := s.detail.pills.Objects[1].(*look.Pill); p.Text != "Has the current folders" {
		t.Errorf("the pill says %q", p.Text)
	}
	s.detail.remove()
	if s.detail.id == "git" || len(w.snap.Servers) != 4 {
		t.Errorf("after removing, the detail shows %s", s.detail.id)
	}
}

func TestThemeChoiceIsKeptAndShownAtOnce(t *testing.T) {
	c := newSampleCore()
	c.settings["theme"] = "light"
	w, _, _ := openWindow(t, c, 1280, 800)
	w.setTheme(look.Dark)
	if !look.IsDark() || c.Setting("theme") != "dark" {
		t.Errorf("dark is %v, kept %q", look.IsDark(), c.Setting("theme"))
	}
	was := w.screens[screenFolders]
	w.show(screenServers)
	if w.screens[screenFolders] == was {
		t.Error("the screens that are not in the window keep the old colours")
	}
}

func TestShortcutsWorkWhileAFilterHasTheFocus(t *testing.T) {
	w, _, _ := openWindow(t, newSampleCore(), 1280, 800)
	w.focusFilter()
	s := w.win.Canvas().Focused().(*look.SearchEntry)
	if s != accessOf(w).search {
		t.Fatal("Ctrl+F does not focus the filter")
	}
	s.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.Key3, Modifier: fyne.KeyModifierAlt})
	if w.current != screenFolders {
		t.Errorf("Alt+3 in the filter shows %s", w.current)
	}
}

func TestRemovingChoosesTheNextFolder(t *testing.T) {
	w, _, _ := openWindow(t, newSampleCore(), 1280, 800)
	w.openFolder("legacy") // the last one
	w.typedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
	if f := w.screens[screenFolders].(*foldersScreen); f.selected != "invoices-2026.csv" {
		t.Errorf("chosen is %q", f.selected)
	}
}

func TestOldSnapshotsAreNotShown(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	old := c.Snapshot()
	must(t, c.change("new", nil))
	w.receive(old)
	if w.snap.Seq != old.Seq+1 {
		t.Errorf("shows %d, want %d", w.snap.Seq, old.Seq+1)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
