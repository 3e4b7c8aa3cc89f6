package app

import (
	"context"
	"slices"
	"time"
)

// askWait is how long a server has to ask for its folders, after it connected
// or was told of a change, before it counts as one that does not.
const askWait = 10 * time.Second

// Honours is what was found out about how a server treats its folders, since
// this program runs it as it is now. It is evidence, not a promise: what was
// not seen yet is false.
type Honours struct {
	Asked      bool          // it asked for roots
	NeverAsked bool          // it did not, within 10 s of connecting
	TookOver   bool          // it asked again after it was told of a change
	Delay      time.Duration // how long that took, the last time
	Ignored    bool          // it was told and did not ask again within 10 s
	TakenBack  bool          // it was restarted, so that it could not keep what was taken back
	Refilled   bool          // it was restarted with other folders in its command
	Tool       string        // its tool that tells which folders it works in; empty if none is known
	SeenAt     time.Time     // when it was asked with that tool; zero: never
	Matched    bool          // it then named exactly the exposed folders
}

// Report says in sentences how the server takes its folders, by the evidence.
func (v ServerView) Report() []string {
	h := v.Honours
	var list []string
	say := func(when bool, text string) {
		if when {
			list = append(list, text)
		}
	}
	switch {
	case v.RootsOff && !v.Filled:
		return []string{"Is told of no folders: roots are switched off for it."}
	case v.Filled && v.NoRestart:
		say(true, "Gets its folders when it is started; you chose that a change does not restart it.")
	case v.Filled:
		say(true, "Gets its folders when it is started: restarted by us when they change.")
	}
	switch {
	case h.TookOver && h.Delay > 0:
		say(true, "Takes over changes: it asked again "+shortDuration(h.Delay)+" after it was told.")
	case h.TookOver:
		say(true, "Takes over changes: it asked again after it was told.")
	case h.Asked && h.Ignored:
		say(true, "Asks for its folders, and did not ask again when it was told of a change: restart it after a change.")
	case h.Asked:
		say(true, "Asks for its folders.")
	case h.NeverAsked && v.Filled:
		say(true, "Does not ask for its folders, and need not.")
	case h.NeverAsked:
		say(true, "Did not ask for its folders within 10 s, so ticks may mean nothing to it: choose “In its command” under Edit, How it is told.")
	}
	say(h.TakenBack, "May keep folders when the last one is taken back: restarted by us.")
	say(v.MayKeep, "May still use what was taken back: restart it.")
	switch {
	case !h.SeenAt.IsZero() && h.Matched:
		say(true, "Says itself, with its tool "+h.Tool+", that it works in exactly the folders it was told of.")
	case !h.SeenAt.IsZero():
		say(true, "Names other folders than it was told of when it is asked with its tool "+h.Tool+".")
	case h.Tool != "":
		say(true, "Can say itself which folders it works in, with its tool "+h.Tool+".")
	}
	return list
}

// waitForAskLocked notes in a while that the server did not ask, if it does not.
func (l *link) waitForAskLocked() {
	l.stopEvidence()
	e := l.e
	wait := e.opts.askWait
	if wait <= 0 {
		wait = askWait
	}
	var self *time.Timer
	self = time.AfterFunc(wait, func() {
		e.mu.Lock()
		if l.evidence != self || e.closed || l.state != ServerConnected {
			e.mu.Unlock()
			return
		}
		l.evidence = nil
		switch {
		case l.askedAt.IsZero() && !l.honours.Asked:
			l.honours.NeverAsked = true
		case !l.toldAt.IsZero() && l.askedAt.Before(l.toldAt):
			l.honours.Ignored, l.honours.TookOver = true, false
		}
		e.touchLocked()
		e.wait.Add(1)
		e.mu.Unlock()
		defer e.wait.Done()
		e.findTool(e.ctx, l)
	})
	l.evidence = self
}

func (l *link) stopEvidence() {
	if l.evidence != nil {
		l.evidence.Stop()
		l.evidence = nil
	}
}

// askedLocked takes in that the server asked.
func (l *link) askedLocked() {
	h := &l.honours
	h.Asked, h.NeverAsked = true, false
	if l.askDelay > 0 {
		h.TookOver, h.Ignored, h.Delay = true, false, l.askDelay
	}
}

// findTool looks whether the server has a tool that tells. It is not called.
func (e *Engine) findTool(ctx context.Context, l *link) {
	e.mu.Lock()
	session := l.session
	known := l.honours.Tool != "" || session == nil || l.state != ServerConnected
	e.mu.Unlock()
	if known {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	tools, err := session.Tools(ctx)
	if err != nil {
		return // many have none, and say so with an error
	}
	for _, tool := range seenTools {
		for _, t := range tools {
			if t.Name == tool {
				e.mu.Lock()
				l.honours.Tool = tool
				e.touchLocked()
				e.mu.Unlock()
				return
			}
		}
	}
}

// sawLocked takes in what the server said of itself.
func (l *link) sawLocked(s Seen) {
	l.honours.Tool, l.honours.SeenAt, l.honours.Matched = s.Tool, time.Now(), s.Matches
}

// knownEnough reports whether a server needs no more waiting for evidence.
func (v ServerView) knownEnough() bool {
	switch v.State {
	case ServerOff:
		return !v.Enabled // it is about to be started
	case ServerWaiting, ServerFailed:
		return true
	case ServerConnected:
		return v.Filled || v.RootsOff || v.Honours.NeverAsked || v.Honours.Asked && slices.Contains([]Delivery{DeliveryCurrent, DeliveryStale}, v.Delivery)
	}
	return false
}
