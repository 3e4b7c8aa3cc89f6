package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rootsmanager/app/root"
	"rootsmanager/mcpclient/misbehave"
	"rootsmanager/mcpclient/probe"
	"rootsmanager/store"
)

// The test binary is also the servers, good and bad, so that every engine test
// talks to real ones in processes of their own, and the engine that is killed.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "misbehave":
		misbehave.Run(os.Args[2])
		os.Exit(0)
	case len(os.Args) > 2 && os.Args[1] == "engine":
		changeUntilKilled(os.Args[2])
	case len(os.Args) > 1 && os.Args[1] == "probe":
		if err := probe.Run(context.Background(), os.Stdin, os.Stdout, "test"); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// patience bounds every wait; it is long because CI is slow, and nothing waits
// for it to pass.
const patience = 20 * time.Second

type desk struct {
	*Engine
	t   testing.TB
	dir string
}

func newDesk(t *testing.T, opts Options) *desk {
	t.Helper()
	if opts.DataDir == "" {
		opts.DataDir = filepath.Join(t.TempDir(), "profile")
	}
	if opts.Store == nil {
		opts.Store = &store.Options{}
	}
	if opts.Store.Keyring == nil {
		opts.Store.Keyring = keyringOf(t)
	}
	e, err := Open(t.Context(), &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	e.Start()
	return &desk{Engine: e, t: t, dir: opts.DataDir}
}

// keyrings holds one keyring for each test, which its desks share as the
// windows of one person do.
var keyrings sync.Map

func keyringOf(t *testing.T) store.Keyring {
	ring, _ := keyrings.LoadOrStore(t.Name(), store.NewMemoryKeyring())
	return ring.(store.Keyring)
}

// until waits for a snapshot that fits.
func (d *desk) until(what string, fits func(*Snapshot) bool) *Snapshot {
	d.t.Helper()
	found := make(chan *Snapshot, 1)
	cancel := d.Subscribe(func(s *Snapshot) {
		if fits(s) {
			select {
			case found <- s:
			default:
			}
		}
	})
	defer cancel()
	if s := d.Snapshot(); fits(s) {
		return s
	}
	select {
	case s := <-found:
		return s
	case <-time.After(patience):
		s := d.Snapshot()
		few := func(n int) int { return min(n, 20) } // of a thousand roots nobody reads all
		d.t.Fatalf("waited in vain until %s\nservers %+v\nroots %+v\nprompts %+v\nactivity %+v", what,
			s.Servers[:few(len(s.Servers))], s.Roots[:few(len(s.Roots))], s.Prompts, s.Activity[:few(len(s.Activity))])
		return nil
	}
}

func (d *desk) addProbe(name string, args ...string) store.ServerID {
	d.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	id, err := d.AddServer(d.t.Context(), ServerSpec{Name: name, Command: exe, Args: append([]string{"probe"}, args...), Enabled: true})
	if err != nil {
		d.t.Fatal(err)
	}
	return id
}

func (d *desk) addFolder(path string) store.RootID {
	d.t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		d.t.Fatal(err)
	}
	return d.addRoot(path)
}

func (d *desk) addRoot(path string) store.RootID {
	d.t.Helper()
	ids, err := d.AddRoots(d.t.Context(), []RootSpec{{Path: path}})
	if err != nil {
		d.t.Fatal(err)
	}
	return ids[0]
}

func (d *desk) answerApproval(server store.ServerID, verdict PromptVerdict) {
	d.t.Helper()
	p := d.prompt(server, false)
	if err := d.Answer(d.t.Context(), p.ID, PromptAnswer{Verdict: verdict}); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) prompt(server store.ServerID, consent bool) Prompt {
	d.t.Helper()
	fits := func(p Prompt) bool { return p.Server == server && (p.Consent != nil) == consent }
	s := d.until("there is a prompt", func(s *Snapshot) bool { return slices.ContainsFunc(s.Prompts, fits) })
	return s.Prompts[slices.IndexFunc(s.Prompts, fits)]
}

func server(s *Snapshot, id store.ServerID) ServerView {
	for _, v := range s.Servers {
		if v.ID == id {
			return v
		}
	}
	return ServerView{}
}

func rootView(s *Snapshot, id store.RootID) RootView {
	for _, v := range s.Roots {
		if v.ID == id {
			return v
		}
	}
	return RootView{}
}

// tells waits until the server's last answer is exactly n roots and current.
func (d *desk) tells(id store.ServerID, n int) {
	d.t.Helper()
	d.until("the server has the current folders", func(s *Snapshot) bool {
		v := server(s, id)
		return v.State == ServerConnected && v.Delivery == DeliveryCurrent && v.Answered == n
	})
}

// sees waits until the server itself says that it works in these folders: it
// takes an answer over a moment after it got it.
func (d *desk) sees(id store.ServerID, want ...string) {
	d.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		seen, err := d.AskWhatItSees(d.t.Context(), id)
		if err != nil {
			d.t.Fatal(err)
		}
		var got []string
		for _, f := range seen.Folders {
			u, err := ParsePlace(f)
			if err != nil {
				d.t.Fatalf("the server named %q: %v", f, err)
			}
			got = append(got, u.Path())
		}
		switch {
		case slices.Equal(got, want) && seen.Matches:
			return
		case time.Now().Before(deadline):
		case !slices.Equal(got, want):
			d.t.Fatalf("the server works in %q, want %q (%s)", got, want, seen.Text)
		default:
			d.t.Fatalf("the server works in %q, and that does not count as what it was told", got)
		}
	}
}

func (d *desk) tick(srv store.ServerID, r store.RootID, on bool) {
	d.t.Helper()
	if err := d.Assign(d.t.Context(), []Tick{{Server: srv, Root: r, On: on, Access: root.ReadOnly}}); err != nil {
		d.t.Fatal(err)
	}
}

func TestTickedFolderIsWhatTheServerWorksIn(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	d.tells(srv, 0)

	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "zwei # ü %41")
	r1, r2 := d.addFolder(one), d.addFolder(two)
	d.tick(srv, r2, true)
	d.tick(srv, r1, true)
	d.tells(srv, 2)
	d.sees(srv, one, two) // the order of the list, not of the ticks

	if err := d.MoveRoot(t.Context(), r2, 0); err != nil {
		t.Fatal(err)
	}
	d.until("the new order is told", func(s *Snapshot) bool { return server(s, srv).Delivery == DeliveryCurrent && s.Roots[0].ID == r2 })
	d.sees(srv, two, one)

	d.tick(srv, r2, false)
	d.tells(srv, 1)
	d.sees(srv, one)
}

func TestNothingStartsBeforeItIsApproved(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	mark := filepath.Join(t.TempDir(), "started")
	id, err := d.AddServer(t.Context(), ServerSpec{Name: "shell", Command: "sh", Args: []string{"-c", "touch " + mark}, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	p := d.prompt(id, false)
	if got := Quote(p.Approval.CommandLine[1:]); got != `-c "touch `+mark+`"` {
		t.Errorf("the question shows %s", got)
	}
	if len(p.Approval.Warnings) == 0 {
		t.Error("a shell script is not warned of")
	}
	d.answerApproval(id, NotNow)
	d.until("it waits without a question", func(s *Snapshot) bool {
		return server(s, id).State == ServerWaiting && len(s.Prompts) == 0
	})
	if _, err := os.Stat(mark); !os.IsNotExist(err) {
		t.Fatalf("the server was started: %v", err)
	}
	if err := d.RestartServer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	d.answerApproval(id, AllowUntilQuit)
	d.until("it ran", func(*Snapshot) bool { _, err := os.Stat(mark); return err == nil })
}

func TestChangedCommandWaitsForApprovalAndShowsTheDifference(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	r := d.addFolder(filepath.Join(t.TempDir(), "folder"))
	d.tick(srv, r, true)
	d.tells(srv, 1)

	spec := server(d.Snapshot(), srv).Spec()
	spec.Name = "renamed"
	if err := d.UpdateServer(t.Context(), srv, spec); err != nil {
		t.Fatal(err)
	}
	if v := server(d.Snapshot(), srv); v.State != ServerConnected {
		t.Fatalf("renaming made it %s", v.State)
	}
	spec.Args = append(spec.Args, "--other")
	if err := d.UpdateServer(t.Context(), srv, spec); err != nil {
		t.Fatal(err)
	}
	p := d.prompt(srv, false)
	if len(p.Approval.Changes) != 1 || p.Approval.Changes[0].Field != "Command" {
		t.Errorf("the difference is not shown: %+v", p.Approval.Changes)
	}
	d.answerApproval(srv, AllowAlways)
	d.until("the changed server is asked about its folder", func(s *Snapshot) bool {
		return len(s.Prompts) == 1 && s.Prompts[0].Consent != nil && s.Cells.Cell(srv, r).State == CellAsks
	})
}

func TestUndecidedFolderIsAskedAboutAndToldOnlyAfterYes(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	r := d.addFolder(filepath.Join(t.TempDir(), "folder"))
	other := d.addFolder(filepath.Join(t.TempDir(), "other"))
	srv := d.addProbe("probe")
	if err := d.AssignOnly(t.Context(), []Tick{{Server: srv, Root: r, On: true, Access: root.ReadWrite}, {Server: srv, Root: other, On: true}}); err != nil {
		t.Fatal(err)
	}
	d.answerApproval(srv, AllowAlways)
	p := d.prompt(srv, true)
	if len(p.Consent.Folders) != 2 || p.Consent.Folders[0].Access != root.ReadWrite || p.Deadline.IsZero() {
		t.Fatalf("the question is %+v, deadline %s", p.Consent, p.Deadline)
	}
	if n := len(server(d.Snapshot(), srv).Errors); n != 0 {
		t.Fatal("the waiting server saw an error")
	}
	if err := d.Answer(t.Context(), p.ID, PromptAnswer{Verdict: AllowAlways, Folders: map[store.RootID]root.Access{r: root.ReadOnly}}); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 1)
	s := d.Snapshot()
	if c := s.Cells.Cell(srv, r); c.State != CellOn || c.Access != root.ReadOnly {
		t.Errorf("cell %+v", c)
	}
	if c := s.Cells.Cell(srv, other); c.State != CellAsks {
		t.Errorf("the folder that was not ticked is %+v", c)
	}
	if len(s.Prompts) != 0 {
		t.Error("the folder that was not ticked is asked about again at once")
	}
	if err := d.Answer(t.Context(), p.ID, PromptAnswer{Verdict: AllowAlways}); err != ErrPromptGone {
		t.Errorf("answering twice: %v", err)
	}
}

func TestWaitingServerIsAnsweredInTimeWithWhatIsAllowed(t *testing.T) {
	d := newDesk(t, Options{Prompter: true, ConsentWait: 50 * time.Millisecond})
	yes, later := d.addFolder(filepath.Join(t.TempDir(), "yes")), d.addFolder(filepath.Join(t.TempDir(), "later"))
	srv := d.addProbe("probe")
	d.tick(srv, yes, true)
	if err := d.AssignOnly(t.Context(), []Tick{{Server: srv, Root: later, On: true}}); err != nil {
		t.Fatal(err)
	}
	d.answerApproval(srv, AllowAlways)
	d.tells(srv, 1)
	p := d.prompt(srv, true)
	if err := d.Answer(t.Context(), p.ID, PromptAnswer{Verdict: AllowUntilQuit, Folders: map[store.RootID]root.Access{later: root.ReadOnly}}); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 2)
	if d := d.store.State().Decisions[server(d.Snapshot(), srv).Identity]; len(d) != 1 {
		t.Errorf("a yes until quit was stored: %+v", d)
	}
}

func TestWithoutAPrompterNothingUndecidedIsTold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "profile")
	d := newDesk(t, Options{DataDir: dir, Prompter: true})
	r := d.addFolder(filepath.Join(t.TempDir(), "folder"))
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	d.tells(srv, 0)

	headless := newDesk(t, Options{DataDir: dir})
	if err := d.AssignOnly(t.Context(), []Tick{{Server: srv, Root: r, On: true}}); err != nil {
		t.Fatal(err)
	}
	headless.until("the other process sees the assignment", func(s *Snapshot) bool {
		return s.Cells.Cell(srv, r).State == CellAsks && server(s, srv).State == ServerConnected
	})
	headless.tells(srv, 0)
	d.tick(srv, r, true)
	headless.tells(srv, 1) // consent given in one process holds in the other
}

func TestRevokingLastRootRestartsServer(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	folder := filepath.Join(t.TempDir(), "folder")
	r := d.addFolder(folder)
	d.tick(srv, r, true)
	d.tells(srv, 1)
	starts := func(s *Snapshot) int {
		n := 0
		for _, a := range s.Activity {
			if a.Kind == "started" {
				n++
			}
		}
		return n
	}
	d.tick(srv, r, false)
	d.until("it is started afresh", func(s *Snapshot) bool { return starts(s) == 2 })
	d.tells(srv, 0)
	d.sees(srv)
}

func TestMissingFolderIsHeldBackAndGivenBackByItself(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	keep, folder := filepath.Join(t.TempDir(), "keep"), filepath.Join(t.TempDir(), "folder")
	d.tick(srv, d.addFolder(keep), true)
	r := d.addFolder(folder)
	d.tick(srv, r, true)
	d.tells(srv, 2)
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 1)
	if c := d.Snapshot().Cells.Cell(srv, r); c.State != CellHeld || c.Reason == "" {
		t.Errorf("the missing folder's cell is %+v", c)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	d.tells(srv, 2)
	d.sees(srv, keep, folder)
}

// goodLink makes a link to the folder good, beside the folder evil.
func goodLink(t *testing.T) (link, evil string) {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"good", "evil"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link = filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "good"), link); err != nil {
		t.Fatal(err)
	}
	return link, filepath.Join(dir, "evil")
}

func TestSymlinkThatLeadsElsewhereIsWithheldUntilApprovedAgain(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	link, evil := goodLink(t)
	r := d.addRoot(link)
	d.tick(srv, r, true)
	d.tells(srv, 1)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(evil, link); err != nil {
		t.Fatal(err)
	}
	d.until("it is withheld", func(s *Snapshot) bool { return s.Cells.Cell(srv, r).State == CellChanged })
	p := d.prompt(srv, true) // the server is started afresh, asks, and waits for the answer
	if f := p.Consent.Folders; len(f) != 1 || !strings.Contains(f[0].Problem, "evil") {
		t.Errorf("the question does not say where the link leads now: %+v", f)
	}
	d.tick(srv, r, true)
	d.tells(srv, 1)
}

func TestRestartedAppTellsOnlyWhatWasDecided(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "profile")
	d := newDesk(t, Options{DataDir: dir, Prompter: true})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	folder := filepath.Join(t.TempDir(), "folder")
	r := d.addFolder(folder)
	d.tick(srv, r, true)
	d.tells(srv, 1)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := newDesk(t, Options{DataDir: dir, Prompter: true})
	again.tells(srv, 1)
	again.sees(srv, folder)
	if n := len(again.Snapshot().Prompts); n != 0 {
		t.Errorf("%d questions about what was decided", n)
	}
}
