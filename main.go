// Roots Manager decides which folders each MCP server may see. Main only
// wires: the command line is in app/cli, the window in app/ui. It owns no
// goroutines but the one that turns signals into the end of a context.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"rootsmanager/app/cli"
	"rootsmanager/app/ui/desktop"
	_ "rootsmanager/app/ui/locale" // sets the language before Fyne looks for it
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version string

func main() { os.Exit(run()) }

func run() int {
	endings := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup keeps it running
		endings = append(endings, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl+C ends it at once
	return cli.Execute(ctx, cli.Config{Version: cli.Version(version), Window: window, Trouble: trouble, Again: again})
}

// window shows the window until it is closed or ctx ends.
func window(ctx context.Context, opts cli.WindowOptions) error {
	return desktop.Run(ctx, desktop.Options{
		Engine: opts.Engine, Raised: opts.Raised, Demo: opts.Demo, Play: opts.Play,
		DataDir: opts.DataDir, Version: cli.Version(version),
	})
}

// trouble says in a small window why the other one cannot be shown.
func trouble(ctx context.Context, t cli.Trouble) (action int, err error) {
	return desktop.Trouble(ctx, t.Text, t.Actions)
}
