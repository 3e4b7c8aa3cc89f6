package aiapps

import (
	"slices"
	"strings"
)

// Var is one environment variable or HTTP header, as it is written.
type Var struct {
	Name   string
	Value  string
	Secret bool // looks like a password, token or key; a value that is only a variable does not
}

// Entry is one server in the configuration of one AI app. Texts are as they
// are written; variables in them are not filled in.
type Entry struct {
	App     string // "Cursor"
	AppID   string // "cursor"
	File    string
	Key     []string // the way to the entry in the file; an item of a list is named by its name
	Line    int      // where the entry begins, from 1
	Column  int      // in characters, from 1
	Project string   // the folder the entry is for; empty: everywhere

	Name     string
	Disabled bool // the app has it, but turned off

	Command string // what the app starts; empty for a web address
	Args    []string
	Dir     string // working folder
	Env     []Var

	URL       string
	Transport string // http or sse; empty: the app finds out
	Headers   []Var

	Secrets   []int    // which Args look like passwords, tokens or keys
	Variables []string // every variable that stands in the entry, such as ${env:HOME}, each once
	Folders   []Folder // what it was given to work in

	Managed string // ID of our server, when the app starts it through roots-manager
	Binary  string // the roots-manager it starts, when Managed
}

// entries finds the servers in a parsed file.
func (p Place) entries(e Env, src []byte, top *node) []Entry {
	var found []Entry
	project := ""
	if p.Project {
		project = e.Project
	}
	collect := func(at *node, path []string, project string) {
		if at == nil {
			return
		}
		add := func(name string, offset int, v *node) {
			if entry, ok := p.entry(e, name, v); ok {
				entry.Key = append(slices.Clone(path), name)
				entry.Line, entry.Column = position(src, offset)
				entry.Project = project
				found = append(found, entry)
			}
		}
		if p.shape.named {
			for _, item := range at.items {
				add(item.meant().word("name"), item.start, item.meant())
			}
			return
		}
		for _, m := range at.members {
			add(m.key, m.keyStart, m.value.meant())
		}
	}
	at := top
	for _, key := range p.shape.servers {
		at = at.get(key)
	}
	collect(at, p.shape.servers, project)
	if projects := top.get("projects"); p.shape.projects && projects != nil {
		for _, m := range projects.members {
			path := append([]string{"projects", m.key}, p.shape.servers...)
			collect(m.value.get(p.shape.servers[0]), path, m.key)
		}
	}
	return found
}

// entry reads one server; false: it is none, such as an extension built into
// the app.
func (p Place) entry(e Env, name string, v *node) (Entry, bool) {
	if v == nil || v.kind != object {
		return Entry{}, false
	}
	commandKey, envKey := p.shape.keys()
	entry := Entry{App: p.App, AppID: p.AppID, File: p.File, Name: name}
	runs := p.shape.runs(v) // older Zed: command is an object {path, args, env}
	if runs != v {
		commandKey = "path"
	}
	entry.Command = runs.word(commandKey)
	entry.Args = runs.words("args")
	entry.Env = vars(runs.get(envKey))
	entry.Dir = v.word("cwd")
	entry.URL = v.word("url", "serverUrl", "httpUrl", "uri")
	entry.Headers = append(vars(v.get("headers")), vars(v.get("http_headers"))...)
	switch kind := v.word("type", "transport"); {
	case entry.URL == "":
	case kind == "sse":
		entry.Transport = "sse"
	case kind == "http" || kind == "streamable_http" || kind == "streamable-http" || kind == "streamableHttp" || v.word("httpUrl") != "":
		entry.Transport = "http"
	}
	if token := v.word("bearer_token_env_var"); token != "" {
		entry.Headers = append(entry.Headers, Var{Name: "Authorization", Value: "Bearer ${" + token + "}"})
	}
	if entry.Command == "" && entry.URL == "" {
		return Entry{}, false
	}
	if entry.Command != "" {
		entry.URL, entry.Transport, entry.Headers = "", "", nil
	}
	for _, key := range []string{"disabled", "enabled"} {
		if flag := v.get(key); flag != nil && flag.kind == scalar {
			entry.Disabled = strings.EqualFold(flag.text, "true") == (key == "disabled")
		}
	}
	entry.Secrets = secretArgs(entry.Args)
	entry.Variables = entry.variables()
	entry.Binary, entry.Managed = bridged(entry.Command, entry.Args)
	entry.Folders = e.folders(&entry)
	return entry, true
}

func (s shape) keys() (command, env string) {
	command, env = "command", "env"
	if s.command != "" {
		command = s.command
	}
	if s.env != "" {
		env = s.env
	}
	return command, env
}

// runs is the object that holds command and arguments.
func (s shape) runs(v *node) *node {
	command, _ := s.keys()
	if c := v.get(command); c != nil && c.kind == object {
		return c
	}
	return v
}

func vars(v *node) []Var {
	if v == nil {
		return nil
	}
	var found []Var
	for _, m := range v.members {
		value := m.value.meant()
		found = append(found, Var{Name: m.key, Value: value.text, Secret: isSecret(m.key, value.text)})
	}
	slices.SortStableFunc(found, func(a, b Var) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// bridged reports which of our servers a command means: roots-manager bridge ID.
func bridged(command string, args []string) (binary, id string) {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	if strings.TrimSuffix(strings.ToLower(base), ".exe") != "roots-manager" || len(args) < 2 || args[0] != "bridge" {
		return "", ""
	}
	return command, args[1]
}
