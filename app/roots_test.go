package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

func TestPlacesThatCannotBeAddedSayWhy(t *testing.T) {
	d := newDesk(t, Options{})
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	d.addFolder(folder)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/":                    "cannot be added",
		"/etc":                 "cannot be added",
		d.dir:                  "cannot be added",
		"relative/path":        "full path",
		"http://example.com/":  "http",
		folder:                 "is in the list already",
		folder + "/":           "is in the list already",
		link:                   "is in the list already",
		"file:///a?query":      "",
		"file://elsewhere/a":   "",
		"file:///a/%2e%2e/etc": "",
		"":                     "",
	} {
		_, err := d.AddRoots(t.Context(), []RootSpec{{Path: path, AcceptWarning: true}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", path, err, want)
		}
	}
	if n := len(d.Snapshot().Roots); n != 1 {
		t.Errorf("%d roots after refusals, want 1", n)
	}
}

func TestSensitivePlacesNeedASecondYes(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	d := newDesk(t, Options{})
	keys := filepath.Join(home, ".ssh")
	if err := os.Mkdir(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{home, keys, "~/.ssh", "~"} {
		_, err := d.AddRoots(t.Context(), []RootSpec{{Path: path}})
		var sensitive *SensitiveError
		if !errors.As(err, &sensitive) || len(sensitive.Checks) != 1 || sensitive.Checks[0].Warning == "" {
			t.Fatalf("%s: %v", path, err)
		}
	}
	ids, err := d.AddRoots(t.Context(), []RootSpec{{Path: keys, AcceptWarning: true}})
	if err != nil {
		t.Fatal(err)
	}
	if v := rootView(d.Snapshot(), ids[0]); v.Warning == "" || v.Short != "~/.ssh" {
		t.Errorf("shown as %+v", v)
	}
	if err := d.SetSetting(t.Context(), SettingAllowBlocked, "on"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.AddRoots(t.Context(), []RootSpec{{Path: "/etc", AcceptWarning: true}}); err != nil {
		t.Errorf("a blocked place with the setting: %v", err)
	}
}

func TestNestedFoldersAndSingleFilesAreMarked(t *testing.T) {
	d := newDesk(t, Options{})
	outer := t.TempDir()
	inner := filepath.Join(outer, "inner")
	a, b := d.addFolder(outer), d.addFolder(inner)
	file := filepath.Join(inner, "invoice.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := d.addRoot(file)
	s := d.Snapshot()
	if rootView(s, a).NestedIn != "" || rootView(s, b).NestedIn != filepath.Base(outer) || rootView(s, c).NestedIn != "inner" {
		t.Errorf("nesting %q %q %q", rootView(s, a).NestedIn, rootView(s, b).NestedIn, rootView(s, c).NestedIn)
	}
	if k := rootView(s, c).Kind; k != root.File {
		t.Errorf("the file is a %s", k)
	}
	if check, err := d.InspectRoot(t.Context(), filepath.Join(inner, "deep", "er")); err != nil || check.NestedIn != "inner" || check.Problem == "" {
		t.Errorf("a missing folder below a root: %+v, %v", check, err)
	}
}

func TestWebAddressesStayWithServersThatAllowThem(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	r := d.addRoot("https://api.example.com/v1")
	if err := d.Assign(t.Context(), []Tick{{Server: srv, Root: r, On: true}}); err == nil {
		t.Error("a web address was ticked for a server that does not accept them")
	}
	if err := d.AssignOnly(t.Context(), []Tick{{Server: srv, Root: r, On: true}}); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 0)
	if c := d.Snapshot().Cells.Cell(srv, r); c.State != CellHeld {
		t.Errorf("cell %+v", c)
	}
}

func TestThousandsOfFoldersAreOneChange(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	d.tells(srv, 0)
	dir := t.TempDir()
	specs := make([]RootSpec, 2000)
	for i := range specs {
		specs[i].Path = filepath.Join(dir, fmt.Sprintf("p%04d", i))
		if err := os.Mkdir(specs[i].Path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := d.AddRoots(t.Context(), specs)
	if err != nil {
		t.Fatal(err)
	}
	d.until("all are seen", func(s *Snapshot) bool {
		for _, r := range s.Roots {
			if !r.Status.Usable() {
				return false
			}
		}
		return len(s.Roots) == len(specs)
	})
	ticks := make([]Tick, len(ids))
	for i, id := range ids {
		ticks[i] = Tick{Server: srv, Root: id, On: true, Access: root.ReadOnly}
	}
	before := d.Snapshot().Activity
	if err := d.Assign(t.Context(), ticks); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, len(ids))
	told := 0
	for _, a := range d.Snapshot().Activity[:len(d.Snapshot().Activity)-len(before)] {
		if a.Kind == "told" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the server was notified %d times of one change", told)
	}
	if err := d.RemoveRoots(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 0)
}

func TestCheckSaysWhichServersMayBeToldOfAPath(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	yes, no := d.addProbe("yes"), d.addProbe("no", "--other")
	folder := filepath.Join(t.TempDir(), "user")
	r := d.addFolder(folder)
	d.tick(yes, r, true)
	neighbour := folder + "2"
	if err := os.Mkdir(neighbour, 0o700); err != nil {
		t.Fatal(err)
	}
	allowed := func(path string) map[store.ServerID]bool {
		checks, err := d.CheckPath(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		m := make(map[store.ServerID]bool)
		for _, c := range checks {
			m[c.Server] = c.Allowed
			if c.Why == "" {
				t.Errorf("%s: no reason for %s", path, c.Name)
			}
		}
		return m
	}
	if got := allowed(filepath.Join(folder, "a", "new.txt")); !got[yes] || got[no] {
		t.Errorf("inside: %v", got)
	}
	if got := allowed(neighbour); got[yes] {
		t.Error("a neighbour whose name starts alike is covered")
	}
	out := filepath.Join(folder, "out")
	if err := os.Symlink(neighbour, out); err != nil {
		t.Fatal(err)
	}
	if got := allowed(filepath.Join(out, "x")); got[yes] {
		t.Error("a link out of the folder is covered")
	}
}
