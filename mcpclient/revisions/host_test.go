package revisions

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rootsmanager/mcpclient"
)

// person is policy for tests: somebody who decides when told to.
type person struct {
	t *testing.T

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced with every event
	events   []mcpclient.Event
	spec     mcpclient.Spec
	exposure *mcpclient.Exposure
	decided  chan struct{} // Roots waits until it is closed
	no       error         // what Roots says instead
}

func newPerson(t *testing.T, spec mcpclient.Spec) *person {
	return &person{t: t, spec: spec, changed: make(chan struct{}), decided: make(chan struct{}), exposure: mcpclient.Encode(1, nil)}
}

// Launch implements [mcpclient.Host].
func (p *person) Launch(context.Context) (mcpclient.Spec, error) { return p.spec, nil }

// Roots implements [mcpclient.Host].
func (p *person) Roots(ctx context.Context) (*mcpclient.Exposure, error) {
	select {
	case <-p.decided:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.no != nil {
		return nil, p.no
	}
	return p.exposure, nil
}

// Event implements [mcpclient.Host].
func (p *person) Event(e mcpclient.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, e)
	close(p.changed)
	p.changed = make(chan struct{})
}

// give changes the exposure.
func (p *person) give(uris ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var roots []mcpclient.Root
	for _, u := range uris {
		roots = append(roots, mcpclient.Root{URI: u, Name: u[strings.LastIndex(u, "/")+1:]})
	}
	p.exposure = mcpclient.Encode(p.exposure.Generation+1, roots)
}

// refuse makes Roots fail; nil ends it.
func (p *person) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.no = err
}

// wait returns the first event from index on that is of the kind and, for an
// answer, gave the current exposure or is the refusal that was wanted, and the
// index after it.
func (p *person) wait(from int, kind mcpclient.EventKind) (mcpclient.Event, int) {
	p.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		p.mu.Lock()
		events, changed, want, refused := p.events, p.changed, p.exposure.Generation, p.no != nil
		p.mu.Unlock()
		for i := from; i < len(events); i++ {
			e := events[i]
			if e.Kind == mcpclient.Disconnected && e.Err != nil {
				p.t.Fatalf("disconnected: %v", e.Err)
			}
			if e.Kind == kind && (kind != mcpclient.Answered || refused && e.Err != nil || e.Exposure != nil && e.Exposure.Generation == want) {
				return e, i + 1
			}
		}
		from = max(from, len(events))
		select {
		case <-changed:
		case <-deadline.C:
			p.t.Fatalf("no %s; there was: %s", kind, p.story())
		}
	}
}

func (p *person) story() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, e := range p.events {
		l := string(e.Kind)
		if e.Err != nil {
			l += " (" + e.Err.Error() + ")"
		}
		all = append(all, l)
	}
	return strings.Join(all, ", ")
}

func (p *person) count(kind mcpclient.EventKind) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, e := range p.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// start starts a session; end ends it, once.
func start(t *testing.T, p *person, opts *mcpclient.Options) (s *mcpclient.Session, end func()) {
	t.Helper()
	opts.ClientVersion = "golden"
	s = mcpclient.New(p, opts)
	end = sync.OnceFunc(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if t.Failed() {
			t.Logf("events: %s", p.story())
			for _, l := range s.Stderr() {
				t.Logf("stderr: %s", l)
			}
		}
	})
	t.Cleanup(end)
	return s, end
}

// until asks again until the server believes what it was told: it takes an
// answer over some time after it came.
func until(t *testing.T, what string, want []string, ask func() []string) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		got := ask()
		if len(got) == 0 && len(want) == 0 || slices.Equal(got, want) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s: the server believes %v, want %v", what, got, want)
		}
	}
}

func parse[T any](t *testing.T, data string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Fatal(fmt.Errorf("%w in %s", err, data))
	}
	return v
}
