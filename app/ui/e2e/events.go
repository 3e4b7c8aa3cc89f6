package e2e

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// Event is one line of the program's events; see README, "Events".
type Event struct {
	Time            time.Time `json:"time"`
	Event           string    `json:"event"`
	Server          string    `json:"server"`
	ProtocolVersion string    `json:"protocolVersion"`
	Transport       string    `json:"transport"`
	Reason          string    `json:"reason"`
	Roots           []struct {
		URI  string `json:"uri"`
		Name string `json:"name"`
	} `json:"roots"`
	URI      string   `json:"uri"`
	Status   string   `json:"status"`
	Decision string   `json:"decision"`
	Folders  []string `json:"folders"`
}

// URIs returns the URIs of an answer, in order.
func (e Event) URIs() []string {
	uris := make([]string, len(e.Roots))
	for i, r := range e.Roots {
		uris[i] = r.URI
	}
	return uris
}

// Events follows the file that a program writes its events to. Waiting goes
// through them once, in order: what was waited for is behind.
type Events struct {
	path string
	t    testing.TB
	of   *Program
	all  []Event
	at   int // the first event not yet waited for
	read int // bytes of the file taken so far
}

// NewEvents follows a file that need not be there yet.
func NewEvents(g *Program, path string) *Events {
	e := &Events{path: path, t: g.t, of: g}
	g.t.Cleanup(func() {
		if g.t.Failed() {
			raw, err := os.ReadFile(path)
			g.t.Logf("events (%v):\n%s", err, raw)
		}
	})
	return e
}

// more reads what was written since the last time.
func (e *Events) more() error {
	raw, err := os.ReadFile(e.path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	raw = raw[e.read:]
	for {
		line, rest, whole := bytes.Cut(raw, []byte("\n"))
		if !whole {
			return nil
		}
		var event Event
		if err := json.Unmarshal(line, &event); err != nil {
			return err
		}
		e.all = append(e.all, event)
		e.read += len(line) + 1
		raw = rest
	}
}

// Wait waits for the next event of a kind for which every condition holds.
func (e *Events) Wait(kind string, conditions ...func(Event) bool) Event {
	e.t.Helper()
	return e.WaitFor(Patience, kind, conditions...)
}

// WaitFor is Wait with a time of its own.
func (e *Events) WaitFor(d time.Duration, kind string, conditions ...func(Event) bool) Event {
	e.t.Helper()
	var found Event
	from := e.at
	err := until(within(e.t, d), func() (bool, error) {
		if err := e.more(); err != nil {
			return false, err
		}
		for e.at < len(e.all) {
			event := e.all[e.at]
			e.at++
			if event.Event == kind && !slices.ContainsFunc(conditions, func(holds func(Event) bool) bool { return !holds(event) }) {
				found = event
				return true, nil
			}
		}
		return false, e.of.alive()
	})
	if err != nil {
		var since []string
		for _, event := range e.all[from:] {
			since = append(since, event.Event)
		}
		e.t.Fatalf("no %s as expected (%v); there were: %s", kind, err, strings.Join(since, ", "))
	}
	return found
}

// None fails the test if an event of the kind was written since the last one
// that was waited for.
func (e *Events) None(kind string) {
	e.t.Helper()
	if err := e.more(); err != nil {
		e.t.Fatal(err)
	}
	for _, event := range e.all[e.at:] {
		if event.Event == kind {
			e.t.Errorf("there was a %s that should not be", kind)
		}
	}
}

// Answered holds for an answer with exactly these paths, in order.
func Answered(paths ...string) func(Event) bool {
	want := make([]string, len(paths))
	for i, path := range paths {
		want[i] = URI(path)
	}
	return func(e Event) bool { return slices.Equal(e.URIs(), want) }
}

// URI is the file URI of an absolute path, written without the program's own
// code so that it can prove that code wrong.
func URI(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// Of holds for events of a server.
func Of(server string) func(Event) bool { return func(e Event) bool { return e.Server == server } }
