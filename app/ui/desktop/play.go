package desktop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui"
)

// playTime bounds the whole play.
const playTime = 60 * time.Second

// play does in the window what a first-time user would: approve the sample
// server, tick both folders, and wait until the server works in them. Then it
// writes the window as it looks to a PNG file.
func play(ctx context.Context, e *app.Engine, w *ui.Window, file string) error {
	ctx, cancel := context.WithTimeout(ctx, playTime)
	defer cancel()
	s, err := wait(ctx, e, "the sample server asks to be started", func(s *app.Snapshot) bool {
		return len(s.Prompts) > 0 && s.Prompts[0].Approval != nil
	})
	if err != nil {
		return err
	}
	if err := e.Answer(ctx, s.Prompts[0].ID, app.PromptAnswer{Verdict: app.AllowUntilQuit}); err != nil {
		return err
	}
	if s, err = wait(ctx, e, "the sample server is connected", func(s *app.Snapshot) bool {
		return s.Servers[0].State == app.ServerConnected
	}); err != nil {
		return err
	}
	server := s.Servers[0].ID
	for i, r := range s.Roots {
		access := root.ReadWrite
		if i > 0 {
			access = root.ReadOnly
		}
		if err := e.Assign(ctx, []app.Tick{{Server: server, Root: r.ID, On: true, Access: access}}); err != nil {
			return err
		}
	}
	if _, err := wait(ctx, e, "the sample server has the current folders", func(s *app.Snapshot) bool {
		v := s.Servers[0]
		return v.Delivery == app.DeliveryCurrent && v.Answered == len(s.Roots)
	}); err != nil {
		return err
	}
	seen, err := e.AskWhatItSees(ctx, server)
	if err != nil {
		return err
	}
	if !seen.Matches {
		return fmt.Errorf("the sample server works in %q, which is not what was ticked", seen.Folders)
	}
	return photograph(ctx, w.Window(), file)
}

// stillTime is how long the window must have looked the same.
const stillTime = 150 * time.Millisecond

// photograph asks the X server, by ImageMagick's import, what the window really
// looks like once it is painted and nothing in it moves any more. (Fyne's own
// Capture reads a buffer that is black with software OpenGL.)
func photograph(ctx context.Context, win fyne.Window, file string) error {
	id, ok := strings.CutPrefix(handle(win), "x11:")
	if !ok {
		return errors.New("the window can only be photographed under X11")
	}
	tick := time.NewTicker(stillTime)
	defer tick.Stop()
	var before []byte
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the window did not come to rest: %w", ctx.Err())
		case <-tick.C:
		}
		now, err := exec.CommandContext(ctx, "import", "-silent", "-window", "0x"+id, "-depth", "8", "rgb:-").Output()
		if err != nil {
			return fmt.Errorf("the window cannot be photographed (is ImageMagick installed?): %w", err)
		}
		blank := len(now) < 6 || bytes.Equal(now[:len(now)-3], now[3:])
		if !blank && bytes.Equal(before, now) {
			break
		}
		before = now
	}
	if out, err := exec.CommandContext(ctx, "import", "-silent", "-window", "0x"+id, file).CombinedOutput(); err != nil {
		return fmt.Errorf("the picture cannot be written: %w: %s", err, out)
	}
	return nil
}

// wait returns the first snapshot that fits.
func wait(ctx context.Context, e *app.Engine, what string, fits func(*app.Snapshot) bool) (*app.Snapshot, error) {
	found := make(chan *app.Snapshot, 1)
	stop := e.Subscribe(func(s *app.Snapshot) {
		if fits(s) {
			select {
			case found <- s:
			default:
			}
		}
	})
	defer stop()
	select {
	case s := <-found:
		return s, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("the demo waited in vain until %s: %w", what, ctx.Err())
	}
}
