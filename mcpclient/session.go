package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"rootsmanager/mcpclient/login"
)

// Defaults and limits of a [Session].
const (
	defaultMaxMessage = 8 << 20
	closeLimit        = 3 * time.Second
	stderrPause       = 250 * time.Millisecond
)

// ErrNotConnected is returned by calls that need a connection while there is none.
var ErrNotConnected = errors.New("the server is not connected")

// Options are the optional parts of a [Session]. The zero value of a field
// means its default.
type Options struct {
	// Logger gets what a developer wants to know; no root above debug level.
	Logger *slog.Logger
	// Coalesce is how long changes are gathered before the server is told.
	// Default 25 ms.
	Coalesce time.Duration
	// MaxMessage is the size in bytes of the largest message accepted from a
	// server; larger ones are skipped. Default 8 MiB.
	MaxMessage int
	// HTTPClient's Transport is used below the session's own rules. Default: a
	// transport with limits on each part of an exchange, TLS by system roots.
	HTTPClient *http.Client
	// Login returns the account for an HTTP or SSE server that is about to be
	// contacted, nil for none; a server that has an Authorization header among
	// its own is not asked about. Where a person must log in first, the session
	// rests until Restart, after Disconnected with a *[login.RequiredError].
	Login func(Spec) *login.Account
	// Elicit answers a server's question for values: the message is the
	// server's, schema is JSON Schema for the values, and values that are left
	// out get the schema's defaults; not ok declines. Default: questions are
	// neither offered nor answered. Called concurrently.
	Elicit func(ctx context.Context, message string, schema json.RawMessage) (values map[string]any, ok bool)
	// ClientVersion is what a server reads as our version.
	ClientVersion string

	timing timing // for tests
}

// timing gathers the waits that tests shorten.
type timing struct {
	connectStdio time.Duration // one attempt to initialize a child
	connectWeb   time.Duration
	ping         time.Duration // between keep-alive pings
	pong         time.Duration // for one answer
	backoff      time.Duration // before the first reconnect
}

func (t timing) orDefault() timing {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&t.connectStdio, 30*time.Second) // npx and uvx download before they start
	set(&t.connectWeb, 20*time.Second)
	set(&t.ping, 30*time.Second)
	set(&t.pong, 15*time.Second)
	set(&t.backoff, time.Second)
	return t
}

// Session keeps one server connected and told. It reconnects by itself, with
// waits of 1 s to 60 s, and rests after five crashes in two minutes.
//
// Events come as described at [EventKind], with two additions: a [Host.Launch]
// that fails is reported by Disconnected alone, and Stderr may come at any time.
// All methods are safe for concurrent use.
type Session struct {
	host Host
	opts Options
	log  *slog.Logger
	tail tail

	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when the worker has ended
	closed sync.Once

	mu      sync.Mutex
	attempt context.CancelFunc // ends the attempt that is under way
	fresh   bool               // Restart was called: forget what failed before
	conn    *connection        // between Connected and Disconnected

	events  sync.Mutex // held while the host hears of one
	gone    bool       // the host hears of no more; guarded by events
	stderr  sync.Mutex
	shown   time.Time   // when Stderr was last reported
	pending *time.Timer // reports the lines since then
	over    bool        // Close was called
}

// New starts a session with the server that host describes; opts may be nil.
// It returns at once. It panics if host is nil.
func New(host Host, opts *Options) *Session {
	if host == nil {
		panic("mcpclient: New needs a host")
	}
	s := &Session{host: host, done: make(chan struct{})}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Logger == nil {
		s.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if s.opts.Coalesce == 0 {
		s.opts.Coalesce = defaultCoalesce
	}
	if s.opts.MaxMessage == 0 {
		s.opts.MaxMessage = defaultMaxMessage
	}
	if s.opts.ClientVersion == "" {
		s.opts.ClientVersion = "dev"
	}
	s.opts.timing = s.opts.timing.orDefault()
	s.log = s.opts.Logger
	s.ctx, s.cancel = context.WithCancel(context.Background())
	acquireStarter()
	go s.work()
	return s
}

// Announce says that the exposure changed: [Host.Roots] already gives the new
// one. It returns at once. The server is told once for all changes within
// [Options.Coalesce], at most five times a second, and not while an answer is
// on its way to it; the last change is always told.
func (s *Session) Announce() {
	if c := s.current(); c != nil {
		c.changed()
	}
}

// Restart ends the connection, if there is one, forgets earlier failures and
// connects again. It returns at once.
func (s *Session) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh = true
	if s.attempt != nil {
		s.attempt()
	}
}

// Stderr returns the last lines the server wrote to stderr, and what else it
// said that was no message: at most 500 lines, oldest first, each at most 4 KiB
// of valid UTF-8, with whatever control characters the server chose.
func (s *Session) Stderr() []string { return s.tail.all() }

// Close ends the connection and the session. It is idempotent and takes at most
// 3 s; no process and no goroutine is left, and the host hears nothing more.
// It returns an error only if the server could not be ended in that time.
func (s *Session) Close() error {
	s.closed.Do(func() {
		s.cancel()
		t := time.NewTimer(closeLimit)
		defer t.Stop()
		select {
		case <-s.done:
		case <-t.C:
		}
		s.silence()
	})
	select {
	case <-s.done:
		return nil
	default:
		return errors.New("the server could not be ended within 3 s")
	}
}

// silence ends all reporting.
func (s *Session) silence() {
	s.stderr.Lock()
	s.over = true
	if s.pending != nil {
		s.pending.Stop()
	}
	s.stderr.Unlock()
	s.events.Lock()
	s.gone = true
	s.events.Unlock()
}

func (s *Session) current() *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

func (s *Session) setCurrent(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = c
}

// emit reports e. Events of a connection that was reported as disconnected are
// dropped; c is nil for those that belong to none.
func (s *Session) emit(c *connection, e Event) {
	s.events.Lock()
	defer s.events.Unlock()
	if s.gone || c != nil && c.over {
		return
	}
	if e.Kind == Disconnected && c != nil {
		c.over = true
	}
	e.Time = time.Now()
	s.host.Event(e)
}

// heard keeps a stderr line and reports it, at most four times a second.
func (s *Session) heard(line string) {
	s.tail.fromServer(line)
	s.stderrChanged()
}

// noted keeps a line about what the server did wrong.
func (s *Session) noted(line string) {
	s.tail.add(line)
	s.stderrChanged()
}

func (s *Session) stderrChanged() {
	s.stderr.Lock()
	defer s.stderr.Unlock()
	if s.over || s.pending != nil {
		return
	}
	s.pending = time.AfterFunc(max(0, stderrPause-time.Since(s.shown)), func() {
		s.stderr.Lock()
		s.pending, s.shown = nil, time.Now()
		over := s.over
		s.stderr.Unlock()
		if !over {
			s.emit(nil, Event{Kind: Stderr})
		}
	})
}

// Tool is one tool of a server. Both texts are the server's: untrusted.
type Tool struct {
	Name        string
	Description string
}

// ToolResult is what a tool gave back; all of it is untrusted.
type ToolResult struct {
	Text       string          // its text contents, joined by newlines
	Structured json.RawMessage // nil if it gave none
	IsError    bool            // the tool says that it failed
}

// Tools lists the server's tools, at most 1,000. It blocks until the server
// answered, ctx ends or the connection does. Without a connection it returns
// [ErrNotConnected].
func (s *Session) Tools(ctx context.Context) ([]Tool, error) {
	c := s.current()
	if c == nil {
		return nil, ErrNotConnected
	}
	return c.tools(ctx)
}

// CallTool calls the tool; args may be nil. It blocks until the server
// answered, ctx ends or the connection does. Without a connection it returns
// [ErrNotConnected].
func (s *Session) CallTool(ctx context.Context, name string, args map[string]any) (ToolResult, error) {
	c := s.current()
	if c == nil {
		return ToolResult{}, ErrNotConnected
	}
	if name == "" {
		return ToolResult{}, fmt.Errorf("a tool to call needs a name")
	}
	return c.callTool(ctx, name, args)
}
