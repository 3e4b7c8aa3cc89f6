// Package desktop puts the window together: the screens, the dialogs and the
// desktop's own folder dialogs, over one engine.
//
// [Run] holds the Fyne goroutine until the window was closed; the goroutines
// it starts end before it returns.
package desktop

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/driver"

	"rootsmanager/app"
	"rootsmanager/app/ui"
	"rootsmanager/app/ui/pick"
	"rootsmanager/assets"
)

// AppID names the program to the desktop.
const AppID = "dev.rootsmanager.app"

// Options say what is shown.
type Options struct {
	Engine  *app.Engine     // open and started; closed by the caller
	Raised  <-chan struct{} // the window is asked to come to the front; may be nil
	Demo    bool            // the profile is thrown away afterwards
	Play    string          // PNG file: play the demo, write the window to it and close
	DataDir string
	Version string
	Logger  *slog.Logger
}

// Run shows the window until it is closed or ctx ends. It must be called on
// the main goroutine.
func Run(ctx context.Context, opts Options) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program cannot tell where it is installed: %w", err)
	}
	a := fyneapp.NewWithID(AppID)
	a.SetIcon(fyne.NewStaticResource("icon.png", assets.Icon))
	var w *ui.Window
	chooser := &fallback{window: func() *ui.Window { return w }}
	picker := pick.New(&pick.Options{
		Logger:   opts.Logger,
		Parent:   func() string { return handle(w.Window()) },
		Fallback: chooser.ask,
	})
	w = ui.New(a, opts.Engine, ui.Options{
		Version: opts.Version, DataDir: opts.DataDir, Demo: opts.Demo, Program: program, Logger: opts.Logger,
		Picker: picker, Dialogs: &dialogs{engine: opts.Engine, picker: picker, program: program},
	})

	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var played error
	a.Lifecycle().SetOnStarted(func() {
		running.Go(func() {
			<-ctx.Done()
			fyne.Do(a.Quit)
		})
		running.Go(func() { raise(ctx, opts.Raised, w.Window()) })
		if opts.Play != "" {
			running.Go(func() {
				played = play(ctx, opts.Engine, w, opts.Play)
				cancel()
			})
		}
	})
	a.Lifecycle().SetOnStopped(cancel)
	w.Run()
	cancel()
	running.Wait()
	return played
}

// raise brings the window to the front whenever another start asks for it.
func raise(ctx context.Context, raised <-chan struct{}, win fyne.Window) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-raised:
			fyne.Do(func() {
				win.Show()
				win.RequestFocus()
			})
		}
	}
}

// handle names the window to the desktop's dialogs, so that they open in front
// of it.
func handle(win fyne.Window) string {
	native, ok := win.(driver.NativeWindow)
	if !ok {
		return ""
	}
	var name string
	fyne.DoAndWait(func() {
		native.RunNative(func(context any) {
			switch c := context.(type) {
			case driver.X11WindowContext:
				name = fmt.Sprintf("x11:%x", c.WindowHandle)
			case driver.WindowsWindowContext:
				name = fmt.Sprintf("win32:%x", c.HWND)
			}
		})
	})
	return name
}
