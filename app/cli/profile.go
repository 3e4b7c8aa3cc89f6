package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"rootsmanager/app"
	"rootsmanager/store"
)

// profileDir is the folder of the profile, absolute.
func (p *program) profileDir() (string, error) {
	dir := p.dataDir
	if dir == "" {
		dir = app.DefaultDataDir(xdg.DataHome)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("the folder %q cannot be used as the profile: %w", dir, err)
	}
	return abs, nil
}

// open opens the profile; when its file is damaged, it offers the backup.
func (p *program) open(ctx context.Context, opts app.Options) (*app.Engine, error) {
	if opts.DataDir == "" {
		dir, err := p.profileDir()
		if err != nil {
			return nil, err
		}
		opts.DataDir = dir
	}
	opts.Version, opts.Store = p.Version, p.Store
	e, err := app.Open(ctx, &opts)
	var damage *store.DamagedError
	if !errors.As(err, &damage) {
		return e, err
	}
	if p.keys.present() && damage.Backup != "" {
		p.say("%v", damage)
		yes, askErr := p.keys.confirm(ctx, "Restore the backup now?")
		if askErr != nil {
			return nil, askErr
		}
		if yes {
			if err := store.RestoreBackup(ctx, opts.DataDir, damage.Backup); err != nil {
				return nil, err
			}
			return app.Open(ctx, &opts)
		}
	}
	return nil, &damagedError{damage}
}

// damagedError adds which commands go on from a damaged profile.
type damagedError struct{ *store.DamagedError }

func (e *damagedError) Unwrap() error { return e.DamagedError }

func (e *damagedError) Error() string {
	text := e.DamagedError.Error() + "\n"
	if e.Backup != "" {
		text += "  roots-manager restore           puts the backup in place\n"
	}
	return text + "  roots-manager restore --empty   starts with an empty profile; the damaged file stays where it is"
}

// forgets says why decisions would be forgotten when this process
// ends; empty: they are kept.
func forgets(snap *app.Snapshot) string {
	h := snap.Health
	if h.Sealed {
		return ""
	}
	return strings.TrimSuffix(h.SealedText, ".") + ". " + h.SealedHelp
}

// with opens the profile for one command and closes it afterwards. Nothing is
// started and no folder is looked at; the snapshot shows what every server
// would run.
func (p *program) with(ctx context.Context, do func(*app.Engine, *app.Snapshot) error) error {
	e, err := p.open(ctx, app.Options{})
	if err != nil {
		return err
	}
	return errors.Join(do(e, e.Plan()), e.Close())
}

// looking is with, and the snapshot also shows where every folder stands.
func (p *program) looking(ctx context.Context, do func(*app.Engine, *app.Snapshot) error) error {
	return p.with(ctx, func(e *app.Engine, _ *app.Snapshot) error {
		snap, err := e.Look(ctx)
		if err != nil {
			return err
		}
		return do(e, snap)
	})
}
