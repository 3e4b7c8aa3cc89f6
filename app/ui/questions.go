package ui

import (
	"context"

	"fyne.io/fyne/v2"

	"rootsmanager/app"
)

// Dialogs are the contents of the questions; app/ui/ask implements them. Every
// method opens one dialog over the window and returns how to close it without
// an answer. They are called, and call back, on the Fyne goroutine.
type Dialogs interface {
	// Approval asks whether a server may be started; Consent which folders it
	// may be told of. Closing either is NotNow.
	Approval(fyne.Window, app.Prompt, func(app.PromptAnswer)) (dismiss func())
	Consent(fyne.Window, app.Prompt, func(app.PromptAnswer)) (dismiss func())
	// Server asks for a server's entry; spec is nil for a new one. submit may
	// block and is called off the Fyne goroutine; its error is shown in the
	// dialog, which stays open. closed is called when the dialog is gone.
	Server(win fyne.Window, spec *app.ServerSpec, submit func(context.Context, app.ServerSpec) error, closed func()) (dismiss func())
	// TypePaths asks for paths as text; exactly one of typed and closed is
	// called.
	TypePaths(win fyne.Window, typed func([]string), closed func()) (dismiss func())
	// Sensitive asks for the second yes to sensitive places; accepted are those
	// that were ticked.
	Sensitive(win fyne.Window, places []app.RootCheck, answer func(accepted []app.RootCheck)) (dismiss func())
}

// questions is the one queue of all dialogs. Fyne takes every overlay above a
// hidden one away without telling anybody, so dialogs never stack: one is open
// at a time, and the next opens when it is gone. What a person asked for comes
// before what a server waits for.
type questions struct {
	w        *Window
	open     *question
	dismiss  func()
	waiting  []*question
	answered map[app.PromptID]bool // answered here, but still in the snapshot
	snap     *app.Snapshot
}

// question is one dialog, waiting or open.
type question struct {
	prompt app.PromptID // empty for what a person asked for
	show   func(done func()) (dismiss func())
}

func newQuestions(w *Window) *questions {
	return &questions{w: w, answered: map[app.PromptID]bool{}}
}

// ask opens a dialog that a person asked for, as soon as none is open. show
// calls done when its dialog is gone.
func (q *questions) ask(show func(done func()) (dismiss func())) {
	at := 0
	for at < len(q.waiting) && q.waiting[at].prompt == "" {
		at++
	}
	q.waiting = append(q.waiting[:at], append([]*question{{show: show}}, q.waiting[at:]...)...)
	q.next()
}

// apply follows the prompts of a snapshot: new ones queue, vanished ones go.
func (q *questions) apply(s *app.Snapshot) {
	q.snap = s
	there := make(map[app.PromptID]bool, len(s.Prompts))
	for _, p := range s.Prompts {
		there[p.ID] = true
	}
	for id := range q.answered {
		if !there[id] {
			delete(q.answered, id)
		}
	}
	known := map[app.PromptID]bool{}
	kept := q.waiting[:0]
	for _, w := range q.waiting {
		if w.prompt == "" || there[w.prompt] {
			kept = append(kept, w)
			known[w.prompt] = true
		}
	}
	q.waiting = kept
	if q.open != nil {
		known[q.open.prompt] = true
		if q.open.prompt != "" && !there[q.open.prompt] {
			dismiss := q.dismiss
			q.open, q.dismiss = nil, nil
			if dismiss != nil {
				dismiss()
			}
		}
	}
	for _, p := range s.Prompts {
		if !known[p.ID] && !q.answered[p.ID] {
			q.waiting = append(q.waiting, q.forPrompt(p))
		}
	}
	q.next()
}

// raise opens the dialog of one prompt before the others.
func (q *questions) raise(id app.PromptID) {
	if q.open != nil && q.open.prompt == id {
		return
	}
	delete(q.answered, id)
	for i, w := range q.waiting {
		if w.prompt == id {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			break
		}
	}
	for _, p := range q.w.snap.Prompts {
		if p.ID == id {
			q.waiting = append([]*question{q.forPrompt(p)}, q.waiting...)
		}
	}
	q.next()
}

func (q *questions) forPrompt(p app.Prompt) *question {
	return &question{prompt: p.ID, show: func(done func()) func() {
		answer := func(a app.PromptAnswer) {
			q.answered[p.ID] = true
			done()
			q.w.do(command{
				run: func(ctx context.Context) error { return q.w.core.Answer(ctx, p.ID, a) },
				failed: func(error) bool {
					delete(q.answered, p.ID) // asked again with the next snapshot
					return false
				},
			})
		}
		if p.Approval != nil {
			return q.w.opts.Dialogs.Approval(q.w.win, p, answer)
		}
		return q.w.opts.Dialogs.Consent(q.w.win, p, answer)
	}}
}

// next opens the first waiting dialog if none is open.
func (q *questions) next() {
	if q.open != nil || len(q.waiting) == 0 || q.w.ctx.Err() != nil {
		return
	}
	cur := q.waiting[0]
	q.waiting = q.waiting[1:]
	q.open = cur
	q.w.hints.show("", fyne.Position{})
	dismiss := cur.show(func() {
		if q.open == cur {
			q.open, q.dismiss = nil, nil
			q.next()
		}
	})
	if q.open == cur {
		q.dismiss = dismiss
	}
}
