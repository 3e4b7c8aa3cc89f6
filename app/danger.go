package app

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// approvalQuestionLocked describes exactly what would run.
func (e *Engine) approvalQuestionLocked(l *link) *ApprovalQuestion {
	p := l.plan
	q := &ApprovalQuestion{
		Identity: p.identity, Source: p.of.Source, CommandLine: p.argv, Dir: p.dir, URL: p.url,
		Env: p.envLines(), Warnings: p.warnings(e.places),
	}
	if len(p.argv) > 0 {
		q.Program = p.argv[0]
		if p.target != "" && p.target != p.argv[0] {
			q.Program += " → " + p.target
		}
	}
	if p.fill != nil && p.fill.dir {
		q.Dir = "the first folder you tick for it"
	}
	q.Warnings = append(p.fillWarnings(), q.Warnings...)
	q.Changes = e.changesLocked(l)
	return q
}

func (p *plan) envLines() []EnvLine {
	lines := make([]EnvLine, 0, len(p.env))
	for _, v := range p.env {
		line := EnvLine{Name: v.Name, Value: v.Value, Secret: v.Secret}
		if v.Secret {
			line.Value = ""
		}
		lines = append(lines, line)
	}
	return lines
}

// shownPlan is what an approval remembers of the question, to explain a later
// difference. Values of variables are not in it: some are secrets that nobody
// marked.
type shownPlan struct {
	CommandLine []string `json:"commandLine,omitempty"`
	Program     string   `json:"program,omitempty"`
	Dir         string   `json:"dir,omitempty"`
	URL         string   `json:"url,omitempty"`
	Env         []string `json:"env,omitempty"`
	Told        string   `json:"told,omitempty"` // empty: through roots
}

func (p *plan) shownPlan() shownPlan {
	s := shownPlan{CommandLine: p.argv, Program: p.target, Dir: p.dir, URL: p.url}
	switch {
	case p.fill != nil && p.fill.dir:
		s.Told = "As its working folder"
	case p.fill != nil:
		s.Told = "In its command or environment"
	}
	for _, v := range p.env {
		s.Env = append(s.Env, v.Name)
	}
	return s
}

func (p *plan) shown() (string, error) {
	text, err := json.Marshal(p.shownPlan())
	return string(text), err
}

func parseShown(text string) (shownPlan, error) {
	var s shownPlan
	err := json.Unmarshal([]byte(text), &s)
	return s, err
}

// changesLocked compares what would run with what was last approved for this
// server.
func (e *Engine) changesLocked(l *link) []FieldChange {
	var last store.Approval
	for _, a := range e.state.Approvals {
		if a.Server == l.id && a.Time.After(last.Time) {
			last = a
		}
	}
	old, err := parseShown(last.Shown)
	if last.Identity == "" || last.Identity == l.plan.identity || err != nil {
		return nil
	}
	now := l.plan.shownPlan()
	var changes []FieldChange
	for _, c := range []FieldChange{
		{"Command", Quote(old.CommandLine), Quote(now.CommandLine)},
		{"Program file", old.Program, now.Program},
		{"Working folder", old.Dir, now.Dir},
		{"Web address", old.URL, now.URL},
		{"Environment", strings.Join(old.Env, ", "), strings.Join(now.Env, ", ")},
		{"How it is told of folders", old.Told, now.Told},
	} {
		if c.Old != c.New {
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		changes = append(changes, FieldChange{"Environment", "as approved", "a value changed"})
	}
	return changes
}

// Quote writes a command line so that each argument can be told apart: words
// with spaces, quotes or hidden characters stand in quotes.
func Quote(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$`;&|<>()*?[]{}!#~") || strings.ContainsFunc(a, isHidden) {
			words[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(visible(a, len(a), false)) + `"`
		}
	}
	return strings.Join(words, " ")
}

// loaders are variables by which foreign code gets into a program.
var loaders = []string{
	"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "NODE_OPTIONS",
	"PYTHONSTARTUP", "PYTHONPATH", "PERL5OPT", "RUBYOPT", "BASH_ENV", "ENV", "JAVA_TOOL_OPTIONS", "PATH",
}

var shells = []string{"sh", "bash", "zsh", "dash", "fish", "ksh", "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh"}

// warnings lists what a person should know before saying yes (MCP security
// best practices, "Local MCP Server Compromise").
func (p *plan) warnings(places root.Places) []Warning {
	var list []Warning
	add := func(title, detail string) {
		if !slices.ContainsFunc(list, func(w Warning) bool { return w.Title == title }) {
			list = append(list, Warning{title, detail})
		}
	}
	if p.url != "" {
		if strings.HasPrefix(p.url, "http:") && !isLoopbackURL(p.url) {
			add("The connection is not encrypted", "Anybody on the way can read and change what is said. Use https if the server has it.")
		}
		return list
	}
	if len(p.argv) == 0 {
		return list
	}
	program := strings.ToLower(strings.TrimSuffix(filepath.Base(p.argv[0]), ".exe"))
	args := p.argv[1:]
	line := strings.Join(p.argv, " ")
	if program == "sudo" || program == "doas" || program == "pkexec" || program == "su" || slices.Contains(args, "sudo") || strings.Contains(line, "sudo ") {
		add("It runs with the rights of an administrator", "It can change anything on this computer.")
	}
	if slices.Contains(shells, program) && slices.ContainsFunc(args, func(a string) bool {
		return a == "-c" || strings.EqualFold(a, "/c") || strings.EqualFold(a, "-Command") || strings.EqualFold(a, "-EncodedCommand") || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c")
	}) {
		add("It runs a shell script", "What really happens is written in the script: read it before you agree.")
	}
	if strings.Contains(line, "rm -rf") || strings.Contains(line, "rm -fr") || strings.Contains(line, "rm -r ") {
		add("It deletes folders", "The command holds “rm -rf”.")
	}
	for _, shell := range shells {
		if strings.Contains(line, "| "+shell) || strings.Contains(line, "|"+shell) {
			add("It runs what it downloads", "The command passes text to a shell.")
		}
	}
	for _, a := range args {
		path := a
		if i := strings.LastIndex(a, "="); i >= 0 {
			path = a[i+1:]
		}
		if uri, err := ParsePlace(path); err == nil && !uri.IsHTTPS() {
			if s := places.Check(uri.Path()); s.Level != root.Fine {
				add("It is given a sensitive place: "+Short(uri.Path()), s.Why)
			}
		}
	}
	for _, v := range p.env {
		if slices.Contains(loaders, strings.ToUpper(v.Name)) {
			add("It changes how programs are loaded: "+v.Name, "Such a variable can put other code into the program that is started.")
		}
	}
	if title, detail := unpinned(program, args); title != "" {
		add(title, detail)
	}
	return list
}

// unpinned says that approving the command does not pin the code, where a
// launcher downloads it.
func unpinned(program string, args []string) (title, detail string) {
	words := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
	switch program {
	case "npx", "bunx", "pnpx", "uvx", "pipx", "deno":
		pinned := false
		for _, w := range words {
			if i := strings.LastIndexAny(w, "@="); i > 0 && strings.ContainsAny(w[i+1:], "0123456789") {
				pinned = true
			}
		}
		detail = "Approving this command does not pin what is downloaded."
		if pinned {
			detail = "The version is named, but what it depends on is not pinned."
		}
		return fmt.Sprintf("%s downloads the program when it starts", program), detail
	case "docker", "podman", "nerdctl":
		if slices.Contains(words, "run") && !strings.Contains(strings.Join(args, " "), "@sha256:") {
			return fmt.Sprintf("%s runs an image that can change", program), "Approving this command does not pin the image. Name it with @sha256:… to pin it."
		}
	}
	return "", ""
}
