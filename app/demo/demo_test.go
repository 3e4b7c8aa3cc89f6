package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDemoOffersEverythingAndAllowsNothing(t *testing.T) {
	temp := t.TempDir()
	p, err := Prepare(temp)
	if err != nil {
		t.Fatal(err)
	}
	e, err := app.Open(t.Context(), &app.Options{DataDir: p.Profile, Store: &store.Options{Keyring: store.NewMemoryKeyring()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Fill(t.Context(), e, "/bin/sample"); err != nil {
		t.Fatal(err)
	}
	snap, err := e.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(snap.Servers) != 1 || len(snap.Roots) != 2 {
		t.Fatalf("%d servers, %d roots", len(snap.Servers), len(snap.Roots))
	}
	s := snap.Servers[0]
	if s.Name != ServerName || !s.Enabled || !s.ApprovedAt.IsZero() || strings.Join(s.Args, " ") != "probe" {
		t.Errorf("%+v", s)
	}
	for i, want := range []struct {
		name, path string
		access     root.Access
	}{{ProjectName, p.Project, root.ReadWrite}, {NotesName, p.Notes, root.ReadOnly}} {
		r := snap.Roots[i]
		cell := snap.Cells.Cell(s.ID, r.ID)
		if r.Name != want.name || r.Path != want.path || !r.Status.Usable() || cell.State != app.CellAsks || cell.Access != want.access {
			t.Errorf("%+v, %+v", r, cell)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Remove(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestSampleFoldersHoldRealFiles(t *testing.T) {
	p, err := Prepare(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{p.Project, p.Notes} {
		names, err := os.ReadDir(dir)
		if err != nil || len(names) < 2 {
			t.Errorf("%s: %v %v", dir, names, err)
		}
		for _, n := range names {
			if info, err := n.Info(); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", n.Name(), info, err)
			}
		}
	}
	info, err := os.Stat(p.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
}

func TestFailedPreparationLeavesNothing(t *testing.T) {
	if _, err := Prepare(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("it was prepared in a folder that is not there")
	}
}
