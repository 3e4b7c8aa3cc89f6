package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rootsmanager/app/monitor"
	"rootsmanager/mcpclient"
	"rootsmanager/mcpclient/login"
	"rootsmanager/store"
)

// rereadDeadline is how long a server that was told has to ask again before
// its view counts as stale.
const rereadDeadline = 2 * time.Second

// link is what the engine knows of one server: its plan, its session, what it
// may be told and how far that got. All fields but e and id are guarded by
// Engine.mu.
type link struct {
	e  *Engine
	id store.ServerID

	account  *login.Account // of a web address that may ask for a login; nil for none
	plan     *plan
	session  *mcpclient.Session
	launched store.Identity // what the session was last given to run

	needsLogin   bool // it rests until the person logged in
	otherProgram bool // the program file is not the one that was approved

	state    ServerState
	problem  string
	retryAt  time.Time
	revision string
	selfName string
	selfVer  string
	notifies bool
	since    time.Time // start of this connection

	exposure  *mcpclient.Exposure // what it is to be told
	basis     *basis              // what the exposure follows from
	told      []int               // positions of the exposed roots
	permitted []bool              // by position: assigned and allowed, reachable or not
	answered  *mcpclient.Exposure // what it was last told on this connection
	given     *mcpclient.Exposure // what was filled in when it was started; nil: nothing was, or it does not run
	nothing   string              // the empty folder that stands for no folder at all
	refill    *time.Timer         // restarts it with other folders
	honours   Honours             // since it runs as it is now
	evidence  *time.Timer         // notes that it did not ask
	refillBy  time.Time           // when it does so at the latest
	known     []mcpclient.Root    // what it may work with: the last answer that was not empty, because some servers keep what they had
	toldAt    time.Time
	toldGen   uint64 // generation current when it was last told
	askedAt   time.Time
	askDelay  time.Duration
	late      bool // it did not ask in time after it was told
	mayKeep   bool // something was taken back from a server that is not ours to restart
	overdue   *time.Timer
	errors    []string // newest first
}

var _ mcpclient.Host = (*link)(nil)

func newLink(e *Engine, id store.ServerID) *link {
	return &link{e: e, id: id, state: ServerOff, exposure: mcpclient.Encode(0, nil)}
}

// Launch is the gate in front of every start: only what is approved, exactly
// as it is now, is handed out.
func (l *link) Launch(ctx context.Context) (mcpclient.Spec, error) {
	e := l.e
	e.mu.Lock()
	srv, ok := e.index.servers[l.id]
	e.mu.Unlock()
	if !ok || !srv.Enabled {
		return mcpclient.Spec{}, mcpclient.ErrNotApproved
	}
	p := newPlan(ctx, e.store, e.opts.Starter, srv)
	hash, hashErr := p.programHash()
	var looked map[store.RootID]monitor.Observation
	if p.fill != nil {
		var err error
		if looked, err = l.prepareFilling(ctx); err != nil {
			return mcpclient.Spec{}, err
		}
	}

	e.mu.Lock()
	defer e.mu.Unlock()
	changed := l.plan == nil || l.plan.identity != p.identity
	l.plan, l.launched = p, p.identity
	if changed {
		l.honours = Honours{}
		e.exposeLocked(l) // nobody is connected yet, so nobody has to be told
	}
	if p.problem != nil {
		return mcpclient.Spec{}, p.problem
	}
	if !e.approvedLocked(p.identity) {
		l.state = ServerWaiting
		l.problem = ""
		e.askApprovalLocked(l)
		e.touchLocked()
		return mcpclient.Spec{}, mcpclient.ErrNotApproved
	}
	if hashErr != nil {
		return mcpclient.Spec{}, fmt.Errorf("the program %s cannot be read: %w", p.argv[0], hashErr)
	}
	a, stored := e.state.Approvals[p.identity]
	l.otherProgram = stored && a.ProgramHash != hash && hash != ""
	if l.otherProgram {
		e.recordLocked(Activity{Kind: "changed", Server: srv.Name, Subject: srv.Name, Text: "runs a program file that changed since you approved it on " + a.Time.Format("2 Jan 2006")})
	}
	if p.fill == nil {
		return p.spec(), nil
	}
	e.askUnheardLocked(l)
	return l.fillLocked(p, looked)
}

// Roots answers one request for roots. It is the one way by which a server
// learns of a root.
func (l *link) Roots(ctx context.Context) (*mcpclient.Exposure, error) {
	e := l.e
	e.mu.Lock()
	srv, ok := e.index.servers[l.id]
	if !ok || srv.RootsOff {
		e.mu.Unlock()
		return nil, mcpclient.ErrRootsOff
	}
	decided := e.askConsentLocked(l)
	e.mu.Unlock()
	if decided != nil {
		wait := time.NewTimer(e.opts.ConsentWait)
		defer wait.Stop()
		select {
		case <-decided:
		case <-wait.C:
			e.consentTimedOut(l)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return e.verified(ctx, l)
}

// Event takes in what happened to the session.
func (l *link) Event(ev mcpclient.Event) {
	e := l.e
	e.mu.Lock()
	name := e.index.servers[l.id].Name
	var after followUps
	switch ev.Kind {
	case mcpclient.Connecting:
		if l.state != ServerWaiting {
			l.state = ServerConnecting
		}
	case mcpclient.Connected:
		l.connectedLocked(ev, name)
	case mcpclient.Disconnected:
		l.disconnectedLocked(ev, name)
	case mcpclient.Requested:
		l.askedAt = ev.Time
		l.late = false
		if !l.toldAt.IsZero() && l.askDelay == 0 {
			l.askDelay = ev.Time.Sub(l.toldAt)
		}
		l.askedLocked()
		e.emitLocked(Event{Time: ev.Time, Kind: EventRootsRequested, ServerID: l.id, Server: name})
	case mcpclient.Answered:
		after = l.answeredLocked(ev, name)
	case mcpclient.Notified:
		l.toldAt, l.askDelay, l.toldGen = ev.Time, 0, l.exposure.Generation
		l.expectReread()
		l.waitForAskLocked()
		e.emitLocked(Event{Time: ev.Time, Kind: EventRootsNotified, ServerID: l.id, Server: name})
		e.recordLocked(Activity{Time: ev.Time, Kind: "told", Server: name, Subject: name, Text: "was told that its folders changed"})
	case mcpclient.Stderr: // read from the session when somebody looks
	}
	e.touchLocked()
	e.mu.Unlock()
	after.run()
}

func (l *link) connectedLocked(ev mcpclient.Event, name string) {
	l.state, l.problem, l.retryAt = ServerConnected, "", time.Time{}
	l.needsLogin = false
	l.revision, l.notifies, l.since = ev.Revision, ev.CanNotify, ev.Time
	l.selfName, l.selfVer = l.plan.redact(Plain(ev.ServerName, 80)), l.plan.redact(Plain(ev.ServerVersion, 40))
	l.answered, l.toldAt, l.askedAt, l.askDelay, l.late = nil, time.Time{}, time.Time{}, 0, false
	l.known, l.mayKeep = nil, false
	if l.given != nil {
		l.known = l.given.Roots
	}
	l.waitForAskLocked()
	l.e.emitLocked(Event{
		Time: ev.Time, Kind: EventServerConnected, ServerID: l.id, Server: name,
		ProtocolVersion: ev.Revision, Transport: string(ev.Transport), ServerName: l.selfName, ServerVersion: l.selfVer,
	})
	l.e.recordLocked(Activity{Time: ev.Time, Kind: "started", Server: name, Subject: name, Text: "is connected"})
}

func (l *link) disconnectedLocked(ev mcpclient.Event, name string) {
	wasUp := l.state == ServerConnected
	l.answered, l.known, l.given = nil, nil, nil
	l.stopEvidence()
	l.stopTimers()
	switch {
	case errors.Is(ev.Err, mcpclient.ErrNotApproved):
		l.state = ServerWaiting
		return // the prompt is the news
	case ev.Err != nil:
		var required *login.RequiredError
		l.needsLogin = errors.As(ev.Err, &required)
		l.state, l.problem, l.retryAt = ServerFailed, l.plan.redact(sentence(ev.Err)), ev.Retry
		l.errors = slices.Insert(l.errors, 0, l.problem)
		l.errors = l.errors[:min(len(l.errors), 5)]
	default:
		l.state, l.problem = ServerConnecting, ""
	}
	reason := l.problem
	if reason == "" {
		reason = "restarted"
	}
	if srv, ok := l.e.index.servers[l.id]; !ok || !srv.Enabled {
		l.state, l.problem, reason = ServerOff, "", "turned off"
	}
	l.e.emitLocked(Event{Time: ev.Time, Kind: EventServerDisconnected, ServerID: l.id, Server: name, Reason: reason})
	switch {
	case l.state == ServerFailed && ev.GaveUp:
		l.e.recordLocked(Activity{Time: ev.Time, Kind: "failed", Server: name, Subject: name, Text: "keeps failing and is not tried again: " + reason})
	case l.state == ServerFailed:
		l.e.recordLocked(Activity{Time: ev.Time, Kind: "failed", Server: name, Subject: name, Text: "failed: " + reason})
	case wasUp:
		l.e.recordLocked(Activity{Time: ev.Time, Kind: "stopped", Server: name, Subject: name, Text: "was stopped (" + reason + ")"})
	}
}

func (l *link) answeredLocked(ev mcpclient.Event, name string) followUps {
	if ev.Err != nil {
		l.e.recordLocked(Activity{Time: ev.Time, Kind: "answered", Server: name, Subject: name, Text: "asked for its folders and got an error: " + l.plan.redact(sentence(ev.Err))})
		return nil
	}
	l.answered = ev.Exposure
	if len(ev.Exposure.Roots) > 0 {
		l.known = ev.Exposure.Roots
	}
	l.e.emitLocked(Event{
		Time: ev.Time, Kind: EventRootsAnswered, ServerID: l.id, Server: name,
		Roots: ev.Exposure.Roots, Duration: ev.Took,
	})
	l.e.recordLocked(Activity{
		Time: ev.Time, Kind: "answered", Server: name, Subject: name,
		Text: l.askedSentence() + " – " + l.e.foldersLocked(ev.Exposure), URIs: uris(ev.Exposure),
	})
	if ev.Exposure.Generation >= l.toldGen {
		l.stopTimers()
	}
	if len(l.exposure.Roots) == 0 {
		return l.enforceLocked()
	}
	return nil
}

func (l *link) askedSentence() string {
	if l.askDelay > 0 && l.askDelay < time.Minute {
		return "was told and asked again after " + shortDuration(l.askDelay)
	}
	return "asked for its folders"
}

// expectReread marks the server late, and acts on what was taken back, when it
// does not ask again in time.
func (l *link) expectReread() {
	if l.overdue != nil {
		l.overdue.Stop()
	}
	var self *time.Timer
	self = time.AfterFunc(rereadDeadline, func() {
		l.e.mu.Lock()
		var after followUps
		if l.overdue == self && !l.e.closed {
			l.overdue = nil
			if l.answered != l.exposure && l.state == ServerConnected {
				l.late = true
				after = l.enforceLocked()
			}
			l.e.touchLocked()
		}
		l.e.mu.Unlock()
		after.run()
	})
	l.overdue = self
}

func (l *link) stopTimers() {
	if l.overdue != nil {
		l.overdue.Stop()
		l.overdue = nil
	}
}

// takenBackLocked reports whether the server still knows something that it may
// no longer know.
func (l *link) takenBackLocked() bool {
	ix := l.e.index
	for _, r := range l.known {
		if at, ok := ix.position[ix.byURI[r.URI]]; !ok || at >= len(l.permitted) || !l.permitted[at] {
			return true
		}
	}
	return false
}

// enforceLocked takes back by force what a server was told and may keep: a
// program of ours is restarted, a server that is not ours is marked.
func (l *link) enforceLocked() followUps {
	if !l.takenBackLocked() || l.session == nil || l.state != ServerConnected {
		return nil
	}
	srv := l.e.index.servers[l.id]
	if l.filled() {
		return l.refillLocked()
	}
	if srv.Transport != store.Stdio {
		l.mayKeep = true
		l.e.recordLocked(Activity{Kind: "failed", Server: srv.Name, Subject: srv.Name, Text: "may still use what you took back: it did not ask again, and it is not ours to restart"})
		return nil
	}
	l.e.recordLocked(Activity{Kind: "stopped", Server: srv.Name, Subject: srv.Name, Text: "is restarted, so that it cannot keep what you took back"})
	l.honours.TakenBack = true
	l.answered, l.known = nil, nil
	return followUps{l.session.Restart}
}

// delivery says how far the current exposure got.
func (l *link) delivery() Delivery {
	switch {
	case l.state != ServerConnected:
		return DeliveryNone
	case l.given != nil && !sameRoots(l.given, l.exposure):
		if l.e.index.servers[l.id].NoRestart {
			return DeliveryStale
		}
		return DeliveryTold // it is restarted with the new ones
	case l.given != nil && l.answered == nil:
		return DeliveryCurrent
	case l.answered == nil:
		return DeliveryNeverAsked
	case sameRoots(l.answered, l.exposure):
		return DeliveryCurrent
	case l.late || !l.notifies:
		return DeliveryStale
	default:
		return DeliveryTold
	}
}

func sameRoots(a, b *mcpclient.Exposure) bool {
	return a == b || a != nil && b != nil && slices.Equal(a.Roots, b.Roots)
}

func uris(x *mcpclient.Exposure) []string {
	list := make([]string, len(x.Roots))
	for i, r := range x.Roots {
		list[i] = r.URI
	}
	return list
}
