package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

func TestMovedFolderIsOfferedAndAskedAboutAtItsNewPlace(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	base := t.TempDir()
	stays, was, moved := filepath.Join(base, "stays"), filepath.Join(base, "project"), filepath.Join(base, "renamed project")
	d.tick(srv, d.addFolder(stays), true)
	r := d.addFolder(was)
	d.tick(srv, r, true)
	d.tells(srv, 2)
	if err := os.Rename(was, moved); err != nil {
		t.Fatal(err)
	}
	d.until("it is offered where it was moved to", func(s *Snapshot) bool { return rootView(s, r).MovedTo == moved })
	d.tells(srv, 1)
	if err := d.RelocateRoot(t.Context(), r, rootView(d.Snapshot(), r).MovedTo); err != nil {
		t.Fatal(err)
	}
	s := d.until("it is reachable again", func(s *Snapshot) bool { return rootView(s, r).Status.Usable() })
	if v := rootView(s, r); v.Path != moved || v.AssignedTo != 1 || v.MovedTo != "" {
		t.Errorf("it is shown as %+v", v)
	}
	if c := s.Cells.Cell(srv, r); c.State != CellAsks {
		t.Errorf("the new place is %s without anybody having been asked", c.State)
	}
	if err := d.RestartServer(t.Context(), srv); err != nil { // whenever it asks
		t.Fatal(err)
	}
	p := d.prompt(srv, true)
	if len(p.Consent.Folders) != 1 || p.Consent.Folders[0].Root != r {
		t.Fatalf("the question is about %+v", p.Consent.Folders)
	}
	if err := d.Answer(t.Context(), p.ID, PromptAnswer{Verdict: AllowAlways, Folders: map[store.RootID]root.Access{r: root.ReadOnly}}); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 2)
	d.sees(srv, stays, moved)
}

// A folder that is deleted and made again at once is no change to the monitor,
// but a server may have asked in between.
func TestServerThatAskedWhileAFolderWasAwayGetsItBack(t *testing.T) {
	d := newDesk(t, Options{ApproveAll: true})
	srv := d.addProbe("probe")
	base := t.TempDir()
	folder := filepath.Join(base, "project")
	r, other := d.addFolder(folder), d.addFolder(filepath.Join(base, "other"))
	if err := d.AssignOnly(t.Context(), []Tick{{Server: srv, Root: r, On: true}}); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 1)
	without := make(chan struct{}, 1)
	defer d.Events(func(ev Event) {
		if ev.Kind == EventRootsAnswered && len(ev.Roots) == 1 && strings.HasSuffix(ev.Roots[0].URI, "/other") {
			select {
			case without <- struct{}{}:
			default:
			}
		}
	})()
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := d.AssignOnly(t.Context(), []Tick{{Server: srv, Root: other, On: true}}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-without:
	case <-time.After(patience):
		t.Fatal("the server was told of a folder that is not there")
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 2)
	d.sees(srv, folder, filepath.Join(base, "other"))
}
