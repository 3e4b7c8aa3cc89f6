package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"rootsmanager/app/root"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv("STORE_TEST_CHILD"); mode != "" {
		os.Exit(runChild(mode))
	}
	goleak.VerifyTestMain(m)
}

func openAt(t testing.TB, dir string) *Store {
	t.Helper()
	return openWith(t, dir, testOptions(dir))
}

// testOptions give a profile a keyring of its own, in files beside it.
func testOptions(dir string) *Options { return &Options{Keyring: fileKeyring(dir + "-ring")} }

func openWith(t testing.TB, dir string, opts *Options) *Store {
	t.Helper()
	s, err := openSettled(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	return s
}

func update(t testing.TB, s *Store, change func(*Tx) error) *State {
	t.Helper()
	st, err := s.Update(t.Context(), change)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// reopened is the state another process would read from the file.
func reopened(t testing.TB, s *Store) *State {
	t.Helper()
	other, err := openSettled(t.Context(), s.dir, testOptions(s.dir))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	return other.State()
}

// openSettled opens a profile and waits until the keyring was asked, however
// slow the machine is.
func openSettled(ctx context.Context, dir string, opts *Options) (*Store, error) {
	s, err := Open(ctx, dir, opts)
	if err == nil {
		<-s.asked
	}
	return s, err
}

// sameState compares what two states hold; the version also counts what a
// process took over.
func sameState(a, b *State) string { return cmp.Diff(a, b, cmpopts.IgnoreFields(State{}, "Version")) }

func aServer(name string) Server {
	return Server{
		Name: name, Enabled: true, Source: "added by you", Transport: Stdio, Command: "npx", Args: []string{"-y", "thing"},
		Env: []Var{{Name: "MODE", Value: "fast"}},
	}
}

func someRoots(n int) []Root {
	roots := make([]Root, n)
	for i := range roots {
		roots[i] = Root{URI: "file:///work/" + strconv.Itoa(i), Kind: root.Folder}
	}
	return roots
}

// fill makes a profile with servers, roots in the active workspace and every
// pair assigned.
func fill(t testing.TB, s *Store, servers, roots int) *State {
	t.Helper()
	return update(t, s, func(tx *Tx) error {
		added, err := tx.AddRoots(someRoots(roots))
		if err != nil {
			return err
		}
		var order []RootID
		for _, r := range added {
			order = append(order, r.ID)
		}
		w := tx.State().Active
		if err := tx.SetMembers(w, order); err != nil {
			return err
		}
		var pairs []Assignment
		for i := range servers {
			v, err := tx.AddServer(aServer("server " + strconv.Itoa(i)))
			if err != nil {
				return err
			}
			for _, id := range order {
				pairs = append(pairs, Assignment{v.ID, id, root.ReadOnly})
			}
		}
		return tx.AssignAll(w, pairs)
	})
}

func TestFreshProfileHasOneActiveWorkspace(t *testing.T) {
	s := openAt(t, t.TempDir())
	st := s.State()
	if len(st.Workspaces) != 1 || st.Workspaces[0].Name != "My folders" || st.Active != st.Workspaces[0].ID {
		t.Fatalf("workspaces %+v, active %q", st.Workspaces, st.Active)
	}
}

func TestEverythingComesBackFromTheFile(t *testing.T) {
	s := openAt(t, t.TempDir())
	when := time.Date(2026, 11, 21, 9, 0, 0, 1, time.UTC)
	fill(t, s, 3, 4)
	st := update(t, s, func(tx *Tx) error {
		v := tx.State().Servers[1]
		v.Headers = []Var{{Name: "Authorization", Value: "hush", Secret: true}}
		v.Name, v.Position, v.RootsOff, v.AllowHTTPS, v.Revision = "renamed", 9, true, true, "2025-06-18"
		return errors.Join(
			tx.PutServer(v),
			tx.SetSetting("theme", "dark"),
			tx.PutApproval(Approval{Identity: "one", Server: v.ID, Starter: "roots-manager", Program: "/bin/x\ty\n\\", Shown: `{"a":1}`, Origin: "dialog", Time: when}),
			tx.PutApproval(Approval{Identity: "two", Time: when}),
			tx.RemoveApproval("two"),
			tx.Record(
				Decision{Identity: "one", URI: "file:///a", Target: "/a\tb", FileID: "1:2", Access: root.ReadOnly, Verdict: Allow, Origin: "grid", Expires: when.Add(time.Hour)},
				Decision{Identity: "one", URI: "file:///a", Access: root.ReadOnly, Verdict: Revoked, Time: when},
				Decision{Identity: "one", URI: "file:///b", Access: root.ReadWrite, Verdict: Never, Time: when},
			),
		)
	})
	if got := st.Decisions["one"]["file:///a"]; got.Verdict != Revoked || got.Seq != 5 {
		t.Errorf("newest decision: %+v", got)
	}
	if _, still := st.Approvals["two"]; still {
		t.Error("an approval taken back is still there")
	}
	if got := st.Servers[2].Headers[0].Value; got != "" {
		t.Errorf("the state carries the secret %q", got)
	}
	if st != s.State() {
		t.Error("Update returned another state than was published")
	}
	if secret, err := s.Secret(t.Context(), st.Servers[2].ID, "Authorization"); err != nil || secret != "hush" {
		t.Errorf("secret %q, %v", secret, err)
	}
	if diff := sameState(st, reopened(t, s)); diff != "" {
		t.Errorf("the file holds something else:\n%s", diff)
	}
}

func TestReadersKeepTheirStateWhileItIsChanged(t *testing.T) {
	s := openAt(t, t.TempDir())
	before := fill(t, s, 2, 3)
	w, v, roots := before.Active, before.Servers[0].ID, before.Members[before.Active]
	again := reopened(t, s)
	update(t, s, func(tx *Tx) error {
		return errors.Join(
			tx.Unassign(w, v, roots[0]),
			tx.Assign(w, v, roots[1], root.ReadWrite),
			tx.SetMembers(w, []RootID{roots[2], roots[1]}),
			tx.RemoveRoots(roots[2:]),
			tx.RemoveServer(before.Servers[1].ID),
			tx.SetSetting("a", "b"),
			tx.Record(Decision{Identity: "i", URI: "u", Verdict: Allow}),
		)
	})
	if diff := cmp.Diff(again, before); diff != "" {
		t.Errorf("an older state was changed:\n%s", diff)
	}
	want := map[ServerID]map[RootID]root.Access{v: {roots[1]: root.ReadWrite}}
	if diff := cmp.Diff(want, s.State().Assignments[w]); diff != "" {
		t.Error(diff)
	}
	if diff := sameState(s.State(), reopened(t, s)); diff != "" {
		t.Errorf("the file holds something else:\n%s", diff)
	}
}

func TestFailedChangeLeavesNothing(t *testing.T) {
	s := openAt(t, t.TempDir())
	before := fill(t, s, 1, 1)
	stop := errors.New("stop")
	_, err := s.Update(t.Context(), func(tx *Tx) error {
		if _, err := tx.AddServer(aServer("half")); err != nil {
			t.Error(err)
		}
		return stop
	})
	if !errors.Is(err, stop) || s.State() != before {
		t.Fatalf("error %v, state published: %t", err, s.State() != before)
	}
	if diff := sameState(before, reopened(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestOrderOfMembersSurvivesRemovalsAndAppends(t *testing.T) {
	s := openAt(t, t.TempDir())
	st := fill(t, s, 1, 6)
	w, m := st.Active, st.Members[st.Active]
	steps := []func(*Tx) error{
		func(tx *Tx) error { return tx.RemoveRoots([]RootID{m[1], m[2]}) },
		func(tx *Tx) error { return tx.SetMembers(w, []RootID{m[5], m[0], m[3]}) },
		func(tx *Tx) error {
			more, err := tx.AddRoots([]Root{{URI: "file:///new", Kind: root.Folder}})
			return errors.Join(err, tx.Assign(w, tx.State().Servers[0].ID, more[0].ID, root.ReadOnly))
		},
		func(tx *Tx) error { return tx.SetMembers(w, append(slices.Clone(tx.State().Members[w]), m[4])) },
		func(tx *Tx) error { return tx.RemoveRoots([]RootID{m[0]}) },
	}
	for i, step := range steps {
		update(t, s, step)
		if diff := sameState(s.State(), reopened(t, s)); diff != "" {
			t.Fatalf("after step %d:\n%s", i, diff)
		}
	}
	if got := s.State().Members[w]; len(got) != 4 || got[0] != m[5] || got[1] != m[3] || got[3] != m[4] {
		t.Errorf("order %v of %v", got, m)
	}
}

func TestRefusalsAreSentencesAndChangeNothing(t *testing.T) {
	s := openAt(t, t.TempDir())
	before := fill(t, s, 2, 2)
	w, v, m := before.Active, before.Servers[0], before.Members[before.Active]
	tests := []struct {
		name   string
		kind   error
		change func(*Tx) error
	}{
		{"server name taken", ErrTaken, func(tx *Tx) error { _, err := tx.AddServer(aServer("server 0")); return err }},
		{"server name empty", ErrInvalid, func(tx *Tx) error { _, err := tx.AddServer(aServer("  ")); return err }},
		{"server name too long", ErrInvalid, func(tx *Tx) error {
			_, err := tx.AddServer(aServer("123456789012345678901234567890123456789012345678901234567890123456789012345678901"))
			return err
		}},
		{"server name with a line break", ErrInvalid, func(tx *Tx) error { _, err := tx.AddServer(aServer("a\nb")); return err }},
		{"server gone", ErrNotFound, func(tx *Tx) error { return tx.PutServer(Server{ID: "s_none", Name: "x"}) }},
		{"transport", ErrInvalid, func(tx *Tx) error { v := v; v.Transport = "carrier pigeon"; return tx.PutServer(v) }},
		{"root twice", ErrTaken, func(tx *Tx) error { _, err := tx.AddRoots(someRoots(1)); return err }},
		{"root twice in one call", ErrTaken, func(tx *Tx) error {
			_, err := tx.AddRoots([]Root{{URI: "file:///x", Kind: root.Folder}, {URI: "file:///x", Kind: root.Folder}})
			return err
		}},
		{"root moved onto another", ErrTaken, func(tx *Tx) error {
			r := before.Roots[m[0]]
			r.URI = before.Roots[m[1]].URI
			return tx.PutRoot(r)
		}},
		{"too many roots", ErrTooMany, func(tx *Tx) error { _, err := tx.AddRoots(make([]Root, MaxRoots)); return err }},
		{"kind of root", ErrInvalid, func(tx *Tx) error { _, err := tx.AddRoots([]Root{{URI: "file:///y"}}); return err }},
		{"unknown member", ErrNotFound, func(tx *Tx) error { return tx.SetMembers(w, []RootID{"r_none"}) }},
		{"member twice", ErrInvalid, func(tx *Tx) error { return tx.SetMembers(w, []RootID{m[0], m[0]}) }},
		{"unknown access", ErrInvalid, func(tx *Tx) error { return tx.Assign(w, v.ID, m[0], "all") }},
		{"last workspace", ErrInvalid, func(tx *Tx) error { return tx.RemoveWorkspace(w) }},
		{"unknown workspace", ErrNotFound, func(tx *Tx) error { return tx.SetActive("w_none") }},
		{"not now is not stored", ErrInvalid, func(tx *Tx) error { return tx.Record(Decision{Identity: "i", URI: "u", Verdict: "not now"}) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Update(t.Context(), tt.change)
			refusal, ok := errors.AsType[*Error](err)
			if !ok || !errors.Is(err, tt.kind) || refusal.Error() == "" {
				t.Fatalf("got %v, want %v", err, tt.kind)
			}
			if sameState(s.State(), before) != "" {
				t.Error("something was published")
			}
		})
	}
	if diff := sameState(before, reopened(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestRemovingWorkspaceActivatesAnother(t *testing.T) {
	s := openAt(t, t.TempDir())
	first := fill(t, s, 1, 2)
	var added Workspace
	update(t, s, func(tx *Tx) (err error) {
		added, err = tx.AddWorkspace(Workspace{Name: "Client B"})
		return errors.Join(err, tx.SetActive(added.ID), tx.SetMembers(added.ID, first.Members[first.Active][:1]))
	})
	st := update(t, s, func(tx *Tx) error { return tx.RemoveWorkspace(added.ID) })
	if st.Active != first.Active || len(st.Workspaces) != 1 || len(st.Roots) != 2 {
		t.Errorf("%+v", st)
	}
	if diff := sameState(st, reopened(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyTheUserCanReadTheFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("access rights are inherited on Windows")
	}
	dir := filepath.Join(t.TempDir(), "profile with #, ? and %41")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, dir)
	fill(t, s, 1, 1)
	if err := s.backUp(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	seen := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: %o, want %o", path, got, want)
		}
		seen++
		return nil
	})
	if err != nil || seen < 6 { // folder, file, -wal, -shm, backups, backup
		t.Errorf("saw %d files: %v", seen, err)
	}
}

func TestClosedStoreRefusesChanges(t *testing.T) {
	s, err := openSettled(context.Background(), t.TempDir(), &Options{Keyring: NewMemoryKeyring()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Update(t.Context(), func(*Tx) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, open := <-s.Changes(); open {
		t.Error("Changes is not closed")
	}
}

func TestTxCannotBeUsedAfterItsChange(t *testing.T) {
	s := openAt(t, t.TempDir())
	var late *Tx
	update(t, s, func(tx *Tx) error { late = tx; return tx.SetSetting("a", "b") })
	before := reopened(t, s)
	for name, err := range map[string]error{
		"setting":  late.SetSetting("a", "c"),
		"decision": late.Record(Decision{Identity: "i", URI: "u", Verdict: Allow}),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := sameState(before, s.State()); diff != "" {
		t.Error(diff)
	}
}
