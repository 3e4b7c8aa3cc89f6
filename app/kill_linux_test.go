package app

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// fileKeyring is a keyring that outlives the process, for the one that is killed.
type fileKeyring struct{ dir string }

func (k fileKeyring) file(account string) string {
	return filepath.Join(k.dir, fmt.Sprintf("%x", account))
}

func (k fileKeyring) Get(account string) (string, error) {
	data, err := os.ReadFile(k.file(account))
	if errors.Is(err, os.ErrNotExist) {
		return "", store.ErrNoItem
	}
	return string(data), err
}

func (k fileKeyring) Set(account, value string) error {
	if err := os.WriteFile(k.file(account)+"~", []byte(value), 0o600); err != nil {
		return err
	}
	return os.Rename(k.file(account)+"~", k.file(account))
}

func (k fileKeyring) Delete(account string) error { return os.Remove(k.file(account)) }

func openKillable(ctx context.Context, dir string) (*Engine, error) {
	if err := os.MkdirAll(filepath.Join(dir, "keyring"), 0o700); err != nil {
		return nil, err
	}
	return Open(ctx, &Options{
		DataDir: filepath.Join(dir, "profile"), ApproveAll: true,
		Store: &store.Options{Keyring: fileKeyring{filepath.Join(dir, "keyring")}},
	})
}

// report is one change that was done, as the killed process told it.
type report struct {
	URI    string
	Name   string
	Server store.ServerID // it is assigned and allowed for this one
	ID     store.Identity
}

// changeUntilKilled is the process that is killed: an engine with real servers
// that makes one change after the other and reports each when it is done.
func changeUntilKilled(dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	ctx := context.Background()
	e, err := openKillable(ctx, dir)
	fail(err)
	e.Start()
	exe, err := os.Executable()
	fail(err)
	for i := len(e.Snapshot().Servers); i < 3; i++ {
		_, err := e.AddServer(ctx, ServerSpec{Name: fmt.Sprint("probe ", i), Command: exe, Args: []string{"probe", dir, fmt.Sprint(i)}, Enabled: true})
		fail(err)
	}
	out := json.NewEncoder(os.Stdout)
	for i := len(e.Snapshot().Roots); ; i++ {
		path := filepath.Join(dir, "folders", fmt.Sprint(i))
		fail(os.MkdirAll(path, 0o700))
		ids, err := e.AddRoots(ctx, []RootSpec{{Path: path}})
		fail(err)
		r := rootView(e.Snapshot(), ids[0])
		fail(out.Encode(report{URI: r.URI}))
		name := fmt.Sprint("name ", i)
		fail(e.RenameRoot(ctx, ids[0], name))
		fail(out.Encode(report{URI: r.URI, Name: name}))
		srv := e.Snapshot().Servers[i%3]
		fail(e.Assign(ctx, []Tick{{Server: srv.ID, Root: ids[0], On: true, Access: root.ReadWrite}}))
		fail(out.Encode(report{URI: r.URI, Name: name, Server: srv.ID, ID: e.identityOf(srv.ID)}))
	}
}

func TestKillLosesNoChangeThatWasDoneAndLeavesNoServer(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]report{} // by URI, the newest
	total, kills := 0, 0
	for ; total < 200; kills++ {
		cmd := exec.Command(exe, "engine", dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		take := func() bool {
			line, err := lines.ReadString('\n')
			if err != nil {
				return false
			}
			var r report
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			done[r.URI] = r
			total++
			return true
		}
		for range 1 + rand.IntN(30) {
			if !take() {
				t.Fatal("the engine ended by itself")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for take() { // what it reported before the kill reached it
		}
		if _, err := io.Copy(io.Discard, lines); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the engine ended by itself")
		}
		soon(t, "servers outlive the engine", func() []int { return processesWith(t, dir) })
		holds(t, dir, done)
	}
	t.Logf("%d changes, %d kills", total, kills)
}

// holds opens the profile as the next start does and looks for all changes.
func holds(t *testing.T, dir string, done map[string]report) {
	t.Helper()
	e, err := openKillable(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s := e.Snapshot()
	if !s.Health.Sealed || strings.Contains(s.Health.SealedText, "altered") {
		t.Errorf("after a kill: %s", s.Health.SealedText)
	}
	views := map[string]RootView{}
	for _, v := range s.Roots {
		views[v.URI] = v
	}
	state := e.store.State()
	for uri, want := range done {
		v, there := views[uri]
		switch {
		case !there:
			t.Errorf("%s was added and is gone", uri)
		case want.Name != "" && v.Name != want.Name:
			t.Errorf("%s is called %q, not %q", uri, v.Name, want.Name)
		case want.Server != "" && state.Assignments[state.Active][want.Server][v.ID] != root.ReadWrite:
			t.Errorf("%s is not assigned any more", uri)
		case want.Server != "" && state.Decisions[want.ID][uri].Verdict != store.Allow:
			t.Errorf("the consent for %s is gone", uri)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	db, err := sql.Open("sqlite3", filepath.Join(dir, "profile", "profile.db"))
	if err != nil {
		t.Fatal(err)
	}
	var verdict string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %s %v", verdict, err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
