package app

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// publishLocked makes the newest snapshot.
func (e *Engine) publishLocked() {
	e.seq++
	s := &Snapshot{Seq: e.seq, Workspaces: e.state.Workspaces}
	for _, ws := range e.state.Workspaces {
		if ws.ID == e.state.Active {
			s.Workspace = ws
		}
	}
	cells := &cellSource{consent: e.consentLocked(), state: e.state, seen: e.seen, links: make(map[store.ServerID]cellLink, len(e.links))}
	exposed := make([]int, len(e.index.members)) // by position
	for _, srv := range e.state.Servers {
		l := e.links[srv.ID]
		if l == nil {
			l = newLink(e, srv.ID)
		}
		s.Servers = append(s.Servers, e.serverViewLocked(l, srv))
		cell := cellLink{server: srv, state: l.state}
		if l.plan != nil {
			cell.identity, cell.planned = l.plan.identity, true
		}
		cells.links[srv.ID] = cell
		if l.state == ServerConnected {
			for _, at := range l.told {
				exposed[at]++
			}
		}
	}
	s.Cells = cells
	s.Roots = e.rootViewsLocked(exposed)
	for _, q := range e.prompts {
		p := q.Prompt
		if l := e.links[q.Server]; l != nil {
			p.Note = e.selfNoteLocked(l, q.ServerName)
		}
		s.Prompts = append(s.Prompts, p)
	}
	n := min(len(e.activity), activityKept)
	s.Activity = slices.Clone(e.activity[len(e.activity)-n:])
	slices.Reverse(s.Activity)
	if len(e.undo) > 0 {
		s.UndoLabel = e.undo[len(e.undo)-1].label
	}
	s.Health = e.healthLocked()
	e.snapshot.Store(s)
	e.signal(e.wake)
}

// rootViewsLocked lists the roots as shown. Views that did not change are kept,
// and so is the whole list if none did: most of what happens concerns servers.
func (e *Engine) rootViewsLocked(exposed []int) []RootView {
	all := e.viewed != e.index.layout
	views := e.views
	if all {
		views = make([]RootView, len(e.index.members))
	}
	for at, id := range e.index.members {
		v := &views[at]
		if !all && !e.fresh[id] && v.ExposedTo == exposed[at] && v.AssignedTo == e.index.meantFor[at] {
			continue
		}
		if !all && sameSlice(views, e.views) { // snapshots hold it
			views = slices.Clone(views)
		}
		views[at] = e.rootViewLocked(id, e.index.roots[at])
		views[at].ExposedTo, views[at].AssignedTo = exposed[at], e.index.meantFor[at]
	}
	e.viewed, e.views = e.index.layout, views
	clear(e.fresh)
	return views
}

func (e *Engine) serverViewLocked(l *link, srv store.Server) ServerView {
	v := ServerView{
		Server: srv, State: l.state, Problem: l.problem, RetryAt: l.retryAt, Revision: l.revision,
		SelfName: l.selfName, SelfVersion: l.selfVer, Delivery: l.delivery(), ToldAt: l.toldAt, AskedAt: l.askedAt,
		AskDelay: l.askDelay, MayKeep: l.mayKeep, OtherProgram: l.otherProgram, NeedsLogin: l.needsLogin && l.state == ServerFailed, Errors: slices.Clone(l.errors),
		Assigned: len(e.state.Assignments[e.state.Active][srv.ID]),
	}
	v.SelfNote = e.selfNoteLocked(l, srv.Name)
	if l.state == ServerConnected {
		v.Exposed = len(l.exposure.Roots)
	}
	v.Filled, v.Honours = l.filled(), l.honours
	switch {
	case l.answered != nil:
		v.Answered = len(l.answered.Roots)
	case l.given != nil:
		v.Answered = len(l.given.Roots)
	}
	if l.plan != nil {
		v.Identity, v.CommandLine = l.plan.identity, l.plan.argv
		if a, ok := e.state.Approvals[l.plan.identity]; ok {
			v.ApprovedAt = a.Time
		} else {
			v.ApprovedAt = e.once.approved[l.plan.identity]
		}
	}
	return v
}

// selfNoteLocked warns of a server that calls itself by the name of another
// server or of this app. What it is called in the window is always the name
// the person gave it.
func (e *Engine) selfNoteLocked(l *link, name string) string {
	self := nameKey(l.selfName)
	if self == "" || self == nameKey(name) {
		return ""
	}
	if self == nameKey("Roots Manager") {
		return "It calls itself “" + l.selfName + "”, which is the name of this app. It is not part of it."
	}
	for _, other := range e.index.named[self] {
		if other != l.id {
			return "It calls itself “" + l.selfName + "”, which is what you call another server."
		}
	}
	return ""
}

// nameKey is what of a name counts when two are compared: letters and digits,
// without case, so that “Roots-Manager” is no way around.
func nameKey(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// rootFacts is what of a root's view does not change with its status.
type rootFacts struct {
	of      store.Root
	path    string
	short   string
	label   string
	warning string
	target  string
}

func (e *Engine) rootViewLocked(id store.RootID, r store.Root) RootView {
	seen := e.seen[id]
	f, ok := e.facts[id]
	if !ok || f.of != r || f.target != seen.Target {
		f = rootFacts{of: r, path: rootPath(r), label: label(r), target: seen.Target}
		f.short = Short(f.path)
		if r.Kind != root.HTTPS {
			for _, p := range []string{f.path, seen.Target} {
				if s := e.places.Check(p); p != "" && s.Level != root.Fine {
					f.warning = s.Why
				}
			}
		}
		e.facts[id] = f
	}
	v := RootView{
		Root: r, Path: f.path, Short: f.short, Label: f.label, Warning: f.warning,
		Status: seen.Status, Since: seen.Since, Detail: seen.Detail, MovedTo: seen.MovedTo,
	}
	if v.Status == "" {
		v.Status = monitor.Unknown
	}
	if seen.Target != f.path {
		v.Target = seen.Target
	}
	if at, ok := e.index.position[id]; ok && e.index.nestedIn[at] >= 0 {
		v.NestedIn = label(e.index.roots[e.index.nestedIn[at]])
	}
	return v
}

func (e *Engine) healthLocked() Health {
	seal := e.store.Seal()
	h := Health{Sealed: seal.Sealed && !seal.Tampered, Tampered: seal.Tampered, SealedText: "Decisions sealed in keyring", SealedHelp: seal.Help}
	switch {
	case seal.Tampered:
		h.SealedText = "Decisions were altered outside of this app: " + seal.Reason
	case !seal.Sealed:
		h.SealedText = "Decisions last until you quit: " + seal.Reason
	}
	watch := e.monitor.Health()
	h.Watching = watch.Mode == monitor.Events
	switch n := len(e.index.members); {
	case n == 0:
		h.WatchText, h.Watching = "Nothing to watch yet", true
	case h.Watching:
		h.WatchText = "Watching " + e.countFolders(n)
	default:
		h.WatchText = "Checking " + strconv.Itoa(n) + " folders now and then"
		h.WatchHelp = watch.Reason
	}
	return h
}

// cellSource answers for one snapshot.
type cellSource struct {
	consent *consent
	state   *store.State
	seen    map[store.RootID]monitor.Observation
	links   map[store.ServerID]cellLink
}

type cellLink struct {
	server   store.Server
	identity store.Identity
	planned  bool
	state    ServerState
}

func (c *cellSource) Cell(server store.ServerID, id store.RootID) Cell {
	access, assigned := c.state.Assignments[c.state.Active][server][id]
	link, known := c.links[server]
	if !assigned || !known {
		return Cell{State: CellOff}
	}
	cell := Cell{Access: access}
	if !link.planned {
		cell.State, cell.Reason = CellIdle, "Not looked at yet"
		return cell
	}
	seen := c.seen[id]
	standing, _ := judge(c.consent, link.identity, link.server, c.state.Roots[id], seen)
	switch standing {
	case standingHTTPS:
		cell.State, cell.Reason = CellHeld, "Web addresses are off for this server"
	case standingNever:
		cell.State, cell.Reason = CellNever, "You refused this for good; click to allow it"
	case standingAsk:
		cell.State, cell.Reason = CellAsks, "Waits for your answer; click to allow it"
	case standingChanged:
		cell.State, cell.Reason = CellChanged, "Leads to "+seen.Target+" now; click to allow that"
	case standingUnusable:
		cell.State, cell.Reason = CellHeld, "The folder "+statusSentence(seen)
	default:
		cell.State = CellOn
		if link.state != ServerConnected {
			cell.State, cell.Reason = CellIdle, "The server is "+string(link.state)+"; it is told when it is connected"
		}
	}
	return cell
}
