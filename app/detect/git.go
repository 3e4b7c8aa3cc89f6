package detect

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// gitState is what a working tree tells without running git.
type gitState struct {
	kind    Kind
	branch  string
	main    string // of a worktree
	remote  string // name of the repository at its remote
	changed time.Time
}

// readGit reads the .git of a folder; isDir tells whether that is a folder. It
// is false if this is no repository.
func readGit(dir string, isDir bool) (gitState, bool) {
	g := gitState{kind: Git}
	gitDir := join(dir, ".git")
	common := gitDir
	if !isDir {
		text, err := readFile(gitDir)
		line, _, _ := strings.Cut(string(text), "\n")
		to, found := strings.CutPrefix(strings.TrimRight(line, "\r"), "gitdir: ")
		if err != nil || !found || strings.TrimSpace(to) == "" {
			return g, false
		}
		g.kind = gitFileKind(to)
		if to, found = reach(dir, to); !found {
			return g, true
		}
		gitDir, common = to, to
		if g.kind == Worktree {
			common = filepath.Dir(filepath.Dir(gitDir))
			if g.main = common; filepath.Base(common) == ".git" {
				g.main = filepath.Dir(common)
			}
		}
	}
	head, err := readFile(join(gitDir, "HEAD"))
	if err != nil {
		return g, !isDir
	}
	g.branch = branchOf(strings.TrimSpace(string(head)))
	if g.changed = written(join(gitDir, "index")); g.changed.IsZero() {
		g.changed = written(join(gitDir, "HEAD"))
	}
	g.remote = remoteName(join(common, "config"))
	return g, true
}

// gitFileKind tells from where a .git file leads what its folder is.
func gitFileKind(to string) Kind {
	parts := strings.Split(filepath.ToSlash(strings.TrimSpace(to)), "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == ".git" {
			parts = parts[i+1:]
			break
		}
	}
	switch n := len(parts); {
	case slices.Contains(parts, "modules"): // also those of a worktree: worktrees/x/modules/y
		return Submodule
	case n >= 2 && parts[n-2] == "worktrees":
		return Worktree
	}
	return Git // made with --separate-git-dir
}

// reach makes the path in a .git file absolute. It does not leave for another
// computer: on Windows, merely looking there would send it credentials.
func reach(dir, to string) (string, bool) {
	to = filepath.FromSlash(strings.TrimSpace(to))
	if runtime.GOOS == "windows" && len(to) > 1 && os.IsPathSeparator(to[0]) && os.IsPathSeparator(to[1]) {
		return "", false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	return filepath.Clean(to), true
}

// branchOf reads the text of HEAD: a branch's name or the start of a commit.
func branchOf(head string) string {
	if ref, ok := strings.CutPrefix(head, "ref: "); ok {
		ref = strings.TrimSpace(ref)
		if ref == "refs/heads/.invalid" { // the refs are kept elsewhere (reftable)
			return ""
		}
		return cleanName(strings.TrimPrefix(ref, "refs/heads/"))
	}
	if len(head) != 40 && len(head) != 64 || strings.Trim(head, "0123456789abcdef") != "" {
		return ""
	}
	return head[:7]
}

// remoteName reads the last part of the address of "origin", or else of the
// first remote.
func remoteName(config string) string {
	text, err := readFile(config)
	if err != nil {
		return ""
	}
	var first, section string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		if !strings.HasPrefix(section, `[remote "`) {
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if strings.ToLower(strings.TrimSpace(key)) != "url" {
			continue
		}
		name := repositoryName(strings.Trim(strings.TrimSpace(value), `"`))
		if section == `[remote "origin"]` {
			return name
		}
		if first == "" {
			first = name
		}
	}
	return first
}

// repositoryName is the last part of https://host/me/name.git, host:me/name
// and C:\repos\name.
func repositoryName(url string) string {
	url = strings.TrimRight(url, `/\`)
	url = url[strings.LastIndexAny(url, `/\:`)+1:]
	return strings.TrimSuffix(url, ".git")
}

// mercurialBranch reads the named branch of a working copy.
func mercurialBranch(hg string) string {
	if name := cleanName(firstLine(join(hg, "branch"))); name != "" {
		return name
	}
	return "default"
}
