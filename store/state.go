package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"rootsmanager/app/root"
)

func emptyState() *State {
	return &State{
		Roots:       map[RootID]Root{},
		Members:     map[WorkspaceID][]RootID{},
		Assignments: map[WorkspaceID]map[ServerID]map[RootID]root.Access{},
		Approvals:   map[Identity]Approval{},
		Decisions:   map[Identity]map[string]Decision{},
		Settings:    map[string]string{},
	}
}

// Server finds a server by its ID.
func (s *State) Server(id ServerID) (Server, bool) {
	if i := serverIndex(s.Servers, id); i >= 0 {
		return s.Servers[i], true
	}
	return Server{}, false
}

func serverIndex(servers []Server, id ServerID) int {
	return slices.IndexFunc(servers, func(v Server) bool { return v.ID == id })
}

func workspaceIndex(all []Workspace, id WorkspaceID) int {
	return slices.IndexFunc(all, func(w Workspace) bool { return w.ID == id })
}

func sortServers(servers []Server) {
	slices.SortFunc(servers, func(a, b Server) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
}

func sortWorkspaces(all []Workspace) {
	slices.SortFunc(all, func(a, b Workspace) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	})
}

// querier is a transaction or a connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// The keys of the meta table.
const (
	metaVersion = "version" // grows with every committed change
	metaActive  = "active"  // the active workspace
	metaProfile = "profile" // random name of the profile, for the keyring
	metaChecked = "checked" // when the file was last checked as a whole, nanoseconds
	metaAltered = "altered" // JSON of alteredNote, until a person has seen it
)

func readMeta(ctx context.Context, q querier) (map[string]string, error) {
	all := map[string]string{}
	err := each(ctx, q, "SELECT key, value FROM meta", func(rows *sql.Rows) error {
		var k, v string
		if err := rows.Scan(&k, &v); err != nil {
			return err
		}
		all[k] = v
		return nil
	})
	return all, err
}

func readVersion(ctx context.Context, q querier) (int64, error) {
	var text string
	if err := q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", metaVersion).Scan(&text); err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// each calls f for every row. Statements are not bound to a caller's context:
// they are short, and half a load helps nobody.
func each(ctx context.Context, q querier, query string, f func(*sql.Rows) error, args ...any) error {
	rows, err := q.QueryContext(context.WithoutCancel(ctx), query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// loadTables reads everything but the ledger. The version it returns is the
// file's.
func loadTables(ctx context.Context, q querier) (*State, int64, error) {
	st := emptyState()
	meta, err := readMeta(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	version, err := strconv.ParseInt(meta[metaVersion], 10, 64)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: no version in it", errDamage)
	}
	st.Active = WorkspaceID(meta[metaActive])
	if err := loadServers(ctx, q, st); err != nil {
		return nil, 0, err
	}
	err = each(ctx, q, "SELECT id, uri, name, kind, created FROM roots", func(rows *sql.Rows) error {
		var r Root
		var created int64
		if err := rows.Scan(&r.ID, &r.URI, &r.Name, &r.Kind, &created); err != nil {
			return err
		}
		r.Created = fromNanos(created)
		st.Roots[r.ID] = r
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if err := loadWorkspaces(ctx, q, st); err != nil {
		return nil, 0, err
	}
	err = each(ctx, q, "SELECT key, value FROM settings", func(rows *sql.Rows) error {
		var k, v string
		if err := rows.Scan(&k, &v); err != nil {
			return err
		}
		st.Settings[k] = v
		return nil
	})
	return st, version, err
}

func loadServers(ctx context.Context, q querier, st *State) error {
	err := each(ctx, q, `SELECT id, name, enabled, source, transport, command, args, dir, env, url, headers,
		revision, roots_off, allow_https, channel, no_restart, position, created FROM servers`, func(rows *sql.Rows) error {
		var v Server
		var args, env, headers []byte
		var created int64
		if err := rows.Scan(&v.ID, &v.Name, &v.Enabled, &v.Source, &v.Transport, &v.Command, &args, &v.Dir, &env, &v.URL, &headers,
			&v.Revision, &v.RootsOff, &v.AllowHTTPS, &v.Channel, &v.NoRestart, &v.Position, &created); err != nil {
			return err
		}
		for _, field := range []struct {
			text []byte
			into any
		}{{args, &v.Args}, {env, &v.Env}, {headers, &v.Headers}} {
			if err := json.Unmarshal(field.text, field.into); err != nil {
				return fmt.Errorf("%w: server %s: %w", errDamage, v.ID, err)
			}
		}
		v.Created = fromNanos(created)
		st.Servers = append(st.Servers, v)
		return nil
	})
	sortServers(st.Servers)
	return err
}

func loadWorkspaces(ctx context.Context, q querier, st *State) error {
	err := each(ctx, q, "SELECT id, name, position FROM workspaces", func(rows *sql.Rows) error {
		var w Workspace
		if err := rows.Scan(&w.ID, &w.Name, &w.Position); err != nil {
			return err
		}
		st.Workspaces = append(st.Workspaces, w)
		return nil
	})
	if err != nil {
		return err
	}
	sortWorkspaces(st.Workspaces)
	err = each(ctx, q, "SELECT workspace, root FROM members ORDER BY workspace, position, root", func(rows *sql.Rows) error {
		var w WorkspaceID
		var r RootID
		if err := rows.Scan(&w, &r); err != nil {
			return err
		}
		st.Members[w] = append(st.Members[w], r)
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, q, "SELECT workspace, server, root, access FROM assignments", func(rows *sql.Rows) error {
		var w WorkspaceID
		var v ServerID
		var r RootID
		var a root.Access
		if err := rows.Scan(&w, &v, &r, &a); err != nil {
			return err
		}
		if st.Assignments[w] == nil {
			st.Assignments[w] = map[ServerID]map[RootID]root.Access{}
		}
		if st.Assignments[w][v] == nil {
			st.Assignments[w][v] = map[RootID]root.Access{}
		}
		st.Assignments[w][v][r] = a
		return nil
	})
}

// draft is a state being changed: what is touched is cloned once, the rest is
// shared with the published state.
type draft struct {
	State
	ownServers, ownRoots, ownWorkspaces, ownMembers, ownSettings, ownApprovals bool

	ownAssignments bool
	ownByWorkspace map[WorkspaceID]bool
	ownLeaf        map[assignmentLeaf]bool
	ownDecisions   bool
	ownByIdentity  map[Identity]bool
}

type assignmentLeaf struct {
	workspace WorkspaceID
	server    ServerID
}

func newDraft(from *State) *draft { return &draft{State: *from} }

func (d *draft) servers() *[]Server {
	if !d.ownServers {
		d.ownServers, d.Servers = true, slices.Clone(d.Servers)
	}
	return &d.Servers
}

func (d *draft) workspaces() *[]Workspace {
	if !d.ownWorkspaces {
		d.ownWorkspaces, d.Workspaces = true, slices.Clone(d.Workspaces)
	}
	return &d.Workspaces
}

func own[K comparable, V any](done *bool, m *map[K]V) map[K]V {
	if !*done {
		*done, *m = true, maps.Clone(*m)
	}
	return *m
}

func (d *draft) roots() map[RootID]Root { return own(&d.ownRoots, &d.Roots) }

// members lends the map; the slices in it are replaced, never changed.
func (d *draft) members() map[WorkspaceID][]RootID { return own(&d.ownMembers, &d.Members) }

func (d *draft) settings() map[string]string { return own(&d.ownSettings, &d.Settings) }

func (d *draft) approvals() map[Identity]Approval { return own(&d.ownApprovals, &d.Approvals) }

func (d *draft) assignments() map[WorkspaceID]map[ServerID]map[RootID]root.Access {
	return own(&d.ownAssignments, &d.Assignments)
}

func (d *draft) assignmentsOf(w WorkspaceID) map[ServerID]map[RootID]root.Access {
	all := d.assignments()
	if !d.ownByWorkspace[w] {
		if d.ownByWorkspace == nil {
			d.ownByWorkspace = map[WorkspaceID]bool{}
		}
		d.ownByWorkspace[w] = true
		all[w] = maps.Clone(all[w])
	}
	if all[w] == nil {
		all[w] = map[ServerID]map[RootID]root.Access{}
	}
	return all[w]
}

func (d *draft) leaf(w WorkspaceID, v ServerID) map[RootID]root.Access {
	of := d.assignmentsOf(w)
	key := assignmentLeaf{w, v}
	if !d.ownLeaf[key] {
		if d.ownLeaf == nil {
			d.ownLeaf = map[assignmentLeaf]bool{}
		}
		d.ownLeaf[key] = true
		of[v] = maps.Clone(of[v])
	}
	if of[v] == nil {
		of[v] = map[RootID]root.Access{}
	}
	return of[v]
}

func (d *draft) decisionsOf(id Identity) map[string]Decision {
	all := own(&d.ownDecisions, &d.Decisions)
	if !d.ownByIdentity[id] {
		if d.ownByIdentity == nil {
			d.ownByIdentity = map[Identity]bool{}
		}
		d.ownByIdentity[id] = true
		if all[id] = maps.Clone(all[id]); all[id] == nil {
			all[id] = map[string]Decision{}
		}
	}
	return all[id]
}

// apply takes a row of the ledger into the draft.
func (d *draft) apply(row *ledgerRow) {
	switch row.kind {
	case rowDecision:
		d.decisionsOf(row.decision.Identity)[row.decision.URI] = row.decision
	case rowApproval:
		d.approvals()[row.approval.Identity] = row.approval
	case rowRemoval:
		delete(d.approvals(), row.approval.Identity)
	}
}

// applyNewer takes a row in unless the draft holds a newer one about the same.
func (d *draft) applyNewer(row *ledgerRow) {
	subject := row.subject()
	held := time.Time{}
	if row.kind == rowDecision {
		held = d.Decisions[subject.identity][subject.uri].Time
	} else {
		held = d.Approvals[subject.identity].Time
	}
	if !held.After(row.time()) {
		d.apply(row)
	}
}
