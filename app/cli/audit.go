package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rootsmanager/store"
)

// auditTextLimit is how many entries are listed as text unless --since says
// how far back to go; --json gives all.
const auditTextLimit = 500

func (p *program) auditCommand() *cobra.Command {
	var since, server string
	var verify bool
	var filter store.AuditFilter
	c := &cobra.Command{
		Use:   "audit [--since WHEN] [--server NAME] [--verify] [--json]",
		Short: "Show what happened, or check that the log was not altered",
		Long: "Shows what was asked, answered, told and decided, oldest first; with --json as JSON Lines.\n" +
			"--verify checks every entry against its seal instead; it fails when the log was altered.",
		Args: func(cmd *cobra.Command, args []string) error {
			if verify && (since != "" || server != "") {
				return usagef("--verify checks the whole log: leave --since and --server out")
			}
			if since != "" {
				at, err := parseSince(since, time.Now())
				if err != nil {
					return err
				}
				filter.Since = at
			}
			return noArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if verify {
				return p.verifyAudit(cmd.Context())
			}
			return p.audit(cmd.Context(), filter, server)
		},
	}
	c.Flags().StringVar(&since, "since", "", "only what happened since: 90m, 24h, 7d, 2026-11-21 or an RFC 3339 time")
	c.Flags().StringVar(&server, "server", "", "only what is about this server")
	c.Flags().BoolVar(&verify, "verify", false, "check that the log was not altered")
	return c
}

// parseSince reads how far back to go: a number of days, a duration, a day or
// a time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 36_500 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return at, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	return time.Time{}, usagef("%q is not a time: use 90m, 24h, 7d, 2026-11-21 or 2026-11-21T09:00:00Z", text)
}

// stored opens the profile's store alone.
func (p *program) stored(ctx context.Context, do func(*store.Store) error) error {
	dir, err := p.profileDir()
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, dir, p.Store)
	var damage *store.DamagedError
	if errors.As(err, &damage) {
		return &damagedError{damage}
	}
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

func (p *program) audit(ctx context.Context, filter store.AuditFilter, server string) error {
	return p.stored(ctx, func(s *store.Store) error {
		if server != "" {
			filter.Server = spelled(s.State(), server)
		}
		if p.json {
			return s.ExportAuditJSON(ctx, p.Out, filter)
		}
		if filter.Since.IsZero() {
			filter.Limit = auditTextLimit
		} else {
			filter.Limit = 100_000
		}
		entries, err := s.SearchAudit(ctx, filter)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			p.say("Nothing is in the log that fits.")
			return nil
		}
		for _, e := range slices.Backward(entries) {
			line := e.Time.Local().Format("2006-01-02 15:04:05") + "  " + strings.TrimSpace(plain(e.Subject)+" "+plain(e.Text))
			if err := p.tell("%s", line); err != nil {
				return err
			}
			for _, uri := range e.URIs {
				if err := p.tell("                       %s", plain(uri)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// spelled is the name of a server as the log spells it; one that was removed
// is looked for as it was typed.
func spelled(state *store.State, name string) string {
	for _, s := range state.Servers {
		if strings.EqualFold(s.Name, name) {
			return s.Name
		}
	}
	return name
}

// auditVerdict is the document of `audit --verify --json`.
type auditVerdict struct {
	OK       bool   `json:"ok"`
	Why      string `json:"why,omitempty"` // what was altered
	Verified int    `json:"verified"`      // entries that are as they were written
	Unsealed int    `json:"unsealed"`      // newest entries, written while the keyring was away: not verified
	Older    int    `json:"older"`         // entries sealed with a key that is gone: not verified
}

func (p *program) verifyAudit(ctx context.Context) error {
	return p.stored(ctx, func(s *store.Store) error {
		v, err := s.VerifyAudit(ctx)
		if err != nil {
			return fmt.Errorf("the log cannot be checked: %w", err)
		}
		if p.json {
			if err := p.document(auditVerdict{v.OK, v.Why, v.Verified, v.Unsealed, v.Older}); err != nil {
				return err
			}
		}
		if !v.OK {
			return fmt.Errorf("the log was altered outside of this app: %s. Entries before and after it can be read with: roots-manager audit", strings.TrimSuffix(v.Why, "."))
		}
		text := fmt.Sprintf("The log is as it was written: %s checked.", entries(v.Verified))
		if v.Unsealed > 0 {
			text += fmt.Sprintf(" Not checked: the newest %s, written while the keyring was away.", entries(v.Unsealed))
		}
		if v.Older > 0 {
			text += fmt.Sprintf(" Not checked: %s, sealed with a key that is gone.", entries(v.Older))
		}
		return p.tell("%s", text)
	})
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
