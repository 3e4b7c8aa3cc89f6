package aiapps

import (
	"fmt"
	"slices"
	"strings"
)

// Server is one server, as one or several AI apps have it.
type Server struct {
	Name        string  // as the first app calls it
	Entries     []Entry // at least one, in the order they were found
	Differences []Difference
}

// Difference is one thing that the apps have not alike.
type Difference struct {
	Field  string   // "command", "working folder", "environment NAME", …
	Values []string // one for each of the server's Entries, secrets hidden; "" where it is not set
}

// Merge finds the entries that mean the same server: those that run exactly the
// same, and those of one name that run the same program or contact the same
// address with other arguments, folders or variables.
func Merge(found []Entry) []Server {
	var servers []Server
	byRun, byName := make(map[string]int), make(map[string]int)
	for _, e := range found {
		run, name := e.run(), strings.ToLower(e.Name)+"\x00"+e.program()
		at, ok := byRun[run]
		if !ok {
			at, ok = byName[name]
		}
		if !ok {
			at = len(servers)
			servers = append(servers, Server{Name: e.Name})
		}
		servers[at].Entries = append(servers[at].Entries, e)
		if _, known := byRun[run]; !known {
			byRun[run] = at
		}
		if _, known := byName[name]; !known {
			byName[name] = at
		}
	}
	for i := range servers {
		servers[i].Differences = differences(servers[i].Entries)
	}
	return servers
}

// run is everything that an entry starts or contacts.
func (e *Entry) run() string {
	if e.URL != "" {
		return fmt.Sprintf("address %q %#v", e.URL, e.Headers)
	}
	return fmt.Sprintf("%q %q %q %#v", e.Command, e.Args, e.Dir, e.Env)
}

// program is what an entry runs, without versions and arguments.
func (e *Entry) program() string {
	if e.URL != "" {
		address, _, _ := strings.Cut(e.URL, "?")
		return address
	}
	if e.Managed != "" {
		return "bridge " + e.Managed
	}
	name := strings.TrimSuffix(strings.ToLower(e.Command[strings.LastIndexAny(e.Command, `/\`)+1:]), ".exe")
	for _, a := range e.Args {
		if strings.HasPrefix(a, "-") || a == "run" || a == "exec" {
			continue
		}
		if slices.Contains([]string{"npx", "uvx", "bunx", "pnpm", "docker", "podman", "uv", "cmd"}, name) || runsFile(e.Command) {
			if i := strings.LastIndexByte(a, '@'); i > 0 {
				a = a[:i]
			}
			return name + " " + a
		}
		break
	}
	return name
}

// differences compares entries field by field.
func differences(entries []Entry) []Difference {
	if len(entries) < 2 {
		return nil
	}
	type field struct {
		name, real, shown string
	}
	var names []string
	rows := make([]map[string]field, len(entries))
	for i := range entries {
		e := &entries[i]
		fields := []field{
			{"command", e.Command, e.Command},
			{"arguments", fmt.Sprintf("%q", e.Args), strings.Join(quoted(e.ShownArgs()), " ")},
			{"working folder", e.Dir, e.Dir},
			{"address", e.URL, e.ShownURL()},
			{"transport", e.Transport, e.Transport},
		}
		if e.Disabled {
			fields = append(fields, field{"turned off", "yes", "yes"})
		}
		for _, v := range e.Env {
			fields = append(fields, field{"environment " + v.Name, v.Value, v.Shown()})
		}
		for _, v := range e.Headers {
			fields = append(fields, field{"header " + v.Name, v.Value, v.Shown()})
		}
		rows[i] = make(map[string]field)
		for _, f := range fields {
			rows[i][f.name] = f
			if !slices.Contains(names, f.name) {
				names = append(names, f.name)
			}
		}
	}
	var found []Difference
	for _, name := range names {
		d, differ := Difference{Field: name}, false
		for _, row := range rows {
			f := row[name]
			differ = differ || f.real != rows[0][name].real
			d.Values = append(d.Values, f.shown)
		}
		if differ {
			found = append(found, d)
		}
	}
	return found
}

func quoted(args []string) []string {
	shown := slices.Clone(args)
	for i, a := range shown {
		if a == "" || strings.ContainsAny(a, " \t\"'") {
			shown[i] = fmt.Sprintf("%q", a)
		}
	}
	return shown
}

// Proposal is one server that can be imported. Nothing of it grants anything:
// it is meant to arrive turned off, unapproved, and with no folder allowed.
type Proposal struct {
	Name        string
	Command     string
	Args        []string
	Dir         string
	Env         []Var // Secret: belongs in the keyring
	URL         string
	Transport   string // http or sse; empty: the usual
	Headers     []Var
	Source      string // where it comes from, for people: "Cursor (~/.cursor/mcp.json)"
	From        Entry  // the entry it is taken from
	Also        []Entry
	Differences []Difference // between From and Also, in this order
	Roots       []Folder     // folders it was given by argument, offered as roots; each path once
	Variables   []string     // stand in it and are not filled in by us: the person has to
}

// Plan proposes what to import: one proposal for each server that no entry of
// an app runs through us already. Where apps differ, the first is taken and the
// differences are told.
func Plan(found []Entry) []Proposal {
	var proposals []Proposal
	for _, s := range Merge(found) {
		if slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Managed != "" }) {
			continue
		}
		proposals = append(proposals, s.proposal())
	}
	return proposals
}

func (s *Server) proposal() Proposal {
	e := s.Entries[0]
	p := Proposal{
		Name: e.Name, Command: e.Command, Args: slices.Clone(e.Args), Dir: e.Dir, Env: slices.Clone(e.Env),
		URL: e.URL, Transport: e.Transport, Headers: slices.Clone(e.Headers), Source: e.App + " (" + e.File + ")",
		From: e, Also: s.Entries[1:], Differences: s.Differences, Variables: e.Variables,
	}
	for _, f := range e.Folders {
		known := func(o Folder) bool { return o.Path == f.Path }
		if f.From == Argument && !f.Unknown && !slices.ContainsFunc(p.Roots, known) {
			p.Roots = append(p.Roots, f)
		}
	}
	return p
}
