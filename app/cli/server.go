package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rootsmanager/app"
	"rootsmanager/store"
)

func (p *program) serverCommand() *cobra.Command {
	return group("server", "Add, list, remove MCP servers, turn them on and off",
		p.serverAddCommand(),
		&cobra.Command{
			Use: "list", Short: "List the servers", Args: noArguments,
			RunE: func(cmd *cobra.Command, _ []string) error {
				ctx := cmd.Context()
				return p.looking(ctx, func(e *app.Engine, snap *app.Snapshot) error { return p.listServers(ctx, e, snap) })
			},
		},
		p.onServer("remove", "Remove a server, with what was allowed to it", func(ctx context.Context, e *app.Engine, s app.ServerView) (string, error) {
			return "is removed", e.RemoveServer(ctx, s.ID)
		}),
		p.onServer("on", "Turn a server on", func(ctx context.Context, e *app.Engine, s app.ServerView) (string, error) {
			if s.ApprovedAt.IsZero() {
				return "is on. " + waitsForApproval(s.Name), e.SetServerEnabled(ctx, s.ID, true)
			}
			return "is on", e.SetServerEnabled(ctx, s.ID, true)
		}),
		p.onServer("off", "Turn a server off", func(ctx context.Context, e *app.Engine, s app.ServerView) (string, error) {
			return "is off", e.SetServerEnabled(ctx, s.ID, false)
		}),
	)
}

// serverFlags are the flags of `server add`.
type serverFlags struct {
	dir       string
	env       []string
	url       string
	transport string
	channel   string
	noRestart bool
}

func (p *program) serverAddCommand() *cobra.Command {
	var flags serverFlags
	var spec app.ServerSpec
	c := &cobra.Command{
		Use:   "add NAME [--cwd DIR] [--env NAME=VALUE]… [--channel HOW] (-- COMMAND [ARG]… | --url URL [--transport http|sse])",
		Short: "Add a server: a command that is started, or a web address",
		Example: "  roots-manager server add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31\n" +
			"  roots-manager server add search --url https://example.com/mcp",
		Args: func(cmd *cobra.Command, args []string) (err error) {
			spec, err = flags.spec(cmd, args)
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return p.addServer(cmd.Context(), spec) },
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usagef("%v. What belongs to the server's command comes after --", err)
	})
	c.Flags().StringVar(&flags.dir, "cwd", "", "working folder of the command (default: your home folder)")
	c.Flags().StringArrayVar(&flags.env, "env", nil, "environment variable of the command, NAME=VALUE; may be repeated")
	c.Flags().StringVar(&flags.url, "url", "", "web address of a server that is contacted")
	c.Flags().StringVar(&flags.transport, "transport", "", "how the web address is spoken to: http or sse (default http)")
	c.Flags().StringVar(&flags.channel, "channel", "auto",
		"how it learns of its folders: auto, roots, arguments, environment, folder (started in the first one)")
	c.Flags().BoolVar(&flags.noRestart, "no-restart", false, "do not restart it when folders in its command change")
	return c
}

// channelNames are the values of --channel.
var channelNames = map[string]store.Channel{
	"auto": store.ChannelAuto, "roots": store.ChannelRoots, "arguments": store.ChannelArguments,
	"environment": store.ChannelEnv, "folder": store.ChannelDir, string(store.ChannelDir): store.ChannelDir,
}

// spec checks the command line of `server add`.
func (f serverFlags) spec(cmd *cobra.Command, args []string) (app.ServerSpec, error) {
	dash := cmd.ArgsLenAtDash()
	names, command := args, []string(nil)
	if dash >= 0 {
		names, command = args[:dash], args[dash:]
	}
	spec := app.ServerSpec{Enabled: true, URL: f.url, Transport: store.Transport(f.transport)}
	switch {
	case len(names) == 0 || strings.TrimSpace(names[0]) == "":
		return spec, usagef("give the server a name before anything else: roots-manager server add NAME …")
	case len(names) > 1:
		return spec, usagef("%q was left over: put a name with spaces in quotes, and write -- before the command", names[1])
	case dash >= 0 && len(command) == 0:
		return spec, usagef("write the command after --")
	case len(command) == 0 && f.url == "":
		return spec, usagef("say what to run or contact: -- COMMAND [ARG]… or --url URL")
	case len(command) > 0 && f.url != "":
		return spec, usagef("a server has either a command or --url, not both")
	case f.url == "" && cmd.Flags().Changed("transport"):
		return spec, usagef("--transport is for --url: a command is always spoken to over its standard streams")
	case f.url != "" && (f.dir != "" || len(f.env) > 0):
		return spec, usagef("--cwd and --env are for a command: nothing is started for --url")
	case cmd.Flags().Changed("transport") && f.transport != "http" && f.transport != "sse":
		return spec, usagef("%q is not a transport: use http or sse", f.transport)
	}
	spec.Name = names[0]
	var known bool
	if spec.Channel, known = channelNames[f.channel]; !known {
		return spec, usagef("%q is not a way to tell a server its folders: use auto, roots, arguments, environment or folder", f.channel)
	}
	spec.NoRestart = f.noRestart
	if f.url != "" {
		return spec, nil
	}
	for _, v := range f.env {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return spec, usagef("--env %q is not NAME=VALUE", v)
		}
		spec.Env = append(spec.Env, store.Var{Name: name, Value: value})
	}
	var err error
	if spec.Command, err = programPath(command[0]); err != nil {
		return spec, err
	}
	spec.Args = command[1:]
	if f.dir != "" {
		spec.Dir, err = place(f.dir)
	}
	return spec, err
}

// programPath makes a relative path to a program absolute, as the shell the
// person types it in would find it; a bare name is looked up when it is started.
func programPath(command string) (string, error) {
	if filepath.IsAbs(command) || isBelowHome(command) || !strings.ContainsAny(command, "/"+string(filepath.Separator)) {
		return command, nil
	}
	return filepath.Abs(command)
}

func waitsForApproval(name string) string {
	return fmt.Sprintf("It waits for your approval: in the window, or with: roots-manager approve %s", app.Quote([]string{name}))
}

func (p *program) addServer(ctx context.Context, spec app.ServerSpec) error {
	return p.with(ctx, func(e *app.Engine, _ *app.Snapshot) error {
		id, err := e.AddServer(ctx, spec)
		if err != nil {
			return err
		}
		snap := e.Snapshot()
		s := snap.Servers[slices.IndexFunc(snap.Servers, func(s app.ServerView) bool { return s.ID == id })]
		view := p.describeServer(ctx, e, s)
		if p.json {
			return p.document(view)
		}
		if err := p.tell("Added %s: %s", s.Name, view.runs()); err != nil {
			return err
		}
		switch {
		case view.Problem != "":
			p.say("It cannot be started yet: %s", view.Problem)
		case view.Approved: // another entry that runs exactly the same was approved
			return p.tell("Its exact command is approved already.")
		default:
			return p.tell("%s", waitsForApproval(s.Name))
		}
		return nil
	})
}

// listedServers is the document of `server list --json`; `server add --json`
// gives one [listedServer].
type listedServers struct {
	Servers []listedServer `json:"servers"` // in the user's order
}

type listedServer struct {
	Name       string     `json:"name"`
	On         bool       `json:"on"`
	Transport  string     `json:"transport"`         // stdio, http or sse
	Command    []string   `json:"command,omitempty"` // the resolved program and its arguments
	URL        string     `json:"url,omitempty"`
	Cwd        string     `json:"cwd,omitempty"` // working folder
	Env        []string   `json:"env,omitempty"` // names of its variables; values are not listed
	Source     string     `json:"source"`        // where the entry comes from
	Approved   bool       `json:"approved"`
	ApprovedAt *time.Time `json:"approvedAt,omitempty"` // RFC 3339
	Problem    string     `json:"problem,omitempty"`    // why it cannot be started
	Assigned   int        `json:"assigned"`             // folders assigned to it in the active workspace
	Allowed    int        `json:"allowed"`              // of these, those it may be told of now
}

func (s listedServer) runs() string {
	if s.URL != "" {
		return s.URL + " (" + s.Transport + ")"
	}
	return app.Quote(s.Command)
}

func (p *program) describeServer(ctx context.Context, e *app.Engine, s app.ServerView) listedServer {
	view := listedServer{
		Name: s.Name, On: s.Enabled, Transport: string(s.Transport), Command: s.CommandLine, URL: s.URL,
		Cwd: s.Dir, Source: s.Source, Approved: !s.ApprovedAt.IsZero(), Assigned: s.Assigned,
	}
	if view.Approved {
		at := s.ApprovedAt.UTC().Truncate(time.Second)
		view.ApprovedAt = &at
	}
	for _, v := range slices.Concat(s.Env, s.Headers) {
		view.Env = append(view.Env, v.Name)
	}
	if q, err := e.Approval(ctx, s.ID); err != nil {
		view.Problem = err.Error()
	} else {
		view.Cwd = q.Dir
	}
	snap := e.Snapshot()
	for _, r := range snap.Roots {
		if toldNow(snap.Cells.Cell(s.ID, r.ID)) {
			view.Allowed++
		}
	}
	return view
}

// toldNow reports whether a server is told of a root as soon as it is connected.
func toldNow(c app.Cell) bool { return c.State == app.CellOn || c.State == app.CellIdle }

func (p *program) listServers(ctx context.Context, e *app.Engine, snap *app.Snapshot) error {
	doc := listedServers{Servers: make([]listedServer, 0, len(snap.Servers))}
	rows := [][]string{{"NAME", "ON", "APPROVED", "FOLDERS", "RUNS"}}
	for _, s := range snap.Servers {
		v := p.describeServer(ctx, e, s)
		doc.Servers = append(doc.Servers, v)
		approved := yesNo(v.Approved)
		if v.Problem != "" {
			approved = "cannot start"
		}
		rows = append(rows, []string{v.Name, yesNo(v.On), approved, fmt.Sprintf("%d of %d allowed", v.Allowed, v.Assigned), v.runs()})
	}
	switch {
	case p.json:
		return p.document(doc)
	case len(snap.Servers) == 0:
		return p.tell("There are no servers yet. Add one: roots-manager server add NAME -- COMMAND")
	}
	if err := p.table(rows); err != nil {
		return err
	}
	for _, v := range doc.Servers {
		if v.Problem != "" {
			p.say("%s: %s", v.Name, v.Problem)
		}
	}
	return nil
}

// changedServer is the document of `server remove`, `on`, `off` and of
// `approve` with --json.
type changedServer struct {
	Name   string `json:"name"`
	Result string `json:"result"` // in words
}

// onServer is a command that does one thing to one server.
func (p *program) onServer(verb, short string, do func(context.Context, *app.Engine, app.ServerView) (string, error)) *cobra.Command {
	return &cobra.Command{
		Use: verb + " NAME", Short: short, Args: oneArgument("the name of a server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, func(e *app.Engine, snap *app.Snapshot) error {
				s, err := findServer(snap, args[0])
				if err != nil {
					return err
				}
				result, err := do(ctx, e, s)
				if err != nil {
					return err
				}
				return p.reportServer(s.Name, result)
			})
		},
	}
}

func (p *program) reportServer(name, result string) error {
	if p.json {
		return p.document(changedServer{name, result})
	}
	return p.tell("%s %s", name, cmp.Or(result, "is unchanged"))
}
