//go:build unix

package mcpclient

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// pidIn reads a process id that a server wrote to stderr.
func pidIn(t *testing.T, line, word string) int {
	t.Helper()
	_, rest, _ := strings.Cut(line, word+" ")
	pid, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return pid
}

// gone waits until no process has the id, or only its remains have.
func gone(t *testing.T, pid int) {
	t.Helper()
	until(t, "process "+strconv.Itoa(pid), func() bool {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		return err == nil && strings.Contains(string(stat), ") Z ")
	}, func(dead bool) bool { return dead })
}

func TestWhatAServerLeavesBehindIsKilled(t *testing.T) {
	h := newHost(t, self(t, "leaves a child behind"))
	s := start(t, h, nil)
	h.waitKind(0, Connected)
	child, own := pidIn(t, stderrHas(t, s, "child "), "child"), pidIn(t, stderrHas(t, s, "self "), "self")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	gone(t, own)
	gone(t, child)
}

// crashParent is a process that keeps one session with the server that the
// environment names, and prints what the server writes to stderr.
func crashParent(mode string) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	h := &parentHost{spec: Spec{
		Transport: Stdio, Program: exe, Dir: os.TempDir(),
		Env: []string{serverMode + "=" + mode, "PATH=" + os.Getenv("PATH")},
	}, heard: make(chan struct{}, 1)}
	s := New(h, nil)
	printed := 0
	for range h.heard {
		for _, l := range s.Stderr()[printed:] {
			fmt.Println(l)
			printed++
		}
	}
}

type parentHost struct {
	spec  Spec
	heard chan struct{}
}

func (h *parentHost) Launch(context.Context) (Spec, error)     { return h.spec, nil }
func (h *parentHost) Roots(context.Context) (*Exposure, error) { return Encode(1, nil), nil }
func (h *parentHost) Event(e Event) {
	if e.Kind == Stderr {
		select {
		case h.heard <- struct{}{}:
		default:
		}
	}
}

func TestKillOfTheAppLeavesNoOrphan(t *testing.T) {
	for mode, words := range map[string][]string{
		"forgets its stdin":     {"self"},
		"leaves a child behind": {"self", "child"},
	} {
		t.Run(mode, func(t *testing.T) {
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			parent := exec.Command(exe)
			parent.Env = append(os.Environ(), crashMode+"="+mode)
			parent.Stderr = os.Stderr
			out, err := parent.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			var pids []int
			lines := bufio.NewScanner(out)
			for len(pids) < len(words) && lines.Scan() {
				for _, w := range words {
					if strings.HasPrefix(lines.Text(), w+" ") {
						pids = append(pids, pidIn(t, lines.Text(), w))
					}
				}
			}
			if err := parent.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = parent.Wait() // it was killed
			if len(pids) != len(words) {
				t.Fatalf("%d processes known, want %v", len(pids), words)
			}
			for _, pid := range pids {
				gone(t, pid)
			}
		})
	}
}
