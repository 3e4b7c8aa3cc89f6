package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

func TestServerThatAsksAThousandTimesGetsOnePrompt(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	r := d.addFolder(filepath.Join(t.TempDir(), "folder"))
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	d.tells(srv, 0)
	if err := d.AssignOnly(t.Context(), []Tick{{Server: srv, Root: r, On: true}}); err != nil {
		t.Fatal(err)
	}
	d.until("the folder is seen", func(s *Snapshot) bool { return rootView(s, r).Status.Usable() })
	d.mu.Lock()
	l := d.links[srv]
	d.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asking sync.WaitGroup
	for range 1000 {
		asking.Go(func() {
			if x, err := l.Roots(ctx); err == nil && len(x.Roots) > 0 {
				t.Error("told before it was allowed")
			}
		})
	}
	p := d.prompt(srv, true)
	if n := len(d.Snapshot().Prompts); n != 1 {
		t.Errorf("%d prompts", n)
	}
	if err := d.Answer(t.Context(), p.ID, PromptAnswer{Verdict: NotNow}); err != nil {
		t.Fatal(err)
	}
	asking.Wait()
	x, err := l.Roots(ctx)
	if err != nil || len(x.Roots) != 0 {
		t.Errorf("after not now: %v, %v", x, err)
	}
	if n := len(d.Snapshot().Prompts); n != 0 {
		t.Error("asked again right after not now")
	}
}

func TestNotNowIsQuietForAWhileThatGrows(t *testing.T) {
	d := newDesk(t, Options{})
	key := quietKey{identity: "x", uri: "file:///a"}
	var last time.Duration
	for i := range 8 {
		d.mu.Lock()
		d.hushLocked(key)
		pause := time.Until(d.quiet[key].until)
		d.mu.Unlock()
		if pause <= last && pause < quietMost-time.Minute {
			t.Errorf("quiet %d is %s after %s", i, pause, last)
		}
		if pause > quietMost {
			t.Errorf("quiet %d is %s", i, pause)
		}
		last = pause
	}
}

func TestServerThatTakesAnothersNameIsRecognisable(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	d.addProbe("Roots Manager PROBE") // what the probe calls itself, in other letters
	impostor := d.addProbe("impostor", "--other")
	d.answerApproval(impostor, AllowUntilQuit)
	d.tells(impostor, 0)
	if note := server(d.Snapshot(), impostor).SelfNote; !strings.Contains(note, "another server") {
		t.Errorf("the note is %q", note)
	}
	r := d.addFolder(filepath.Join(t.TempDir(), "folder"))
	if err := d.AssignOnly(t.Context(), []Tick{{Server: impostor, Root: r, On: true}}); err != nil {
		t.Fatal(err)
	}
	if err := d.RestartServer(t.Context(), impostor); err != nil {
		t.Fatal(err)
	}
	p := d.prompt(impostor, true)
	if p.ServerName != "impostor" || !strings.Contains(p.Note, "another server") {
		t.Errorf("the prompt calls it %q with the note %q", p.ServerName, p.Note)
	}
}

func TestDecisionsAreSeenAndTakenBackOneByOneAndAll(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	one, two := d.addFolder(filepath.Join(t.TempDir(), "one")), d.addFolder(filepath.Join(t.TempDir(), "two"))
	d.tick(srv, one, true)
	d.tick(srv, two, true)
	d.tells(srv, 2)
	list := d.Decisions()
	if len(list) != 3 {
		t.Fatalf("%d decisions: %+v", len(list), list)
	}
	for _, v := range list {
		if len(v.Servers) != 1 || v.Servers[0] != "probe" || v.Time.IsZero() || v.Origin == "" {
			t.Errorf("not told whose it is: %+v", v)
		}
	}
	if n, err := d.Revoke(t.Context(), Revocation{URI: rootView(d.Snapshot(), one).URI}); err != nil || n != 1 {
		t.Fatalf("revoke one: %d, %v", n, err)
	}
	d.until("only the other is told", func(s *Snapshot) bool {
		return s.Cells.Cell(srv, one).State == CellAsks && s.Cells.Cell(srv, two).State == CellOn
	})
	if _, err := d.Revoke(t.Context(), Revocation{}); err == nil {
		t.Error("revoking nothing did something")
	}
	if n, err := d.Revoke(t.Context(), Revocation{All: true}); err != nil || n != 2 {
		t.Fatalf("revoke all: %d, %v", n, err)
	}
	d.until("it waits for approval", func(s *Snapshot) bool { return server(s, srv).State == ServerWaiting })
	if left := d.Decisions(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}

func TestRenamingAServerToAnApprovedNameApprovesNothing(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	good := d.addProbe("good")
	d.answerApproval(good, AllowAlways)
	r := d.addFolder(filepath.Join(t.TempDir(), "folder"))
	d.tick(good, r, true)
	d.tells(good, 1)
	if err := d.RemoveServer(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	evil := d.addProbe("good", "--evil")
	d.until("it waits for approval", func(s *Snapshot) bool { return server(s, evil).State == ServerWaiting })
	if err := d.AssignOnly(t.Context(), []Tick{{Server: evil, Root: r, On: true}}); err != nil {
		t.Fatal(err)
	}
	if c := d.Snapshot().Cells.Cell(evil, r); c.State != CellAsks {
		t.Errorf("the folder is %s for the impostor", c.State)
	}
}

// Each change to what would run, one at a time, leads to waiting for approval.
func TestEveryPartOfWhatRunsIsBoundToItsApproval(t *testing.T) {
	d := newDesk(t, Options{})
	dir := t.TempDir()
	base := ServerSpec{Name: "x", Command: "/bin/sh", Args: []string{"-c", "true"}, Dir: dir, Env: []store.Var{{Name: "A", Value: "1"}}}
	id, err := d.AddServer(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	identity := func() store.Identity { return d.identityOf(id) }
	first := identity()
	seen := map[store.Identity]string{first: "base"}
	for what, change := range map[string]func(*ServerSpec){
		"command":            func(s *ServerSpec) { s.Command = "/bin/cat" },
		"an argument":        func(s *ServerSpec) { s.Args = []string{"-c", "false"} },
		"arguments joined":   func(s *ServerSpec) { s.Args = []string{"-c true"} },
		"working folder":     func(s *ServerSpec) { s.Dir = os.TempDir() },
		"value of variable":  func(s *ServerSpec) { s.Env = []store.Var{{Name: "A", Value: "2"}} },
		"name of variable":   func(s *ServerSpec) { s.Env = []store.Var{{Name: "B", Value: "1"}} },
		"another variable":   func(s *ServerSpec) { s.Env = append(s.Env, store.Var{Name: "C", Value: ""}) },
		"no variables":       func(s *ServerSpec) { s.Env = nil },
		"a URL instead":      func(s *ServerSpec) { *s = ServerSpec{Name: "x", URL: "https://a.example/mcp"} },
		"another URL":        func(s *ServerSpec) { *s = ServerSpec{Name: "x", URL: "https://a.example/mcp2"} },
		"another URL's port": func(s *ServerSpec) { *s = ServerSpec{Name: "x", URL: "https://a.example:444/mcp"} },
		"another scheme":     func(s *ServerSpec) { *s = ServerSpec{Name: "x", URL: "http://a.example/mcp"} },
	} {
		spec := base
		spec.Args, spec.Env = append([]string(nil), base.Args...), append([]store.Var(nil), base.Env...)
		change(&spec)
		if err := d.UpdateServer(t.Context(), id, spec); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		now := identity()
		if other, ok := seen[now]; ok {
			t.Errorf("%s has the identity of %s", what, other)
		}
		seen[now] = what
	}
	for what, same := range map[string]func(*ServerSpec){
		"a name":           func(s *ServerSpec) { s.Name = "y" },
		"roots off":        func(s *ServerSpec) { s.RootsOff = true },
		"pinned revision":  func(s *ServerSpec) { s.Revision = "2025-06-18" },
		"order of nothing": func(*ServerSpec) {},
	} {
		spec := base
		same(&spec)
		if err := d.UpdateServer(t.Context(), id, spec); err != nil {
			t.Fatal(err)
		}
		if identity() != first {
			t.Errorf("%s changed the identity", what)
		}
	}
}

func TestForgedAssignmentInTheDatabaseTellsNothing(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	r := d.addFolder(filepath.Join(t.TempDir(), "folder"))
	// What another program could write: an assignment, without a decision.
	if _, err := d.store.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Assign(tx.State().Active, srv, r, root.ReadWrite)
	}); err != nil {
		t.Fatal(err)
	}
	d.adopt(d.store.State())
	if c := d.Snapshot().Cells.Cell(srv, r); c.State != CellAsks {
		t.Errorf("the forged cell is %s", c.State)
	}
	p := d.prompt(srv, true)
	if err := d.Answer(t.Context(), p.ID, PromptAnswer{Verdict: NotNow}); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 0)
}

func TestApprovalForOneStarterIsNoneForAnother(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "profile")
	d := newDesk(t, Options{DataDir: dir, Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	d.tells(srv, 0)
	other := newDesk(t, Options{DataDir: dir, Prompter: true, Starter: "an AI app"})
	p := other.prompt(srv, false)
	if p.Approval.Identity == server(d.Snapshot(), srv).Identity {
		t.Error("both starters have one identity")
	}
}

// The link is re-pointed while the server waits for its answer, behind the
// monitor's back or not: the answer looks for itself.
func TestSymlinkRepointedBetweenConsentAndAnswerIsNotTold(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	link, evil := goodLink(t)
	good := filepath.Join(filepath.Dir(evil), "good")
	r := d.addRoot(link)
	d.tick(srv, r, true)
	d.tells(srv, 1)
	d.mu.Lock()
	l := d.links[srv]
	d.mu.Unlock()
	for i := range 20 {
		target := []string{evil, good}[i%2]
		fresh := link + ".new"
		if err := os.Symlink(target, fresh); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(fresh, link); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond) // a question may come up; nobody answers it
		x, err := l.Roots(ctx)
		cancel()
		if target == evil && err == nil && len(x.Roots) != 0 {
			t.Fatalf("round %d: told of %v while the link leads to %s", i, x.Roots, target)
		}
	}
}
