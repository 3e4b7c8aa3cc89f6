package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rootsmanager/app"
)

func (p *program) approveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "approve NAME",
		Short: "Show exactly what a server would run, and allow it",
		Long: "Shows exactly what a server would run or contact and asks whether it may.\n" +
			"Only a person at a terminal can say yes.",
		Args: oneArgument("the name of a server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, func(e *app.Engine, snap *app.Snapshot) error {
				s, err := findServer(snap, args[0])
				if err != nil {
					return err
				}
				return p.approve(ctx, e, s)
			})
		},
	}
}

func (p *program) approve(ctx context.Context, e *app.Engine, s app.ServerView) error {
	q, err := e.Approval(ctx, s.ID)
	if err != nil {
		return fmt.Errorf("%s cannot be approved: %w", s.Name, err)
	}
	if !s.ApprovedAt.IsZero() {
		return p.reportServer(s.Name, "was approved on "+s.ApprovedAt.Local().Format("2 January 2006, 15:04"))
	}
	p.say("%s", approvalText(s.Name, &q))
	if !p.keys.present() {
		return fmt.Errorf("%s is not approved: only a person can say yes. Run this command at a terminal, or approve it in the window", s.Name)
	}
	if why := forgets(e.Snapshot()); why != "" {
		return fmt.Errorf("%s is not approved, because the yes could not be kept. %s\nTo answer for one run only: roots-manager run --consent ask", s.Name, why)
	}
	yes, err := p.keys.confirm(ctx, "May this be "+startedWord(&q)+"?")
	if err != nil {
		return err
	}
	if !yes {
		p.say("%s is not approved.", s.Name)
		return errQuiet
	}
	switch err := e.ApproveShown(ctx, s.ID, q.Identity, "cli"); {
	case errors.Is(err, app.ErrPromptGone):
		return fmt.Errorf("what %s would run changed while you were asked: look at it again with the same command", s.Name)
	case err != nil:
		return err
	}
	return p.reportServer(s.Name, "is approved")
}

func startedWord(q *app.ApprovalQuestion) string {
	if q.URL != "" {
		return "contacted"
	}
	return "started"
}

// approvalText is everything an approval question says, for a terminal. The
// command line is neither shortened nor wrapped.
func approvalText(server string, q *app.ApprovalQuestion) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-16s%s\n", name, plain(value))
		}
	}
	if q.URL != "" {
		fmt.Fprintf(&b, "%s wants to be contacted.\n\n", plain(server))
		line("Address", q.URL)
	} else {
		fmt.Fprintf(&b, "%s wants to start a program. It runs with your rights.\n\n", plain(server))
		line("Command", app.Quote(q.CommandLine))
		line("Program", q.Program)
		line("Working folder", q.Dir)
	}
	for i, v := range q.Env {
		name := ""
		if i == 0 {
			name = "Environment"
			if q.URL != "" {
				name = "Headers"
			}
		}
		value := v.Value
		if v.Secret {
			value = "(secret)"
		}
		fmt.Fprintf(&b, "  %-16s%s=%s\n", name, plain(v.Name), plain(value))
	}
	line("Comes from", q.Source)
	for _, c := range q.Changes {
		fmt.Fprintf(&b, "\n  Changed since you approved it: %s\n    was  %s\n    is   %s\n", plain(c.Field), plain(c.Old), plain(c.New))
	}
	for _, w := range q.Warnings {
		fmt.Fprintf(&b, "\n  Careful: %s.\n    %s\n", plain(w.Title), plain(w.Detail))
	}
	return b.String()
}

// plain makes text safe for a terminal without cutting it.
func plain(text string) string { return app.Plain(text, len(text)) }
