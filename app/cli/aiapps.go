package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rootsmanager/app"
	"rootsmanager/app/aiapps"
)

func (p *program) aiappsCommand() *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "aiapps [--project DIR]",
		Short: "List the servers that your AI apps have configured, and import them",
		Long: "Lists the MCP servers that AI apps on this computer have configured: which app has them, what\n" +
			"they run, and which folders they were given. Nothing is started and nothing is changed.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.listAIApps(cmd.Context(), project) },
	}
	c.PersistentFlags().StringVar(&project, "project", "", "project folder whose own files are read as well")
	c.AddCommand(&cobra.Command{
		Use:   "import APP/NAME…",
		Short: "Import servers of AI apps: turned off, and not approved",
		Example: "  roots-manager aiapps import cursor/filesystem\n" +
			"  roots-manager aiapps import claude-desktop/github codex/fetch",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("say which servers, as APP/NAME; roots-manager aiapps lists them")
			}
			for _, a := range args {
				if id, name, ok := strings.Cut(a, "/"); !ok || id == "" || name == "" {
					return usagef("%q is not APP/NAME, such as cursor/filesystem", a)
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.importAIApps(cmd.Context(), project, args) },
	})
	return c
}

// readAIApps reads the configuration files and says which are broken.
func (p *program) readAIApps(ctx context.Context, project string) (aiapps.Inventory, error) {
	env, err := aiapps.System()
	if err != nil {
		return aiapps.Inventory{}, fmt.Errorf("your home folder cannot be found: %w", err)
	}
	if project != "" {
		if env.Project, err = folderOf(project, env.Home); err != nil {
			return aiapps.Inventory{}, err
		}
		if !isFolder(env.Project) {
			return aiapps.Inventory{}, fmt.Errorf("%s is not a folder: give the folder of a project after --project", env.Project)
		}
	}
	env.IsFolder = isFolder
	return aiapps.Read(ctx, env)
}

// folderOf makes a typed path full.
func folderOf(text, home string) (string, error) {
	if isBelowHome(text) {
		return filepath.Join(home, text[1:]), nil
	}
	return filepath.Abs(text)
}

// lookTimeout bounds the look at one folder: it may lie on a dead network drive.
const lookTimeout = 300 * time.Millisecond

// isFolder reports whether a path is a folder that answers soon.
func isFolder(path string) bool {
	answer := make(chan bool, 1)
	go func() {
		info, err := os.Stat(path)
		answer <- err == nil && info.IsDir()
	}()
	timeout := time.NewTimer(lookTimeout)
	defer timeout.Stop()
	select {
	case is := <-answer:
		return is
	case <-timeout.C:
		return false
	}
}

// listedAIApps is the document of `aiapps --json`. Values that look like
// secrets are hidden everywhere in it.
type listedAIApps struct {
	Servers []listedAIServer `json:"servers"`
	Files   []string         `json:"files"`  // the configuration files that exist
	Broken  []brokenFile     `json:"broken"` // of these, the ones that cannot be understood
}

type listedAIServer struct {
	Name        string             `json:"name"`
	Entries     []listedEntry      `json:"entries"` // one for each app and place that has it
	Differences []listedDifference `json:"differences,omitempty"`
}

type listedEntry struct {
	App       string         `json:"app"`
	AppID     string         `json:"appId"`
	File      string         `json:"file"`
	Line      int            `json:"line"`
	Key       []string       `json:"key"`               // the way to it in the file
	Project   string         `json:"project,omitempty"` // the folder it is for
	Disabled  bool           `json:"disabled,omitempty"`
	Command   []string       `json:"command,omitempty"`
	URL       string         `json:"url,omitempty"`
	Transport string         `json:"transport,omitempty"`
	Cwd       string         `json:"cwd,omitempty"`
	Env       []listedVar    `json:"env,omitempty"`
	Headers   []listedVar    `json:"headers,omitempty"`
	Variables []string       `json:"variables,omitempty"` // not filled in
	Folders   []listedFolder `json:"folders"`
	Managed   string         `json:"managed,omitempty"` // our server it starts
}

type listedVar struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Secret bool   `json:"secret,omitempty"`
}

type listedFolder struct {
	Path    string `json:"path"`
	From    string `json:"from"` // argument, environment or working folder
	Name    string `json:"name,omitempty"`
	Unknown bool   `json:"unknown,omitempty"` // holds a variable
}

type listedDifference struct {
	Field  string   `json:"field"`
	Values []string `json:"values"` // one for each of the entries
}

type brokenFile struct {
	App    string `json:"app"`
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Error  string `json:"error"`
}

func listEntry(e *aiapps.Entry) listedEntry {
	l := listedEntry{
		App: e.App, AppID: e.AppID, File: e.File, Line: e.Line, Key: e.Key, Project: e.Project, Disabled: e.Disabled,
		URL: e.ShownURL(), Transport: e.Transport, Cwd: e.Dir, Variables: e.Variables, Folders: []listedFolder{}, Managed: e.Managed,
		Env: listVars(e.Env), Headers: listVars(e.Headers),
	}
	if e.Command != "" {
		l.Command = append([]string{e.Command}, e.ShownArgs()...)
	}
	for _, f := range e.Folders {
		l.Folders = append(l.Folders, listedFolder{f.Path, string(f.From), f.Name, f.Unknown})
	}
	return l
}

func listVars(vars []aiapps.Var) []listedVar {
	var listed []listedVar
	for _, v := range vars {
		listed = append(listed, listedVar{v.Name, v.Shown(), v.Secret})
	}
	return listed
}

func (l *listedEntry) runs() string {
	if l.URL != "" {
		return l.URL
	}
	return app.Quote(l.Command)
}

func (p *program) listAIApps(ctx context.Context, project string) error {
	inv, err := p.readAIApps(ctx, project)
	if err != nil {
		return err
	}
	doc := listedAIApps{Servers: []listedAIServer{}, Files: append([]string{}, inv.Files...), Broken: []brokenFile{}}
	rows := [][]string{{"SERVER", "APP", "RUNS", "FOLDERS", ""}}
	for _, s := range aiapps.Merge(inv.Entries) {
		server := listedAIServer{Name: s.Name}
		for i := range s.Entries {
			l := listEntry(&s.Entries[i])
			server.Entries = append(server.Entries, l)
			rows = append(rows, []string{s.Entries[i].AppID + "/" + s.Entries[i].Name, whereText(&s.Entries[i]), l.runs(), foldersText(l.Folders), stateText(&s.Entries[i])})
		}
		for _, d := range s.Differences {
			server.Differences = append(server.Differences, listedDifference{d.Field, d.Values})
		}
		doc.Servers = append(doc.Servers, server)
	}
	for _, b := range inv.Broken {
		doc.Broken = append(doc.Broken, brokenFile{b.App, b.File, b.Line, b.Column, b.Err.Error()})
	}
	if p.json {
		return p.document(doc)
	}
	if len(doc.Servers) == 0 {
		err = p.tell("No AI app that this program knows has a server configured here.")
	} else {
		err = p.table(rows)
	}
	if err != nil {
		return err
	}
	for _, s := range doc.Servers {
		if err := p.tellDifferences(s); err != nil {
			return err
		}
	}
	p.sayBroken(inv)
	return nil
}

func (p *program) sayBroken(inv aiapps.Inventory) {
	for _, b := range inv.Broken {
		p.say("%s has a file that cannot be understood: %s", b.App, plain(b.Error()))
	}
}

func (p *program) tellDifferences(s listedAIServer) error {
	if len(s.Differences) == 0 {
		return nil
	}
	if err := p.tell("\n%s is not the same everywhere:", plain(s.Name)); err != nil {
		return err
	}
	for _, d := range s.Differences {
		var values []string
		for i, v := range d.Values {
			values = append(values, s.Entries[i].App+": "+cmp.Or(v, "not set"))
		}
		if err := p.tell("  %s – %s", plain(d.Field), plain(strings.Join(values, "; "))); err != nil {
			return err
		}
	}
	return nil
}

func whereText(e *aiapps.Entry) string {
	if e.Project != "" {
		return e.App + ", for " + app.Short(e.Project)
	}
	return e.App
}

func foldersText(folders []listedFolder) string {
	var texts []string
	for _, f := range folders {
		if !slices.Contains(texts, f.Path) {
			texts = append(texts, f.Path)
		}
	}
	return strings.Join(texts, ", ")
}

func stateText(e *aiapps.Entry) string {
	switch {
	case e.Managed != "":
		return "managed here"
	case e.Disabled:
		return "turned off in the app"
	}
	return ""
}

// chosenProposals finds what to import, and refuses what is not there before
// anything is asked.
func chosenProposals(inv aiapps.Inventory, refs []string) ([]aiapps.Proposal, error) {
	var chosen []aiapps.Proposal
	for _, ref := range refs {
		id, name, _ := strings.Cut(ref, "/")
		var mine, others []aiapps.Entry
		var names []string
		for _, e := range inv.Entries {
			if (strings.EqualFold(e.AppID, id) || strings.EqualFold(e.App, id)) && strings.EqualFold(e.Name, name) {
				mine = append(mine, e)
			} else {
				others = append(others, e)
			}
			names = append(names, e.AppID+"/"+e.Name)
		}
		if len(mine) == 0 {
			if len(names) == 0 {
				return nil, fmt.Errorf("there is no server %q: no AI app has one configured here", ref)
			}
			return nil, fmt.Errorf("there is no server %q. %s", ref, suggest(ref, names))
		}
		found := 0
		for _, proposal := range aiapps.Plan(append(mine, others...)) { // mine first: they are what is taken
			from := proposal.From
			if !slices.ContainsFunc(mine, func(e aiapps.Entry) bool { return e.File == from.File && slices.Equal(e.Key, from.Key) }) {
				continue
			}
			found++
			known := func(o aiapps.Proposal) bool { return o.From.File == from.File && slices.Equal(o.From.Key, from.Key) }
			if !slices.ContainsFunc(chosen, known) {
				chosen = append(chosen, proposal)
			}
		}
		if found == 0 {
			return nil, errors.New(ref + " is started through Roots Manager already")
		}
	}
	return chosen, nil
}
