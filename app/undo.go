package app

import (
	"context"
	"errors"
)

// undoSteps is how many changes can be taken back.
const undoSteps = 20

// undoStep takes one change back.
type undoStep struct {
	label string
	undo  func(context.Context) error
}

// did brings a committed change into force and notes it, for the activity log
// and for Undo. A change made by undoing is not itself undone.
func (e *Engine) did(a Activity, label string, undo func(context.Context) error) {
	e.mu.Lock()
	if a.Text != "" {
		e.recordLocked(a)
	}
	if !e.takingBack {
		e.undo = append(e.undo, undoStep{label, undo})
		e.undo = e.undo[max(0, len(e.undo)-undoSteps):]
	}
	e.mu.Unlock()
	e.adopt(e.store.State()) // last, so that the log tells the cause before its effects
}

// Undo takes back the change named by Snapshot.UndoLabel.
func (e *Engine) Undo(ctx context.Context) error {
	e.undoing.Lock() // one at a time
	defer e.undoing.Unlock()
	e.mu.Lock()
	if len(e.undo) == 0 {
		e.mu.Unlock()
		return errors.New("there is nothing to undo")
	}
	step := e.undo[len(e.undo)-1]
	e.undo = e.undo[:len(e.undo)-1]
	e.takingBack = true
	e.mu.Unlock()
	err := step.undo(ctx)
	e.mu.Lock()
	e.takingBack = false
	if err != nil {
		e.undo = append(e.undo, step)
	} else {
		e.recordLocked(Activity{Kind: "changed", Subject: step.label, Text: "was undone"})
	}
	e.publishLocked()
	e.mu.Unlock()
	return err
}
