package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Person is somebody at a computer: a home folder and a profile that are thrown
// away after the test. Nothing of the real home is seen or touched.
type Person struct {
	Home    string // also where file dialogs start
	Profile string // data folder of the program
	t       testing.TB
}

// NewPerson returns somebody who never started the program before.
func NewPerson(t testing.TB) *Person {
	t.Helper()
	dir := t.TempDir()
	p := &Person{Home: filepath.Join(dir, "home"), Profile: filepath.Join(dir, "profile"), t: t}
	if err := os.Mkdir(p.Home, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// Folder makes a folder in the home, with one file in it, and returns its path.
func (p *Person) Folder(name string) string {
	p.t.Helper()
	path := filepath.Join(p.Home, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "hello.txt"), []byte("hello from "+name+"\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// env is the environment of the person's programs.
func (p *Person) env() []string {
	var env []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "XDG_") && name != "HOME" && name != "ROOTS_MANAGER_HOME" {
			env = append(env, pair)
		}
	}
	return append(env, "HOME="+p.Home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC")
}

// Run runs one command of the program to its end, with no terminal, and returns
// what it printed and its exit status.
func (p *Person) Run(args ...string) (stdout, stderr string, status int) {
	p.t.Helper()
	cmd := exec.CommandContext(within(p.t, Patience), Binary(p.t), append([]string{"--data-dir", p.Profile}, args...)...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &complaint, p.env()
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
		p.t.Fatalf("roots-manager %s: %v\n%s", strings.Join(args, " "), err, &complaint)
	}
	return out.String(), complaint.String(), cmd.ProcessState.ExitCode()
}

// Do runs one command of the program and fails the test if it does not succeed.
func (p *Person) Do(args ...string) string {
	p.t.Helper()
	out, complaint, status := p.Run(args...)
	if status != 0 {
		p.t.Fatalf("roots-manager %s ended with status %d\n%s%s", strings.Join(args, " "), status, out, complaint)
	}
	return out
}

// Program is one running program of a person.
type Program struct {
	cmd     *exec.Cmd
	t       testing.TB
	stderr  string // file
	Started time.Time
	ended   chan struct{} // closed after the program ended and was waited for
}

// Start starts a program for the person. It is ended with the test.
func (p *Person) Start(out *os.File, name string, args ...string) *Program {
	p.t.Helper()
	complaints, err := os.CreateTemp(p.t.TempDir(), "stderr")
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = p.env(), p.Home, out, complaints
	g := &Program{cmd: cmd, t: p.t, stderr: complaints.Name(), Started: time.Now(), ended: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	_ = complaints.Close() // the program has its own
	go func() {
		defer close(g.ended)
		_ = cmd.Wait() // its end is read from ProcessState
	}()
	p.t.Cleanup(func() {
		if p.t.Failed() {
			p.t.Logf("%s said:\n%s", filepath.Base(name), g.Stderr())
		}
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-g.ended:
		case <-time.After(5 * time.Second):
			p.t.Errorf("%s did not end 5 s after SIGTERM", filepath.Base(name))
			_ = cmd.Process.Kill()
			<-g.ended
		}
	})
	return g
}

// PID is the number of the program's process.
func (g *Program) PID() int { return g.cmd.Process.Pid }

// Stderr is what the program printed there so far.
func (g *Program) Stderr() string {
	text, err := os.ReadFile(g.stderr)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Signal sends a signal to the program.
func (g *Program) Signal(s os.Signal) {
	g.t.Helper()
	if err := g.cmd.Process.Signal(s); err != nil {
		g.t.Fatal(err)
	}
}

// Wait waits until the program ended by itself and returns its exit status, -1
// for a signal.
func (g *Program) Wait() int {
	g.t.Helper()
	select {
	case <-g.ended:
		return g.cmd.ProcessState.ExitCode()
	case <-within(g.t, Patience).Done():
		g.t.Fatal("the program did not end")
		return -1
	}
}

// alive fails once the program has ended.
func (g *Program) alive() error {
	select {
	case <-g.ended:
		return fmt.Errorf("the program ended (%v):\n%s", g.cmd.ProcessState, g.Stderr())
	default:
		return nil
	}
}

// Running returns the processes below the program whose command line contains
// the text.
func (g *Program) Running(text string) []int {
	var found []int
	for _, pid := range children(g.PID()) {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && strings.Contains(string(line), text) {
			found = append(found, pid)
		}
	}
	return found
}

// children returns the processes below a process, theirs included.
func children(of int) []int {
	var found []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	parents := map[int][]int{}
	for _, stat := range stats {
		raw, err := os.ReadFile(stat)
		if err != nil {
			continue // it ended meanwhile
		}
		// "pid (name) state parent …", and the name may hold anything.
		text := string(raw)
		var pid, parent int
		var state string
		if _, err := fmt.Sscan(text, &pid); err != nil {
			continue
		}
		if _, err := fmt.Sscan(text[strings.LastIndexByte(text, ')')+1:], &state, &parent); err != nil || state == "Z" {
			continue
		}
		parents[parent] = append(parents[parent], pid)
	}
	for queue := []int{of}; len(queue) > 0; queue = queue[1:] {
		found = append(found, parents[queue[0]]...)
		queue = append(queue, parents[queue[0]]...)
	}
	return found
}

// Gone waits until none of the processes runs any more.
func Gone(t testing.TB, pids []int) {
	t.Helper()
	var left []int
	err := until(within(t, Patience), func() (bool, error) {
		left = left[:0]
		for _, pid := range pids {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err == nil && !strings.Contains(string(stat), ") Z ") {
				left = append(left, pid)
			}
		}
		return len(left) == 0, nil
	})
	if err != nil {
		t.Errorf("still running: processes %v (%v)", left, err)
	}
}

// output runs a tool of the desktop.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w %s", name, strings.Join(args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return string(out), nil
}
