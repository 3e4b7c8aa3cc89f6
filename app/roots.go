package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// RootSpec is what a person says of a root to add.
type RootSpec struct {
	Path          string // a native path, "~/…", or a file or https URI
	Name          string // optional, sent to servers
	AcceptWarning bool   // the person said yes a second time to a sensitive place
}

// RootCheck is what is found out about a path before it is added.
type RootCheck struct {
	URI       string
	Path      string // native; the URI for https
	Kind      root.Kind
	Warning   string // why the place is sensitive: a second yes is needed
	Blocked   string // why it cannot be added, and which setting allows it
	Duplicate string // label of the root that is the same place already
	NestedIn  string // label of a root that contains it
	Problem   string // why it cannot be reached now
}

// SensitiveError tells which places need a second explicit yes.
type SensitiveError struct {
	Checks []RootCheck // those with a warning that was not accepted
}

func (e *SensitiveError) Error() string {
	c := e.Checks[0]
	if n := len(e.Checks); n > 1 {
		return fmt.Sprintf("%s: %s There are %d more such places. Say yes explicitly to add them.", c.Path, c.Warning, n-1)
	}
	return fmt.Sprintf("%s: %s Say yes explicitly to add it.", c.Path, c.Warning)
}

// SettingAllowBlocked is the setting that lets blocked places be added: "on".
const SettingAllowBlocked = "allow-blocked"

// ParsePlace turns what a person typed into a root's URI: a native path, a
// path below ~, or a URI.
func ParsePlace(text string) (root.URI, error) {
	text = strings.TrimSpace(text)
	if looksLikeURI(text) {
		return root.Parse(text)
	}
	if home, err := os.UserHomeDir(); err == nil {
		text = expandHome(text, home)
	}
	return root.FromPath(text)
}

// looksLikeURI reports whether the text has a scheme of two letters or more: a
// single letter is a Windows drive.
func looksLikeURI(text string) bool {
	scheme, _, found := strings.Cut(text, ":")
	if !found || len(scheme) < 2 {
		return false
	}
	for i, c := range scheme {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", c)) {
			return false
		}
	}
	return true
}

// InspectRoot tells what adding a path would mean. It reads the file system.
func (e *Engine) InspectRoot(ctx context.Context, pathOrURI string) (RootCheck, error) {
	checks, err := e.inspect(ctx, []RootSpec{{Path: pathOrURI}})
	if err != nil {
		return RootCheck{}, err
	}
	return checks[0], nil
}

// AddRoots adds folders, files and https URIs to the active workspace, all or
// none. It returns a [*SensitiveError] when a place needs a second yes.
func (e *Engine) AddRoots(ctx context.Context, specs []RootSpec) ([]store.RootID, error) {
	if len(specs) == 0 {
		return nil, errors.New("no folder was named")
	}
	checks, err := e.inspect(ctx, specs)
	if err != nil {
		return nil, err
	}
	var add []store.Root
	var sensitive []RootCheck
	have := make(map[string]bool)
	for i, check := range checks {
		switch {
		case check.Blocked != "":
			return nil, fmt.Errorf("%s cannot be added: %s", check.Path, check.Blocked)
		case check.Duplicate != "":
			return nil, fmt.Errorf("%s is in the list already, as %q", check.Path, check.Duplicate)
		case have[check.URI]:
			continue
		}
		if check.Warning != "" && !specs[i].AcceptWarning {
			sensitive = append(sensitive, check)
			continue
		}
		name, err := cleanRootName(specs[i].Name)
		if err != nil {
			return nil, err
		}
		have[check.URI] = true
		add = append(add, store.Root{URI: check.URI, Name: name, Kind: check.Kind})
	}
	if len(sensitive) > 0 {
		return nil, &SensitiveError{Checks: sensitive}
	}
	var ids []store.RootID
	err = e.commit(ctx, func(tx *store.Tx) error {
		ids = ids[:0]
		known := make(map[string]store.RootID, len(tx.State().Roots)) // those of other workspaces, too
		for id, r := range tx.State().Roots {
			known[r.URI] = id
		}
		var missing []store.Root
		for _, r := range add {
			if id, ok := known[r.URI]; ok {
				ids = append(ids, id)
			} else {
				missing = append(missing, r)
			}
		}
		added, err := tx.AddRoots(missing)
		if err != nil {
			return err
		}
		for _, r := range added {
			ids = append(ids, r.ID)
		}
		ws := tx.State().Active
		return tx.SetMembers(ws, slices.Concat(tx.State().Members[ws], ids))
	})
	if err != nil {
		return nil, err
	}
	subject := label(add[0])
	if len(add) > 1 {
		subject = e.countFolders(len(add))
	}
	e.did(Activity{Kind: "changed", Subject: subject, Text: was(len(add)) + " added"}, "Add "+subject,
		func(ctx context.Context) error {
			err := e.removeRoots(ctx, ids)
			e.adopt(e.store.State())
			return err
		})
	return ids, nil
}

func cleanRootName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if len([]rune(name)) > 80 || strings.ContainsFunc(name, isHidden) {
		return "", errors.New("a folder's name has up to 80 visible characters")
	}
	return name, nil
}

func rootOf(state *store.State, id store.RootID) (store.Root, error) {
	r, ok := state.Roots[id]
	if !ok {
		return r, errors.New("this folder is not in the list any more")
	}
	return r, nil
}

// RenameRoot gives a root another name; empty returns to the last path
// component.
func (e *Engine) RenameRoot(ctx context.Context, id store.RootID, name string) error {
	name, err := cleanRootName(name)
	if err != nil {
		return err
	}
	var old store.Root
	err = e.commit(ctx, func(tx *store.Tx) error {
		var err error
		if old, err = rootOf(tx.State(), id); err != nil {
			return err
		}
		renamed := old
		renamed.Name = name
		return tx.PutRoot(renamed)
	})
	if err != nil {
		return err
	}
	e.did(Activity{Kind: "changed", Subject: label(old), Text: "is called " + label(store.Root{URI: old.URI, Name: name}) + " now"},
		"Rename "+label(old), func(ctx context.Context) error {
			return e.update(ctx, func(tx *store.Tx) error { return tx.PutRoot(old) })
		})
	return nil
}

// MoveRoot puts a root at a position of the active workspace, counted from 0.
func (e *Engine) MoveRoot(ctx context.Context, id store.RootID, position int) error {
	var before []store.RootID
	var ws store.WorkspaceID
	err := e.commit(ctx, func(tx *store.Tx) error {
		ws = tx.State().Active
		before = tx.State().Members[ws]
		from := slices.Index(before, id)
		if from < 0 {
			return errors.New("this folder is not in the workspace any more")
		}
		after := slices.Delete(slices.Clone(before), from, from+1)
		return tx.SetMembers(ws, slices.Insert(after, min(max(position, 0), len(after)), id))
	})
	if err != nil {
		return err
	}
	e.did(Activity{}, "Move "+label(e.store.State().Roots[id]), func(ctx context.Context) error {
		return e.update(ctx, func(tx *store.Tx) error {
			order := slices.DeleteFunc(slices.Clone(before), func(r store.RootID) bool { return !slices.Contains(tx.State().Members[ws], r) })
			for _, r := range tx.State().Members[ws] {
				if !slices.Contains(order, r) {
					order = append(order, r)
				}
			}
			return tx.SetMembers(ws, order)
		})
	})
	return nil
}

// RelocateRoot points a root to another place. Assignments stay; consent is
// asked for the new place.
func (e *Engine) RelocateRoot(ctx context.Context, id store.RootID, newPath string) error {
	check, err := e.InspectRoot(ctx, newPath)
	switch {
	case err != nil:
		return err
	case check.Blocked != "":
		return fmt.Errorf("%s cannot be used: %s", check.Path, check.Blocked)
	case check.Duplicate != "":
		return fmt.Errorf("%s is in the list already, as %q", check.Path, check.Duplicate)
	}
	var old store.Root
	err = e.commit(ctx, func(tx *store.Tx) error {
		var err error
		if old, err = rootOf(tx.State(), id); err != nil {
			return err
		}
		moved := old
		moved.URI, moved.Kind = check.URI, check.Kind
		return tx.PutRoot(moved)
	})
	if err != nil {
		return err
	}
	e.did(Activity{Kind: "changed", Subject: label(old), Text: "is at " + check.Path + " now; servers are asked about again", URIs: []string{check.URI}},
		"Locate "+label(old), func(ctx context.Context) error {
			return e.update(ctx, func(tx *store.Tx) error { return tx.PutRoot(old) })
		})
	return nil
}

// RetryRoot looks at a root again, now.
func (e *Engine) RetryRoot(id store.RootID) { e.monitor.Recheck(string(id)) }

// RemoveRoots removes roots with their assignments and takes the consent for
// them back.
func (e *Engine) RemoveRoots(ctx context.Context, ids []store.RootID) error {
	before := e.store.State()
	var names []string
	for _, id := range ids {
		r, err := rootOf(before, id)
		if err != nil {
			return err
		}
		names = append(names, label(r))
	}
	if len(names) == 0 {
		return nil
	}
	if err := e.removeRoots(ctx, ids); err != nil {
		return err
	}
	for _, id := range ids {
		e.forgetOnce(before.Roots[id].URI)
	}
	subject := names[0]
	if len(names) > 1 {
		subject = e.countFolders(len(names))
	}
	e.did(Activity{Kind: "changed", Subject: subject, Text: was(len(names)) + " removed"}, "Remove "+subject,
		func(ctx context.Context) error { return e.restoreRoots(ctx, before, ids) })
	return nil
}

func (e *Engine) removeRoots(ctx context.Context, ids []store.RootID) error {
	return e.commit(ctx, func(tx *store.Tx) error {
		sealed := e.store.Seal().Sealed
		var revoke []store.Decision
		for _, id := range ids {
			r, ok := tx.State().Roots[id]
			if !ok {
				continue
			}
			if !sealed { // there may be decisions that cannot be seen now
				if _, err := tx.Revoke(store.DecisionFilter{URI: r.URI}, "grid"); err != nil {
					return err
				}
				continue
			}
			for identity, byURI := range tx.State().Decisions {
				if d, ok := byURI[r.URI]; ok && d.Verdict != store.Revoked {
					revoke = append(revoke, e.revocation(identity, r.URI))
				}
			}
		}
		if err := tx.Record(revoke...); err != nil {
			return err
		}
		return tx.RemoveRoots(ids)
	})
}

// restoreRoots brings removed roots back as they were in before, with their
// assignments and the consent that was in force.
func (e *Engine) restoreRoots(ctx context.Context, before *store.State, ids []store.RootID) error {
	return e.update(ctx, func(tx *store.Tx) error {
		var roots []store.Root
		for _, id := range ids {
			if _, there := tx.State().Roots[id]; !there {
				roots = append(roots, before.Roots[id])
			}
		}
		if _, err := tx.AddRoots(roots); err != nil {
			return err
		}
		for ws, members := range before.Members {
			if _, there := tx.State().Members[ws]; !there {
				continue
			}
			order := slices.Clone(tx.State().Members[ws])
			for i, id := range members {
				if slices.Contains(ids, id) && !slices.Contains(order, id) {
					order = slices.Insert(order, min(i, len(order)), id)
				}
			}
			if err := tx.SetMembers(ws, order); err != nil {
				return err
			}
		}
		for ws, servers := range before.Assignments {
			for srv, assigned := range servers {
				for _, id := range ids {
					access, ok := assigned[id]
					if _, err := serverOf(tx.State(), srv); !ok || err != nil {
						continue
					}
					if err := tx.Assign(ws, srv, id, access); err != nil {
						return err
					}
				}
			}
		}
		var again []store.Decision
		for _, byURI := range before.Decisions {
			for _, r := range roots {
				if d, ok := byURI[r.URI]; ok && d.Verdict != store.Revoked {
					d.Seq, d.Origin = 0, "undo"
					again = append(again, d)
				}
			}
		}
		return tx.Record(again...)
	})
}

// Short writes a path with the home folder as ~.
func Short(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" || home == string(filepath.Separator) {
		return path
	}
	if path == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}
