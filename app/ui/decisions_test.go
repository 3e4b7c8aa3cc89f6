package ui

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

func sampleDecisions() []app.DecisionView {
	return []app.DecisionView{
		{Identity: "a", Servers: []string{"filesystem"}, URI: "file:///home/u/work/frontend", Label: "frontend", Short: "~/work/frontend", Access: root.ReadWrite, Verdict: store.Allow, Origin: "grid", Time: sampleNow},
		{Identity: "a", Servers: []string{"filesystem"}, URI: "file:///home/u/legacy", Label: "legacy", Short: "~/work/legacy", Target: "/mnt/nas/legacy", Verdict: store.Allow, Origin: "dialog", Time: sampleNow.AddDate(0, 0, -3), Expires: sampleNow.AddDate(0, 0, 27)},
		{Identity: "b", Servers: []string{"notes-api"}, URI: "file:///home/u/.config", Label: ".config", Short: "~/.config", Verdict: store.Never, Origin: "dialog", Time: sampleNow.AddDate(0, 0, -9)},
		{Identity: "b", Servers: []string{"notes-api"}, URI: "file:///home/u/tmp", Label: "tmp", Short: "~/tmp", Verdict: store.Allow, Origin: "dialog", UntilQuit: true},
		{Identity: "a", Servers: []string{"filesystem"}, Runs: "/usr/bin/npx -y @modelcontextprotocol/server-filesystem", Verdict: store.Allow, Origin: "dialog", Time: sampleNow.AddDate(0, -1, 0)},
		{Identity: "c", Runs: "https://mcp.example.com/v1", Verdict: store.Allow, Origin: "dialog", Time: sampleNow.AddDate(0, -2, 0)},
	}
}

func decisionsOf(t *testing.T, c *sampleCore) (*Window, *decisionsScreen) {
	t.Helper()
	w, _, _ := openWindow(t, c, 1280, 800)
	w.show(screenDecided)
	return w, w.screens[screenDecided].(*decisionsScreen)
}

func TestDecisionIsTakenBackAlone(t *testing.T) {
	c := newSampleCore()
	c.decisions = sampleDecisions()
	w, s := decisionsOf(t, c)
	if len(s.rows) != 6 {
		t.Fatalf("%d rows", len(s.rows))
	}
	s.search.SetText("legacy")
	if len(s.rows) != 1 {
		t.Fatalf("the filter shows %d rows", len(s.rows))
	}
	row := newDecisionRow(s)
	row.set(s.rows[0], sampleNow)
	row.back.Tapped(nil)
	settle(w)
	if len(c.decisions) != 5 || len(s.rows) != 0 {
		t.Errorf("left %+v", c.decisions)
	}
	if text := shownText(w.notices.content()); !strings.Contains(text, "legacy") {
		t.Errorf("the window says %q", text)
	}
}

func TestTakingAllBackNeedsASecondPressInTime(t *testing.T) {
	c := newSampleCore()
	c.decisions = sampleDecisions()
	w, s := decisionsOf(t, c)
	now := sampleNow
	w.now = func() time.Time { return now }
	s.all.Tapped(nil)
	now = now.Add(sureStays + time.Second)
	s.clock()
	s.all.Tapped(nil)
	if len(c.decisions) != 6 {
		t.Fatal("two presses far apart took everything back")
	}
	s.all.Tapped(nil)
	settle(w)
	if len(c.decisions) != 0 {
		t.Errorf("left %+v", c.decisions)
	}
}

func TestUnsealedDecisionsAreSaidUntilPutAway(t *testing.T) {
	c := newSampleCore()
	w, _, _ := openWindow(t, c, 1280, 800)
	shown := func() string { return shownText(w.standing.content()) }
	if shown() != "" {
		t.Fatalf("a notice while all is well: %q", shown())
	}
	set := func(h app.Health) {
		c.mu.Lock()
		c.snap.Health = h
		c.mu.Unlock()
		if err := c.change("health", nil); err != nil {
			t.Fatal(err)
		}
		settle(w)
	}
	away := app.Health{SealedText: "Decisions last until you quit: the keyring is locked", SealedHelp: "Unlock it."}
	set(away)
	if text := shown(); !strings.Contains(text, "keyring is locked") || !strings.Contains(text, "Unlock it.") || !strings.Contains(text, "[Try again]") {
		t.Fatalf("the notice is %q", text)
	}
	w.standing.set(nil) // put away
	set(away)
	if shown() != "" {
		t.Error("the same reason came back after it was put away")
	}
	set(app.Health{Tampered: true, SealedText: "Decisions were altered outside of this app: a row was edited"})
	if text := shown(); !strings.Contains(text, "altered") || !strings.Contains(text, "[I have seen it]") {
		t.Fatalf("the notice is %q", text)
	}
	set(app.Health{Sealed: true, SealedText: "Decisions sealed in keyring"})
	if shown() != "" {
		t.Error("the notice stays when all is well")
	}
}

func TestExportLeavesAnOlderFileAloneWhenItFails(t *testing.T) {
	c := newSampleCore()
	w, _, picker := openWindow(t, c, 1280, 800)
	file := filepath.Join(t.TempDir(), "log.csv")
	picker.paths = []string{file}
	w.exportActivity()
	settle(w)
	if data, err := os.ReadFile(file); err != nil || string(data) != "exported as csv" {
		t.Fatalf("wrote %q, %v", data, err)
	}
	c.fail = errors.New("no")
	w.exportActivity()
	settle(w)
	if data, err := os.ReadFile(file); err != nil || string(data) != "exported as csv" {
		t.Errorf("after a failure the file holds %q, %v", data, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestMovedFolderIsFollowedWithOnePress(t *testing.T) {
	c := newSampleCore()
	c.snap.Roots[3].MovedTo = "/media/usb/old-backup"
	w, _, _ := openWindow(t, c, 1280, 800)
	w.show(screenFolders)
	s := w.screens[screenFolders].(*foldersScreen)
	row := newFolderRow(s)
	row.set(w.snap.Roots[3], 3)
	if !row.moved.Visible() || row.locate.Visible() {
		t.Fatal("the place where it was found is not offered")
	}
	row.moved.Tapped(nil)
	settle(w)
	if !slices.ContainsFunc(c.calls, func(call string) bool { return strings.Contains(call, "/media/usb/old-backup") }) {
		t.Errorf("calls %q", c.calls)
	}
}
