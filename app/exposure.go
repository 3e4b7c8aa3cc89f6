package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/mcpclient"
	"rootsmanager/store"
)

// grant is what was decided about one root and one server, in force now.
type grant struct {
	verdict store.Verdict // Allow, Never, or empty: undecided
	target  string
	fileID  string
	expires time.Time // zero: not by itself
}

// consent is everything decisions can be looked up in. It is immutable.
type consent struct {
	stored map[store.Identity]map[string]store.Decision
	once   sessionDecisions
	all    bool
	now    time.Time
}

// sessionDecisions last until the program ends. The maps are replaced, never
// changed, so that snapshots may keep them.
type sessionDecisions struct {
	approved map[store.Identity]time.Time
	allowed  map[store.Identity]map[string]grant
}

func (d *sessionDecisions) reset() {
	d.approved = make(map[store.Identity]time.Time)
	d.allowed = make(map[store.Identity]map[string]grant)
}

func (d *sessionDecisions) approve(id store.Identity, at time.Time) {
	d.approved = maps.Clone(d.approved)
	d.approved[id] = at
}

func (d *sessionDecisions) disapprove(id store.Identity) {
	d.approved = maps.Clone(d.approved)
	delete(d.approved, id)
}

func (d *sessionDecisions) allow(id store.Identity, uri string, g grant) {
	d.allowed = maps.Clone(d.allowed)
	d.allowed[id] = maps.Clone(d.allowed[id])
	if d.allowed[id] == nil {
		d.allowed[id] = make(map[string]grant)
	}
	d.allowed[id][uri] = g
}

func (d *sessionDecisions) forget(id store.Identity, uri string) {
	if _, ok := d.allowed[id][uri]; !ok {
		return
	}
	d.allowed = maps.Clone(d.allowed)
	d.allowed[id] = maps.Clone(d.allowed[id])
	delete(d.allowed[id], uri)
}

func (c *consent) of(id store.Identity, uri string) grant {
	if c.all {
		return grant{verdict: store.Allow, target: anyTarget}
	}
	if g, ok := c.once.allowed[id][uri]; ok {
		return g
	}
	d, ok := c.stored[id][uri]
	if !ok || d.Verdict == store.Revoked || !d.Expires.IsZero() && !c.now.Before(d.Expires) {
		return grant{}
	}
	return grant{verdict: d.Verdict, target: d.Target, fileID: d.FileID, expires: d.Expires}
}

// anyTarget allows a root wherever it leads: only for `--consent session`.
const anyTarget = "*"

// holds reports whether the grant still fits where the root leads now.
func (g grant) holds(r store.Root, seen monitor.Observation) bool {
	if g.target == anyTarget || r.Kind == root.HTTPS {
		return true
	}
	target := g.target
	if target == "" { // decided while the folder was not there: it must be the very folder that was named
		target = rootPath(r)
	}
	if target == seen.Target && g.fileID == seen.FileID {
		return true // nearly always, and cheap
	}
	return monitor.SameTarget(target, g.fileID, seen)
}

// standing is why one assigned root is or is not told to one server.
type standing int

const (
	standingTold     standing = iota
	standingAsk               // undecided
	standingNever             // refused
	standingChanged           // allowed, but it leads somewhere else now
	standingUnusable          // allowed, but missing, unreadable, …
	standingHTTPS             // https roots are off for this server
)

// judge decides about one assigned root. It is the rule
// exposed = assigned ∩ consented ∩ reachable, in one place.
func judge(c *consent, id store.Identity, srv store.Server, r store.Root, seen monitor.Observation) (standing, grant) {
	if r.Kind == root.HTTPS && !srv.AllowHTTPS {
		return standingHTTPS, grant{}
	}
	g := c.of(id, r.URI)
	switch {
	case g.verdict == store.Never:
		return standingNever, g
	case g.verdict != store.Allow:
		return standingAsk, g
	case seen.Status == monitor.ChangedTarget:
		return standingChanged, g
	case !seen.Status.Usable():
		return standingUnusable, g
	case !g.holds(r, seen):
		return standingChanged, g
	}
	return standingTold, g
}

func (e *Engine) consentLocked() *consent {
	return &consent{stored: e.state.Decisions, once: e.once, all: e.opts.ApproveAll, now: time.Now()}
}

// basis is all that an exposure follows from, besides what the monitor saw. Two
// that are the same give the same exposure, so that a tick for one server costs
// nothing for the others.
type basis struct {
	layout   *layout
	planned  bool
	identity store.Identity
	https    bool
	assigned map[store.RootID]root.Access
	stored   map[string]store.Decision
	once     map[string]grant
	lapses   time.Time // when the first of the decisions does; zero: none
}

// same reports whether o, which is newer, gives the same exposure.
func (b *basis) same(o *basis, meant []int, now time.Time) bool {
	return o.layout.keeps(b.layout, meant) && b.planned == o.planned && b.identity == o.identity && b.https == o.https &&
		sameMap(b.assigned, o.assigned) && sameMap(b.stored, o.stored) && sameMap(b.once, o.once) &&
		(b.lapses.IsZero() || now.Before(b.lapses))
}

func (e *Engine) basisLocked(l *link) *basis {
	b := &basis{layout: e.index.layout, https: e.index.servers[l.id].AllowHTTPS, assigned: e.state.Assignments[e.state.Active][l.id]}
	if l.plan != nil {
		b.planned, b.identity = true, l.plan.identity
		b.stored, b.once = e.state.Decisions[b.identity], e.once.allowed[b.identity]
	}
	return b
}

// refreshLocked is exposeLocked if anything it follows from changed; what the
// monitor sees is taken in by observed.
func (e *Engine) refreshLocked(l *link) followUps {
	now := e.basisLocked(l)
	if l.basis == nil || !l.basis.same(now, e.index.meant[l.id], time.Now()) {
		return e.exposeLocked(l)
	}
	now.lapses = l.basis.lapses
	l.basis = now
	return nil
}

// exposeLocked recomputes what a server is to be told, and returns what has to
// be done about it.
func (e *Engine) exposeLocked(l *link) followUps {
	srv, ix := e.index.servers[l.id], e.index
	meant := ix.meant[l.id]
	roots := make([]mcpclient.Root, 0, len(meant))
	told := make([]int, 0, len(meant))
	l.basis = e.basisLocked(l)
	l.permitted = make([]bool, len(ix.members))
	if l.plan != nil {
		c := e.consentLocked()
		for _, at := range meant {
			r := ix.roots[at]
			standing, g := judge(c, l.plan.identity, srv, r, e.seen[r.ID])
			if !g.expires.IsZero() && (l.basis.lapses.IsZero() || g.expires.Before(l.basis.lapses)) {
				l.basis.lapses = g.expires
			}
			switch standing {
			case standingTold:
				roots = append(roots, mcpclient.Root{URI: r.URI, Name: r.Name})
				told = append(told, at)
				l.permitted[at] = true
			case standingUnusable:
				l.permitted[at] = true
			}
		}
	}
	l.told = told
	if l.exposure != nil && slices.Equal(l.exposure.Roots, roots) {
		return nil
	}
	var generation uint64 = 1
	if l.exposure != nil {
		generation = l.exposure.Generation + 1
	}
	l.exposure = mcpclient.Encode(generation, roots)
	if l.session == nil {
		return nil
	}
	if l.filled() {
		return l.refillLocked()
	}
	if l.takenBackLocked() {
		// Servers that keep their old folders on an empty list must not: ours
		// are restarted at once. Others are told first, as of every change.
		if len(roots) == 0 && srv.Transport == store.Stdio {
			return l.enforceLocked()
		}
		l.expectReread()
	}
	return followUps{l.session.Announce}
}

// reconcileLocked makes sessions, exposures and prompts fit the state.
func (e *Engine) reconcileLocked() followUps {
	var after followUps
	for id, l := range e.links {
		if _, ok := e.index.servers[id]; !ok {
			after = append(after, e.endSessionLocked(l)...)
			delete(e.links, id)
		}
	}
	for _, srv := range e.state.Servers {
		l := e.links[srv.ID]
		if l == nil {
			l = newLink(e, srv.ID)
			e.links[srv.ID] = l
		}
		after = append(after, e.refreshLocked(l)...)
		if !e.started {
			continue
		}
		switch {
		case !srv.Enabled || e.opts.Only != "" && srv.Name != e.opts.Only:
			after = append(after, e.endSessionLocked(l)...)
		case l.session == nil:
			l.state = ServerConnecting
			l.session = mcpclient.New(l, l.sessionOptions())
		case l.launched != "" && l.plan != nil && l.plan.identity != l.launched || l.plan != nil && !l.plan.same(srv):
			after = append(after, l.session.Restart)
		case l.state == ServerWaiting && l.plan != nil && e.approvedLocked(l.plan.identity):
			l.state = ServerConnecting
			after = append(after, l.session.Restart)
		case l.state == ServerConnected && l.plan != nil && !e.approvedLocked(l.plan.identity):
			after = append(after, l.session.Restart) // the approval was taken back
		}
	}
	e.reviewPromptsLocked()
	return after
}

// endSessionLocked closes a server's session in the background.
func (e *Engine) endSessionLocked(l *link) followUps {
	s := l.session
	if s == nil {
		return nil
	}
	l.session, l.state, l.problem = nil, ServerOff, ""
	l.answered, l.known, l.given = nil, nil, nil
	l.stopTimers()
	nothing := l.nothing
	l.nothing = ""
	e.wait.Add(1)
	return followUps{func() {
		go func() {
			defer e.wait.Done()
			if err := s.Close(); err != nil {
				e.log.Warn("stop server", "error", err)
			}
			removeNothing(nothing)
		}()
	}}
}

func (e *Engine) approvedLocked(id store.Identity) bool {
	if e.opts.ApproveAll {
		return true
	}
	if _, ok := e.once.approved[id]; ok {
		return true
	}
	_, ok := e.state.Approvals[id]
	return ok
}

// watchLocked tells the monitor which roots matter: those of the active
// workspace.
func (e *Engine) watchLocked() {
	if !e.started {
		return
	}
	if !sameSlice(e.watched, e.index.places) {
		e.watched = e.index.places
		e.monitor.Watch(e.watched)
	}
}

// observed takes in transitions: exposures of the servers they touch change.
func (e *Engine) observed(changes []monitor.Change) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return
	}
	seen := maps.Clone(e.seen)
	touched := make(map[store.RootID]bool, len(changes))
	for _, ch := range changes {
		id := store.RootID(ch.ID)
		r, ok := e.state.Roots[id]
		if !ok {
			continue
		}
		seen[id] = ch.Now
		touched[id] = true
		e.fresh[id] = true
		e.emitLocked(Event{Time: ch.Now.Since, Kind: EventRootStatus, URI: r.URI, Status: string(ch.Now.Status), Previous: string(ch.Previous.Status)})
		if ch.Previous.Status != monitor.Unknown && ch.Previous.Status != "" && ch.Previous.Status != ch.Now.Status {
			e.recordLocked(Activity{Kind: "status", Subject: label(r), Text: statusSentence(ch.Now), URIs: []string{r.URI}})
		}
	}
	e.seen = seen
	var after followUps
	for _, l := range e.links {
		assigned := e.state.Assignments[e.state.Active][l.id]
		for id := range touched {
			if _, ok := assigned[id]; ok {
				after = append(after, e.exposeLocked(l)...)
				break
			}
		}
	}
	e.reviewPromptsLocked()
	e.touchLocked()
	e.mu.Unlock()
	after.run()
}

// verified is what a server is answered: its exposure, of which every root was
// looked at again at this moment, for a symlink may have been re-pointed since
// the last event. What does not hold is left out of this answer. It is not
// taken in as seen, because the monitor may know that it is about to come back,
// and would not report it then; the server is told to ask again instead.
func (e *Engine) verified(ctx context.Context, l *link) (*mcpclient.Exposure, error) {
	e.mu.Lock()
	var places []monitor.Place
	var roots []store.Root
	for _, at := range l.told {
		if p := e.index.places[at]; p.Kind != root.HTTPS {
			places = append(places, p)
			roots = append(roots, e.index.roots[at])
		}
	}
	e.mu.Unlock()
	now := e.monitor.Observe(ctx, places...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var changes []monitor.Change // other files at the same places, which the monitor does not report
	var ids []string
	doubtful := make(map[string]bool)
	e.mu.Lock()
	c, srv := e.consentLocked(), e.index.servers[l.id]
	for i, p := range places {
		switch before := e.seen[store.RootID(p.ID)]; {
		case before.Status == now[i].Status && before.Target == now[i].Target:
			if before.FileID != now[i].FileID {
				changes = append(changes, monitor.Change{ID: p.ID, Previous: before, Now: now[i]})
			}
		default:
			ids = append(ids, p.ID)
			if s, _ := judge(c, l.plan.identity, srv, roots[i], now[i]); s != standingTold {
				doubtful[roots[i].URI] = true
			}
		}
	}
	e.mu.Unlock()
	if len(changes) > 0 {
		e.observed(changes)
	}
	if len(ids) > 0 {
		e.monitor.Recheck(ids...)
	}
	e.mu.Lock()
	exposure, session := l.exposure, l.session
	e.mu.Unlock()
	if len(doubtful) == 0 {
		return exposure, nil
	}
	if session != nil {
		session.Announce()
	}
	left := slices.DeleteFunc(slices.Clone(exposure.Roots), func(r mcpclient.Root) bool { return doubtful[r.URI] })
	return mcpclient.Encode(exposure.Generation, left), nil
}
