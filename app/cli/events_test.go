package cli

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rootsmanager/app"
	"rootsmanager/mcpclient"
)

// everyEvent is one event of each kind with what `run --json` and `run` write.
var everyEvent = []struct {
	event app.Event
	json  string
	text  string
}{
	{
		app.Event{
			Kind: app.EventServerConnected, Server: "files <1>", ProtocolVersion: "2025-11-25", Transport: "stdio",
			ServerName: "secure-filesystem-server", ServerVersion: "0.2.0",
		},
		`"event":"server.connected","server":"files <1>","protocolVersion":"2025-11-25","transport":"stdio","serverInfo":{"name":"secure-filesystem-server","version":"0.2.0"}}`,
		"files <1> is connected (2025-11-25, stdio), calls itself secure-filesystem-server 0.2.0",
	},
	{
		app.Event{Kind: app.EventServerDisconnected, Server: "files", Reason: "it ended by itself"},
		`"event":"server.disconnected","server":"files","reason":"it ended by itself"}`,
		"files is not connected: it ended by itself",
	},
	{
		app.Event{Kind: app.EventRootsRequested, Server: "files"},
		`"event":"roots.requested","server":"files"}`,
		"files asked for its folders",
	},
	{
		app.Event{
			Kind: app.EventRootsAnswered, Server: "files", Duration: 1234567 * time.Nanosecond,
			Roots: []mcpclient.Root{{URI: "file:///a%20b", Name: "A & B"}, {URI: "file:///c"}},
		},
		`"event":"roots.answered","server":"files","roots":[{"uri":"file:///a%20b","name":"A & B"},{"uri":"file:///c"}],"durationMs":1.234}`,
		"files was told of file:///a%20b, file:///c in 1.2 ms",
	},
	{
		app.Event{Kind: app.EventRootsAnswered, Server: "files"},
		`"event":"roots.answered","server":"files","roots":[],"durationMs":0}`,
		"files was told of no folders in 0.0 ms",
	},
	{
		app.Event{Kind: app.EventRootsNotified, Server: "files"},
		`"event":"roots.notified","server":"files"}`,
		"files was told that its folders changed",
	},
	{
		app.Event{Kind: app.EventRootStatus, URI: "file:///a", Status: "missing", Previous: "reachable"},
		`"event":"root.status","uri":"file:///a","status":"missing","previous":"reachable"}`,
		"file:///a is missing (was reachable)",
	},
	{
		app.Event{Kind: app.EventConsentRequested, Server: "files"},
		`"event":"consent.requested","server":"files"}`,
		"files waits for consent",
	},
	{
		app.Event{Kind: app.EventConsentDecided, Server: "files", Decision: "not now"},
		`"event":"consent.decided","server":"files","decision":"not now"}`,
		"files consent: not now",
	},
	{
		app.Event{Kind: app.EventServerSeen, Server: "files"},
		`"event":"server.seen","server":"files","folders":[]}`,
		"files says it works in ",
	},
	{
		app.Event{Kind: app.EventServerSeen, Server: "files", Folders: []string{"/a", "/b"}},
		`"event":"server.seen","server":"files","folders":["/a","/b"]}`,
		"files says it works in /a, /b",
	},
}

func TestEventsAreWrittenAsDocumented(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 2, 3, 4_900_000, time.FixedZone("", 3600))
	for _, c := range everyEvent {
		c.event.Time = at
		line, err := EncodeEvent(c.event)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(`{"time":"2026-11-21T09:02:03.004Z",`+c.json+"\n", string(line)); diff != "" {
			t.Error(diff)
		}
		text, err := eventText(c.event)
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(string(text), "  ")
		if diff := cmp.Diff(c.text+"\n", got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestReadableLinesHideNoControlCharacters(t *testing.T) {
	line, err := eventText(app.Event{Kind: app.EventServerDisconnected, Server: "x\x1b[2J", Reason: "a\nb\u202e"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(line), "\x1b\u202e") || strings.Count(string(line), "\n") != 1 {
		t.Errorf("%q", line)
	}
}

func TestEventWriterKeepsOrder(t *testing.T) {
	var out safeBuffer
	w := NewEventWriter(&out)
	for _, server := range []string{"a", "b", "c"} {
		w.Event(app.Event{Kind: app.EventRootsRequested, Server: server})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var order string
	for line := range strings.Lines(out.String()) {
		_, rest, _ := strings.Cut(line, `"server":"`)
		order += rest[:1]
	}
	if order != "abc" {
		t.Errorf("%s: %s", order, out.String())
	}
}

func TestEventWriterStopsAtAClosedStream(t *testing.T) {
	r, out := io.Pipe()
	r.Close()
	w := NewEventWriter(out)
	w.Event(app.Event{Kind: app.EventRootsRequested})
	select {
	case <-w.Failed():
	case <-time.After(patience):
		t.Fatal("nobody was told that the stream is closed")
	}
	w.Event(app.Event{Kind: app.EventRootsRequested})
	if err := w.Close(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v", err)
	}
}

func TestEventWriterGivesUpOnAReaderThatDoesNotRead(t *testing.T) {
	r, out := io.Pipe()
	w := NewEventWriter(out)
	for range eventsHeld + 2 { // one is being written
		w.Event(app.Event{Kind: app.EventRootsRequested})
	}
	select {
	case <-w.Failed():
	default:
		t.Error("events are held without a bound")
	}
	if err := w.Close(); !errors.Is(err, ErrSlowReader) {
		t.Errorf("%v", err)
	}
	r.Close() // the goroutine ends with the stream
	<-w.ended
}
