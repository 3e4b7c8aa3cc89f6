package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// PathCheck says whether one server may be told of a path, and why.
type PathCheck struct {
	Server  store.ServerID
	Name    string
	Allowed bool
	Root    string // path of the root that decides, empty if none covers the path
	Why     string
}

// CheckPath tells for every server whether a path lies in what it may be told,
// after symlinks.
func (e *Engine) CheckPath(ctx context.Context, path string) ([]PathCheck, error) {
	uri, err := ParsePlace(path)
	if err != nil && !filepath.IsAbs(path) {
		if abs, absErr := filepath.Abs(path); absErr == nil {
			uri, err = ParsePlace(abs)
		}
	}
	if err != nil {
		return nil, err
	}
	if uri.IsHTTPS() {
		return nil, errors.New("only paths can be checked, not web addresses")
	}
	e.replan(ctx, e.store.State())
	state := e.store.State()
	var covering []store.Root
	for _, id := range state.Members[state.Active] {
		r := state.Roots[id]
		if r.Kind == root.HTTPS {
			continue
		}
		if ok, err := root.Reaches(rootPath(r), uri.Path()); err == nil && ok {
			covering = append(covering, r)
		}
	}
	places := make([]monitor.Place, len(covering))
	for i, r := range covering {
		places[i] = place(r)
	}
	seen := e.monitor.Observe(ctx, places...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.consentLocked()
	var list []PathCheck
	for _, srv := range state.Servers {
		check := PathCheck{Server: srv.ID, Name: srv.Name, Why: "no folder in the list covers this path"}
		ticked := false // a reason about a ticked folder is worth more than one about another
		for i, r := range covering {
			if check.Allowed {
				break
			}
			if _, ok := state.Assignments[state.Active][srv.ID][r.ID]; !ok {
				if !ticked {
					check.Root, check.Why = rootPath(r), label(r)+" is not ticked for this server"
				}
				continue
			}
			ticked, check.Root = true, rootPath(r)
			standing, _ := judge(c, e.links[srv.ID].plan.identity, srv, r, seen[i])
			switch standing {
			case standingTold:
				check.Allowed, check.Why = true, label(r)+" is ticked for this server and reachable"
				if !srv.Enabled {
					check.Why += "; the server is off"
				}
			case standingAsk:
				check.Why = label(r) + " is ticked, but you have not allowed it yet"
			case standingNever:
				check.Why = "you refused " + label(r) + " for good"
			case standingChanged:
				check.Why = label(r) + " leads somewhere else than when you allowed it"
			default:
				check.Why = label(r) + " " + statusSentence(seen[i])
			}
		}
		list = append(list, check)
	}
	return list, nil
}

// foldersIn reads paths and URIs out of what a server's tool says: JSON with a
// list of roots, or one path a line.
func foldersIn(text string) []string {
	var parsed struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	var list []string
	if json.Unmarshal([]byte(text), &parsed) == nil && parsed.Roots != nil {
		for _, r := range parsed.Roots {
			list = append(list, r.URI)
		}
		return list
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(make([]byte, 0, 64*1024), 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if _, uri, ok := strings.Cut(line, "file://"); ok {
			line = "file://" + uri
		}
		if strings.HasPrefix(line, "file://") || filepath.IsAbs(line) {
			list = append(list, line)
		}
	}
	return list
}

// matches reports whether the folders a server names are exactly those it is
// told of; servers may name the resolved path of a folder.
func (e *Engine) matches(_ context.Context, l *link, folders []string) bool {
	e.mu.Lock()
	want := make(map[string]bool)
	for _, r := range l.exposure.Roots {
		if u, err := root.Parse(r.URI); err == nil {
			want[u.Path()] = true
		}
	}
	targets := make(map[string]string)
	for id, seen := range e.seen {
		targets[rootPath(e.state.Roots[id])] = seen.Target
	}
	e.mu.Unlock()
	have := make(map[string]bool)
	for _, f := range folders {
		u, err := ParsePlace(f)
		if err != nil {
			return false
		}
		have[u.Path()] = true
	}
	for path := range want {
		if !have[path] && !have[targets[path]] {
			return false
		}
		delete(have, path)
		delete(have, targets[path])
	}
	return len(have) == 0
}

func isLoopbackURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// DefaultDataDir is where the profile lives unless --data-dir or
// ROOTS_MANAGER_HOME says otherwise; base is the user's data folder.
func DefaultDataDir(base string) string {
	if dir := os.Getenv("ROOTS_MANAGER_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(base, "roots-manager")
}
