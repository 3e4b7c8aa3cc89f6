package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rootsmanager/store"
)

// terminal is a pseudo-terminal with a person at it: the test.
type terminal struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	shown  safeBuffer
	seen   int // how much of shown was expected already
	ended  chan struct{}
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here: ", err)
	}
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	var ioErr error
	err = raw.Control(func(fd uintptr) {
		if ioErr = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); ioErr == nil {
			n, ioErr = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err != nil || ioErr != nil {
		t.Fatal(err, ioErr)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, master: master, slave: slave, ended: make(chan struct{})}
	go func() {
		defer close(x.ended)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			if n > 0 {
				_, _ = x.shown.Write(b[:n])
			}
			if err != nil {
				return // closed
			}
		}
	}()
	t.Cleanup(func() {
		master.Close()
		slave.Close()
		<-x.ended
	})
	return x
}

// expect waits until the terminal shows the text, after what was expected before.
func (x *terminal) expect(text string) {
	x.t.Helper()
	wait(x.t, fmt.Sprintf("the terminal shows %q; it shows %q", text, x.shown.String()), func() bool {
		i := strings.Index(x.shown.String()[x.seen:], text)
		if i >= 0 {
			x.seen += i + len(text)
		}
		return i >= 0
	})
}

func (x *terminal) enter(line string) {
	x.t.Helper()
	if _, err := x.master.WriteString(line + "\n"); err != nil {
		x.t.Fatal(err)
	}
}

// do runs a command line at the terminal.
func (x *terminal) do(ctx context.Context, opts *store.Options, args ...string) (status <-chan int, out *safeBuffer) {
	done := make(chan int, 1)
	ended := make(chan struct{})
	out = &safeBuffer{}
	go func() {
		defer close(ended)
		done <- Execute(ctx, Config{Version: "1.2.3", Store: opts, Args: args, In: x.slave, Out: out, Err: x.slave})
	}()
	x.t.Cleanup(func() {
		x.master.Close()
		<-ended
	})
	return done, out
}

func (x *terminal) status(of <-chan int, want int) {
	x.t.Helper()
	select {
	case got := <-of:
		if got != want {
			x.t.Errorf("status %d, want %d: %s", got, want, x.shown.String())
		}
	case <-time.After(patience):
		x.t.Fatalf("it did not end: %s", x.shown.String())
	}
}

func TestApprovalNeedsAYesAtTheTerminal(t *testing.T) {
	for _, c := range []struct {
		answer string
		yes    bool
	}{{"", false}, {"n", false}, {"never mind", false}, {"\x04", false}, {"y", true}, {"YES", true}} {
		t.Run(c.answer, func(t *testing.T) {
			s, x := newShell(t), newTerminal(t)
			s.must("server", "add", "files", "--", "sh", "-c", "a b")
			status, out := x.do(t.Context(), s.options(), "--data-dir", s.dir, "approve", "files")
			x.expect(`"a b"`)
			x.expect("It runs a shell script")
			x.expect("May this be started? [y/N]")
			x.enter(c.answer)
			want := Failed
			if c.yes {
				want = Done
			}
			x.status(status, want)
			if got := strings.Contains(out.String(), "files is approved"); got != c.yes {
				t.Error(out.String())
			}
			list, _ := s.must("server", "list", "--json")
			contains(t, "server list", list, fmt.Sprintf(`"approved": %v`, c.yes))
			if c.yes {
				again, _ := s.must("approve", "files")
				contains(t, "approve again", again, "was approved on")
			}
		})
	}
}

func TestAssigningIsConsentOnlyAfterAYesAtTheTerminal(t *testing.T) {
	for _, yes := range []bool{false, true} {
		t.Run(fmt.Sprint(yes), func(t *testing.T) {
			s, x := newShell(t), newTerminal(t)
			dir := t.TempDir()
			s.must("server", "add", "files", "--", "sh")
			status, _ := x.do(t.Context(), s.options(), "--data-dir", s.dir, "root", "add", dir, "--server", "all", "--access", "rw")
			x.expect(dir + " (read and write) is to be shared with:")
			x.expect("files: ")
			x.expect("May they be told of it? [y/N]")
			if yes {
				x.enter("y")
			} else {
				x.enter("")
			}
			x.status(status, Done)
			out, _ := s.must("check", dir, "--json")
			contains(t, "check", out, fmt.Sprintf(`"allowed": %v`, yes))
			out, _ = s.must("root", "list")
			if waits := strings.Contains(out, "waits for consent"); waits == yes {
				t.Error(out)
			}
		})
	}
}

func TestNothingIsAskedThatCannotBeKept(t *testing.T) {
	s, x := newShell(t), newTerminal(t)
	s.ring = noKeyring{}
	s.must("server", "add", "files", "--", "sh")
	status, _ := x.do(t.Context(), s.options(), "--data-dir", s.dir, "approve", "files")
	x.expect("could not be kept")
	x.expect("run --consent ask")
	x.status(status, Failed)
	status, _ = x.do(t.Context(), s.options(), "--data-dir", s.dir, "root", "add", t.TempDir(), "--server", "files")
	x.expect("could not be kept")
	x.expect("waits for your consent")
	x.status(status, Done)
}

func TestInterruptedQuestionChangesNothing(t *testing.T) {
	s, x := newShell(t), newTerminal(t)
	s.must("server", "add", "files", "--", "sh")
	ctx, cancel := context.WithCancel(t.Context())
	status, _ := x.do(ctx, s.options(), "--data-dir", s.dir, "approve", "files")
	x.expect("[y/N]")
	cancel()
	x.status(status, Failed)
	x.expect("interrupted")
	out, _ := s.must("server", "list", "--json")
	contains(t, "server list", out, `"approved": false`)
}

func TestSensitivePlaceNeedsTheWholeWord(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	keys := filepath.Join(home, ".ssh")
	if err := os.Mkdir(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	for answer, added := range map[string]bool{"y": false, "": false, "yes": true} {
		s, x := newShell(t), newTerminal(t)
		status, _ := x.do(t.Context(), s.options(), "--data-dir", s.dir, "root", "add", keys)
		x.expect("Careful: " + keys)
		x.expect("Type yes to go on:")
		x.enter(answer)
		want := Failed
		if added {
			want = Done
		}
		x.status(status, want)
		out, _ := s.must("root", "list")
		if strings.Contains(out, keys) != added {
			t.Errorf("%q: %s", answer, out)
		}
	}
}

func TestRunAsksForApprovalAndConsent(t *testing.T) {
	temporary(t)
	x := newTerminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	status, out := x.do(ctx, nil, "run", "--demo", "--json")
	x.expect("Sample server wants to start a program")
	x.expect("[y/s/N/never]")
	x.enter("what")
	x.expect(`"what" is not an answer`)
	x.expect("[y/s/N/never]")
	x.enter("s")
	x.expect("Sample server asks which folders")
	x.expect("1  Sample project, read and write")
	x.expect("2  Sample notes, read-only")
	x.expect("[y/s/N/never]")
	if strings.Contains(out.String(), "roots.answered") {
		t.Error("answered before the person did: ", out.String())
	}
	x.enter("y 2")
	wait(t, "the server is answered", func() bool { return strings.Contains(out.String(), "roots.answered") })
	text := out.String()
	contains(t, "the events", text, `"consent.requested"`, `"decision":"allow"`, `"name":"Sample notes"`)
	if strings.Contains(text, `"name":"Sample project"`) {
		t.Error("told of a folder that was not chosen: ", text)
	}
	cancel()
	x.status(status, Done)
}

func TestRunAnswersNotNowWhenTheTerminalCloses(t *testing.T) {
	temporary(t)
	x := newTerminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	status, out := x.do(ctx, nil, "run", "--demo", "--json")
	x.expect("[y/s/N/never]")
	x.enter("y")
	x.expect("asks which folders")
	x.expect("[y/s/N/never]")
	x.enter("\x04")
	x.expect("every question is answered with not now")
	wait(t, "the server is answered", func() bool { return strings.Contains(out.String(), "roots.answered") })
	contains(t, "the events", out.String(), `"decision":"not now"`, `"roots":[]`)
	cancel()
	x.status(status, Done)
}

func TestRunDropsAQuestionThatWasAnsweredElsewhere(t *testing.T) {
	s, x := newShell(t), newTerminal(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.must("server", "add", "p", "--", exe, "probe")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	status, _ := x.do(ctx, s.options(), "--data-dir", s.dir, "run", "--json")
	x.expect("[y/s/N/never]")
	s.must("server", "off", "p")
	x.expect("answered elsewhere, or is no longer needed")
	cancel()
	x.status(status, Done)
}
