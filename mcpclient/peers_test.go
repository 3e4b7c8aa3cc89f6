package mcpclient

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rootsmanager/mcpclient/peers"
)

// peerEnv is the environment npm servers need.
func peerEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LANG=C.UTF-8"}
}

func filesystemSpec(t *testing.T, dirs ...string) Spec {
	node := peers.Node(t)
	return Spec{
		Transport: Stdio,
		Program:   node,
		Args:      append([]string{peers.Filesystem(t)}, dirs...),
		Dir:       t.TempDir(),
		Env:       peerEnv(),
	}
}

// everythingSpec starts server-everything where it is not ours to start.
func everythingSpec(t *testing.T, transport Transport) Spec {
	node, script := peers.Node(t), peers.Everything(t)
	if transport == Stdio {
		return Spec{Transport: Stdio, Program: node, Args: []string{script, "stdio"}, Dir: t.TempDir(), Env: peerEnv()}
	}
	kind, path := "streamableHttp", "/mcp"
	if transport == SSE {
		kind, path = "sse", "/sse"
	}
	port := freePort(t)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, node, script, kind)
	cmd.Env = append(peerEnv(), fmt.Sprintf("PORT=%d", port))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	up, drained := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(drained)
		lines := bufio.NewScanner(stderr)
		for told := false; lines.Scan(); {
			if !told && strings.Contains(strings.ToLower(lines.Text()), "port") {
				told = true
				close(up)
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-drained
		_ = cmd.Wait() // it was killed
	})
	select {
	case <-up:
	case <-drained:
		t.Fatal("server-everything ended at once")
	case <-time.After(patience):
		t.Fatal("server-everything did not start")
	}
	return Spec{Transport: transport, URL: fmt.Sprintf("http://127.0.0.1:%d%s", port, path)}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// allowedDirectories reads from server-filesystem where it works.
func allowedDirectories(t *testing.T, s *Session) []string {
	t.Helper()
	res, err := s.CallTool(within(t), "list_allowed_directories", nil)
	if err != nil || res.IsError {
		t.Fatalf("list_allowed_directories: %v %s", err, res.Text)
	}
	var dirs []string
	for _, l := range strings.Split(res.Text, "\n")[1:] {
		if l != "" {
			dirs = append(dirs, l)
		}
	}
	return dirs
}

// until repeats a question until the answer satisfies, because a server takes
// an answer over some time after it came.
func until[T any](t *testing.T, what string, ask func() T, ok func(T) bool) {
	t.Helper()
	ctx := within(t)
	for {
		got := ask()
		if ok(got) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: still %v", what, got)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestServerFilesystemWorksWhereItIsTold(t *testing.T) {
	base := realDir(t)
	var roots []Root
	var dirs []string
	for _, name := range []string{"plain", "with space", "hash#tag", "100%25 sure", "question?", "Ünïcode 日本", "plus+and&amp"} {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
		roots = append(roots, folder(t, dir, name))
	}
	file := filepath.Join(base, "a file.txt")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, filesystemSpec(t, dirs[0]))
	h.set(roots[0])
	s := start(t, h, nil)
	_, at := h.waitAnswered(0)

	step := func(what string, want []string, give ...Root) {
		t.Helper()
		h.set(give...)
		s.Announce()
		_, at = h.waitAnswered(at)
		until(t, what, func() []string { return allowedDirectories(t, s) }, func(got []string) bool { return slices.Equal(got, want) })
	}
	step("all kinds of names", dirs, roots...)
	step("one removed", dirs[:6], roots[:6]...)
	step("reordered", []string{dirs[2], dirs[0], dirs[1]}, roots[2], roots[0], roots[1])
	step("renamed", []string{dirs[0]}, folder(t, dirs[0], "another name"))
	step("a missing folder is skipped", []string{dirs[1]}, folder(t, filepath.Join(base, "gone"), ""), roots[1])
	step("a file is skipped", []string{dirs[3]}, folder(t, file, ""), roots[3])
	// It keeps what it had when it is left with nothing: only a restart takes
	// access away. Should that change, this test says so.
	step("an empty list changes nothing", []string{dirs[3]})
	s.Restart()
	_, at = h.waitKind(at, Connected)
	h.waitAnswered(at)
	until(t, "after a restart", func() []string { return allowedDirectories(t, s) }, func(got []string) bool { return slices.Equal(got, dirs[:1]) })
}

func TestServerEverythingOverEveryTransport(t *testing.T) {
	for _, transport := range []Transport{Stdio, HTTP, SSE} {
		t.Run(string(transport), func(t *testing.T) {
			h := newHost(t, everythingSpec(t, transport))
			base := realDir(t)
			h.set(folder(t, base, "base"))
			s := start(t, h, nil)
			e, at := h.waitKind(0, Connected)
			if e.Transport != transport || e.Revision != "2025-11-25" || !e.CanNotify {
				t.Errorf("connected as %+v", e)
			}
			_, at = h.waitAnswered(at)
			believes := func() string {
				res, err := s.CallTool(within(t), "get-roots-list", nil)
				if err != nil {
					t.Fatal(err)
				}
				return res.Text
			}
			until(t, "at first", believes, func(text string) bool { return strings.Contains(text, folder(t, base, "").URI) })
			odd := folder(t, filepath.Join(base, "odd #1 ü%"), "odd one")
			h.set(odd, folder(t, base, "renamed"))
			s.Announce()
			_, at = h.waitAnswered(at)
			until(t, "added, renamed, reordered", believes, func(text string) bool {
				first, second := strings.Index(text, odd.URI), strings.Index(text, "renamed")
				return first >= 0 && second > first && strings.Contains(text, "odd one")
			})
			h.set()
			s.Announce()
			h.waitAnswered(at)
			until(t, "emptied", believes, func(text string) bool { return !strings.Contains(text, "file://") })
		})
	}
}

func TestStreamableAddressOfAnOldServerFallsBackToSSE(t *testing.T) {
	spec := everythingSpec(t, SSE)
	spec.Transport = HTTP
	h := newHost(t, spec)
	h.set(Root{URI: "file:///a"})
	start(t, h, nil)
	e, at := h.waitKind(0, Connected)
	if e.Transport != SSE {
		t.Errorf("connected by %s, want sse", e.Transport)
	}
	h.waitAnswered(at)
}

func TestPinnedRevisionIsKept(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			spec := filesystemSpec(t, t.TempDir())
			spec.Revision = revision
			h := newHost(t, spec)
			start(t, h, nil)
			if e, _ := h.waitKind(0, Connected); e.Revision != revision {
				t.Errorf("connected at %s", e.Revision)
			}
		})
	}
	t.Run("2026-07-28", func(t *testing.T) {
		spec := filesystemSpec(t, t.TempDir())
		spec.Revision = "2026-07-28"
		h := newHost(t, spec)
		start(t, h, nil)
		e, _ := h.waitKind(0, Disconnected)
		if e.Err == nil || !strings.Contains(e.Err.Error(), "not 2026-07-28 as chosen") {
			t.Errorf("a server that lacks the pinned revision: %v", e.Err)
		}
	})
}
