package app

import (
	"context"
	"path/filepath"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// inspect tells what adding each of the places would mean, looking at all of
// them at once.
func (e *Engine) inspect(ctx context.Context, specs []RootSpec) ([]RootCheck, error) {
	checks := make([]RootCheck, len(specs))
	places := make([]monitor.Place, 0, len(specs))
	index := make([]int, 0, len(specs))
	for i, spec := range specs {
		uri, err := ParsePlace(spec.Path)
		if err != nil {
			return nil, err
		}
		checks[i] = RootCheck{URI: uri.String(), Path: uri.Path(), Kind: root.HTTPS}
		if !uri.IsHTTPS() {
			checks[i].Kind = root.Folder
			places = append(places, monitor.Place{ID: checks[i].URI, Path: checks[i].Path, Kind: root.Folder})
			index = append(index, i)
		}
	}
	seen := e.monitor.Observe(ctx, places...)
	for n, p := range places {
		if seen[n].Status == monitor.NotAFolder {
			p.Kind = root.File
			checks[index[n]].Kind = root.File
			seen[n] = e.monitor.Observe(ctx, p)[0]
		}
	}
	known, err := e.known(ctx)
	if err != nil {
		return nil, err
	}
	for n, i := range index {
		e.judgePlace(&checks[i], seen[n], known)
	}
	for i := range checks {
		if name, ok := known.uris[checks[i].URI]; ok {
			checks[i].Duplicate = name
		}
	}
	return checks, ctx.Err()
}

// judgePlace fills in what is known of a path.
func (e *Engine) judgePlace(check *RootCheck, seen monitor.Observation, known *knownRoots) {
	if !seen.Status.Usable() {
		check.Problem = statusSentence(seen)
	}
	paths := []string{check.Path}
	if seen.Target != "" && seen.Target != check.Path {
		paths = append(paths, seen.Target)
	}
	for _, p := range paths {
		switch s := e.places.Check(p); {
		case s.Level == root.Blocked && !known.allowBlocked:
			check.Blocked = s.Why + " To add it all the same, allow blocked places in Settings."
		case s.Level != root.Fine:
			check.Warning = s.Why
		}
	}
	for _, name := range []string{known.spellings[root.Spelling(root.Native(), check.Path)], known.targets[seen.Target], known.files[seen.FileID]} {
		if name != "" {
			check.Duplicate = name
		}
	}
	for dir := filepath.Dir(check.Path); ; dir = filepath.Dir(dir) {
		if name, ok := known.spellings[root.Spelling(root.Native(), dir)]; ok {
			check.NestedIn = name
			return
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}

// knownRoots are the labels of the active workspace's roots by everything they
// can be recognised by.
type knownRoots struct {
	uris, spellings, targets, files map[string]string
	allowBlocked                    bool
}

func (e *Engine) known(ctx context.Context) (*knownRoots, error) {
	e.mu.Lock()
	state, seen, members := e.state, e.seen, e.index.members
	e.mu.Unlock()
	k := &knownRoots{
		uris: make(map[string]string), spellings: make(map[string]string), targets: make(map[string]string), files: make(map[string]string),
		allowBlocked: state.Settings[SettingAllowBlocked] == "on",
	}
	note := func(r store.Root, o monitor.Observation) {
		if o.Target != "" {
			k.targets[o.Target] = label(r)
		}
		if o.FileID != "" && o.Status.Usable() {
			k.files[o.FileID] = label(r)
		}
	}
	var unseen []monitor.Place
	for _, id := range members {
		r := state.Roots[id]
		k.uris[r.URI] = label(r)
		if r.Kind == root.HTTPS {
			continue
		}
		k.spellings[root.Spelling(root.Native(), rootPath(r))] = label(r)
		if o, ok := seen[id]; ok {
			note(r, o)
		} else {
			unseen = append(unseen, place(r))
		}
	}
	for i, o := range e.monitor.Observe(ctx, unseen...) {
		note(state.Roots[store.RootID(unseen[i].ID)], o)
	}
	return k, ctx.Err()
}
