//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, not gone, and what this program is about

package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Revisions, newest first. preferred is the newest in which a server can be
// told of a change; 2026-07-28 knows no initialize and no list_changed.
var (
	preferred = "2025-11-25"
	fallbacks = []string{"2026-07-28", "2025-06-18", "2025-03-26", "2024-11-05"}
)

// failure is why one attempt to connect did not work, and what else may.
type failure struct {
	err  error // for people
	next hope
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// hope says what is worth trying after a failure.
type hope int

const (
	hopeNone      hope = iota
	hopeStateless      // it did not understand initialize at all: try 2026-07-28
	hopeRevision       // it refused this revision: try the others
	hopeSSE            // it is no streamable endpoint: try the old transport
)

// connect finds a revision and a transport in which the server answers.
func (s *Session) connect(ctx context.Context, spec Spec) (*connection, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	if spec.Revision != "" {
		return s.connectPinned(ctx, spec)
	}
	c, err := s.dial(ctx, spec, spec.Transport, preferred)
	if err == nil {
		return s.askable(ctx, spec, c), nil
	}
	first := err
	tried := []string{preferred}
	for {
		transport, revision := spec.Transport, ""
		var f *failure
		if !errors.As(err, &f) || ctx.Err() != nil {
			return nil, first
		}
		switch f.next {
		case hopeStateless:
			if len(tried) == 1 {
				revision = fallbacks[0]
			}
		case hopeRevision:
			for _, r := range fallbacks {
				if !slices.Contains(tried, r) {
					revision = r
					break
				}
			}
		}
		if revision == "" && spec.Transport == HTTP && (f.next == hopeSSE || f.next == hopeRevision) {
			if c, err = s.dial(ctx, spec, SSE, preferred); err == nil {
				return c, nil
			}
			return nil, first
		}
		if revision == "" {
			return nil, first
		}
		tried = append(tried, revision)
		if c, err = s.dial(ctx, spec, transport, revision); err == nil {
			return c, nil
		}
	}
}

// askable returns a connection in which the server can ask for roots, if c is
// none: over HTTP without a session it has no way to ask by itself, but in
// 2026-07-28 it may ask in its results. Many servers are set up so.
func (s *Session) askable(ctx context.Context, spec Spec, c *connection) *connection {
	if c.transport != HTTP || c.cs.ID() != "" {
		return c
	}
	stateless := fallbacks[0]
	better, err := s.dial(ctx, spec, HTTP, stateless)
	if err != nil {
		return c
	}
	if better.revision() != stateless {
		better.close()
		return c
	}
	c.close()
	return better
}

// connectPinned connects at exactly the revision that was chosen.
func (s *Session) connectPinned(ctx context.Context, spec Spec) (*connection, error) {
	c, err := s.dial(ctx, spec, spec.Transport, spec.Revision)
	var f *failure
	if spec.Transport == HTTP && errors.As(err, &f) && f.next == hopeSSE {
		c2, err2 := s.dial(ctx, spec, SSE, spec.Revision)
		if err2 == nil {
			c, err = c2, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if got := c.revision(); got != spec.Revision {
		c.close()
		return nil, fmt.Errorf("the server speaks revision %s, not %s as chosen: let Roots Manager choose the revision", got, spec.Revision)
	}
	return c, nil
}

func checkSpec(spec Spec) error {
	if spec.Revision != "" && !slices.Contains(mcp.SupportedProtocolVersions(), spec.Revision) {
		return fmt.Errorf("the revision %q is not known: choose one of 2024-11-05 to 2026-07-28", shorten(spec.Revision, 40))
	}
	switch spec.Transport {
	case Stdio, HTTP, SSE:
		return nil
	}
	return fmt.Errorf("the transport %q is not known: choose stdio, http or sse", shorten(string(spec.Transport), 40))
}

// dial makes one attempt. Its error is a *failure.
func (s *Session) dial(ctx context.Context, spec Spec, transport Transport, revision string) (*connection, error) {
	c := &connection{
		s:         s,
		transport: transport,
		ready:     make(chan struct{}),
		kick:      make(chan struct{}, 1),
		tell:      teller{coalesce: s.opts.Coalesce},
	}
	c.wire = newWire(s.noted)
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	over, limit, err := c.reach(ctx, spec)
	if err != nil {
		c.cancel()
		return nil, &failure{err: err}
	}
	c.client = s.newClient(c, revision)

	type result struct {
		cs  *mcp.ClientSession
		err error
	}
	connected := make(chan result, 1)
	go func() {
		cs, err := c.client.Connect(c.ctx, over, &mcp.ClientSessionOptions{ProtocolVersion: revision})
		connected <- result{cs, err}
	}()
	t := time.NewTimer(limit)
	defer t.Stop()
	var r result
	late := false
	select {
	case r = <-connected:
	case <-t.C:
		late = true
	case <-ctx.Done():
	}
	if r.err == nil && r.cs != nil {
		c.cs = r.cs
		return c, nil
	}
	why := r.err
	if why == nil { // not finished: closing makes it so
		why = ctx.Err()
		c.close()
		if r = <-connected; r.cs != nil {
			_ = r.cs.Close() // it came too late
		}
	}
	f := c.explain(spec, why, late, limit)
	c.close()
	return nil, f
}

// reach starts the child or prepares the way to the endpoint.
func (c *connection) reach(ctx context.Context, spec Spec) (mcp.Transport, time.Duration, error) {
	if c.transport != Stdio {
		w, err := newWeb(c.wire, spec, c.s.opts.HTTPClient, c.s.opts.MaxMessage)
		if err != nil {
			return nil, 0, err
		}
		c.web = w
		if c.s.opts.Login != nil && w.headers.Get("Authorization") == "" {
			c.login = c.s.opts.Login(spec)
		}
		if c.login != nil && c.login.URL() != spec.URL {
			return nil, 0, errors.New("the login is for another address than the server's")
		}
		if c.login != nil {
			w.base = c.login.Transport(w.base)
		}
		return w.transport(c.transport, spec), c.s.opts.timing.connectWeb, nil
	}
	p, err := startProcess(ctx, spec, c.s.heard)
	if err != nil {
		return nil, 0, err
	}
	c.proc = p
	c.pipes = newStdio(c.wire, p.stdin, p.stdout, c.s.opts.MaxMessage)
	return c.pipes, c.s.opts.timing.connectStdio, nil
}

// newClient makes the SDK's client of one connection: roots, with list_changed
// where there is such a thing, and elicitation where it is answered are offered,
// and nothing else.
func (s *Session) newClient(c *connection, revision string) *mcp.Client {
	opts := &mcp.ClientOptions{
		Logger:         s.log,
		Capabilities:   &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{ListChanged: tellable(revision)}},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}
	if s.opts.Elicit != nil {
		opts.ElicitationHandler = func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return c.elicit(ctx, req.Params)
		}
	}
	client := mcp.NewClient(&mcp.Implementation{
		Name:    "roots-manager",
		Title:   "Roots Manager",
		Version: s.opts.ClientVersion,
	}, opts)
	client.AddReceivingMiddleware(c.receive)
	client.AddSendingMiddleware(c.send)
	return client
}

// refusedStatus reports whether an HTTP status means "no streamable endpoint"
// (2025-11-25, "Transports", "Backwards Compatibility").
func refusedStatus(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusNotAcceptable, http.StatusGone, http.StatusUnsupportedMediaType, http.StatusNotImplemented:
		return true
	}
	return false
}
