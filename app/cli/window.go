package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rootsmanager/app"
	"rootsmanager/app/demo"
	"rootsmanager/app/instance"
	"rootsmanager/store"
)

// windowFlags are the flags of the window.
type windowFlags struct {
	demo   bool
	play   string
	events string
}

func (f *windowFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.demo, "demo", false, "try it out: a sample server and two sample folders, thrown away afterwards")
	c.Flags().StringVar(&f.play, "play", "", "play the demo, write the window to this PNG file and end")
	c.Flags().StringVar(&f.events, "events", "", "write events to this file, as JSON Lines")
	for _, name := range []string{"play", "events"} {
		c.Flags().Lookup(name).Hidden = true
	}
}

// window shows the window until it is closed.
func (p *program) window(ctx context.Context, f windowFlags) (err error) {
	if f.demo && p.dataDir != "" {
		return usagef("--demo has a profile of its own: leave --data-dir out")
	}
	if f.play != "" && !f.demo {
		return usagef("--play plays the demo: add --demo")
	}
	if p.json {
		return usagef("the window has no JSON output; for events without a window: roots-manager run --json")
	}
	if p.Window == nil {
		return errors.New("this build has no window; for the engine without one: roots-manager run")
	}
	if f.play != "" {
		if f.play, err = filepath.Abs(f.play); err != nil {
			return err
		}
	}
	var raised <-chan struct{}
	if !f.demo {
		dir, err := p.profileDir()
		if err != nil {
			return err
		}
		claim, err := instance.Claim(ctx, dir)
		if errors.Is(err, instance.ErrRunning) {
			p.say("%v.", err)
			return nil
		}
		if err != nil {
			return err
		}
		raised = claim.Raised()
		defer func() { err = errors.Join(err, claim.Close()) }()
	}
	e, dir, done, err := p.engine(ctx, f.demo, app.Options{Prompter: true})
	if err != nil {
		return p.inTrouble(ctx, dir, err)
	}
	defer func() { err = errors.Join(err, done()) }()
	if f.events != "" {
		file, err := os.OpenFile(f.events, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("the events cannot be written: %w", err)
		}
		writer := NewEventWriter(file)
		cancel := e.Events(writer.Event)
		done = inOrder(done, func() error { cancel(); return errors.Join(writer.Close(), file.Close()) })
	}
	e.Start()
	return p.Window(ctx, WindowOptions{Engine: e, Raised: raised, DataDir: dir, Demo: f.demo, Play: f.play})
}

// engine opens the profile in the folder dir, or a throw-away one; done closes it.
func (p *program) engine(ctx context.Context, throwAway bool, opts app.Options) (e *app.Engine, dir string, done func() error, err error) {
	if !throwAway {
		if dir, err = p.profileDir(); err != nil {
			return nil, "", nil, err
		}
		opts.DataDir = dir
		if e, err = p.open(ctx, opts); err != nil {
			return nil, dir, nil, err
		}
		return e, dir, e.Close, nil
	}
	place, err := demo.Prepare("")
	if err != nil {
		return nil, "", nil, err
	}
	opts.DataDir = place.Profile
	// What is thrown away leaves nothing in the person's keyring.
	p.Store = &store.Options{Keyring: store.NewMemoryKeyring()}
	if e, err = p.open(ctx, opts); err != nil {
		return nil, "", nil, errors.Join(err, place.Remove())
	}
	done = inOrder(e.Close, place.Remove)
	executable, err := os.Executable()
	if err == nil {
		err = place.Fill(ctx, e, executable)
	}
	if err != nil {
		return nil, "", nil, errors.Join(fmt.Errorf("the demo cannot be set up: %w", err), done())
	}
	return e, place.Profile, done, nil
}

// inOrder runs all steps, also when one fails.
func inOrder(steps ...func() error) func() error {
	return func() error {
		errs := make([]error, len(steps))
		for i, step := range steps {
			errs[i] = step()
		}
		return errors.Join(errs...)
	}
}
