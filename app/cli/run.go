package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"rootsmanager/app"
	"rootsmanager/store"
)

// runFlags are the flags of `run`.
type runFlags struct {
	demo    bool
	consent string
}

func (p *program) runCommand() *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use:   "run [--json] [--demo] [--consent ask|deny|session]",
		Short: "Run without a window, until interrupted",
		Long: "Connects the servers and answers them, without a window, until it is interrupted (Ctrl+C).\n" +
			"What happens is written to stdout, one line each; with --json as JSON Lines.\n\n" +
			"--consent says what to do about what nobody decided yet:\n" +
			"  ask      ask at this terminal; without a terminal like deny (the default)\n" +
			"  deny     do not start, do not tell\n" +
			"  session  approve and allow everything for this run only; nothing of that is stored",
		Args: func(cmd *cobra.Command, args []string) error {
			switch flags.consent {
			case "ask", "deny", "session":
			default:
				return usagef("%q is not a way of consent: use ask, deny or session", flags.consent)
			}
			if flags.demo && p.dataDir != "" {
				return usagef("--demo has a profile of its own: leave --data-dir out")
			}
			return noArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd.Context(), flags) },
	}
	c.Flags().BoolVar(&flags.demo, "demo", false, "use a throw-away profile with a sample server and two sample folders")
	c.Flags().StringVar(&flags.consent, "consent", "ask", "ask, deny or session")
	return c
}

// run keeps the engine running until ctx ends or stdout is closed.
func (p *program) run(ctx context.Context, flags runFlags) (err error) {
	// Without this a closed stdout would end the process at once, before its
	// servers are stopped. (Ignoring the signal would be inherited by them.)
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	asking := flags.consent == "ask" && p.keys.present()
	e, _, done, err := p.engine(ctx, flags.demo, app.Options{Prompter: asking, ApproveAll: flags.consent == "session"})
	if err != nil {
		return err
	}
	encode := eventText
	if p.json {
		encode = EncodeEvent
	}
	writer := newEventWriter(p.Out, encode)
	e.Events(writer.Event)

	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	switch {
	case flags.consent == "session":
		p.say("Everything is approved and allowed for this run only; nothing of that is stored.")
	case flags.consent == "ask" && !asking:
		p.say("Nobody can be asked without a terminal: what is not decided yet is denied.")
	case asking && forgets(e.Snapshot()) != "":
		p.say("%s", forgets(e.Snapshot()))
	}
	news := make(chan *app.Snapshot, 1)
	unsubscribe := e.Subscribe(func(s *app.Snapshot) {
		select { // the newest is the one that counts
		case <-news:
		default:
		}
		news <- s
	})
	if !p.json {
		p.say("Running. Stop with Ctrl+C.")
	}
	attended := make(chan struct{})
	go func() {
		defer close(attended)
		p.attend(stop, e, news, asking)
	}()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		hungUp(stop, p.Out)
	}()
	e.Start()

	select {
	case <-ctx.Done():
	case <-writer.Failed():
	case <-closed:
	}
	cancel()
	<-attended
	<-closed
	unsubscribe()
	closeErr := done()
	err = writer.Close()
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		err = nil // the reader has seen enough
	}
	if err != nil {
		err = fmt.Errorf("the events cannot be written to stdout: %w", err)
	}
	return errors.Join(err, closeErr)
}

// attend asks what is to be asked, and says once what waits for a person
// elsewhere, until ctx ends.
func (p *program) attend(ctx context.Context, e *app.Engine, news <-chan *app.Snapshot, asking bool) {
	a := newAsker(p, e, news)
	said := make(map[store.ServerID]string)
	for {
		select {
		case <-ctx.Done():
			return
		case snap := <-news:
			for _, s := range snap.Servers {
				p.sayState(said, s, asking)
			}
			if asking {
				a.askAll(ctx, snap)
			}
		}
	}
}

// sayState tells on stderr, once each time, what a person has to do about a server.
func (p *program) sayState(said map[store.ServerID]string, s app.ServerView, asking bool) {
	text := ""
	switch {
	case s.State == app.ServerWaiting && !asking:
		text = fmt.Sprintf("%s is not started: it waits for your approval. Approve it in the window, or with: roots-manager approve %s", plain(s.Name), app.Quote([]string{s.Name}))
	case s.State == app.ServerFailed:
		text = fmt.Sprintf("%s failed: %s", plain(s.Name), s.Problem)
	case s.State == app.ServerConnecting:
		return // what was said last may be the reason to connect again
	}
	if text != "" && said[s.ID] != text {
		p.say("%s", text)
	}
	said[s.ID] = text
}
