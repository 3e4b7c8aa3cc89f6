package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"rootsmanager/app/monitor"
	"rootsmanager/store"
)

// Level says how much a finding matters.
type Level string

// The levels.
const (
	Fine  Level = "fine"
	Note  Level = "note"  // worth knowing; nothing is wrong
	Wrong Level = "wrong" // Remedy says what to do
)

// Finding is one thing that was looked at.
type Finding struct {
	Area   string // profile, keyring, watching, …, or server
	Server string // its name, with area server
	Level  Level
	Text   string // what was found, a sentence
	Remedy string // what to do, a sentence; empty if nothing is to be done
}

// doctorWait is how long servers have to show how they treat their folders.
const doctorWait = askWait + 2*time.Second

// Doctor looks at the profile and at the servers that are on, or at the one of
// [Options.Only]. The engine is started, and without a Prompter, so that no
// server is started that is not approved. With ask, servers are asked with
// their own tool what they see, which runs their code. It takes up to about
// 12 s, longer with ask.
func (e *Engine) Doctor(ctx context.Context, ask bool) ([]Finding, error) {
	e.awaitKeyring(ctx)
	list := slices.Concat(e.checkProfile(ctx), e.checkKeyring(ctx), e.checkWatching())
	snap := e.settled(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, v := range snap.Servers {
		if e.opts.Only != "" && v.Name != e.opts.Only {
			continue
		}
		if v.State == ServerConnected {
			e.mu.Lock()
			l := e.links[v.ID]
			e.mu.Unlock()
			var problem error
			if e.findTool(ctx, l); ask {
				_, problem = e.AskWhatItSees(ctx, v.ID)
			}
			e.mu.Lock()
			v = e.serverViewLocked(l, v.Server)
			e.mu.Unlock()
			if problem != nil {
				list = append(list, Finding{Area: "server", Server: v.Name, Level: Note, Text: clause(problem.Error())})
			}
		}
		list = append(list, checkServer(v)...)
	}
	return list, ctx.Err()
}

// awaitKeyring waits a moment for the keyring's first answer.
func (e *Engine) awaitKeyring(ctx context.Context) {
	e.waitFor(ctx, 3*time.Second, func(s *Snapshot) bool { return s.Health.Sealed || s.Health.Tampered })
}

// settled waits until enough is known of every server.
func (e *Engine) settled(ctx context.Context) *Snapshot {
	wait := doctorWait
	if e.opts.askWait > 0 {
		wait = 10 * e.opts.askWait
	}
	e.waitFor(ctx, wait, func(s *Snapshot) bool {
		return !slices.ContainsFunc(s.Servers, func(v ServerView) bool {
			return v.Enabled && (e.opts.Only == "" || v.Name == e.opts.Only) && !v.knownEnough()
		})
	})
	return e.Snapshot()
}

// waitFor waits for a snapshot that fits, at most for limit.
func (e *Engine) waitFor(ctx context.Context, limit time.Duration, fits func(*Snapshot) bool) {
	found := make(chan struct{}, 1)
	cancel := e.Subscribe(func(s *Snapshot) {
		if fits(s) {
			select {
			case found <- struct{}{}:
			default:
			}
		}
	})
	defer cancel()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-found:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (e *Engine) checkProfile(ctx context.Context) []Finding {
	find := func(level Level, text, remedy string) Finding {
		return Finding{Area: "profile", Level: level, Text: text, Remedy: remedy}
	}
	list := []Finding{find(Fine, "The profile in "+Short(e.opts.DataDir)+" can be read, and its file is not damaged.", "")}
	if runtime.GOOS != "windows" {
		level, text, remedy := Fine, "Only you can read it.", ""
		for _, path := range []string{e.opts.DataDir, filepath.Join(e.opts.DataDir, "profile.db")} {
			if info, err := os.Stat(path); err != nil {
				level, text, remedy = Wrong, Plain(err.Error(), 300), "Check that the folder belongs to you."
			} else if info.Mode().Perm()&0o077 != 0 {
				level, text, remedy = Wrong, Short(path)+" can be opened by others.", "Run: chmod go-rwx "+Quote([]string{path})
			}
		}
		list = append(list, find(level, text, remedy))
	}
	switch v, err := e.store.VerifyAudit(ctx); {
	case err != nil:
		list = append(list, find(Note, "The audit log was not verified: "+Plain(err.Error(), 300), "Unlock the keyring and run this again."))
	case !v.OK:
		list = append(list, find(Wrong, clause("the audit log was altered: "+v.Why), "Compare it with a backup. Later entries can still be trusted."))
	default:
		list = append(list, find(Fine, fmt.Sprintf("The audit log is as it was written: %d entries verified.", v.Verified), ""))
	}
	return list
}

func (e *Engine) checkKeyring(context.Context) []Finding {
	h := e.Snapshot().Health
	f := Finding{Area: "keyring", Level: Fine, Text: clause(h.SealedText), Remedy: h.SealedHelp}
	if !h.Sealed {
		f.Level = Wrong
		if f.Remedy == "" {
			f.Remedy = "Unlock your keyring, or install one such as gnome-keyring."
		}
	}
	return []Finding{f}
}

func (e *Engine) checkWatching() []Finding {
	h := e.monitor.Health()
	f := Finding{Area: "watching", Level: Fine, Text: fmt.Sprintf("Listening in %d folders.", h.Folders)}
	if h.Mode != monitor.Events {
		f.Level, f.Text, f.Remedy = Note, "Some folders are only looked at every few seconds.", h.Reason
	}
	if h.Stuck > 0 {
		f.Level, f.Text, f.Remedy = Note, fmt.Sprintf("%d folders do not respond.", h.Stuck), "Check the drive or the network they are on."
	}
	if text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches"); err == nil {
		if limit, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			f.Text += fmt.Sprintf(" The system lets you watch %d.", limit)
			if limit < 8192 {
				f.Level, f.Remedy = Note, "Raise fs.inotify.max_user_watches if folders are only looked at every few seconds."
			}
		}
	}
	return []Finding{f}
}

// checkServer says where one server stands, and how it takes its folders.
func checkServer(v ServerView) []Finding {
	find := func(level Level, text, remedy string) Finding {
		return Finding{Area: "server", Server: v.Name, Level: level, Text: text, Remedy: remedy}
	}
	switch v.State {
	case ServerOff:
		return []Finding{find(Note, "It is off.", "")}
	case ServerWaiting:
		return []Finding{find(Note, "It is not started: it waits for your approval.", "Approve it in the window, or with: roots-manager approve "+Quote([]string{v.Name}))}
	case ServerFailed:
		return []Finding{find(Wrong, clause(v.Problem), "Read what it printed in the window, or edit its command.")}
	case ServerConnecting:
		return []Finding{find(Wrong, "It did not answer in time.", "Start its command in a terminal to see what it waits for.")}
	}
	how := map[store.Transport]string{store.Stdio: "over its standard streams", store.HTTP: "over the web", store.SSE: "over the web (SSE)"}[v.Transport]
	list := []Finding{find(Fine, "It is connected "+how+", in revision "+v.Revision+".", "")}
	for _, line := range v.Report() {
		level, text, remedy := Fine, line, ""
		if h := v.Honours; h.NeverAsked && !v.Filled && strings.HasPrefix(line, "Did not ask") || h.Ignored && strings.Contains(line, "did not ask again") || strings.HasPrefix(line, "Names other") {
			level = Note
			if before, after, ok := strings.Cut(line, ": "); ok {
				text, remedy = before+".", clause(after)
			}
		}
		list = append(list, find(level, text, remedy))
	}
	if v.MayKeep || v.Delivery == DeliveryStale {
		list = append(list, find(Wrong, "It works with older folders than you ticked.", "Restart it."))
	}
	return list
}

// clause gives words a capital first and a full stop last.
func clause(s string) string {
	s = strings.TrimSpace(Plain(s, 500))
	if s == "" {
		return "It failed without saying why."
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	r := []rune(s)
	return strings.ToUpper(string(r[0])) + string(r[1:])
}
