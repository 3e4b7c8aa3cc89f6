package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// question is a waiting prompt with those who wait for it.
type question struct {
	Prompt
	identity store.Identity
	decided  chan struct{} // closed when it is answered or withdrawn
}

// quietKey names what "not now" was said to; with an empty URI, the approval.
type quietKey struct {
	identity store.Identity
	uri      string
}

// quietUntil says how long a "not now" holds, and how often it was said.
type quietUntil struct {
	until time.Time
	times int
}

// Not now is quiet for a while that grows: a server cannot wear a person down
// by asking again.
const (
	quietFirst = 10 * time.Minute
	quietMost  = 24 * time.Hour
)

func (e *Engine) hushLocked(key quietKey) {
	q := e.quiet[key]
	pause := quietMost
	if q.times < 4 {
		pause = quietFirst << (2 * q.times) // 10 min, 40 min, 2 h 40, 10 h 40
	}
	e.quiet[key] = quietUntil{until: time.Now().Add(min(pause, quietMost)), times: q.times + 1}
}

func (e *Engine) hushedLocked(key quietKey) bool { return time.Now().Before(e.quiet[key].until) }

func (e *Engine) findLocked(server store.ServerID, consent bool) *question {
	for _, q := range e.prompts {
		if q.Server == server && (q.Consent != nil) == consent {
			return q
		}
	}
	return nil
}

func (e *Engine) enqueueLocked(q *question) {
	q.ID = PromptID(fmt.Sprintf("q%d-%s", time.Now().UnixNano(), q.Server))
	q.ServerName = e.index.servers[q.Server].Name
	q.Asked = time.Now()
	q.decided = make(chan struct{})
	e.prompts = append(e.prompts, q)
	e.touchLocked()
}

// withdrawLocked takes a prompt out of the queue and wakes those who wait.
func (e *Engine) withdrawLocked(q *question) {
	e.prompts = slices.DeleteFunc(slices.Clone(e.prompts), func(o *question) bool { return o == q })
	close(q.decided)
	e.touchLocked()
}

func (e *Engine) withdrawAllLocked() {
	for _, q := range e.prompts {
		close(q.decided)
	}
	e.prompts = nil
}

// askApprovalLocked queues the question whether a server may be started.
func (e *Engine) askApprovalLocked(l *link) {
	if !e.opts.Prompter {
		return
	}
	question := e.approvalQuestionLocked(l)
	if q := e.findLocked(l.id, false); q != nil {
		if q.identity == l.plan.identity {
			return
		}
		e.withdrawLocked(q) // what would run changed while the question stood
	}
	e.enqueueLocked(newQuestion(l, question, nil))
}

func newQuestion(l *link, approval *ApprovalQuestion, consent *ConsentQuestion) *question {
	return &question{Prompt: Prompt{Server: l.id, Approval: approval, Consent: consent}, identity: l.plan.identity}
}

// undecidedLocked lists the assigned roots that a server would be told of if
// the person said yes.
func (e *Engine) undecidedLocked(l *link) []store.RootID {
	if l.plan == nil {
		return nil
	}
	c := e.consentLocked()
	srv := e.index.servers[l.id]
	var list []store.RootID
	for _, at := range e.index.meant[l.id] {
		r, id := e.index.roots[at], e.index.members[at]
		s, _ := judge(c, l.plan.identity, srv, r, e.seen[id])
		if (s == standingAsk || s == standingChanged) && !e.hushedLocked(quietKey{l.plan.identity, r.URI}) {
			list = append(list, id)
		}
	}
	return list
}

// askConsentLocked queues a consent question if something is undecided, or
// joins the one that stands, and returns what to wait for; nil: nothing.
func (e *Engine) askConsentLocked(l *link) <-chan struct{} {
	if !e.opts.Prompter {
		return nil
	}
	asked := e.undecidedLocked(l)
	if len(asked) == 0 {
		return nil
	}
	q := e.findLocked(l.id, true)
	if q == nil {
		q = newQuestion(l, nil, e.consentQuestionLocked(l, asked))
		e.enqueueLocked(q)
		name := q.ServerName
		e.emitLocked(Event{Kind: EventConsentRequested, ServerID: l.id, Server: name})
		e.recordLocked(Activity{Kind: "asked", Server: name, Subject: name, Text: "waits for your answer about " + e.countFolders(len(asked))})
	}
	if q.Deadline.IsZero() {
		q.Deadline = time.Now().Add(e.opts.ConsentWait)
		e.touchLocked()
	}
	return q.decided
}

// consentTimedOut leaves the question standing, with nobody waiting.
func (e *Engine) consentTimedOut(l *link) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if q := e.findLocked(l.id, true); q != nil {
		q.Deadline = time.Time{}
		e.touchLocked()
	}
}

// offered is how many folders a question lists at most that are not assigned
// to the server: more than that nobody reads, and each question is made anew
// with every change.
const offered = 200

func (e *Engine) consentQuestionLocked(l *link, asked []store.RootID) *ConsentQuestion {
	c := e.consentLocked()
	question := &ConsentQuestion{CommandLine: l.plan.argv, URL: l.plan.url}
	assigned := e.state.Assignments[e.state.Active][l.id]
	listed := make(map[store.RootID]bool, len(asked))
	add := func(id store.RootID, isAssigned bool) {
		listed[id] = true
		r := e.state.Roots[id]
		view := e.rootViewLocked(id, r)
		f := ConsentFolder{
			Root: id, Label: view.Label, Short: view.Short, URI: r.URI, Kind: r.Kind,
			Access: root.ReadOnly, Assigned: isAssigned, Warning: view.Warning,
		}
		if isAssigned {
			f.Access = assigned[id]
		}
		if !view.Status.Usable() {
			f.Problem = string(view.Status)
		}
		if g := c.of(l.plan.identity, r.URI); g.verdict == store.Allow {
			f.Problem = "leads to " + view.Target + " now; you allowed " + cmp.Or(g.target, view.Path)
		}
		question.Folders = append(question.Folders, f)
	}
	for _, id := range asked {
		add(id, true)
	}
	srv := e.index.servers[l.id]
	for at, id := range e.index.members {
		r := e.index.roots[at]
		if len(question.Folders) >= len(asked)+offered {
			break
		}
		if _, ok := assigned[id]; ok || listed[id] || r.Kind == root.HTTPS && !srv.AllowHTTPS {
			continue
		}
		if c.of(l.plan.identity, r.URI).verdict == "" {
			add(id, false)
		}
	}
	return question
}

// reviewPromptsLocked withdraws the questions that answered themselves: ticked
// in the grid, approved in another window, server removed or turned off.
func (e *Engine) reviewPromptsLocked() {
	for _, q := range slices.Clone(e.prompts) {
		srv, known := e.index.servers[q.Server]
		l := e.links[q.Server]
		switch {
		case !known || !srv.Enabled || l == nil || l.plan == nil || l.plan.identity != q.identity:
			e.withdrawLocked(q)
		case q.Approval != nil && e.approvedLocked(q.identity):
			e.withdrawLocked(q)
		case q.Consent != nil:
			asked := e.undecidedLocked(l)
			if len(asked) == 0 {
				e.withdrawLocked(q)
				continue
			}
			q.Consent = e.consentQuestionLocked(l, asked)
			q.ServerName = srv.Name
		}
	}
}

// ErrPromptGone is returned for a question that was answered or withdrawn.
var ErrPromptGone = errors.New("this question was answered already, or is no longer needed")

// Answer answers a waiting question. It returns after the decision is stored
// and in force.
func (e *Engine) Answer(ctx context.Context, id PromptID, answer PromptAnswer) error {
	e.mu.Lock()
	i := slices.IndexFunc(e.prompts, func(q *question) bool { return q.ID == id })
	if i < 0 {
		e.mu.Unlock()
		return ErrPromptGone
	}
	q := e.prompts[i]
	l := e.links[q.Server]
	e.mu.Unlock()
	if q.Approval != nil {
		return e.answerApproval(ctx, q, l, answer)
	}
	return e.answerConsent(ctx, q, l, answer)
}

func (e *Engine) answerApproval(ctx context.Context, q *question, l *link, answer PromptAnswer) error {
	switch answer.Verdict {
	case AllowAlways:
		return e.approve(ctx, l, q.identity, "dialog")
	case AllowUntilQuit:
		e.mu.Lock()
		e.once.approve(q.identity, time.Now())
		e.recordLocked(Activity{Kind: "approved", Server: q.ServerName, Subject: q.ServerName, Text: "may run until you quit"})
		e.mu.Unlock()
		e.adopt(e.store.State())
		return nil
	case NeverAllow:
		return e.SetServerEnabled(ctx, q.Server, false)
	default:
		e.mu.Lock()
		if slices.Contains(e.prompts, q) {
			e.withdrawLocked(q)
		}
		e.recordLocked(Activity{Kind: "decided", Server: q.ServerName, Subject: q.ServerName, Text: "was not started: you said not now"})
		e.publishLocked()
		e.mu.Unlock()
		return nil
	}
}

// approve stores the yes to start a server exactly as it is now.
func (e *Engine) approve(ctx context.Context, l *link, identity store.Identity, origin string) error {
	e.mu.Lock()
	p := l.plan
	name := e.index.servers[l.id].Name
	e.mu.Unlock()
	if p == nil || p.identity != identity {
		return ErrPromptGone
	}
	hash, err := p.programHash()
	if err != nil {
		return fmt.Errorf("the program %s cannot be read, so it cannot be approved: %w", p.argv[0], err)
	}
	shown, err := p.shown()
	if err != nil {
		return err
	}
	program := p.url
	if len(p.argv) > 0 {
		program = p.argv[0]
	}
	err = e.update(ctx, func(tx *store.Tx) error {
		return tx.PutApproval(store.Approval{
			Identity: identity, Server: l.id, Starter: e.opts.Starter, Program: program,
			ProgramHash: hash, Shown: shown, Origin: origin, Time: time.Now(),
		})
	})
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.recordLocked(Activity{Kind: "approved", Server: name, Subject: name, Text: "may be started; you approved its exact command"})
	e.publishLocked()
	e.mu.Unlock()
	return nil
}

func (e *Engine) answerConsent(ctx context.Context, q *question, l *link, answer PromptAnswer) error {
	asked := make(map[store.RootID]ConsentFolder, len(q.Consent.Folders))
	for _, f := range q.Consent.Folders {
		asked[f.Root] = f
	}
	for id := range answer.Folders {
		if _, ok := asked[id]; !ok {
			return errors.New("this folder was not part of the question: answer it again")
		}
	}
	var decide []Tick
	for _, f := range q.Consent.Folders {
		if access, ticked := answer.Folders[f.Root]; ticked || answer.Verdict == NeverAllow && answer.Folders == nil && f.Assigned {
			decide = append(decide, Tick{Server: q.Server, Root: f.Root, On: true, Access: cmp.Or(access, f.Access)})
		}
	}
	var err error
	switch answer.Verdict {
	case AllowAlways:
		err = e.assign(ctx, decide, store.Allow, "dialog")
	case AllowUntilQuit:
		err = e.allowUntilQuit(ctx, l, q.identity, decide)
	case NeverAllow:
		err = e.assign(ctx, decide, store.Never, "dialog")
	}
	if err != nil {
		return err
	}
	e.mu.Lock()
	for id, f := range asked {
		if _, ticked := answer.Folders[id]; !ticked && answer.Verdict != NeverAllow {
			e.hushLocked(quietKey{q.identity, f.URI})
		}
	}
	e.emitLocked(Event{Kind: EventConsentDecided, ServerID: q.Server, Server: q.ServerName, Decision: string(cmp.Or(answer.Verdict, NotNow))})
	e.recordLocked(Activity{Kind: "decided", Server: q.ServerName, Subject: q.ServerName, Text: consentSentence(answer.Verdict, len(decide))})
	if slices.Contains(e.prompts, q) {
		e.withdrawLocked(q)
	}
	e.publishLocked()
	e.mu.Unlock()
	return nil
}

func consentSentence(v PromptVerdict, n int) string {
	folders := fmt.Sprintf("%d folders", n)
	if n == 1 {
		folders = "1 folder"
	}
	switch v {
	case AllowAlways:
		return "– you allowed " + folders
	case AllowUntilQuit:
		return "– you allowed " + folders + " until you quit"
	case NeverAllow:
		return "– you refused " + folders + " for good"
	default:
		return "– you said not now"
	}
}

// allowUntilQuit assigns the folders and keeps the yes in memory only.
func (e *Engine) allowUntilQuit(ctx context.Context, l *link, identity store.Identity, ticks []Tick) error {
	seen, err := e.lookAt(ctx, ticks)
	if err != nil {
		return err
	}
	e.mu.Lock()
	for _, t := range ticks {
		r := e.state.Roots[t.Root]
		e.once.allow(identity, r.URI, grant{verdict: store.Allow, target: seen[t.Root].Target, fileID: seen[t.Root].FileID})
	}
	e.mu.Unlock()
	return e.AssignOnly(ctx, ticks)
}
