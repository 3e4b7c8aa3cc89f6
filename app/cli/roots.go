package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

func (p *program) rootCommand() *cobra.Command {
	return group("root", "Add, list and remove folders, files and web addresses",
		p.rootAddCommand(),
		&cobra.Command{
			Use: "list", Short: "List what may be shared with servers", Args: noArguments,
			RunE: func(cmd *cobra.Command, _ []string) error { return p.looking(cmd.Context(), p.listRoots) },
		},
		&cobra.Command{
			Use: "remove PATH|URI", Short: "Remove a folder, with what was allowed for it",
			Args: oneArgument("the path or URI to remove"),
			RunE: func(cmd *cobra.Command, args []string) error { return p.removeRoot(cmd.Context(), args[0]) },
		},
	)
}

// rootFlags are the flags of `root add`.
type rootFlags struct {
	name    string
	access  string
	servers []string
}

func (p *program) rootAddCommand() *cobra.Command {
	var flags rootFlags
	c := &cobra.Command{
		Use:   "add PATH|URI [--name NAME] [--access ro|rw] [--server NAME|all]…",
		Short: "Add a folder, a file or a web address, and assign it to servers",
		Long: "Adds a folder, a file or a web address. With --server it is assigned to that server as well,\n" +
			"also if it is in the list already. At a terminal you are asked whether the server may be told\n" +
			"of it; without a terminal the assignment waits for your consent.",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := oneArgument("a path or a URI")(cmd, args); err != nil {
				return err
			}
			switch {
			case flags.access != string(root.ReadOnly) && flags.access != string(root.ReadWrite):
				return usagef("%q is not a kind of access: use ro (read-only) or rw (read and write)", flags.access)
			case cmd.Flags().Changed("access") && len(flags.servers) == 0:
				return usagef("--access says what a server may do: name it with --server NAME, or --server all")
			case slices.Contains(flags.servers, ""):
				return usagef("--server needs the name of a server, or all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.addRoot(cmd.Context(), args[0], flags) },
	}
	c.Flags().StringVar(&flags.name, "name", "", "name that is shown and sent to servers (default: the last part of the path)")
	c.Flags().StringVar(&flags.access, "access", string(root.ReadOnly), "ro (read-only) or rw (read and write)")
	c.Flags().StringArrayVar(&flags.servers, "server", nil, "server to assign it to, or all; may be repeated")
	return c
}

// addedRoot is the document of `root add --json`.
type addedRoot struct {
	URI      string   `json:"uri"`
	Path     string   `json:"path"` // native; the URI of a web address
	Kind     string   `json:"kind"` // folder, file or https
	Name     string   `json:"name,omitempty"`
	New      bool     `json:"new"` // false: it was in the list already
	Problem  string   `json:"problem,omitempty"`
	Access   string   `json:"access,omitempty"`
	Assigned []string `json:"assigned"` // names of the servers it was assigned to now
	Consent  bool     `json:"consent"`  // a person allowed it; false: the servers are not told yet
}

func (p *program) addRoot(ctx context.Context, text string, flags rootFlags) error {
	path, err := place(text)
	if err != nil {
		return err
	}
	return p.with(ctx, func(e *app.Engine, snap *app.Snapshot) error {
		servers, err := chosenServers(snap, flags.servers)
		if err != nil {
			return err
		}
		check, err := e.InspectRoot(ctx, path)
		if err != nil {
			return err
		}
		if err := acceptWeb(check, servers); err != nil {
			return err
		}
		result := addedRoot{URI: check.URI, Path: check.Path, Kind: string(check.Kind), Name: flags.name, Problem: check.Problem, Assigned: []string{}}
		id, known := knownRoot(snap, check)
		if !known || len(servers) == 0 {
			if id, err = p.addChecked(ctx, e, check, flags.name); err != nil {
				return err
			}
			result.New = true
			if err := p.tell("Added %s", plain(check.Path)); err != nil {
				return err
			}
		} else if flags.name != "" {
			return fmt.Errorf("%s is in the list already, so it cannot be named here: rename it in the window, or leave --name out", check.Path)
		}
		if check.Problem != "" {
			p.say("%s %s", plain(check.Path), check.Problem)
		}
		if len(servers) > 0 {
			access := root.Access(flags.access)
			if result.Consent, err = p.assign(ctx, e, check, id, access, servers); err != nil {
				return err
			}
			result.Access = flags.access
			for _, s := range servers {
				result.Assigned = append(result.Assigned, s.Name)
			}
		}
		if p.json {
			return p.document(result)
		}
		return nil
	})
}

// chosenServers finds the servers of the --server flags, each once.
func chosenServers(snap *app.Snapshot, names []string) ([]app.ServerView, error) {
	var chosen []app.ServerView
	for _, name := range names {
		found := snap.Servers
		if !strings.EqualFold(name, "all") {
			s, err := findServer(snap, name)
			if err != nil {
				return nil, err
			}
			found = []app.ServerView{s}
		} else if len(found) == 0 {
			return nil, errors.New("there are no servers to assign it to. Add one: roots-manager server add NAME -- COMMAND")
		}
		for _, s := range found {
			if !slices.ContainsFunc(chosen, func(o app.ServerView) bool { return o.ID == s.ID }) {
				chosen = append(chosen, s)
			}
		}
	}
	return chosen, nil
}

// acceptWeb refuses a web address for servers that do not take any, before
// anything is changed.
func acceptWeb(check app.RootCheck, servers []app.ServerView) error {
	for _, s := range servers {
		if check.Kind == root.HTTPS && !s.AllowHTTPS {
			return fmt.Errorf("%s does not accept web addresses: allow them in the server's settings in the window first", s.Name)
		}
	}
	return nil
}

// knownRoot finds the root of the active workspace that a check is about.
func knownRoot(snap *app.Snapshot, check app.RootCheck) (store.RootID, bool) {
	for _, r := range snap.Roots {
		if r.URI == check.URI {
			return r.ID, true
		}
	}
	for _, r := range snap.Roots {
		if check.Duplicate != "" && r.Label == check.Duplicate && sameFile(r, check.Path) {
			return r.ID, true
		}
	}
	return "", false
}

func sameFile(r app.RootView, path string) bool {
	if r.Kind == root.HTTPS {
		return false
	}
	same, err := root.Same(r.Path, path)
	return err == nil && same
}

// addChecked adds one root; a sensitive place needs a second yes at a terminal.
func (p *program) addChecked(ctx context.Context, e *app.Engine, check app.RootCheck, name string) (store.RootID, error) {
	spec := app.RootSpec{Path: check.URI, Name: name}
	ids, err := e.AddRoots(ctx, []app.RootSpec{spec})
	var sensitive *app.SensitiveError
	if errors.As(err, &sensitive) {
		why := strings.TrimSuffix(sensitive.Checks[0].Warning, ".")
		if !p.keys.present() {
			return "", fmt.Errorf("%s was not added: %s. Only a person can say yes to that: run this command at a terminal, or add it in the window", check.Path, why)
		}
		p.say("Careful: %s\n  %s.", plain(check.Path), why)
		yes, err := p.keys.insist(ctx, "Add it all the same?")
		if err != nil {
			return "", err
		}
		if !yes {
			return "", fmt.Errorf("%s was not added", check.Path)
		}
		spec.AcceptWarning = true
		ids, err = e.AddRoots(ctx, []app.RootSpec{spec})
		if err != nil {
			return "", err
		}
		return ids[0], nil
	}
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// assign assigns a root to servers. It is consent only if a person says yes at
// the terminal; it reports whether one did.
func (p *program) assign(ctx context.Context, e *app.Engine, check app.RootCheck, id store.RootID, access root.Access, servers []app.ServerView) (bool, error) {
	ticks := make([]app.Tick, len(servers))
	names := make([]string, len(servers))
	for i, s := range servers {
		ticks[i] = app.Tick{Server: s.ID, Root: id, On: true, Access: access}
		names[i] = s.Name
	}
	list := strings.Join(names, ", ")
	consent := false
	why := forgets(e.Snapshot())
	if p.keys.present() && why == "" {
		p.say("%s (%s) is to be shared with:", plain(check.Path), accessWords(access))
		for _, s := range servers {
			p.say("  %s: %s", s.Name, plain(runsText(s)))
		}
		var err error
		if consent, err = p.keys.confirm(ctx, "May they be told of it?"); err != nil {
			return false, err
		}
	}
	if consent {
		if err := e.AssignConfirmed(ctx, ticks, "cli"); err != nil {
			return false, err
		}
		return true, p.tell("Allowed %s, %s, for %s", plain(check.Path), accessWords(access), list)
	}
	if err := e.AssignOnly(ctx, ticks); err != nil {
		return false, err
	}
	if err := p.tell("Assigned %s, %s, to %s", plain(check.Path), accessWords(access), list); err != nil {
		return false, err
	}
	if p.keys.present() && why != "" {
		p.say("You are not asked for consent here, because the yes could not be kept. %s", why)
	}
	p.say("This waits for your consent: no server is told of it before you allow it in the window, or say yes to this command at a terminal.")
	return false, nil
}

func runsText(s app.ServerView) string {
	if s.URL != "" {
		return s.URL
	}
	return app.Quote(s.CommandLine)
}

func accessWords(a root.Access) string {
	if a == root.ReadWrite {
		return "read and write"
	}
	return "read-only"
}
