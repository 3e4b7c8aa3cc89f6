package app

import (
	"context"
	"errors"

	"rootsmanager/app/monitor"
	"rootsmanager/store"
)

// Plan works out what every server would run, without starting anything, and
// returns the snapshot that shows it. It is for commands that end again; a
// started engine knows it by itself.
func (e *Engine) Plan() *Snapshot {
	e.adopt(e.store.State())
	return e.Snapshot()
}

// Look is [Engine.Plan] that also looks once whether every root of the active
// workspace can be reached; for https roots that asks their sites.
func (e *Engine) Look(ctx context.Context) (*Snapshot, error) {
	e.Plan()
	e.mu.Lock()
	places := e.index.places
	before := e.seen
	e.mu.Unlock()
	now := e.monitor.Observe(ctx, places...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	changes := make([]monitor.Change, len(places))
	for i, p := range places {
		changes[i] = monitor.Change{ID: p.ID, Previous: before[store.RootID(p.ID)], Now: now[i]}
	}
	e.observed(changes)
	e.mu.Lock()
	e.publishLocked()
	e.mu.Unlock()
	return e.Snapshot(), nil
}

// ApproveShown stores the yes to start a server exactly as it was shown to a
// person in an [ApprovalQuestion]; origin says where ("cli"). It returns
// [ErrPromptGone] when something else would run by now.
func (e *Engine) ApproveShown(ctx context.Context, id store.ServerID, shown store.Identity, origin string) error {
	e.replan(ctx, e.store.State())
	e.mu.Lock()
	l := e.links[id]
	e.mu.Unlock()
	if l == nil {
		return errors.New("this server is not in the list any more")
	}
	return e.approve(ctx, l, shown, origin)
}

// LooksLikeURI reports whether [ParsePlace] would read the text as a URI.
func LooksLikeURI(text string) bool { return looksLikeURI(text) }
