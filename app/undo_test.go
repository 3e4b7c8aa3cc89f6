package app

import (
	"path/filepath"
	"testing"

	"rootsmanager/store"
)

func TestUndoBringsBackARemovedFolderWithItsTicks(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	r := d.addFolder(first)
	d.addFolder(second)
	d.tick(srv, r, true)
	d.tells(srv, 1)
	if err := d.RemoveRoots(t.Context(), []store.RootID{r}); err != nil {
		t.Fatal(err)
	}
	if s := d.Snapshot(); len(s.Roots) != 1 || s.UndoLabel != "Remove first" {
		t.Fatalf("after removing: %d roots, undo %q", len(s.Roots), s.UndoLabel)
	}
	if err := d.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := d.Snapshot(); len(s.Roots) != 2 || s.Roots[0].ID != r {
		t.Fatalf("after undo: %+v", s.Roots)
	}
	d.tells(srv, 1)
	d.sees(srv, first)
}

func TestUndoDoesNotAllowWhatWasNeverAllowed(t *testing.T) {
	d := newDesk(t, Options{})
	srv := d.addProbe("probe")
	r := d.addFolder(filepath.Join(t.TempDir(), "folder"))
	if err := d.AssignOnly(t.Context(), []Tick{{Server: srv, Root: r, On: true}}); err != nil {
		t.Fatal(err)
	}
	d.tick(srv, r, false)
	if err := d.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := d.Snapshot().Cells.Cell(srv, r); c.State != CellAsks {
		t.Fatalf("the cell is %+v, want it undecided", c)
	}
}

func TestRemovedServerComesBackWithUndoAndStartsUnasked(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	r := d.addFolder(filepath.Join(t.TempDir(), "folder"))
	d.tick(srv, r, true)
	d.tells(srv, 1)
	if err := d.RemoveServer(t.Context(), srv); err != nil {
		t.Fatal(err)
	}
	if len(d.store.State().Approvals) != 0 {
		t.Error("the approval of a removed server is kept")
	}
	if err := d.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 1)
}
