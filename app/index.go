package app

import (
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// index is what is looked up often in one state of the profile.
type index struct {
	members  []store.RootID // of the active workspace
	position map[store.RootID]int
	servers  map[store.ServerID]store.Server
	byURI    map[string]store.RootID
	nestedIn map[store.RootID]store.RootID
}

func newIndex(s *store.State) *index {
	ix := &index{
		members:  s.Members[s.Active],
		position: make(map[store.RootID]int),
		servers:  make(map[store.ServerID]store.Server, len(s.Servers)),
		byURI:    make(map[string]store.RootID, len(s.Roots)),
	}
	for i, id := range ix.members {
		ix.position[id] = i
	}
	for _, srv := range s.Servers {
		ix.servers[srv.ID] = srv
	}
	for id, r := range s.Roots {
		ix.byURI[r.URI] = id
	}
	ix.nestedIn = nesting(s, ix.members)
	return ix
}

// nesting finds for each root the innermost other root of the workspace that
// contains it. Sorted by path, a container stands before its contents, so one
// pass with a stack is enough.
func nesting(s *store.State, members []store.RootID) map[store.RootID]store.RootID {
	type place struct {
		id  store.RootID
		key string
	}
	var places []place
	for _, id := range members {
		r := s.Roots[id]
		if r.Kind == root.HTTPS {
			continue
		}
		key := rootPath(r) + string(filepath.Separator)
		if runtime.GOOS == "windows" {
			key = strings.ToLower(key)
		}
		places = append(places, place{id, key})
	}
	sort.Slice(places, func(i, j int) bool { return places[i].key < places[j].key })
	nested := make(map[store.RootID]store.RootID)
	var stack []place
	for _, p := range places {
		for len(stack) > 0 && !strings.HasPrefix(p.key, stack[len(stack)-1].key) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			nested[p.id] = stack[len(stack)-1].id
		}
		stack = append(stack, p)
	}
	return nested
}

// rootPath is the native path of a stored root, or its URI.
func rootPath(r store.Root) string {
	u, err := root.Parse(r.URI)
	if err != nil {
		return r.URI // stored by a newer version, or by hand; shown as it is and never reachable
	}
	return u.Path()
}

// label is what a root is called in the window.
func label(r store.Root) string {
	if r.Name != "" {
		return r.Name
	}
	if u, err := root.Parse(r.URI); err == nil {
		return u.Base()
	}
	return r.URI
}
