package mcpclient

import (
	"context"
	"errors"
	"time"
)

// Transport says how a server is reached: "stdio", "http" or "sse".
type Transport string

// The transports of [Spec].
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Spec is exactly what is started or contacted: nothing in it is searched,
// expanded or completed any further, so what was approved is what runs.
type Spec struct {
	Transport Transport

	Program string   // stdio: absolute path
	Args    []string // stdio: without the program
	Dir     string   // stdio: absolute working folder
	Env     []string // stdio: the complete environment, "K=V"

	URL     string            // http, sse
	Headers map[string]string // http, sse; never sent to another origin

	// Revision pins a protocol revision, "2024-11-05" to "2026-07-28"; empty
	// tries 2025-11-25 first and falls back.
	Revision string
}

// Root is one entry of a roots/list answer.
type Root struct {
	URI  string
	Name string // omitted from the wire when empty
}

// Exposure is one immutable answer, encoded once when it is made.
type Exposure struct {
	Generation uint64 // grows with every change of this server's exposure
	Roots      []Root
	JSON       []byte // {"roots":[…]}
}

// Host is what a session needs from policy: package app implements it once per
// server. Every way in which a server can start or learn of a root goes
// through these methods.
type Host interface {
	// Launch is called before every connect and reconnect. It returns what to
	// run, or [ErrNotApproved] (the session then rests until Restart), or
	// another error (the connect failed with it). It may block until ctx ends.
	Launch(ctx context.Context) (Spec, error)

	// Roots answers one roots/list, or one roots input request of a multi
	// round-trip result. It may block for up to 50 s while a person decides;
	// ctx ends with the session. [ErrRootsOff] is answered as -32601 "Roots
	// not supported", any other error as -32603. Called concurrently.
	Roots(ctx context.Context) (*Exposure, error)

	// Event reports what happened, in order, one call at a time. It must not
	// block and must not call back into the session.
	Event(Event)
}

// Errors by which a [Host] steers a session.
var (
	ErrNotApproved = errors.New("the server is not approved")
	ErrRootsOff    = errors.New("roots are switched off for this server")
)

// EventKind names what happened to a session.
type EventKind string

// The kinds of [Event]. Order within one connection: Connecting, Connected,
// any number of the others, Disconnected. A connect that fails goes from
// Connecting to Disconnected.
const (
	Connecting   EventKind = "connecting"
	Connected    EventKind = "connected"    // Revision, ServerName, ServerVersion, Instructions, Transport
	Disconnected EventKind = "disconnected" // Err; Retry says when the next attempt comes, zero if none will
	Requested    EventKind = "requested"    // the server asked for roots
	Answered     EventKind = "answered"     // Exposure, Took; or Err when it was answered with an error
	Notified     EventKind = "notified"     // list_changed was written
	Stderr       EventKind = "stderr"       // a new stderr line arrived; rate-limited to 4 a second
)

// Event is one thing that happened to a session.
type Event struct {
	Kind EventKind
	Time time.Time

	Revision      string
	ServerName    string // as the server calls itself: untrusted text
	ServerVersion string // untrusted
	Transport     Transport
	CanNotify     bool // the revision has list_changed

	Exposure *Exposure
	Took     time.Duration
	Err      error
	Retry    time.Time
	GaveUp   bool // with Disconnected: too many crashes, the session rests until Restart
}
