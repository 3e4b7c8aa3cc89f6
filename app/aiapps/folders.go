package aiapps

import (
	"path"
	"slices"
	"strings"
)

// Origin says how a server was given a folder.
type Origin string

// The origins there are.
const (
	Argument      Origin = "argument"
	Environment   Origin = "environment"
	WorkingFolder Origin = "working folder"
)

// Folder is one folder a server was given.
type Folder struct {
	Path    string // with ~ replaced; as written when Unknown
	From    Origin
	Arg     int    // index in Args, for an argument
	Name    string // of the environment variable
	Unknown bool   // holds a variable, so only the app knows which folder it is
}

// notFolders are variables that hold paths for finding programs and libraries.
var notFolders = []string{
	"PATH", "HOME", "USERPROFILE", "NODE_PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "VIRTUAL_ENV", "SHELL", "JAVA_HOME",
	"GOPATH", "GOROOT", "CLASSPATH", "NVM_DIR", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP",
}

// folders finds what an entry was given to work in.
func (e Env) folders(entry *Entry) []Folder {
	var found []Folder
	if entry.Managed != "" {
		return nil
	}
	add := func(f Folder) {
		f.Path = e.expand(f.Path)
		same := func(o Folder) bool { return o.Path == f.Path && o.From == f.From && o.Name == f.Name }
		if !slices.ContainsFunc(found, same) {
			found = append(found, f)
		}
	}
	for i, a := range entry.Args {
		if slices.Contains(entry.Secrets, i) {
			continue
		}
		before := ""
		if i > 0 {
			before = entry.Args[i-1]
		}
		p, ok := e.argumentPath(before, a)
		if ok && (i > 0 || !runsFile(entry.Command)) {
			add(Folder{Path: p, From: Argument, Arg: i, Unknown: variable.MatchString(p)})
		}
	}
	for _, v := range entry.Env {
		if v.Secret || slices.Contains(notFolders, strings.ToUpper(v.Name)) {
			continue
		}
		for _, p := range e.pathList(v.Value) {
			add(Folder{Path: p, From: Environment, Name: v.Name, Unknown: variable.MatchString(p)})
		}
	}
	if entry.Dir != "" {
		add(Folder{Path: entry.Dir, From: WorkingFolder, Unknown: variable.MatchString(entry.Dir)})
	}
	return found
}

// runsFile reports whether the first argument of a command is the program.
func runsFile(command string) bool {
	base := strings.TrimSuffix(strings.ToLower(command[strings.LastIndexAny(command, `/\`)+1:]), ".exe")
	return slices.Contains([]string{"node", "python", "python3", "deno", "bun", "java", "ruby", "sh", "bash", "zsh", "php", "dotnet"}, base)
}

// takesFile are flags whose value is the server itself or its settings, not a
// folder it works in.
var takesFile = []string{"-m", "-c", "-e", "-y", "-p", "--package", "--from", "--config", "--log-file", "-jar", "--env-file", "--prefix", "--directory", "--project"}

// argumentPath finds the folder in one argument, given the one before it.
func (e Env) argumentPath(before, arg string) (string, bool) {
	name, value, has := strings.Cut(arg, "=")
	switch {
	case slices.Contains(takesFile, before):
		return "", false
	case (before == "--mount" || name == "--mount" && has) && strings.Contains(arg, "="):
		for _, field := range strings.Split(strings.TrimPrefix(arg, "--mount="), ",") {
			if k, v, _ := strings.Cut(field, "="); k == "src" || k == "source" {
				return v, e.isFolder(v)
			}
		}
		return "", false
	case before == "-v" || before == "--volume":
		return e.volume(arg)
	case has && (name == "--volume" || name == "-v"):
		return e.volume(value)
	case has && strings.HasPrefix(name, "-"):
		if slices.Contains(takesFile, name) {
			return "", false
		}
		return value, e.isFolder(value)
	}
	return arg, e.isFolder(arg)
}

// volume takes the folder out of host:container[:options].
func (e Env) volume(arg string) (string, bool) {
	from := 0
	if e.windows() && len(arg) > 2 && arg[1] == ':' {
		from = 2
	}
	if i := strings.IndexByte(variable.ReplaceAllStringFunc(arg, func(v string) string { return strings.Repeat("x", len(v)) })[from:], ':'); i >= 0 {
		p := arg[:from+i]
		return p, e.isFolder(p)
	}
	return "", false
}

// pathList splits a value that is one full path, or a list of them.
func (e Env) pathList(value string) []string {
	sep := ":"
	if e.windows() {
		sep = ";"
	}
	var paths []string
	for _, sep := range []string{sep, ","} {
		paths = paths[:0]
		for _, p := range strings.Split(value, sep) {
			if p = strings.TrimSpace(p); !e.isFolder(p) {
				paths = paths[:0]
				break
			}
			paths = append(paths, p)
		}
		if len(paths) > 1 {
			return paths
		}
	}
	if e.isFolder(value) {
		return []string{value}
	}
	return nil
}

func (e Env) expand(p string) string {
	if p == "~" {
		return e.Home
	}
	if strings.HasPrefix(p, "~/") || e.windows() && strings.HasPrefix(p, `~\`) {
		return e.join(e.Home, p[2:])
	}
	return p
}

// isFolder reports whether a text is the full path of a folder. A path that
// begins with a variable is taken for one: it cannot be looked up.
func (e Env) isFolder(p string) bool {
	if p == "" || len(p) > 4096 || strings.Contains(p, "://") || strings.ContainsAny(p, "\n\x00") {
		return false
	}
	if at := variable.FindStringIndex(p); at != nil {
		rest := p[at[1]:]
		begins := at[0] == 0 && (rest == "" || rest[0] == '/' || rest[0] == '\\')
		folderLike := rest != "" || strings.Contains(strings.ToLower(p), "folder") || strings.Contains(strings.ToLower(p), "dir") ||
			strings.Contains(strings.ToLower(p), "home") || strings.Contains(strings.ToLower(p), "root") || strings.Contains(strings.ToLower(p), "pwd")
		return (begins && folderLike || e.isFull(p)) && !hasFileEnding(p)
	}
	p = e.expand(p)
	if !e.isFull(p) {
		return false
	}
	if e.IsFolder != nil {
		return e.IsFolder(p)
	}
	return !hasFileEnding(p)
}

func (e Env) isFull(p string) bool {
	if !e.windows() {
		return strings.HasPrefix(p, "/")
	}
	drive := len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z'
	return drive || strings.HasPrefix(p, `\\`)
}

// hasFileEnding reports whether the last part of a path ends like a file:
// .js, .py, .sqlite, but not .config or my.project.
func hasFileEnding(p string) bool {
	base := p[strings.LastIndexAny(p, `/\`)+1:]
	ext := strings.ToLower(path.Ext(base))
	return ext != base && slices.Contains([]string{
		".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".sh", ".bat", ".cmd", ".exe", ".jar", ".dll", ".php", ".pl", ".json", ".jsonc", ".toml",
		".yaml", ".yml", ".env", ".ini", ".conf", ".db", ".sqlite", ".sqlite3", ".duckdb", ".log", ".txt", ".md", ".pem", ".key", ".crt", ".sock",
		".csv", ".xml", ".pdf",
	}, ext)
}
