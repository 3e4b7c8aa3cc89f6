package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"rootsmanager/app"
)

// eventTime is RFC 3339 with milliseconds.
const eventTime = "2006-01-02T15:04:05.000Z07:00"

// eventLine is one event as JSON. Which fields there are depends on the event;
// "time" and "event" are always there, "server" where one is meant:
//
//	server.connected     protocolVersion, transport (stdio, http, sse), serverInfo {name, version}
//	server.disconnected  reason, a sentence
//	roots.requested
//	roots.answered       roots [{uri, name}] in order, name left out where none was sent; durationMs
//	roots.notified
//	root.status          uri, status, previous (see monitor.Status)
//	consent.requested
//	consent.decided      decision (allow, session, not now, never)
//	server.seen          folders, as the server spells them
type eventLine struct {
	Time            string        `json:"time"` // UTC
	Event           app.EventKind `json:"event"`
	Server          string        `json:"server,omitempty"`
	ProtocolVersion *string       `json:"protocolVersion,omitempty"`
	Transport       *string       `json:"transport,omitempty"`
	ServerInfo      *serverInfo   `json:"serverInfo,omitempty"`
	Reason          *string       `json:"reason,omitempty"`
	Roots           *[]eventRoot  `json:"roots,omitempty"`
	DurationMs      *float64      `json:"durationMs,omitempty"`
	URI             *string       `json:"uri,omitempty"`
	Status          *string       `json:"status,omitempty"`
	Previous        *string       `json:"previous,omitempty"`
	Decision        *string       `json:"decision,omitempty"`
	Folders         *[]string     `json:"folders,omitempty"`
}

type serverInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type eventRoot struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// EncodeEvent gives one event as a line of JSON, with the line feed.
func EncodeEvent(ev app.Event) ([]byte, error) {
	line := eventLine{Time: ev.Time.UTC().Format(eventTime), Event: ev.Kind, Server: ev.Server}
	switch ev.Kind {
	case app.EventServerConnected:
		line.ProtocolVersion, line.Transport = &ev.ProtocolVersion, &ev.Transport
		line.ServerInfo = &serverInfo{ev.ServerName, ev.ServerVersion}
	case app.EventServerDisconnected:
		line.Reason = &ev.Reason
	case app.EventRootsAnswered:
		roots := make([]eventRoot, len(ev.Roots))
		for i, r := range ev.Roots {
			roots[i] = eventRoot{r.URI, r.Name}
		}
		ms := float64(ev.Duration.Microseconds()) / 1000
		line.Roots, line.DurationMs = &roots, &ms
	case app.EventRootStatus:
		line.URI, line.Status, line.Previous = &ev.URI, &ev.Status, &ev.Previous
	case app.EventConsentDecided:
		line.Decision = &ev.Decision
	case app.EventServerSeen:
		folders := append([]string{}, ev.Folders...)
		line.Folders = &folders
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(line)
	return b.Bytes(), err
}

// Limits of an [EventWriter].
const (
	eventsHeld = 10_000          // events that wait for a slow reader
	eventFlush = 2 * time.Second // how long Close waits for one
)

// ErrSlowReader ends an [EventWriter] whose events nobody takes.
var ErrSlowReader = errors.New("the program that reads the events does not take them: 10,000 are waiting")

// EventWriter writes events to a stream, in order. Event never blocks: the
// events wait in memory while the stream does not take them. One goroutine
// writes; it ends with Close, or, if a write blocks for ever, with the stream.
// Its methods are safe for concurrent use, except that no Event may come after
// Close began.
type EventWriter struct {
	encode func(app.Event) ([]byte, error)
	queue  chan app.Event
	failed chan struct{} // closed with the first error
	ended  chan struct{}

	mu  sync.Mutex
	err error
}

// NewEventWriter writes events to w as JSON Lines.
func NewEventWriter(w io.Writer) *EventWriter { return newEventWriter(w, EncodeEvent) }

func newEventWriter(w io.Writer, encode func(app.Event) ([]byte, error)) *EventWriter {
	ew := &EventWriter{
		encode: encode, queue: make(chan app.Event, eventsHeld), failed: make(chan struct{}), ended: make(chan struct{}),
	}
	go ew.write(w)
	return ew
}

func (w *EventWriter) write(out io.Writer) {
	defer close(w.ended)
	for ev := range w.queue {
		line, err := w.encode(ev)
		if err == nil {
			_, err = out.Write(line)
		}
		if err != nil {
			w.fail(err)
			return
		}
	}
}

func (w *EventWriter) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		close(w.failed)
	}
}

// Event queues one event. After an error it does nothing.
func (w *EventWriter) Event(ev app.Event) {
	select {
	case <-w.failed:
		return
	default:
	}
	select {
	case w.queue <- ev:
	default:
		w.fail(ErrSlowReader)
	}
}

// Failed is closed when the stream takes no more events; [EventWriter.Close]
// tells why.
func (w *EventWriter) Failed() <-chan struct{} { return w.failed }

// Close writes what waits, for at most 2 s, and returns the first error. It
// does not close the stream.
func (w *EventWriter) Close() error {
	close(w.queue)
	late := time.NewTimer(eventFlush)
	defer late.Stop()
	select {
	case <-w.ended:
	case <-late.C:
		w.fail(ErrSlowReader)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
