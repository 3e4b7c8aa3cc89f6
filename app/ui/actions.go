package ui

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
	"rootsmanager/app/ui/pick"
	"rootsmanager/store"
)

// Picker chooses folders and files with the desktop's own dialogs; app/ui/pick
// implements it. Its methods block and are called off the Fyne goroutine.
type Picker interface {
	Folders(ctx context.Context, title string) ([]string, error)
	Files(ctx context.Context, title string) ([]string, error)
	SaveFile(ctx context.Context, title, suggested string) (string, error)
}

// commandTime bounds every command but those that wait for a person.
const commandTime = 90 * time.Second

// busyAfter is how long a command may take before the window says it is under
// way and offers to cancel it.
const busyAfter = 400 * time.Millisecond

// command is something the core is asked to do.
type command struct {
	busy    string                      // what is under way, for when it takes long
	forever bool                        // waits for a person: no time limit
	run     func(context.Context) error // off the Fyne goroutine
	done    func()                      // on the Fyne goroutine, after success
	failed  func(error) bool            // on the Fyne goroutine; true if it dealt with the error
}

// do runs a command and shows its error, if any.
func (w *Window) do(c command) {
	ctx, cancel := context.WithCancel(w.ctx)
	if !c.forever {
		ctx, cancel = context.WithTimeout(w.ctx, commandTime)
	}
	finished := false // belongs to the Fyne goroutine
	quiet := func() {}
	var late *time.Timer
	if c.busy != "" {
		late = time.AfterFunc(busyAfter, func() {
			fyne.Do(func() {
				if !finished && w.ctx.Err() == nil {
					quiet = w.notices.busy(c.busy, cancel)
				}
			})
		})
	}
	w.spawn(func() {
		defer cancel()
		err := c.run(ctx)
		if late != nil {
			late.Stop()
		}
		fyne.Do(func() {
			if w.ctx.Err() != nil {
				return // the window is gone
			}
			finished = true
			quiet()
			switch {
			case errors.Is(err, context.Canceled):
			case err == nil:
				if c.done != nil {
					c.done()
				}
			case c.failed != nil && c.failed(err):
			default:
				w.notices.fail("", err)
			}
		})
	})
}

// undoable runs a command and offers to take it back.
func (w *Window) undoable(said string, run func(context.Context) error) {
	w.do(command{run: run, done: func() { w.notices.offerUndo(said, w.core.Snapshot()) }})
}

// undo takes the last change back.
func (w *Window) undo() {
	label := w.core.Snapshot().UndoLabel
	if label == "" {
		w.notices.say(look.Neutral, look.IconUndo, lang.L("There is nothing to undo."))
		return
	}
	w.do(command{run: w.core.Undo, done: func() {
		w.notices.say(look.Good, look.IconUndo, lang.L("Undone: {{.What}}.", map[string]any{"What": label}))
	}})
}

// assign ticks or unticks one pair.
func (w *Window) assign(server store.ServerID, folder store.RootID, on bool, access root.Access) {
	w.do(command{run: func(ctx context.Context) error {
		return w.core.Assign(ctx, []app.Tick{{Server: server, Root: folder, On: on, Access: access}})
	}})
}

// addFolders asks for folders with the desktop's own dialog.
func (w *Window) addFolders() { w.choose(lang.L("Add folders"), w.opts.Picker.Folders) }

// addFiles asks for single files.
func (w *Window) addFiles() { w.choose(lang.L("Add files"), w.opts.Picker.Files) }

func (w *Window) choose(title string, ask func(context.Context, string) ([]string, error)) {
	var paths []string
	w.do(command{
		forever: true,
		run: func(ctx context.Context) (err error) {
			paths, err = ask(ctx, title)
			return err
		},
		done:   func() { w.addPaths(paths) },
		failed: w.pickFailed,
	})
}

// pickFailed deals with a dialog that gave no path: closing it is no error, and
// where none can be shown a path can be typed.
func (w *Window) pickFailed(err error) bool {
	switch {
	case errors.Is(err, pick.ErrCancelled):
	case errors.Is(err, pick.ErrOpen):
		w.notices.say(look.Info, look.IconInfo, errorSentence(err))
	default:
		w.notices.put(errorStays, look.Toast(look.Bad, look.IconWarning, errorSentence(err),
			look.NewButton(lang.L("Type a path…"), look.Link, w.typePath), w.notices.closer()))
	}
	return true
}

// dropped adds what was dragged onto the window.
func (w *Window) dropped(uris []fyne.URI) {
	var paths []string
	for _, u := range uris {
		if u != nil && u.Scheme() == "file" {
			paths = append(paths, u.Path())
		}
	}
	if len(paths) == 0 {
		w.notices.say(look.Warn, look.IconWarning, lang.L("Only folders and files of this computer can be dropped here."))
		return
	}
	w.addPaths(paths)
}

// typePath asks for paths as text.
func (w *Window) typePath() {
	w.questions.ask(func(done func()) func() {
		return w.opts.Dialogs.TypePaths(w.win, func(paths []string) {
			done()
			w.addPaths(paths)
		}, done)
	})
}

// addPaths looks at the paths, asks about sensitive ones, and adds them.
func (w *Window) addPaths(paths []string) { w.addNamed(paths, nil) }

// addNamed is addPaths with names for them; an empty one, or none, is the last
// part of the path.
func (w *Window) addNamed(paths, names []string) {
	var checks []app.RootCheck
	named := map[string]string{} // by URI
	w.do(command{
		busy: lang.L("Looking at the folders…"),
		run: func(ctx context.Context) error {
			for i, p := range paths {
				c, err := w.core.InspectRoot(ctx, p)
				if err != nil {
					return err
				}
				if i < len(names) {
					named[c.URI] = names[i]
				}
				checks = append(checks, c)
			}
			return nil
		},
		done: func() { w.addChecked(checks, named) },
	})
}

// addChecked adds what may be added, after a second yes where one is needed,
// and says what was left out.
func (w *Window) addChecked(checks []app.RootCheck, named map[string]string) {
	var add, sensitive []app.RootCheck
	var left []string
	for _, c := range checks {
		switch {
		case c.Blocked != "":
			left = append(left, c.Path+": "+c.Blocked)
		case c.Duplicate != "":
			left = append(left, lang.L("{{.Path}} is here already, as “{{.Name}}”", map[string]any{"Path": c.Path, "Name": c.Duplicate}))
		default:
			add = append(add, c)
			if c.Warning != "" {
				sensitive = append(sensitive, c)
			}
		}
	}
	if len(add) == 0 {
		if len(left) > 0 {
			w.notices.fail(lang.L("Not added."), errors.New(strings.Join(left, "; ")))
		}
		return
	}
	finish := func(accepted []app.RootCheck) { w.addRoots(append(withoutWarning(add), accepted...), named, left) }
	if len(sensitive) == 0 {
		finish(nil)
		return
	}
	w.questions.ask(func(done func()) func() {
		return w.opts.Dialogs.Sensitive(w.win, sensitive, func(accepted []app.RootCheck) {
			done()
			finish(accepted)
		})
	})
}

func withoutWarning(checks []app.RootCheck) []app.RootCheck {
	var out []app.RootCheck
	for _, c := range checks {
		if c.Warning == "" {
			out = append(out, c)
		}
	}
	return out
}

func (w *Window) addRoots(checks []app.RootCheck, named map[string]string, left []string) {
	if len(checks) == 0 {
		return
	}
	specs := make([]app.RootSpec, len(checks))
	for i, c := range checks {
		specs[i] = app.RootSpec{Path: c.URI, Name: named[c.URI], AcceptWarning: c.Warning != ""}
	}
	w.do(command{
		busy: lang.L("Adding…"),
		run: func(ctx context.Context) error {
			_, err := w.core.AddRoots(ctx, specs)
			return err
		},
		done: func() {
			said := lang.L("Added {{.Path}}.", map[string]any{"Path": checks[0].Path})
			if len(checks) > 1 {
				said = lang.L("Added {{.Folders}}.", map[string]any{"Folders": folders(len(checks))})
			}
			if len(left) > 0 {
				said += " " + lang.L("Left out:") + " " + sentence(strings.Join(left, "; "))
			}
			w.notices.offerUndo(said, w.core.Snapshot())
		},
	})
}

// addServer asks what to run or contact.
func (w *Window) addServer() { w.editServer("", nil) }

// editServer changes a server, or adds one if spec is nil.
func (w *Window) editServer(id store.ServerID, spec *app.ServerSpec) {
	w.questions.ask(func(done func()) func() {
		return w.opts.Dialogs.Server(w.win, spec, func(ctx context.Context, s app.ServerSpec) error {
			if spec == nil {
				_, err := w.core.AddServer(ctx, s)
				return err
			}
			return w.core.UpdateServer(ctx, id, s)
		}, done)
	})
}

// addBuiltIn adds the server that is part of this program, to try things with.
func (w *Window) addBuiltIn() {
	w.do(command{
		busy: lang.L("Adding the built-in server…"),
		run: func(ctx context.Context) error {
			program := w.opts.Program
			if program == "" {
				var err error
				if program, err = os.Executable(); err != nil {
					return errors.New("this program cannot tell where it is installed: add a server with its command instead")
				}
			}
			_, err := w.core.AddServer(ctx, app.ServerSpec{
				Name: "built-in", Command: program, Args: []string{"probe"}, Source: "Roots Manager itself", Enabled: true,
			})
			return err
		},
	})
}

// copyText puts text on the clipboard and says so.
func (w *Window) copyText(text, said string) {
	w.app.Clipboard().SetContent(text)
	w.notices.say(look.Good, look.IconCopy, said)
}
