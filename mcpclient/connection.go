package mcpclient

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rootsmanager/mcpclient/login"
)

// Limits of what is asked of a server on a person's behalf.
const (
	maxTools     = 1000
	maxToolPages = 20
)

// missedPings is how many keep-alive pings in a row may stay unanswered.
const missedPings = 2

// connection is one life of a server: an SDK client with its one session, over
// a child or an HTTP endpoint. [Session.work] opens, serves and closes it.
type connection struct {
	s         *Session
	transport Transport // that worked
	wire      *wire
	ctx       context.Context // ends everything that belongs to the connection
	cancel    context.CancelFunc

	proc  *process // stdio
	pipes *stdio
	web   *web // http, sse
	login *login.Account

	client *mcp.Client
	cs     *mcp.ClientSession

	ready chan struct{} // closed once Connected was reported: before it nothing is answered or told
	over  bool          // Disconnected was reported; guarded by Session.events

	tellMu  sync.Mutex
	tell    teller
	telling chan struct{} // while list_changed is being written; closed once it was reported
	kick    chan struct{} // holds one token: look at tell again

	notified error // of the list_changed just sent; used by the announcer only
	loops    sync.WaitGroup
}

func (c *connection) revision() string {
	return c.cs.InitializeResult().ProtocolVersion
}

// canNotify reports whether the revision has list_changed for roots: 2026-07-28
// has not ("Key Changes").
func (c *connection) canNotify() bool { return tellable(c.revision()) }

func tellable(revision string) bool { return revision < "2026-07-28" }

// open reports the connection and lets answers and announcements through.
func (c *connection) open() {
	e := Event{
		Kind:      Connected,
		Revision:  c.revision(),
		Transport: c.transport,
		CanNotify: c.canNotify(),
	}
	if info := c.cs.InitializeResult().ServerInfo; info != nil {
		e.ServerName = shorten(info.Name, 200)
		e.ServerVersion = shorten(info.Version, 100)
	}
	c.s.emit(c, e)
	close(c.ready)
	if c.canNotify() {
		c.loops.Go(c.announce)
		c.loops.Go(c.keepAlive)
	}
}

// serve waits until the connection ends by itself, with the reason, or ctx ends.
func (c *connection) serve(ctx context.Context) (err error, expired bool) {
	ended := make(chan error, 1)
	c.loops.Go(func() { ended <- c.cs.Wait() })
	var exited <-chan struct{}
	if c.proc != nil {
		exited = c.proc.exited
	}
	select {
	case <-ctx.Done():
		return nil, false
	case <-c.ctx.Done(): // the keep-alive gave up
		return errors.New("the server stopped answering"), false
	case <-exited:
	case err = <-ended:
	}
	return c.endReason(err), errors.Is(err, mcp.ErrSessionMissing)
}

// close ends everything that belongs to the connection, in at most 2.7 s.
func (c *connection) close() {
	c.cancel()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		if c.proc != nil {
			c.proc.stop() // what it still says is drained by the SDK's reader
			_ = c.pipes.Close()
		}
		if c.cs != nil {
			_ = c.cs.Close() // the reason is known already
		}
	}()
	if c.web != nil { // first a polite DELETE, which needs the network
		t := time.NewTimer(time.Second)
		select {
		case <-finished:
		case <-t.C:
		}
		t.Stop()
		c.web.close()
	}
	<-finished
	if c.pipes != nil {
		c.pipes.writers.Wait()
	}
	c.wire.abandon(errors.New("the connection ended"))
	c.loops.Wait()
}

// keepAlive ends the connection when the server answers no pings (2025-11-25,
// "Ping"). Anything the server says counts as an answer.
func (c *connection) keepAlive() {
	tick := time.NewTicker(c.s.opts.timing.ping)
	defer tick.Stop()
	missed := 0
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-tick.C:
		}
		if c.alive() {
			missed = 0
		} else if missed++; missed >= missedPings {
			c.s.log.Info("keep-alive failed", "missed", missed)
			c.cancel()
			return
		}
	}
}

func (c *connection) alive() bool {
	sent := time.Now()
	answered := make(chan error, 1)
	ctx, cancel := context.WithTimeout(c.ctx, c.s.opts.timing.pong)
	defer cancel()
	c.loops.Go(func() { answered <- c.cs.Ping(ctx, nil) }) // may hang in a full pipe until the connection is closed
	select {
	case err := <-answered:
		if err == nil || isReply(err) {
			return true
		}
	case <-ctx.Done():
	}
	return c.wire.heard.Load() > sent.UnixNano()
}

// isReply reports whether err is an error that the server itself sent.
func isReply(err error) bool {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case -32003, -32004, -32005: // the SDK's own: closing, closing, rejected by the transport
		return false
	}
	return true
}

// with returns ctx, ended also by the end of the connection.
func (c *connection) with(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

func (c *connection) tools(ctx context.Context) ([]Tool, error) {
	ctx, cancel := c.with(ctx)
	defer cancel()
	var tools []Tool
	params := &mcp.ListToolsParams{}
	for range maxToolPages {
		res, err := c.cs.ListTools(ctx, params)
		if err != nil {
			return nil, c.callError(ctx, err)
		}
		for _, t := range res.Tools {
			if len(tools) < maxTools {
				tools = append(tools, Tool{Name: t.Name, Description: t.Description})
			}
		}
		if res.NextCursor == "" || len(tools) >= maxTools {
			break
		}
		params = &mcp.ListToolsParams{Cursor: res.NextCursor}
	}
	return tools, nil
}

func (c *connection) callTool(ctx context.Context, name string, args map[string]any) (ToolResult, error) {
	ctx, cancel := c.with(ctx)
	defer cancel()
	if args == nil {
		args = map[string]any{} // null is refused by servers that check
	}
	res, err := c.cs.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return ToolResult{}, c.callError(ctx, err)
	}
	out := ToolResult{IsError: res.IsError}
	var text []string
	for _, part := range res.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			text = append(text, t.Text)
		}
	}
	out.Text = strings.Join(text, "\n")
	if out.Structured, err = structured(res.StructuredContent); err != nil {
		return ToolResult{}, err
	}
	return out, nil
}
