package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rootsmanager/app"
	"rootsmanager/store"
)

// running is a `run` in the background.
type running struct {
	t      *testing.T
	stop   context.CancelFunc
	status chan int
	lines  *bufio.Scanner
	out    *os.File // what the run writes to stdout
	err    safeBuffer
}

// start runs a command line until stop; its stdout can be read line by line.
func start(t *testing.T, opts *store.Options, args ...string) *running {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, stop: cancel, status: make(chan int, 1), lines: bufio.NewScanner(read), out: read}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		status := Execute(ctx, Config{Version: "1.2.3", Store: opts, Args: args, In: strings.NewReader(""), Out: write, Err: &r.err})
		write.Close()
		r.status <- status
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		read.Close()
	})
	if err := read.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return r
}

// until reads lines until one has all words; it returns that line.
func (r *running) until(words ...string) string {
	r.t.Helper()
	var seen []string
	for r.lines.Scan() {
		line := r.lines.Text()
		seen = append(seen, line)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
			return line
		}
	}
	r.t.Fatalf("no line has %q: %v\n%s\nstderr %s", words, r.lines.Err(), strings.Join(seen, "\n"), r.err.String())
	return ""
}

// end waits for the exit status.
func (r *running) end() int {
	r.t.Helper()
	select {
	case status := <-r.status:
		return status
	case <-time.After(patience):
		r.t.Fatalf("it did not end\nstderr %s", r.err.String())
		return -1
	}
}

func temporary(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	return dir
}

func leftIn(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind in the temporary folder: %v %v", entries, err)
	}
}

func TestDemoRunConnectsAndAnswersByItself(t *testing.T) {
	dir := temporary(t)
	r := start(t, nil, "run", "--demo", "--consent", "session", "--json")
	var connected, answered struct {
		Time            time.Time
		Event           string
		Server          string
		ProtocolVersion string
		Transport       string
		ServerInfo      struct{ Name, Version string }
		Roots           []struct{ URI, Name string }
		DurationMs      *float64
	}
	if err := json.Unmarshal([]byte(r.until(`"server.connected"`)), &connected); err != nil {
		t.Fatal(err)
	}
	if connected.Server != "Sample server" || connected.Transport != "stdio" || connected.ProtocolVersion != "2025-11-25" ||
		connected.ServerInfo.Name == "" || time.Since(connected.Time) > patience {
		t.Errorf("%+v", connected)
	}
	r.until(`"roots.requested"`, `"server":"Sample server"`)
	if err := json.Unmarshal([]byte(r.until(`"roots.answered"`)), &answered); err != nil {
		t.Fatal(err)
	}
	if len(answered.Roots) != 2 || answered.Roots[0].Name != "Sample project" || answered.Roots[1].Name != "Sample notes" ||
		!strings.HasPrefix(answered.Roots[0].URI, "file:///") || answered.DurationMs == nil {
		t.Errorf("%+v", answered)
	}

	// A folder that vanishes is taken back, and told.
	found, err := filepath.Glob(filepath.Join(dir, "roots-manager-demo-*", "sample-notes"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v %v", found, err)
	}
	if err := os.Rename(found[0], found[0]+" away"); err != nil {
		t.Fatal(err)
	}
	r.until(`"root.status"`, `"status":"missing","previous":"reachable"`)
	r.until(`"roots.notified"`)
	if line := r.until(`"roots.answered"`); strings.Contains(line, "Sample notes") {
		t.Error(line)
	}

	began := time.Now()
	r.stop()
	if status := r.end(); status != Done {
		t.Errorf("status %d", status)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("ending took %s", took)
	}
	contains(t, "stderr", r.err.String(), "for this run only; nothing of that is stored")
	leftIn(t, dir)
}

func TestRunEndsWhenNobodyReadsItsOutput(t *testing.T) {
	dir := temporary(t)
	r := start(t, nil, "run", "--demo", "--consent", "session")
	r.until("Sample server is connected")
	r.out.Close()
	if runtime.GOOS != "linux" { // elsewhere it is noticed with the next event
		found, err := filepath.Glob(filepath.Join(dir, "roots-manager-demo-*", "sample-notes"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		if err := os.Rename(found[0], found[0]+" away"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if status := r.end(); status != Done {
		t.Errorf("status %d: %s", status, r.err.String())
	}
	leftIn(t, dir)
}

func TestRunWithoutTerminalDeniesAndSaysSo(t *testing.T) {
	s := newShell(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.must("server", "add", "my probe", "--", exe, "probe")
	for _, consent := range []string{"ask", "deny"} {
		r := start(t, s.options(), "--data-dir", s.dir, "run", "--consent", consent)
		wait(t, "it says what waits", func() bool {
			return strings.Contains(r.err.String(), `roots-manager approve "my probe"`)
		})
		if denies := strings.Contains(r.err.String(), "Nobody can be asked"); denies != (consent == "ask") {
			t.Errorf("%s: %s", consent, r.err.String())
		}
		r.stop()
		if status := r.end(); status != Done {
			t.Errorf("status %d", status)
		}
	}
}

func TestRunSeesWhatAnotherProcessChanges(t *testing.T) {
	s := newShell(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s.must("server", "add", "p", "--", exe, "probe")
	r := start(t, s.options(), "--data-dir", s.dir, "run", "--consent", "session", "--json")
	r.until(`"roots.answered"`, `"roots":[]`)
	s.must("root", "add", dir, "--name", "New one", "--server", "p")
	r.until(`"roots.notified"`)
	r.until(`"roots.answered"`, `"name":"New one"`)
	s.must("root", "remove", dir)
	r.until(`"roots.answered"`, `"roots":[]`)
	s.must("server", "off", "p")
	r.stop()
	if status := r.end(); status != Done {
		t.Errorf("status %d", status)
	}
	out, _ := s.must("server", "list", "--json")
	contains(t, "server list", out, `"approved": false`) // nothing of the run was stored
}

// wait polls what has no event, with a deadline.
func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !done() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func TestWindowGetsAnOpenEngine(t *testing.T) {
	temporary(t)
	events := filepath.Join(t.TempDir(), "events.jsonl")
	t.Chdir(t.TempDir())
	var got WindowOptions
	var servers, roots int
	var out, errs safeBuffer
	status := Execute(t.Context(), Config{
		Args: []string{"--demo", "--play", "shot.png", "--events", events}, In: strings.NewReader(""), Out: &out, Err: &errs,
		Window: func(_ context.Context, opts WindowOptions) error {
			got = opts
			servers, roots = len(opts.Engine.Snapshot().Servers), len(opts.Engine.Snapshot().Roots)
			waiting := make(chan struct{})
			cancel := opts.Engine.Subscribe(func(s *app.Snapshot) {
				if len(s.Prompts) == 1 && s.Prompts[0].Approval != nil {
					select {
					case <-waiting:
					default:
						close(waiting)
					}
				}
			})
			defer cancel()
			select {
			case <-waiting:
				return nil
			case <-time.After(patience):
				return errors.New("the sample server did not wait for approval")
			}
		},
	})
	if status != Done {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	if play, err := filepath.Abs("shot.png"); err != nil || !got.Demo || got.Play != play || servers != 1 || roots != 2 {
		t.Errorf("%+v, %d servers, %d roots", got, servers, roots)
	}
	written, err := os.ReadFile(events)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "the events", string(written), `"event":"root.status"`)
}

func TestSecondWindowRaisesTheFirst(t *testing.T) {
	s := newShell(t)
	var out, errs safeBuffer
	second := -1
	window := func(ctx context.Context, opts WindowOptions) error {
		second = Execute(ctx, Config{
			Store: s.options(), Args: []string{"--data-dir", s.dir}, In: strings.NewReader(""), Out: &out, Err: &errs,
			Window: func(context.Context, WindowOptions) error { return errors.New("a second window was shown") },
		})
		select {
		case <-opts.Raised:
			return nil
		case <-time.After(patience):
			return errors.New("the first window was not asked to come to the front")
		}
	}
	status := Execute(t.Context(), Config{Store: s.options(), Args: []string{"--data-dir", s.dir}, In: strings.NewReader(""), Out: &out, Err: &errs, Window: window})
	if status != Done || second != Done {
		t.Errorf("first %d, second %d: %s", status, second, errs.String())
	}
	contains(t, "stderr", errs.String(), "open already")
}

func TestDamagedProfileIsSetAsideAndRestored(t *testing.T) {
	s := newShell(t)
	s.must("server", "add", "kept", "--", "sh")
	// A store that is opened after a change makes a backup.
	st, err := store.Open(t.Context(), s.dir, s.options())
	if err != nil {
		t.Fatal(err)
	}
	wait(t, "there is a backup", func() bool {
		all, err := store.Backups(s.dir)
		return err == nil && len(all) > 0
	})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if out, _ := s.must("restore"); !strings.Contains(out, "not damaged") {
		t.Error(out)
	}

	spoil := func() {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.dir, "profile.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := s.do("server", "list")
		if status != Failed {
			t.Errorf("status %d", status)
		}
		contains(t, "stderr", stderr, "was set aside as", "roots-manager restore ", "roots-manager restore --empty")
	}
	spoil()
	out, _ := s.must("restore")
	contains(t, "restore", out, "is in place", "profile-damaged-")
	out, _ = s.must("server", "list")
	contains(t, "server list", out, "kept")

	spoil()
	out, _ = s.must("restore", "--empty", "--json")
	var doc restored
	decode(t, out, &doc)
	if !doc.Damaged || doc.SetAside == "" || doc.Restored != "" {
		t.Errorf("%+v", doc)
	}
	if _, err := os.Stat(doc.SetAside); err != nil {
		t.Error(err)
	}
	out, _ = s.must("server", "list")
	contains(t, "server list", out, "no servers yet")
}
