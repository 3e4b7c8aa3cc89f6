package detect

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// describe tells what project a folder with markers is. It has no kinds if the
// markers turn out to be something else.
func describe(dir string, markers []marker) Project {
	p := Project{Path: dir}
	slices.SortFunc(markers, func(a, b marker) int { return rank(a) - rank(b) })
	var names []string // the best first
	var remote string
	var indexed, newest time.Time
	for _, m := range markers {
		path := join(dir, m.name)
		kinds, name := []Kind{m.kind}, ""
		var changed time.Time
		switch m.kind {
		case Git, Worktree:
			g, ok := readGit(dir, m.kind == Git)
			if !ok {
				continue
			}
			kinds[0], p.Branch, p.Main, remote, changed = g.kind, g.branch, g.main, g.remote, g.changed
		case Mercurial:
			if p.Branch == "" {
				p.Branch = mercurialBranch(path)
			}
			changed = written(join(path, "dirstate"))
		case Subversion:
			changed = written(join(path, "wc.db"))
		case Jujutsu:
			changed = written(filepath.Join(path, "working_copy", "tree_state"))
		case JetBrains:
			name = firstLine(join(path, ".name"))
		default:
			kinds, name = readProjectFile(m, path)
		}
		if changed.IsZero() {
			changed = written(path)
		}
		p.Kinds = append(p.Kinds, kinds...)
		names = append(names, name)
		if m.kind.Versioned() {
			indexed = later(indexed, changed)
		} else if len(kinds) > 0 {
			newest = later(newest, changed)
		}
	}
	if p.Changed = indexed; indexed.IsZero() { // an index says more than a project file
		p.Changed = newest
	}
	slices.SortFunc(p.Kinds, func(a, b Kind) int { return slices.Index(order, a) - slices.Index(order, b) })
	p.Kinds = slices.Compact(p.Kinds)
	for _, name := range append(names, remote, filepath.Base(dir), dir) {
		if p.Name = cleanName(name); p.Name != "" {
			break
		}
	}
	return p
}

// rank is the place of a marker: version control first, then as in order, and
// solutions before the projects in them.
func rank(m marker) int {
	n := slices.Index(order, m.kind) * 2
	if e := filepath.Ext(m.name); e == ".csproj" || e == ".fsproj" || e == ".vbproj" {
		n++
	}
	return n
}

// written is when a file or folder was written last; zero if it is not there.
func written(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
