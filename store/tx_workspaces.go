package store

import (
	"database/sql"
	"slices"

	"rootsmanager/app/root"
)

// Assignment says that a root is meant for a server, within a workspace.
type Assignment struct {
	Server ServerID
	Root   RootID
	Access root.Access
}

// AddWorkspace adds a workspace and returns it as kept: with an ID and a
// position after all others, where these were zero. The name must be free.
func (t *Tx) AddWorkspace(w Workspace) (Workspace, error) {
	if len(t.draft.Workspaces) >= MaxWorkspaces {
		return Workspace{}, refuse(ErrTooMany, "A profile holds at most %d workspaces; remove one first.", MaxWorkspaces)
	}
	if w.ID == "" {
		w.ID = WorkspaceID(newID("w_"))
	} else if workspaceIndex(t.draft.Workspaces, w.ID) >= 0 {
		return Workspace{}, refuse(ErrTaken, "The workspace “%s” is in the profile already.", w.Name)
	}
	if w.Position == 0 {
		for _, other := range t.draft.Workspaces {
			w.Position = max(w.Position, other.Position+1)
		}
	}
	return w, t.writeWorkspace(w)
}

// PutWorkspace replaces the workspace with the same ID.
func (t *Tx) PutWorkspace(w Workspace) error {
	if workspaceIndex(t.draft.Workspaces, w.ID) < 0 {
		return noWorkspace()
	}
	return t.writeWorkspace(w)
}

func noWorkspace() error {
	return refuse(ErrNotFound, "The workspace is not in the profile any more.")
}

func (t *Tx) writeWorkspace(w Workspace) error {
	if err := checkName("workspace", w.Name); err != nil {
		return err
	}
	if w.Position < 0 {
		return refuse(ErrInvalid, "The position of a workspace cannot be negative.")
	}
	for _, other := range t.draft.Workspaces {
		if other.Name == w.Name && other.ID != w.ID {
			return refuse(ErrTaken, "There is a workspace named “%s” already; choose another name.", w.Name)
		}
	}
	err := t.exec(`INSERT INTO workspaces (id, name, position) VALUES (?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, position = excluded.position`, w.ID, w.Name, w.Position)
	if err != nil {
		return err
	}
	all := t.draft.workspaces()
	if i := workspaceIndex(*all, w.ID); i >= 0 {
		(*all)[i] = w
	} else {
		*all = append(*all, w)
	}
	sortWorkspaces(*all)
	return nil
}

// RemoveWorkspace removes a workspace with its assignments; its roots stay in
// the profile. The last one cannot be removed. If it was active, the first of
// the others becomes active.
func (t *Tx) RemoveWorkspace(id WorkspaceID) error {
	i := workspaceIndex(t.draft.Workspaces, id)
	if i < 0 {
		return noWorkspace()
	}
	if len(t.draft.Workspaces) == 1 {
		return refuse(ErrInvalid, "The last workspace cannot be removed; add another first.")
	}
	if err := t.exec("DELETE FROM workspaces WHERE id = ?", id); err != nil {
		return err
	}
	all := t.draft.workspaces()
	*all = slices.Delete(*all, i, i+1)
	delete(t.draft.members(), id)
	delete(t.draft.assignments(), id)
	if t.draft.Active == id {
		return t.SetActive(t.draft.Workspaces[0].ID)
	}
	return nil
}

// SetActive makes a workspace the active one.
func (t *Tx) SetActive(id WorkspaceID) error {
	if workspaceIndex(t.draft.Workspaces, id) < 0 {
		return noWorkspace()
	}
	if t.draft.Active == id {
		return nil
	}
	if err := t.exec("UPDATE meta SET value = ? WHERE key = ?", id, metaActive); err != nil {
		return err
	}
	t.draft.Active = id
	return nil
}

// SetMembers says which roots a workspace holds, in the user's order. A root
// that is no longer among them loses its assignments in this workspace, so
// that nothing outside the workspace can be exposed.
func (t *Tx) SetMembers(w WorkspaceID, order []RootID) error {
	if workspaceIndex(t.draft.Workspaces, w) < 0 {
		return noWorkspace()
	}
	stays := make(map[RootID]bool, len(order))
	for _, id := range order {
		if _, ok := t.draft.Roots[id]; !ok {
			return refuse(ErrNotFound, "The folder is not in the profile any more.")
		}
		if stays[id] {
			return refuse(ErrInvalid, "A folder can be in a workspace only once.")
		}
		stays[id] = true
	}
	gone := map[RootID]bool{}
	var kept []RootID // the old order without those that go
	for _, id := range t.draft.Members[w] {
		if stays[id] {
			kept = append(kept, id)
			continue
		}
		gone[id] = true
		if err := t.exec("DELETE FROM members WHERE workspace = ? AND root = ?", w, id); err != nil {
			return err
		}
	}
	if err := t.writeOrder(w, kept, order); err != nil {
		return err
	}
	if len(gone) > 0 {
		for _, a := range t.forget(gone, w) {
			if err := t.exec("DELETE FROM assignments WHERE root = ? AND server = ? AND workspace = ?", a.Root, a.Server, w); err != nil {
				return err
			}
		}
	}
	t.draft.members()[w] = slices.Clone(order)
	return nil
}

// writeOrder writes the positions of the members of a workspace: only those of
// new ones at the end, if the others keep their order.
func (t *Tx) writeOrder(w WorkspaceID, kept, order []RootID) error {
	next := 0
	if len(order) >= len(kept) && slices.Equal(order[:len(kept)], kept) {
		var last sql.NullInt64
		if err := t.sql.QueryRowContext(t.ctx, "SELECT MAX(position) FROM members WHERE workspace = ?", w).Scan(&last); err != nil {
			t.err = err
			return err
		}
		if last.Valid {
			next = int(last.Int64) + 1
		}
		order = order[len(kept):]
	}
	for i, id := range order {
		err := t.exec(`INSERT INTO members (workspace, root, position) VALUES (?, ?, ?)
			ON CONFLICT (workspace, root) DO UPDATE SET position = excluded.position`, w, id, next+i)
		if err != nil {
			return err
		}
	}
	return nil
}

// Assign says that a root is meant for a server, with an access. A root that is
// not a member of the workspace yet becomes its last one.
func (t *Tx) Assign(w WorkspaceID, v ServerID, r RootID, access root.Access) error {
	return t.AssignAll(w, []Assignment{{v, r, access}})
}

// AssignAll is Assign for many pairs. If one is not valid, none is assigned.
func (t *Tx) AssignAll(w WorkspaceID, pairs []Assignment) error {
	if workspaceIndex(t.draft.Workspaces, w) < 0 {
		return noWorkspace()
	}
	servers := make(map[ServerID]bool, len(t.draft.Servers))
	for i := range t.draft.Servers {
		servers[t.draft.Servers[i].ID] = true
	}
	for _, a := range pairs {
		if !servers[a.Server] {
			return refuse(ErrNotFound, "The server is not in the profile any more.")
		}
		if _, ok := t.draft.Roots[a.Root]; !ok {
			return refuse(ErrNotFound, "The folder is not in the profile any more.")
		}
		if a.Access != root.ReadOnly && a.Access != root.ReadWrite {
			return refuse(ErrInvalid, "“%s” is not an access; use ro or rw.", a.Access)
		}
	}
	if err := t.join(w, pairs); err != nil {
		return err
	}
	for _, a := range pairs {
		if t.draft.Assignments[w][a.Server][a.Root] == a.Access {
			continue
		}
		err := t.exec("INSERT OR REPLACE INTO assignments (root, server, workspace, access) VALUES (?, ?, ?, ?)", a.Root, a.Server, w, a.Access)
		if err != nil {
			return err
		}
		t.draft.leaf(w, a.Server)[a.Root] = a.Access
	}
	return nil
}

// join adds those roots to the workspace that it does not hold yet.
func (t *Tx) join(w WorkspaceID, pairs []Assignment) error {
	order := t.draft.Members[w]
	var known map[RootID]bool
	if len(pairs) > 8 {
		known = make(map[RootID]bool, len(order))
		for _, id := range order {
			known[id] = true
		}
	}
	grown := order
	for _, a := range pairs {
		if known[a.Root] || (known == nil && slices.Contains(grown, a.Root)) {
			continue
		}
		if known != nil {
			known[a.Root] = true
		}
		grown = append(grown[:len(grown):len(grown)], a.Root)
	}
	if len(grown) == len(order) {
		return nil
	}
	return t.SetMembers(w, grown)
}

// Unassign takes an assignment back. None is fine.
func (t *Tx) Unassign(w WorkspaceID, v ServerID, r RootID) error {
	if _, ok := t.draft.Assignments[w][v][r]; !ok {
		return nil
	}
	if err := t.exec("DELETE FROM assignments WHERE root = ? AND server = ? AND workspace = ?", r, v, w); err != nil {
		return err
	}
	leaf := t.draft.leaf(w, v)
	delete(leaf, r)
	if len(leaf) == 0 {
		delete(t.draft.assignmentsOf(w), v)
	}
	return nil
}
