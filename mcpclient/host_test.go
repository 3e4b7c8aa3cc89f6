package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"rootsmanager/app/root"
)

// patience bounds every wait for an event: far above what any step takes.
const patience = 30 * time.Second

// testHost is policy for tests: one spec, one exposure, everything recorded.
type testHost struct {
	t *testing.T

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced with every event
	events   []Event
	spec     Spec
	launch   error
	exposure *Exposure
	rootsErr error
	hold     chan struct{} // Roots waits for it, if there is one
}

func newHost(t *testing.T, spec Spec) *testHost {
	return &testHost{t: t, spec: spec, exposure: Encode(1, nil), changed: make(chan struct{})}
}

func (h *testHost) Launch(context.Context) (Spec, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.spec, h.launch
}

func (h *testHost) Roots(ctx context.Context) (*Exposure, error) {
	h.mu.Lock()
	hold := h.hold
	h.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.exposure, h.rootsErr
}

func (h *testHost) Event(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
	close(h.changed)
	h.changed = make(chan struct{})
}

// set changes the exposure.
func (h *testHost) set(roots ...Root) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.exposure = Encode(h.exposure.Generation+1, roots)
}

func (h *testHost) update(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

func (h *testHost) all() []Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.events)
}

// count returns how many events of a kind there were.
func (h *testHost) count(kind EventKind) int {
	n := 0
	for _, e := range h.all() {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// wait returns the first event from index on that ok accepts, and the index
// after it.
func (h *testHost) wait(from int, what string, ok func(Event) bool) (Event, int) {
	h.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		h.mu.Lock()
		events, changed := h.events, h.changed
		h.mu.Unlock()
		for i := from; i < len(events); i++ {
			if ok(events[i]) {
				return events[i], i + 1
			}
		}
		from = max(from, len(events))
		select {
		case <-changed:
		case <-deadline.C:
			h.t.Fatalf("no %s within %v; there was: %s", what, patience, h.story())
		}
	}
}

func (h *testHost) waitKind(from int, kind EventKind) (Event, int) {
	h.t.Helper()
	return h.wait(from, string(kind), func(e Event) bool { return e.Kind == kind })
}

// waitAnswered waits until the current exposure was answered.
func (h *testHost) waitAnswered(from int) (Event, int) {
	h.t.Helper()
	h.mu.Lock()
	want := h.exposure.Generation
	h.mu.Unlock()
	return h.wait(from, "answer with the current exposure", func(e Event) bool {
		return e.Kind == Answered && e.Exposure != nil && e.Exposure.Generation == want
	})
}

func (h *testHost) story() string {
	type line struct {
		Kind EventKind
		Err  string
	}
	var lines []line
	for _, e := range h.all() {
		l := line{Kind: e.Kind}
		if e.Err != nil {
			l.Err = e.Err.Error()
		}
		lines = append(lines, l)
	}
	out, err := json.Marshal(lines)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// fast are waits for tests that see failures.
var fast = timing{connectStdio: 5 * time.Second, connectWeb: 5 * time.Second, backoff: 20 * time.Millisecond}

// start starts a session that ends with the test.
func start(t *testing.T, h *testHost, opts *Options) *Session {
	t.Helper()
	if opts == nil {
		opts = &Options{timing: fast}
	}
	s := New(h, opts)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if t.Failed() {
			t.Logf("events: %s", h.story())
			for _, l := range s.Stderr() {
				t.Logf("stderr: %s", l)
			}
		}
	})
	return s
}

// self is the spec of this test binary as a server.
func self(t *testing.T, mode string, args ...string) Spec {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		Transport: Stdio,
		Program:   exe,
		Args:      args,
		Dir:       t.TempDir(),
		// The race detector's runtime would sleep for a second when it exits.
		Env: []string{serverMode + "=" + mode, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"},
	}
}

// folder is a root for a path.
func folder(t *testing.T, path, name string) Root {
	t.Helper()
	u, err := root.FromPath(path)
	if err != nil {
		t.Fatal(err)
	}
	return Root{URI: u.String(), Name: name}
}

// within returns a context that ends with patience.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

var errBroken = errors.New("the ledger is on fire at /home/user/secret")
