package store

import (
	"slices"

	"rootsmanager/app/root"
)

// AddRoots adds roots and returns them as kept: with an ID and the time, where
// these were zero. All URIs must be new; if one is not, none is added. The
// roots belong to no workspace yet, see [Tx.SetMembers].
func (t *Tx) AddRoots(roots []Root) ([]Root, error) {
	if len(t.draft.Roots)+len(roots) > MaxRoots {
		return nil, refuse(ErrTooMany, "A profile holds at most %d folders; remove some first.", MaxRoots)
	}
	roots = slices.Clone(roots)
	uris := t.rootsByURI()
	inBatch := make(map[string]bool, len(roots))
	for i := range roots {
		r := &roots[i]
		if err := checkRoot(r); err != nil {
			return nil, err
		}
		if _, taken := uris[r.URI]; taken || inBatch[r.URI] {
			return nil, refuse(ErrTaken, "%s is in the profile already.", r.URI)
		}
		inBatch[r.URI] = true
		if r.ID == "" {
			r.ID = RootID(newID("r_"))
		} else if _, taken := t.draft.Roots[r.ID]; taken {
			return nil, refuse(ErrTaken, "%s is in the profile already.", r.URI)
		}
		r.Created = t.orNow(r.Created)
	}
	for _, r := range roots {
		err := t.exec("INSERT INTO roots (id, uri, name, kind, created) VALUES (?, ?, ?, ?, ?)", r.ID, r.URI, r.Name, r.Kind, nanos(r.Created))
		if err != nil {
			return nil, err
		}
		t.draft.roots()[r.ID] = r
		uris[r.URI] = r.ID
	}
	return roots, nil
}

// PutRoot replaces the root with the same ID.
func (t *Tx) PutRoot(r Root) error {
	old, ok := t.draft.Roots[r.ID]
	if !ok {
		return refuse(ErrNotFound, "%s is not in the profile any more.", r.URI)
	}
	if err := checkRoot(&r); err != nil {
		return err
	}
	uris := t.rootsByURI()
	if id, taken := uris[r.URI]; taken && id != r.ID {
		return refuse(ErrTaken, "%s is in the profile already.", r.URI)
	}
	r.Created = fromNanos(nanos(r.Created))
	err := t.exec("UPDATE roots SET uri = ?, name = ?, kind = ?, created = ? WHERE id = ?", r.URI, r.Name, r.Kind, nanos(r.Created), r.ID)
	if err != nil {
		return err
	}
	delete(uris, old.URI)
	uris[r.URI] = r.ID
	t.draft.roots()[r.ID] = r
	return nil
}

func checkRoot(r *Root) error {
	if r.URI == "" || len(r.URI) > maxURIBytes {
		return refuse(ErrInvalid, "The address of a folder has 1 to %d bytes.", maxURIBytes)
	}
	if r.Name != "" {
		if err := checkName("folder", r.Name); err != nil {
			return err
		}
	}
	switch r.Kind {
	case root.Folder, root.File, root.HTTPS:
		return nil
	}
	return refuse(ErrInvalid, "“%s” is not a kind of root.", r.Kind)
}

// rootsByURI maps the URI of every root.
func (t *Tx) rootsByURI() map[string]RootID {
	if t.uris == nil {
		t.uris = make(map[string]RootID, len(t.draft.Roots))
		for id, r := range t.draft.Roots {
			t.uris[r.URI] = id
		}
	}
	return t.uris
}

// RemoveRoots removes roots from the profile, from every workspace and from
// every server. If one is not there, none is removed.
func (t *Tx) RemoveRoots(ids []RootID) error {
	gone := make(map[RootID]bool, len(ids))
	for _, id := range ids {
		if _, ok := t.draft.Roots[id]; !ok {
			return refuse(ErrNotFound, "The folder is not in the profile any more.")
		}
		gone[id] = true
	}
	for id := range gone {
		if err := t.exec("DELETE FROM roots WHERE id = ?", id); err != nil {
			return err
		}
		if t.uris != nil {
			delete(t.uris, t.draft.Roots[id].URI)
		}
		delete(t.draft.roots(), id)
	}
	for w, order := range t.draft.Members {
		if slices.ContainsFunc(order, func(id RootID) bool { return gone[id] }) {
			t.draft.members()[w] = slices.DeleteFunc(slices.Clone(order), func(id RootID) bool { return gone[id] })
		}
	}
	t.forget(gone, "")
	return nil
}

// forget takes roots out of the assignments of the draft: of one workspace, or
// of all if it is empty. It returns the pairs that were there.
func (t *Tx) forget(gone map[RootID]bool, only WorkspaceID) []Assignment {
	var had []Assignment
	for w, of := range t.draft.Assignments {
		if only != "" && w != only {
			continue
		}
		for v, leaf := range of {
			for id := range gone {
				if access, ok := leaf[id]; ok {
					had = append(had, Assignment{v, id, access})
					delete(t.draft.leaf(w, v), id)
				}
			}
			if len(t.draft.Assignments[w][v]) == 0 {
				delete(t.draft.assignmentsOf(w), v)
			}
		}
	}
	return had
}
