// Package demo sets up a throw-away profile, so that a first-time user can
// click everything without installing a server: the built-in probe as a real
// child process, and two folders with a few files.
//
// Its promise: everything it makes lies in one temporary folder that
// [Place.Remove] removes; nothing is approved and nothing is allowed in
// advance. It starts no goroutines.
package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// Names as the window shows them.
const (
	ServerName  = "Sample server"
	ProjectName = "Sample project"
	NotesName   = "Sample notes"
)

//go:embed files
var files embed.FS

// Place is the temporary folder of one demo.
type Place struct {
	Dir     string // everything lies in it
	Profile string // data folder for the engine, empty at first
	Project string // sample folder with a small program
	Notes   string // sample folder with notes
}

// Prepare makes a temporary folder with two sample folders in dir; an empty dir
// is the system's place for temporary files.
func Prepare(dir string) (*Place, error) {
	base, err := os.MkdirTemp(dir, "roots-manager-demo-")
	if err != nil {
		return nil, fmt.Errorf("the demo needs a temporary folder: %w", err)
	}
	p := &Place{
		Dir: base, Profile: filepath.Join(base, "profile"),
		Project: filepath.Join(base, "sample-project"), Notes: filepath.Join(base, "sample-notes"),
	}
	if err := p.unpack(); err != nil {
		return nil, errors.Join(fmt.Errorf("the sample folders cannot be written: %w", err), p.Remove())
	}
	return p, nil
}

// unpack writes the embedded files.
func (p *Place) unpack() error {
	return fs.WalkDir(files, "files", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("files", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		target := filepath.Join(p.Dir, rel)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
}

// Fill adds the sample server, which runs `executable probe`, and the two
// folders, meant for it. The engine must have been opened on p.Profile.
// Starting the server still waits for approval, and telling it of the folders
// for consent, so that the person meets both questions.
func (p *Place) Fill(ctx context.Context, e *app.Engine, executable string) error {
	server, err := e.AddServer(ctx, app.ServerSpec{
		Name: ServerName, Command: executable, Args: []string{"probe"}, Dir: p.Dir, Source: "the demo", Enabled: true,
	})
	if err != nil {
		return err
	}
	// They may lie in a place that is warned of, such as a temporary folder
	// below the home folder; they hold nothing but our own samples.
	roots, err := e.AddRoots(ctx, []app.RootSpec{
		{Path: p.Project, Name: ProjectName, AcceptWarning: true},
		{Path: p.Notes, Name: NotesName, AcceptWarning: true},
	})
	if err != nil {
		return err
	}
	return e.AssignOnly(ctx, ticks(server, roots))
}

func ticks(server store.ServerID, roots []store.RootID) []app.Tick {
	access := []root.Access{root.ReadWrite, root.ReadOnly}
	list := make([]app.Tick, len(roots))
	for i, r := range roots {
		list[i] = app.Tick{Server: server, Root: r, On: true, Access: access[i]}
	}
	return list
}

// Remove removes everything, the profile as well. The engine must be closed.
func (p *Place) Remove() error {
	if err := os.RemoveAll(p.Dir); err != nil {
		return fmt.Errorf("the demo's temporary folder stays behind, delete it by hand: %w", err)
	}
	return nil
}
