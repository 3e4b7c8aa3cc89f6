package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/mcpclient"
	"rootsmanager/store"
)

// Many servers never ask for roots. For those the exposed folders are filled
// into what is started, and a change restarts them. What is approved is the
// template, so that a tick asks nothing again; what is filled in are only
// exposed roots, by the same rule as every answer.
//
// Where nothing is exposed, every placeholder stands for a private, empty
// folder: many servers take no folder at all, or an empty list, for "all", and
// others do not start without one.

// Limits of what is filled in; a system has limits of its own on a command.
const (
	maxFilled      = 500        // folders
	maxFilledBytes = 512 * 1024 // together
)

// refillDelay gathers changes before a server is restarted with its new
// folders: a person who ticks, ticks again. With further changes it is never
// later than refillLatest.
const (
	refillDelay  = 300 * time.Millisecond
	refillLatest = 1500 * time.Millisecond
)

// placeholder finds ours and what was meant to be ours; other ${…} are left alone.
var placeholder = regexp.MustCompile(`\$\{(roots?(?:[:.][^}]*)?)\}`)

// The placeholders. All but allRoots may stand within a longer text.
const (
	allRoots   = "${roots}" // one argument for each root
	pathsep    = "roots:pathsep"
	jsonList   = "roots:json"
	firstRoot  = "root.first"
	namePrefix = "root:"
)

// interpreters run text that follows one of runsText.
var (
	interpreters = []string{"python", "python3", "node", "perl", "ruby", "deno", "bun", "php", "lua"}
	runsText     = regexp.MustCompile(`^(-[a-z]*c|-[a-z]*e|--eval|-p|--print|/[ck]|-command|-encodedcommand)$`)
)

// filling says what of a server's entry is filled in.
type filling struct {
	dir bool // it is started in the first folder
}

// fillingOf checks the placeholders of an entry and says what is filled in;
// nil: nothing. With [store.ChannelArguments] and no placeholder, args get one.
func fillingOf(s store.Server) (fill *filling, args []string, err error) {
	args = s.Args
	switch s.Channel {
	case "", store.ChannelAuto, store.ChannelRoots, store.ChannelArguments, store.ChannelEnv, store.ChannelDir:
	default:
		return nil, args, fmt.Errorf("“%s” is not a way to tell a server its folders: use auto, roots, arguments, environment or working folder", Plain(string(s.Channel), 40))
	}
	switch {
	case s.Channel == store.ChannelRoots:
		return nil, args, nil
	case s.Transport != store.Stdio:
		if s.Channel != "" && s.Channel != store.ChannelAuto {
			return nil, args, errors.New("a web address has no command to put folders into: let it be told automatically or through roots")
		}
		return nil, args, nil
	case placeholder.MatchString(s.Command) || placeholder.MatchString(s.Dir):
		return nil, args, errors.New("a folder must not decide which program runs: put ${root…} into the arguments, or choose “As its working folder”")
	}
	inArgs, inEnv := false, false
	for i, a := range args {
		for _, m := range placeholder.FindAllStringSubmatch(a, -1) {
			inArgs = true
			if m[0] == allRoots && a != allRoots {
				return nil, args, fmt.Errorf("${roots} in %q has to be an argument of its own: use ${roots:pathsep} or ${roots:json} within a longer one", Plain(a, 80))
			}
			if m[0] != allRoots {
				if err := checkPlaceholder(m[1]); err != nil {
					return nil, args, err
				}
			}
			if isScript(s.Command, args, i) {
				return nil, args, errors.New("a folder's name must not become part of a script: pass it as an argument after the script, and use that there")
			}
		}
	}
	for _, v := range s.Env {
		if v.Secret {
			continue
		}
		for _, m := range placeholder.FindAllStringSubmatch(v.Value, -1) {
			inEnv = true
			if m[0] == allRoots {
				return nil, args, fmt.Errorf("the variable %s holds one text: write ${roots:pathsep} or ${roots:json} in it", v.Name)
			}
			if err := checkPlaceholder(m[1]); err != nil {
				return nil, args, err
			}
		}
	}
	switch {
	case s.Channel == store.ChannelDir:
		return &filling{dir: true}, args, nil
	case s.Channel == store.ChannelEnv && !inEnv:
		return nil, args, errors.New("say which variable gets the folders: add one with the value ${roots:pathsep}, ${roots:json} or ${root.first}")
	case s.Channel == store.ChannelArguments && !inArgs:
		args = append(slices.Clone(args), allRoots)
		if isScript(s.Command, args, len(args)-1) {
			return nil, s.Args, errors.New("a folder's name must not become part of a script: choose another way to tell it")
		}
		return &filling{}, args, nil
	case inArgs || inEnv:
		return &filling{}, args, nil
	}
	return nil, args, nil
}

// checkPlaceholder checks what stands between the braces.
func checkPlaceholder(word string) error {
	switch name, named := strings.CutPrefix(word, namePrefix); {
	case word == pathsep, word == jsonList, word == firstRoot, named && strings.TrimSpace(name) != "":
		return nil
	}
	return fmt.Errorf("${%s} is not known: use ${roots}, ${roots:pathsep}, ${roots:json}, ${root.first} or ${root:NAME}, or choose “Roots” to leave it as it is", Plain(word, 80))
}

// isScript reports whether an argument is text that a shell or an interpreter runs.
func isScript(command string, args []string, i int) bool {
	program := strings.TrimSuffix(strings.ToLower(base(command)), ".exe")
	if program == "cmd" {
		return true // all of its arguments are
	}
	if !slices.Contains(shells, program) && !slices.ContainsFunc(interpreters, func(p string) bool { return strings.HasPrefix(program, p) }) {
		return false
	}
	return i > 0 && runsText.MatchString(strings.ToLower(args[i-1]))
}

// filler fills in one moment's folders.
type filler struct {
	roots   []filledRoot // exposed folders and files, in the user's order
	known   []string     // labels of all roots of the workspace
	nothing string       // the private, empty folder
}

type filledRoot struct {
	path, label string
	folder      bool
}

// paths are the exposed ones, never none.
func (f *filler) paths() []string {
	if len(f.roots) == 0 {
		return []string{f.nothing}
	}
	list := make([]string, len(f.roots))
	for i, r := range f.roots {
		list[i] = r.path
	}
	return list
}

// first is the first exposed folder.
func (f *filler) first() string {
	for _, r := range f.roots {
		if r.folder {
			return r.path
		}
	}
	return f.nothing
}

// args fills in a list of arguments.
func (f *filler) args(template []string) ([]string, error) {
	out := make([]string, 0, len(template)+len(f.roots))
	for _, a := range template {
		if a == allRoots {
			out = append(out, f.paths()...)
			continue
		}
		text, err := f.text(a)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// text fills in one text; template was checked.
func (f *filler) text(template string) (string, error) {
	var problem error
	text := placeholder.ReplaceAllStringFunc(template, func(found string) string {
		value, err := f.value(strings.TrimSuffix(strings.TrimPrefix(found, "${"), "}"))
		if err != nil && problem == nil {
			problem = err
		}
		return value
	})
	return text, problem
}

func (f *filler) value(word string) (string, error) {
	switch word {
	case firstRoot:
		return f.first(), nil
	case jsonList:
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(f.paths()); err != nil {
			return "", err
		}
		return strings.TrimSuffix(b.String(), "\n"), nil
	case pathsep:
		for _, p := range f.paths() {
			// What looks like two folders would open one that nobody ticked.
			if strings.ContainsRune(p, filepath.ListSeparator) {
				return "", fmt.Errorf("the folder %s has “%c” in its name, which separates folders in ${roots:pathsep}: use ${roots:json}, or untick it", Short(p), filepath.ListSeparator)
			}
		}
		return strings.Join(f.paths(), string(filepath.ListSeparator)), nil
	}
	name, ok := strings.CutPrefix(word, namePrefix)
	if !ok {
		return "", checkPlaceholder(word)
	}
	for _, r := range f.roots {
		if r.label == name {
			return r.path, nil
		}
	}
	if !slices.Contains(f.known, name) {
		return "", fmt.Errorf("${root:%s} names no folder of this workspace: add a folder with this name, or edit the server", Plain(name, 80))
	}
	return f.nothing, nil // it is there, and not ticked
}

// fillLocked gives what is started now, with the folders that are exposed now
// and, as looked at a moment ago, still are what was allowed.
func (l *link) fillLocked(p *plan, looked map[store.RootID]monitor.Observation) (mcpclient.Spec, error) {
	spec := p.spec()
	ix := l.e.index
	f := &filler{nothing: l.nothing}
	for _, r := range ix.roots {
		f.known = append(f.known, label(r))
	}
	size := 0
	c, srv := l.e.consentLocked(), ix.servers[l.id]
	var given []mcpclient.Root
	for _, at := range l.told {
		r := ix.roots[at]
		if r.Kind != root.HTTPS {
			if s, _ := judge(c, p.identity, srv, r, looked[r.ID]); s != standingTold {
				continue
			}
		}
		given = append(given, mcpclient.Root{URI: r.URI, Name: r.Name})
		if r.Kind == root.HTTPS {
			continue // an address is no folder
		}
		f.roots = append(f.roots, filledRoot{rootPath(r), label(r), r.Kind == root.Folder})
		size += len(rootPath(r)) + 1
	}
	if len(f.roots) > maxFilled || size > maxFilledBytes {
		return spec, fmt.Errorf("%d folders are too many to put into a command: at most %d fit. Untick some, or let it be told through roots", len(f.roots), maxFilled)
	}
	var err error
	if spec.Args, err = f.args(spec.Args); err != nil {
		return spec, err
	}
	for _, v := range p.env {
		if v.Secret {
			continue
		}
		value, err := f.text(v.Value)
		if err != nil {
			return spec, err
		}
		at := slices.Index(spec.Env, v.Name+"="+v.Value)
		if at >= 0 {
			spec.Env[at] = v.Name + "=" + value
		}
	}
	if p.fill.dir {
		spec.Dir = f.first()
	}
	l.given = mcpclient.Encode(l.exposure.Generation, given)
	if !sameRoots(l.given, l.exposure) {
		l.refillLocked() // the monitor is about to see the same, or it comes back
	}
	return spec, nil
}

// prepareFilling looks at every root meant for the server, before it is
// started with them, and makes the empty folder.
func (l *link) prepareFilling(ctx context.Context) (map[store.RootID]monitor.Observation, error) {
	e := l.e
	e.mu.Lock()
	var places []monitor.Place
	for _, at := range e.index.meant[l.id] {
		if p := e.index.places[at]; p.Kind != root.HTTPS {
			places = append(places, p)
		}
	}
	old := l.nothing
	l.nothing = ""
	e.mu.Unlock()
	looked, err := e.lookAgain(ctx, places)
	if err != nil {
		return nil, err
	}
	removeNothing(old)
	dir, err := os.MkdirTemp("", "roots-manager-no-folder-")
	if err == nil {
		err = os.Chmod(dir, 0o500) // so that it stays empty
	}
	if err != nil {
		removeNothing(dir)
		return nil, fmt.Errorf("the empty folder for a server without folders cannot be made: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	l.nothing = dir
	return looked, nil
}

// lookAgain looks at places now. What was not looked at before is taken in;
// about the rest the monitor decides, which may know that it is coming back.
func (e *Engine) lookAgain(ctx context.Context, places []monitor.Place) (map[store.RootID]monitor.Observation, error) {
	now := e.monitor.Observe(ctx, places...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	looked := make(map[store.RootID]monitor.Observation, len(places))
	var first []monitor.Change
	var doubtful []string
	e.mu.Lock()
	for i, p := range places {
		looked[store.RootID(p.ID)] = now[i]
		switch before := e.seen[store.RootID(p.ID)]; {
		case before.Status == "" || before.Status == monitor.Unknown,
			before.Status == now[i].Status && before.Target == now[i].Target && before.FileID != now[i].FileID: // which the monitor does not report
			first = append(first, monitor.Change{ID: p.ID, Previous: before, Now: now[i]})
		case before.Status != now[i].Status || before.Target != now[i].Target:
			doubtful = append(doubtful, p.ID)
		}
	}
	e.mu.Unlock()
	if len(first) > 0 {
		e.observed(first)
	}
	if len(doubtful) > 0 {
		e.monitor.Recheck(doubtful...)
	}
	return looked, nil
}

// removeNothing removes an empty folder; it is empty, so nothing can be lost.
func removeNothing(dir string) {
	if dir != "" {
		_ = os.Remove(dir) // what is left in the temporary folder, the system clears
	}
}

// filled reports whether the server gets its folders in what is started.
func (l *link) filled() bool { return l.plan != nil && l.plan.fill != nil }

// refillLocked restarts a server that was started with other folders than are
// exposed now, soon.
func (l *link) refillLocked() followUps {
	srv := l.e.index.servers[l.id]
	switch {
	case l.given == nil && l.state != ServerFailed:
		return nil // it is not running; when it is started, it gets the newest
	case l.given != nil && sameRoots(l.given, l.exposure):
		return followUps{l.session.Announce}
	case srv.NoRestart:
		if l.given != nil && l.takenBackLocked() && !l.mayKeep {
			l.mayKeep = true
			l.e.recordLocked(Activity{Kind: "failed", Server: srv.Name, Subject: srv.Name, Text: "still works in what you took back, until you restart it"})
		}
		return followUps{l.session.Announce}
	}
	now := time.Now()
	if l.refill == nil {
		l.refillBy = now.Add(refillLatest)
	} else {
		l.refill.Stop()
	}
	var self *time.Timer
	self = time.AfterFunc(max(0, min(refillDelay, l.refillBy.Sub(now))), func() { l.refillNow(&self) })
	l.refill = self
	return nil
}

// refillNow restarts the server, unless it has the newest folders by now. What
// timer points to is guarded by Engine.mu.
func (l *link) refillNow(timer **time.Timer) {
	e := l.e
	e.mu.Lock()
	if l.refill != *timer {
		e.mu.Unlock()
		return
	}
	l.refill = nil
	stands := l.given != nil && !sameRoots(l.given, l.exposure) || l.given == nil && l.state == ServerFailed
	if e.closed || l.session == nil || !stands {
		e.mu.Unlock()
		return
	}
	name := e.index.servers[l.id].Name
	e.recordLocked(Activity{Kind: "stopped", Server: name, Subject: name, Text: "is restarted with the new folders: " + e.foldersLocked(l.exposure), URIs: uris(l.exposure)})
	l.answered, l.known = nil, nil
	l.honours.Refilled = true
	restart := l.session.Restart
	e.touchLocked()
	e.mu.Unlock()
	restart()
}

// fillWarnings tell what a person should know before approving a template.
func (p *plan) fillWarnings() []Warning {
	if p.fill == nil {
		return nil
	}
	where := "its command"
	if !slices.ContainsFunc(p.argv, placeholder.MatchString) {
		where = "its environment"
	}
	if p.fill.dir {
		return []Warning{{
			"It is started in the first folder you tick",
			"Some programs run what lies in the folder they are started in; npx and python are among them. It is restarted when that folder changes. You are not asked again.",
		}}
	}
	return []Warning{{
		"Folders you tick are put into " + where,
		"They stand where you see ${root…}. It is restarted when they change, and you are not asked again. While none is ticked, it gets an empty folder.",
	}}
}

// askUnheardLocked asks about undecided folders of a server that may never ask
// itself. Nobody waits for the answer: it is restarted then.
func (e *Engine) askUnheardLocked(l *link) {
	if e.askConsentLocked(l) != nil {
		e.findLocked(l.id, true).Deadline = time.Time{}
	}
}
