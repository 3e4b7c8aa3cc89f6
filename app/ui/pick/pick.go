// Package pick asks the person for folders and files with the desktop's own
// dialogs, and shows a place in the desktop's file manager.
//
// It promises that a returned path is absolute and byte for byte the one that
// was chosen, that "nothing chosen" and "no dialog could be shown" are told
// apart, and that a dialog goes away with its context. It decides nothing about
// the paths: whether a place may be a root is for app/root.
//
// On Linux and the BSDs the desktop portal is asked first, then zenity, then
// kdialog; on Windows the system's file dialog; on macOS osascript. Each is
// tried only when the one before it could not be shown. After the last comes
// the fallback that the caller brought along, so that this package needs no
// window of its own.
//
// Every goroutine started by a call ends before the call returns, except the
// one that waits for a file manager started by [Reveal], which ends with it.
package pick

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// Limits of what one dialog may return. More than this is a refusal with a
// sentence, never a silent cut.
const (
	MaxPaths     = 1000 // paths chosen at once
	MaxPathBytes = 4096 // length of one path, as the system has it
)

// States of a call that is not a failure to be shown.
var (
	// ErrCancelled says that the person closed the dialog without a choice.
	ErrCancelled = errors.New("nothing was chosen")
	// ErrOpen says that a dialog of this Picker is open already.
	ErrOpen = errors.New("a dialog for choosing folders or files is open already: finish or close it first")
)

// Kind says what is asked for.
type Kind string

// The kinds of dialog.
const (
	Folders Kind = "folders" // one or several folders that exist
	Files   Kind = "files"   // one or several files that exist
	Save    Kind = "save"    // one file to be written
)

// Request is one dialog to be shown.
type Request struct {
	Kind  Kind
	Title string
	// Suggested is the proposed name of the file to be saved: a name or an
	// absolute path. Only with Save.
	Suggested string
	// Parent names the window the dialog belongs to, see [Options].
	Parent string
}

// Options are the optional parts of a [Picker]. The zero value works.
type Options struct {
	// Logger is told at debug level which dialog was tried and why it could
	// not be shown. No path is ever logged.
	Logger *slog.Logger
	// Parent names the window that a dialog is put in front of: "x11:" or
	// "win32:" and the handle in hexadecimal, "wayland:" and the exported
	// handle, or "" if there is none. Called once per dialog, on the caller's
	// goroutine.
	Parent func() string
	// Fallback shows a dialog when the desktop has none. It returns
	// ErrCancelled when nothing was chosen, and goes away with the context.
	Fallback func(context.Context, Request) ([]string, error)
}

// Picker shows the desktop's dialogs, one at a time. It is safe for concurrent
// use; a second call while a dialog is open returns [ErrOpen].
type Picker struct {
	opts  Options
	steps []step
	open  atomic.Bool
}

// step is one way of showing a dialog. It returns ErrCancelled, an *answerError
// or the context's error when asking again by another way would be wrong; any
// other error lets the next step try.
type step struct {
	name string
	show func(context.Context, Request) ([]string, error)
}

// answerError says that the person answered, with something that is no use.
type answerError struct{ text string }

func (e *answerError) Error() string { return e.text }

// New returns a Picker. opts may be nil and is copied.
func New(opts *Options) *Picker {
	p := &Picker{}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.Logger == nil {
		p.opts.Logger = slog.New(slog.DiscardHandler)
	}
	p.steps = systemSteps()
	return p
}

// Folders asks for one or several folders. It blocks until the person answers
// or ctx ends, so it is called off the window's goroutine. Errors:
// [ErrCancelled], [ErrOpen], the context's own, or a sentence that says why no
// dialog could be shown and what to do.
func (p *Picker) Folders(ctx context.Context, title string) ([]string, error) {
	return p.ask(ctx, Request{Kind: Folders, Title: title})
}

// Files asks for one or several files. See [Picker.Folders].
func (p *Picker) Files(ctx context.Context, title string) ([]string, error) {
	return p.ask(ctx, Request{Kind: Files, Title: title})
}

// SaveFile asks where to write a file; suggested is a name or an absolute path.
// The dialog itself asks before an existing file is chosen. See
// [Picker.Folders].
func (p *Picker) SaveFile(ctx context.Context, title, suggested string) (string, error) {
	paths, err := p.ask(ctx, Request{Kind: Save, Title: title, Suggested: suggested})
	if err != nil {
		return "", err
	}
	return paths[0], nil
}

func (p *Picker) ask(ctx context.Context, req Request) ([]string, error) {
	if !p.open.CompareAndSwap(false, true) {
		return nil, ErrOpen
	}
	defer p.open.Store(false)

	if p.opts.Parent != nil {
		req.Parent = p.opts.Parent()
	}
	steps := p.steps
	if p.opts.Fallback != nil {
		steps = append(steps[:len(steps):len(steps)], step{"built-in", p.opts.Fallback})
	}

	var reasons []string
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return nil, closedError(err)
		}
		paths, err := s.show(ctx, req)
		if err == nil {
			err = checkAnswer(req, paths)
		}
		var answer *answerError
		switch {
		case err == nil:
			return paths, nil
		case errors.Is(err, ErrCancelled):
			return nil, ErrCancelled
		case ctx.Err() != nil:
			return nil, closedError(ctx.Err())
		case errors.As(err, &answer):
			return nil, err
		}
		p.opts.Logger.Debug("dialog could not be shown", "dialog", s.name, "error", err)
		reasons = append(reasons, err.Error())
	}
	return nil, fmt.Errorf("no dialog could be opened (%s): type the path instead, or install the desktop's dialog program, for example zenity",
		strings.Join(reasons, "; "))
}

func closedError(err error) error {
	return fmt.Errorf("the dialog was closed before anything was chosen: %w", err)
}

// checkAnswer holds every step to the package's promise.
func checkAnswer(req Request, paths []string) error {
	if len(paths) == 0 {
		return errors.New("the dialog said yes but named nothing")
	}
	if req.Kind == Save && len(paths) > 1 {
		return &answerError{"Several names were chosen where one is needed: choose one file to write to."}
	}
	if len(paths) > MaxPaths {
		return &answerError{fmt.Sprintf("%d places were chosen, and at most %d can be taken at once: choose fewer, or the folder that holds them.", len(paths), MaxPaths)}
	}
	for _, path := range paths {
		if len(path) > MaxPathBytes {
			return &answerError{fmt.Sprintf("A chosen path is longer than %d bytes: choose a folder nearer to the top.", MaxPathBytes)}
		}
		if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
			return fmt.Errorf("the dialog returned %q, which is no absolute path", path)
		}
	}
	return nil
}
