//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, not gone, and what this program is about

package probe

import (
	"context"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// cache keeps a session's roots until they are invalidated. It is safe for
// concurrent use.
type cache struct {
	asking chan struct{} // holds one token: one question at a time
	kick   chan *mcp.ServerSession

	mu      sync.Mutex
	valid   bool
	roots   []*mcp.Root
	changes uint64 // how often it was invalidated
}

func newCache() *cache {
	return &cache{asking: make(chan struct{}, 1), kick: make(chan *mcp.ServerSession, 1)}
}

// invalidate drops the roots and has them asked for again soon. It does not
// block: it is called where the SDK handles messages one after the other.
func (c *cache) invalidate(session *mcp.ServerSession) {
	c.mu.Lock()
	c.valid, c.roots = false, nil
	c.changes++
	c.mu.Unlock()
	select {
	case c.kick <- session:
	default: // it will be asked anyway
	}
}

// keepFresh asks after every invalidation until ctx ends.
func (c *cache) keepFresh(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case session := <-c.kick:
			// A failure shows when a tool is called: it asks again then.
			_, _ = c.get(ctx, session)
		}
	}
}

// get returns the roots, from the cache or from the client.
func (c *cache) get(ctx context.Context, session *mcp.ServerSession) ([]*mcp.Root, error) {
	if !supported(session) {
		return nil, nil
	}
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.mu.Lock()
	valid, roots, before := c.valid, c.roots, c.changes
	c.mu.Unlock()
	if valid {
		return roots, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	res, err := session.ListRoots(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("asking the client for roots: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes == before { // else it is an answer from before the change
		c.valid, c.roots = true, res.Roots
	}
	return res.Roots, nil
}
