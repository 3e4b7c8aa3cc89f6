package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"rootsmanager/app"
	"rootsmanager/store"
)

// Exit statuses.
const (
	Done   = 0
	Failed = 1 // it was understood, and did not work
	Usage  = 2 // the command line makes no sense
)

// WindowOptions say how to show the window.
type WindowOptions struct {
	Engine  *app.Engine     // open and started; closed by the caller
	Raised  <-chan struct{} // another start asks the window to come to the front; nil: none can
	DataDir string          // folder of the profile, for showing it
	Demo    bool            // the profile is thrown away afterwards
	Play    string          // PNG file to write after playing the demo; empty: do not play
}

// Config is what main wires.
type Config struct {
	Version string // of this program; see [Version]

	// Window shows the window and returns when it was closed or ctx ended.
	Window func(ctx context.Context, opts WindowOptions) error

	// Trouble says in a small window why the other one cannot be shown, and
	// returns which action was chosen, -1 for none. nil: there is only stderr.
	Trouble func(ctx context.Context, t Trouble) (action int, err error)
	// Again starts this program afresh with the same arguments; it only
	// returns with an error. Needed with Trouble.
	Again func() error

	Store *store.Options // nil: the usual ones. Tests bring a keyring of their own

	Args []string  // without the program's name; nil: os.Args[1:]
	In   io.Reader // nil: os.Stdin
	Out  io.Writer // nil: os.Stdout
	Err  io.Writer // nil: os.Stderr
}

// program is one execution.
type program struct {
	Config
	keys *keyboard

	dataDir string // --data-dir
	json    bool   // --json
	started bool   // arguments and flags were understood
}

// usageError is about the command line itself.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// errQuiet ends a command as failed when everything was said already.
var errQuiet = errors.New("failed")

// Execute runs one command line and returns the exit status. When ctx ends
// (main ends it on SIGINT and SIGTERM), it stops what it started within 3 s.
func Execute(ctx context.Context, cfg Config) int {
	p := &program{Config: cfg}
	if p.Args == nil {
		p.Args = os.Args[1:]
	}
	if p.In == nil {
		p.In = os.Stdin
	}
	if p.Out == nil {
		p.Out = os.Stdout
	}
	if p.Err == nil {
		p.Err = os.Stderr
	}
	p.keys = newKeyboard(p.In, p.Err, p.Out)
	defer p.keys.close()

	root := p.commands()
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return Done
	}
	var usage *usageError
	switch {
	case errors.Is(err, errQuiet):
		return Failed
	case errors.As(err, &usage) || !p.started:
		p.say("roots-manager: %v\nSee: %s --help", err, command.CommandPath())
		return Usage
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		p.say("roots-manager: interrupted; what was not reported as done did not happen")
		return Failed
	}
	p.say("roots-manager: %v", err)
	return Failed
}

// commands builds the command tree.
func (p *program) commands() *cobra.Command {
	cobra.MousetrapHelpText = "" // on Windows the window is opened from the Explorer, too
	var window windowFlags
	root := &cobra.Command{
		Use:   "roots-manager",
		Short: "Decide which folders each MCP server may see",
		Long: "Roots Manager decides which folders each MCP server may see.\n" +
			"Without a command it opens the window.",
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return p.window(cmd.Context(), window) },
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(*cobra.Command, []string) {
			p.started = true
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetArgs(p.Args)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	root.PersistentFlags().StringVar(&p.dataDir, "data-dir", "",
		"folder of the profile (default: $ROOTS_MANAGER_HOME, else "+app.Short(app.DefaultDataDir(xdg.DataHome))+")")
	root.PersistentFlags().BoolVar(&p.json, "json", false, "write JSON instead of text")
	window.add(root)
	root.AddCommand(
		p.runCommand(), p.serverCommand(), p.approveCommand(), p.rootCommand(), p.checkCommand(), p.doctorCommand(), p.aiappsCommand(),
		p.auditCommand(), p.detectCommand(), p.probeCommand(), p.restoreCommand(), p.versionCommand(),
	)
	return root
}

// group is a command that only has subcommands.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{
		Use: use, Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			names := ""
			for i, c := range subcommands {
				if i > 0 {
					names += ", "
				}
				names += c.Name()
			}
			if len(args) == 0 {
				return usagef("say what to do with it: %s", names)
			}
			return usagef("%q is not something %s can do: use one of %s", args[0], cmd.CommandPath(), names)
		},
		RunE: func(*cobra.Command, []string) error { return nil }, // never reached: Args always refuses
	}
	g.AddCommand(subcommands...)
	return g
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if suggestions := cmd.SuggestionsFor(args[0]); len(suggestions) > 0 {
		return usagef("there is no command %q: did you mean %q?", args[0], suggestions[0])
	}
	if cmd.HasParent() {
		return usagef("%s takes no argument such as %q", cmd.CommandPath(), args[0])
	}
	return usagef("there is no command %q", args[0])
}

// oneArgument refuses anything but one argument that is not empty; what names it.
func oneArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 || args[0] == "":
			return usagef("give %s", what)
		case len(args) > 1:
			return usagef("give only %s; put it in quotes if it has spaces (%q was left over)", what, args[1])
		}
		return nil
	}
}

// say writes one line for people to stderr.
func (p *program) say(format string, args ...any) {
	// When stderr cannot be written there is nobody left to tell.
	_, _ = fmt.Fprintf(p.Err, format+"\n", args...)
}
