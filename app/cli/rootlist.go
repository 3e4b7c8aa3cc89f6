package cli

import (
	"context"
	"fmt"
	"strings"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// listedRoots is the document of `root list --json`.
type listedRoots struct {
	Workspace string       `json:"workspace"` // name of the active one
	Roots     []listedRoot `json:"roots"`     // in the user's order
}

type listedRoot struct {
	URI     string             `json:"uri"`
	Path    string             `json:"path"`           // native; the URI of a web address
	Name    string             `json:"name,omitempty"` // as it is sent; empty: none is sent
	Kind    string             `json:"kind"`           // folder, file or https
	Status  string             `json:"status"`         // reachable, read-only, no permission, missing, not a folder, changed target, unreachable
	Detail  string             `json:"detail,omitempty"`
	Servers []listedAssignment `json:"servers"` // those it is assigned to
}

type listedAssignment struct {
	Name   string `json:"name"`
	Access string `json:"access"` // ro or rw
	State  string `json:"state"`  // allowed, waits for consent, ask again, held back, never
	Reason string `json:"reason,omitempty"`
}

func (p *program) listRoots(_ *app.Engine, snap *app.Snapshot) error {
	doc := listedRoots{Workspace: snap.Workspace.Name, Roots: make([]listedRoot, 0, len(snap.Roots))}
	rows := [][]string{{"NAME", "STATUS", "PATH", "SERVERS"}}
	for _, r := range snap.Roots {
		v := listedRoot{
			URI: r.URI, Path: r.Path, Name: r.Name, Kind: string(r.Kind), Status: string(r.Status), Detail: r.Detail,
			Servers: []listedAssignment{},
		}
		var shares []string
		for _, s := range snap.Servers {
			cell := snap.Cells.Cell(s.ID, r.ID)
			if cell.State == app.CellOff {
				continue
			}
			a := listedAssignment{Name: s.Name, Access: string(cell.Access), State: string(cell.State), Reason: cell.Reason}
			switch {
			case toldNow(cell): // whether it is connected is known only to the process that connects it
				a.State, a.Reason = "allowed", ""
			case cell.State == app.CellAsks:
				a.State, a.Reason = "waits for consent", ""
			}
			v.Servers = append(v.Servers, a)
			share := s.Name + " (" + a.Access
			if a.State != "allowed" {
				share += ", " + a.State
			}
			shares = append(shares, share+")")
		}
		doc.Roots = append(doc.Roots, v)
		rows = append(rows, []string{r.Label, v.Status, v.Path, strings.Join(shares, ", ")})
	}
	switch {
	case p.json:
		return p.document(doc)
	case len(doc.Roots) == 0:
		return p.tell("There are no folders yet. Add one: roots-manager root add PATH")
	}
	return p.table(rows)
}

// removedRoot is the document of `root remove --json`.
type removedRoot struct {
	URI  string `json:"uri"`
	Path string `json:"path"`
}

func (p *program) removeRoot(ctx context.Context, text string) error {
	path, err := place(text)
	if err != nil {
		return err
	}
	return p.with(ctx, func(e *app.Engine, snap *app.Snapshot) error {
		r, err := findRoot(snap, text, path)
		if err != nil {
			return err
		}
		if err := e.RemoveRoots(ctx, []store.RootID{r.ID}); err != nil {
			return err
		}
		if p.json {
			return p.document(removedRoot{r.URI, r.Path})
		}
		return p.tell("Removed %s. What was allowed for it is taken back.", plain(r.Path))
	})
}

// findRoot finds a root by its path or URI, also under another spelling of it.
func findRoot(snap *app.Snapshot, text, path string) (app.RootView, error) {
	uri, err := app.ParsePlace(path)
	if err != nil {
		return app.RootView{}, err
	}
	for _, r := range snap.Roots {
		if r.URI == uri.String() {
			return r, nil
		}
	}
	var names []string
	for _, r := range snap.Roots {
		if !uri.IsHTTPS() && r.Kind != root.HTTPS {
			if same, err := root.Same(r.Path, uri.Path()); err == nil && same {
				return r, nil
			}
		}
		names = append(names, r.Path)
		if strings.EqualFold(r.Label, text) {
			return app.RootView{}, fmt.Errorf("%q is the name of a folder, not its path. To remove it: roots-manager root remove %s", text, app.Quote([]string{r.Path}))
		}
	}
	if len(names) == 0 {
		return app.RootView{}, fmt.Errorf("%s is not in the list: there are no folders", text)
	}
	return app.RootView{}, fmt.Errorf("%s is not in the list. %s", text, suggest(path, names))
}
