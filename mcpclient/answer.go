//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, not gone, and what this program is about

package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long a server that asks waits at most.
const (
	// answerLimit is below the 60 s after which TypeScript servers give up.
	answerLimit = 55 * time.Second
	// earlyLimit is for one that asks before initialize is complete: it may be
	// holding its initialize answer back until it has ours.
	earlyLimit = 2 * time.Second
	// orderLimit is for one whose question came while it was being told.
	orderLimit = 250 * time.Millisecond
)

// Methods that our middleware looks for.
const (
	methodListRoots    = "roots/list"
	methodSampling     = "sampling/createMessage"
	methodElicit       = "elicitation/create"
	methodRootsChanged = "notifications/roots/list_changed"
)

// receive is the receiving middleware: it answers roots/list, and refuses what
// we do not offer. The SDK's own root set is never asked.
func (c *connection) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case methodListRoots:
			return c.listRoots(ctx)
		case methodSampling:
			return nil, refusal("Sampling not supported", "Client does not have the sampling capability")
		case methodElicit:
			if c.s.opts.Elicit != nil {
				return next(ctx, method, req)
			}
			return nil, refusal("Elicitation not supported", "Client does not have the elicitation capability")
		}
		return next(ctx, method, req)
	}
}

// readyResult is a roots/list result of which the wire writes the bytes.
type readyResult struct {
	*mcp.ListRootsResult
	mark []byte
}

// MarshalJSON implements [json.Marshaler].
func (r *readyResult) MarshalJSON() ([]byte, error) { return r.mark, nil }

func (c *connection) listRoots(ctx context.Context) (mcp.Result, error) {
	a, err := c.ask(ctx)
	if err != nil {
		return nil, wireError(err)
	}
	return &readyResult{&mcp.ListRootsResult{}, c.wire.hold(a)}, nil
}

// ask is the only way from a server's question to the host's roots. The answer
// it returns must be sent or failed by calling sent.
func (c *connection) ask(ctx context.Context) (*answer, error) {
	ctx, cancel := c.with(ctx)
	defer cancel()
	if err := c.waitReady(ctx); err != nil {
		return nil, err
	}
	c.afterTelling(ctx)
	began := time.Now()
	c.s.emit(c, Event{Kind: Requested})
	upTo := c.asking()
	finish := sync.OnceFunc(func() { c.answered(upTo) })
	report := func(e *Exposure, err error) {
		finish()
		c.s.emit(c, Event{Kind: Answered, Exposure: e, Took: time.Since(began), Err: err})
	}
	limited, stop := context.WithTimeout(ctx, answerLimit)
	defer stop()
	exposure, err := c.s.host.Roots(limited)
	if err == nil && exposure == nil {
		err = errors.New("no exposure was given")
	}
	if err != nil {
		report(nil, err)
		return nil, err
	}
	return &answer{exposure: exposure, sent: func(err error) {
		if err != nil {
			report(nil, fmt.Errorf("the answer did not reach the server: %w", err))
			return
		}
		report(exposure, nil)
	}}, nil
}

// waitReady holds a question back until the connection was reported.
func (c *connection) waitReady(ctx context.Context) error {
	t := time.NewTimer(earlyLimit)
	defer t.Stop()
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return errEarly
	}
}

// afterTelling waits until a list_changed that is being written was reported, so
// that the question it causes is reported after it. The wait is short, because
// an HTTP server may hold its receipt back until it has our answer.
func (c *connection) afterTelling(ctx context.Context) {
	c.tellMu.Lock()
	told := c.telling
	c.tellMu.Unlock()
	if told == nil {
		return
	}
	t := time.NewTimer(orderLimit)
	defer t.Stop()
	select {
	case <-told:
	case <-t.C:
	case <-ctx.Done():
	}
}

var errEarly = errors.New("the server asked before it was initialized")

// wireError is the JSON-RPC error for a question that got no answer (2025-11-25,
// "Roots", "Error Handling").
func wireError(err error) error {
	switch {
	case errors.Is(err, ErrRootsOff):
		return refusal("Roots not supported", "Client does not have roots capability")
	case errors.Is(err, errEarly):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error: not initialized yet"}
	}
	// The cause is for the person at the window, not for the server.
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
}

// refusal becomes a -32601 with this message and reason on the wire.
func refusal(message, reason string) error {
	data, err := json.Marshal(map[string]string{"reason": reason})
	if err != nil {
		panic(fmt.Sprintf("mcpclient: a string cannot fail to encode: %v", err))
	}
	return &jsonrpc.Error{Code: codeRefused, Message: message, Data: data}
}

// asking and answered keep the teller informed.

func (c *connection) asking() uint64 {
	c.tellMu.Lock()
	defer c.tellMu.Unlock()
	return c.tell.asked()
}

func (c *connection) answered(upTo uint64) {
	c.tellMu.Lock()
	c.tell.answered(upTo, time.Now())
	c.tellMu.Unlock()
	c.look()
}

// changed notes a change of the exposure. It never blocks.
func (c *connection) changed() {
	c.tellMu.Lock()
	c.tell.changed(time.Now())
	c.tellMu.Unlock()
	c.look()
}

// look makes the announcer look at the teller again.
func (c *connection) look() {
	select {
	case c.kick <- struct{}{}:
	default: // it will look anyway
	}
}

// announce tells the server of changes until the connection ends.
func (c *connection) announce() {
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		c.tellMu.Lock()
		now := time.Now()
		tell, wait := c.tell.due(now)
		if tell {
			c.tell.sending(now)
			c.telling = make(chan struct{})
		}
		c.tellMu.Unlock()
		if tell {
			c.notify()
			c.tellMu.Lock()
			close(c.telling)
			c.telling = nil
			c.tellMu.Unlock()
			continue
		}
		t.Stop()
		var due <-chan time.Time
		if wait > 0 {
			t.Reset(wait)
			due = t.C
		}
		select {
		case <-c.ctx.Done():
			return
		case <-c.kick:
		case <-due:
		}
	}
}

// trigger makes the SDK send list_changed. It is never served: receive answers
// every question before the SDK could.
var trigger = &mcp.Root{URI: "file:///never-served"}

// rootsChanged is list_changed as it is written to a child.
const rootsChanged = `{"jsonrpc":"2.0","method":"` + methodRootsChanged + `","params":{}}`

// notify sends one list_changed and reports it. To a child it is written past
// the SDK, which takes several times as long; with a hundred servers that is
// what the last one waits for.
func (c *connection) notify() {
	var err error
	if c.pipes != nil {
		// Without an end: when the server does not read, nothing else can be
		// told to it either, and closing the connection ends the write.
		err = c.pipes.write(context.Background(), []byte(rootsChanged))
	} else {
		c.notified = nil
		c.client.AddRoots(trigger)
		err = c.notified
	}
	if err != nil {
		c.s.log.Debug("list_changed failed", "error", err)
		c.tellMu.Lock()
		c.tell.failed(time.Now())
		c.tellMu.Unlock()
		return
	}
	c.s.emit(c, Event{Kind: Notified})
}

// send is the sending middleware: it holds list_changed back from revisions
// that lack it, and answers input requests.
func (c *connection) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case methodRootsChanged:
			select {
			case <-c.ready:
			default:
				return nil, nil // not before initialized
			}
			if !c.canNotify() {
				return nil, nil
			}
			_, err := next(ctx, method, req)
			c.notified = err
			return nil, err
		case "tools/call", "prompts/get", "resources/read":
			return c.rounds(ctx, next, method, req)
		}
		return next(ctx, method, req)
	}
}
