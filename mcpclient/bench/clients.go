package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rootsmanager/mcpclient"
	"rootsmanager/mcpclient/peers"
)

// contender is a client that is measured, in a process of its own.
type contender interface {
	name() string
	// command connects to the target, which is "stdio" and the command of the
	// server, or "http" and its URL, offers so many roots, has the server
	// measure, and prints a [finding].
	command(target []string, roots int) *exec.Cmd
}

// finding is what a client's process prints.
type finding struct {
	Took     []int64 `json:"took"` // ns
	MemoryMB float64 `json:"memoryMb"`
}

// measure runs one client once and adds what it found to r.
func measure(self string, c contender, r *row) error {
	return serving(self, r.Transport, func(target string) error {
		return measureAt(c, []string{r.Transport, target}, r)
	})
}

func measureAt(c contender, target []string, r *row) error {
	cmd := c.command(target, r.Roots)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var f finding
	if err := json.Unmarshal(out, &f); err != nil {
		return fmt.Errorf("reading %q: %w", out, err)
	}
	if len(f.Took) == 0 {
		return errors.New("nothing was measured")
	}
	for _, ns := range f.Took {
		r.took = append(r.took, time.Duration(ns))
	}
	r.MemoryMB = max(r.MemoryMB, f.MemoryMB)
	return nil
}

// taskFor measures fewer large answers than small ones.
func taskFor(roots int) task {
	if roots > 100 {
		return task{Warmup: 50, Times: 300, Roots: roots}
	}
	return task{Warmup: 200, Times: 1500, Roots: roots}
}

type ours struct{ self string }

func (ours) name() string { return "Roots Manager" }

func (o ours) command(target []string, roots int) *exec.Cmd {
	return exec.Command(o.self, append([]string{"-as", "client", strconv.Itoa(roots)}, target...)...)
}

// host is the least policy a Session needs.
type host struct {
	spec      mcpclient.Spec
	exposure  *mcpclient.Exposure
	connected chan struct{}
	failed    chan error
}

func (h *host) Launch(context.Context) (mcpclient.Spec, error) { return h.spec, nil }

func (h *host) Roots(context.Context) (*mcpclient.Exposure, error) { return h.exposure, nil }

func (h *host) Event(e mcpclient.Event) {
	switch {
	case e.Kind == mcpclient.Connected:
		close(h.connected)
	case e.Kind == mcpclient.Disconnected && e.Err != nil:
		select {
		case h.failed <- e.Err:
		default: // one reason is enough
		}
	}
}

// client is the process that measures our Session.
func client(args []string) error {
	if len(args) != 3 {
		return errors.New("the client needs the number of roots and the target")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	h := &host{connected: make(chan struct{}), failed: make(chan error, 1)}
	var roots []mcpclient.Root
	for i := range n {
		roots = append(roots, mcpclient.Root{URI: fmt.Sprintf("file:///home/user/projects/project-%d", i), Name: fmt.Sprintf("project %d", i)})
	}
	h.exposure = mcpclient.Encode(1, roots)
	if args[1] == "http" {
		h.spec = mcpclient.Spec{Transport: mcpclient.HTTP, URL: args[2]}
	} else {
		h.spec = mcpclient.Spec{Transport: mcpclient.Stdio, Program: args[2], Args: []string{"-as", "server", "stdio"}, Dir: os.TempDir(), Env: os.Environ()}
	}
	s := mcpclient.New(h, nil)
	defer s.Close()
	select {
	case <-h.connected:
	case err := <-h.failed:
		return err
	}
	t := taskFor(n)
	res, err := s.CallTool(context.Background(), "measure", map[string]any{"warmup": t.Warmup, "times": t.Times, "roots": t.Roots})
	if err != nil {
		return err
	}
	if res.IsError {
		return errors.New(res.Text)
	}
	var f finding
	if err := json.Unmarshal(res.Structured, &f); err != nil {
		return err
	}
	if f.MemoryMB, err = residentMB(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

// residentMB reads this process's resident set; 0 where there is no /proc.
func residentMB() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kb, err := strconv.ParseFloat(strings.Fields(string(rest))[0], 64)
			return kb / 1024, err
		}
	}
	return 0, errors.New("no VmRSS in /proc/self/status")
}

// typeScript is the client of @modelcontextprotocol/sdk.
type typeScript struct{ node, script, modules string }

func newTypeScript() (typeScript, error) {
	var why absent
	node := peers.Node(&why)
	if why.reason != "" {
		return typeScript{}, errors.New(why.reason)
	}
	modules := peers.SDK(&why)
	if why.reason != "" {
		return typeScript{}, errors.New(why.reason)
	}
	return typeScript{node, filepath.Join("mcpclient", "bench", "client.mjs"), modules}, nil
}

// absent notes why a peer is missing.
type absent struct{ reason string }

func (*absent) Helper()             {}
func (a *absent) Skip(args ...any)  { a.reason = fmt.Sprint(args...) }
func (a *absent) Fatal(args ...any) { a.reason = fmt.Sprint(args...) }

func (typeScript) name() string { return "TypeScript SDK" }

func (t typeScript) command(target []string, roots int) *exec.Cmd {
	k := taskFor(roots)
	return exec.Command(t.node, t.script, t.modules, strconv.Itoa(roots), strconv.Itoa(k.Warmup), strconv.Itoa(k.Times), target[0], target[1])
}
