package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// ServerSpec is what a person says of a server.
type ServerSpec struct {
	Name       string // unique, 1 to 80 characters; empty takes one from the command or URL
	Command    string // a program, for a server that is started
	Args       []string
	Dir        string // working folder, empty for the home folder
	Env        []store.Var
	URL        string // http or https, for a server that is contacted
	Transport  store.Transport
	Headers    []store.Var
	Source     string // where the entry comes from; empty: "added by you"
	Revision   string // pinned protocol revision, empty for automatic
	AllowHTTPS bool
	RootsOff   bool
	Channel    store.Channel // how it learns of its folders; empty is automatic
	NoRestart  bool          // a change of folders does not restart it by itself
	Enabled    bool
}

// Spec gives the entry of a server as it can be edited. Values of secrets are
// empty; left so, they stay as they are.
func (v ServerView) Spec() ServerSpec {
	return ServerSpec{
		Name: v.Name, Command: v.Command, Args: v.Args, Dir: v.Dir, Env: v.Env, URL: v.URL, Transport: v.Transport,
		Headers: v.Headers, Source: v.Source, Revision: v.Revision, AllowHTTPS: v.AllowHTTPS, RootsOff: v.RootsOff,
		Channel: v.Channel, NoRestart: v.NoRestart, Enabled: v.Enabled,
	}
}

// Revisions are the protocol revisions a server can be pinned to, newest first.
func Revisions() []string {
	return []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// headerName is a token of RFC 9110, section 5.6.2.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// server checks a spec and turns it into an entry, keeping what base has.
func (spec ServerSpec) server(base store.Server, taken func(string) bool) (store.Server, error) {
	s := base
	s.Name = strings.TrimSpace(spec.Name)
	s.Command, s.Args, s.Dir, s.Env = strings.TrimSpace(spec.Command), slices.Clone(spec.Args), strings.TrimSpace(spec.Dir), slices.Clone(spec.Env)
	s.URL, s.Headers, s.Transport = strings.TrimSpace(spec.URL), slices.Clone(spec.Headers), spec.Transport
	s.Revision, s.AllowHTTPS, s.RootsOff, s.Enabled = spec.Revision, spec.AllowHTTPS, spec.RootsOff, spec.Enabled
	s.Channel, s.NoRestart = cmp.Or(spec.Channel, store.ChannelAuto), spec.NoRestart
	s.Source = cmp.Or(spec.Source, base.Source, "added by you")
	switch {
	case s.Command == "" && s.URL == "":
		return s, errors.New("say what to run or contact: a command such as npx, or a web address")
	case s.Command != "" && s.URL != "":
		return s, errors.New("a server has either a command or a web address, not both: remove one of them")
	case s.Command != "":
		s.Transport = store.Stdio
	default:
		s.Transport = cmp.Or(s.Transport, store.HTTP)
		if s.Transport == store.Stdio {
			return s, errors.New("a web address needs the transport http or sse")
		}
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return s, fmt.Errorf("%q is not a web address: write it like https://example.com/mcp", s.URL)
		}
		if u.User != nil {
			return s, errors.New("a web address must not hold a password: put it into a header marked as secret")
		}
	}
	for _, a := range append([]string{s.Command, s.Dir}, s.Args...) {
		if strings.ContainsRune(a, 0) {
			return s, errors.New("the command holds a NUL character: remove it")
		}
	}
	for _, v := range s.Env {
		if !envName.MatchString(v.Name) || strings.ContainsRune(v.Value, 0) {
			return s, fmt.Errorf("%q is not a name for an environment variable: use letters, digits and _, such as API_URL", v.Name)
		}
	}
	for _, v := range s.Headers {
		if !headerName.MatchString(v.Name) || strings.ContainsAny(v.Value, "\r\n\x00") {
			return s, fmt.Errorf("%q is not a valid header: use a name such as Authorization and a value on one line", v.Name)
		}
	}
	if _, _, err := fillingOf(s); err != nil {
		return s, err
	}
	if s.Revision != "" && !slices.Contains(Revisions(), s.Revision) {
		return s, fmt.Errorf("%q is not a protocol revision: use one of %s, or leave it automatic", s.Revision, strings.Join(Revisions(), ", "))
	}
	if s.Name == "" {
		s.Name = freeName(proposeName(s), taken)
	}
	if len([]rune(s.Name)) > 80 || strings.ContainsFunc(s.Name, isHidden) {
		return s, errors.New("a server's name has 1 to 80 visible characters")
	}
	if !strings.EqualFold(s.Name, base.Name) && taken(s.Name) {
		return s, fmt.Errorf("there is a server called %q already: choose another name", s.Name)
	}
	return s, nil
}

// launchers run a program that is named by their first argument.
var launchers = []string{"npx", "uvx", "node", "python", "python3", "docker", "podman", "deno", "bun", "bunx", "uv"}

// proposeName takes a name from what runs: the package after npx or uvx, else
// the program; the host of a URL.
func proposeName(s store.Server) string {
	if s.URL != "" {
		if u, err := url.Parse(s.URL); err == nil && u.Hostname() != "" {
			return u.Hostname()
		}
		return "server"
	}
	name := s.Command
	first := slices.IndexFunc(s.Args, func(a string) bool { return !strings.HasPrefix(a, "-") && a != "run" })
	if first >= 0 && slices.Contains(launchers, base(name)) {
		name = s.Args[first]
	}
	if strings.HasSuffix(name, "/dist/index.js") || strings.HasSuffix(name, "/index.js") {
		name = strings.TrimSuffix(strings.TrimSuffix(name, "/index.js"), "/dist")
	}
	name = base(name)
	if i := strings.LastIndex(name, "@"); i > 0 { // the version of a package
		name = name[:i]
	}
	for _, affix := range []string{"server-", "mcp-server-", "mcp-"} {
		name = strings.TrimPrefix(name, affix)
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "-mcp"), "-server")
	return cmp.Or(name, "server")
}

// ProposeName is the name a server gets if none is given.
func ProposeName(spec ServerSpec) string {
	return proposeName(store.Server{Command: strings.TrimSpace(spec.Command), Args: spec.Args, URL: strings.TrimSpace(spec.URL)})
}

func base(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

func freeName(name string, taken func(string) bool) string {
	free := name
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}

func (e *Engine) taken(state *store.State) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(state.Servers, func(s store.Server) bool { return strings.EqualFold(s.Name, name) })
	}
}

// AddServer adds a server. If it is enabled, it waits for approval.
func (e *Engine) AddServer(ctx context.Context, spec ServerSpec) (store.ServerID, error) {
	var added store.Server
	err := e.commit(ctx, func(tx *store.Tx) error {
		s, err := spec.server(store.Server{}, e.taken(tx.State()))
		if err != nil {
			return err
		}
		added, err = tx.AddServer(s)
		return err
	})
	if err != nil {
		return "", err
	}
	e.did(Activity{Kind: "changed", Server: added.Name, Subject: added.Name, Text: "was added"},
		"Add "+added.Name, func(ctx context.Context) error {
			return e.update(ctx, func(tx *store.Tx) error { return tx.RemoveServer(added.ID) })
		})
	return added.ID, nil
}

// UpdateServer changes an entry. What would run differently waits for approval.
func (e *Engine) UpdateServer(ctx context.Context, id store.ServerID, spec ServerSpec) error {
	var old, now store.Server
	err := e.commit(ctx, func(tx *store.Tx) error {
		var err error
		if old, err = serverOf(tx.State(), id); err != nil {
			return err
		}
		if now, err = spec.server(old, e.taken(tx.State())); err != nil {
			return err
		}
		return tx.PutServer(now)
	})
	if err != nil {
		return err
	}
	e.did(Activity{Kind: "changed", Server: now.Name, Subject: now.Name, Text: "was edited"},
		"Edit "+now.Name, func(ctx context.Context) error {
			return e.update(ctx, func(tx *store.Tx) error { return tx.PutServer(old) })
		})
	return nil
}

func serverOf(state *store.State, id store.ServerID) (store.Server, error) {
	for _, s := range state.Servers {
		if s.ID == id {
			return s, nil
		}
	}
	return store.Server{}, errors.New("this server is not in the list any more")
}

// RemoveServer removes a server with its assignments, and takes back its
// approval and consent unless another entry runs exactly the same.
func (e *Engine) RemoveServer(ctx context.Context, id store.ServerID) error {
	var old store.Server
	assigned := make(map[store.WorkspaceID]map[store.RootID]root.Access)
	e.replan(ctx, e.store.State())
	identity, shared := e.identityOf(id), e.sharedIdentity(id)
	var approval store.Approval
	var allowed []store.Decision
	err := e.commit(ctx, func(tx *store.Tx) error {
		state := tx.State()
		var err error
		if old, err = serverOf(state, id); err != nil {
			return err
		}
		for ws, servers := range state.Assignments {
			assigned[ws] = maps.Clone(servers[id])
		}
		if !shared {
			approval = state.Approvals[identity]
			if approval.Identity != "" {
				if err := tx.RemoveApproval(identity); err != nil {
					return err
				}
			}
			var revoke []store.Decision
			allowed = nil
			for uri, d := range state.Decisions[identity] {
				if d.Verdict == store.Allow {
					allowed = append(allowed, d)
					revoke = append(revoke, e.revocation(identity, uri))
				}
			}
			if err := tx.Record(revoke...); err != nil {
				return err
			}
		}
		return tx.RemoveServer(id)
	})
	if err != nil {
		return err
	}
	e.did(Activity{Kind: "changed", Server: old.Name, Subject: old.Name, Text: "was removed"},
		"Remove "+old.Name, func(ctx context.Context) error {
			return e.update(ctx, func(tx *store.Tx) error {
				if _, err := tx.AddServer(old); err != nil {
					return err
				}
				if approval.Identity != "" {
					if err := tx.PutApproval(approval); err != nil {
						return err
					}
				}
				for i := range allowed {
					allowed[i].Seq, allowed[i].Origin = 0, "undo"
				}
				if err := tx.Record(allowed...); err != nil {
					return err
				}
				for ws, roots := range assigned {
					for r, access := range roots {
						if _, ok := tx.State().Roots[r]; !ok {
							continue
						}
						if err := tx.Assign(ws, id, r, access); err != nil {
							return err
						}
					}
				}
				return nil
			})
		})
	return nil
}

// sharedIdentity reports whether another entry runs exactly the same.
func (e *Engine) sharedIdentity(id store.ServerID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	mine := e.links[id]
	for other, l := range e.links {
		if other != id && mine != nil && mine.plan != nil && l.plan != nil && l.plan.identity == mine.plan.identity {
			return true
		}
	}
	return false
}

// SetServerEnabled turns a server on or off.
func (e *Engine) SetServerEnabled(ctx context.Context, id store.ServerID, on bool) error {
	var name string
	err := e.commit(ctx, func(tx *store.Tx) error {
		s, err := serverOf(tx.State(), id)
		if err != nil {
			return err
		}
		name = s.Name
		s.Enabled = on
		return tx.PutServer(s)
	})
	if err != nil {
		return err
	}
	text, label := "was turned off", "Turn off "
	if on {
		text, label = "was turned on", "Turn on "
	}
	e.did(Activity{Kind: "changed", Server: name, Subject: name, Text: text}, label+name,
		func(ctx context.Context) error { return e.SetServerEnabled(ctx, id, !on) })
	return nil
}

// RestartServer ends the connection, if any, and connects again; a server that
// waits for approval asks for it again.
func (e *Engine) RestartServer(ctx context.Context, id store.ServerID) error {
	e.mu.Lock()
	l := e.links[id]
	if l == nil || l.session == nil {
		e.mu.Unlock()
		return errors.New("this server is off: turn it on first")
	}
	session := l.session
	e.mu.Unlock()
	session.Restart()
	return ctx.Err()
}

// Approve stores the yes to start a server exactly as it is now. The caller
// has asked a person; origin says where ("cli").
func (e *Engine) Approve(ctx context.Context, id store.ServerID, origin string) error {
	e.replan(ctx, e.store.State())
	e.mu.Lock()
	l := e.links[id]
	e.mu.Unlock()
	if l == nil {
		return errors.New("this server is not in the list any more")
	}
	e.mu.Lock()
	p := l.plan
	e.mu.Unlock()
	return e.approve(ctx, l, p.identity, origin)
}

// Approval describes what approving a server would allow, for asking outside
// of the window.
func (e *Engine) Approval(ctx context.Context, id store.ServerID) (ApprovalQuestion, error) {
	e.replan(ctx, e.store.State())
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.links[id]
	if l == nil || l.plan == nil {
		return ApprovalQuestion{}, errors.New("this server is not in the list any more")
	}
	if l.plan.problem != nil {
		return ApprovalQuestion{}, l.plan.problem
	}
	return *e.approvalQuestionLocked(l), nil
}

// ServerStderr gives the last 500 lines a server wrote to its error output,
// oldest first: untrusted text, made safe to show.
func (e *Engine) ServerStderr(id store.ServerID) []string {
	e.mu.Lock()
	l := e.links[id]
	if l == nil || l.session == nil {
		e.mu.Unlock()
		return nil
	}
	session, p := l.session, l.plan
	e.mu.Unlock()
	lines := session.Stderr()
	for i, line := range lines {
		lines[i] = p.redact(Plain(line, 2000))
	}
	return lines
}

// seenTools are tools that tell which folders a server works in, in the order
// they are tried.
var seenTools = []string{"list_allowed_directories", "get-roots-list", "list_roots"}

// Seen is what a server says it works in.
type Seen struct {
	Tool    string
	Folders []string // paths or URIs, as the server spells them
	Text    string   // its answer, made safe to show
	Matches bool     // the folders are exactly the exposed ones
}

const askTimeout = 15 * time.Second

// AskWhatItSees calls a tool of the server that tells which folders it works
// in. Only done when a person asks for it: it runs the server's code.
func (e *Engine) AskWhatItSees(ctx context.Context, id store.ServerID) (Seen, error) {
	e.mu.Lock()
	l := e.links[id]
	if l == nil || l.session == nil || l.state != ServerConnected {
		e.mu.Unlock()
		return Seen{}, errors.New("the server is not connected: start it first")
	}
	session, name, p := l.session, e.index.servers[id].Name, l.plan
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	tools, err := session.Tools(ctx)
	if err != nil {
		return Seen{}, fmt.Errorf("%s did not say which tools it has: %w", name, err)
	}
	for _, tool := range seenTools {
		for _, t := range tools {
			if t.Name != tool {
				continue
			}
			result, err := session.CallTool(ctx, tool, nil)
			if err != nil {
				return Seen{}, fmt.Errorf("%s did not answer: %w", name, err)
			}
			text := p.redact(result.Text)
			seen := Seen{Tool: tool, Text: Plain(text, 20_000), Folders: foldersIn(text)}
			seen.Matches = e.matches(ctx, l, seen.Folders)
			e.mu.Lock()
			l.sawLocked(seen)
			e.recordLocked(Activity{Kind: "asked", Server: name, Subject: name, Text: fmt.Sprintf("says it works in %s", e.countFolders(len(seen.Folders)))})
			e.emitLocked(Event{Kind: EventServerSeen, ServerID: id, Server: name, Folders: seen.Folders})
			e.touchLocked()
			e.mu.Unlock()
			return seen, nil
		}
	}
	return Seen{}, fmt.Errorf("%s has no tool that tells which folders it works in", name)
}
