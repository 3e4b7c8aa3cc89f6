package app

import (
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// index is what is looked up often in one state of the profile. It is
// immutable, and shares with the index before it what did not change: a tick
// in a profile of 10,000 roots must not cost as much as opening it.
type index struct {
	*layout
	servers  map[store.ServerID]store.Server
	named    map[string][]store.ServerID // by nameKey of their names
	meant    map[store.ServerID][]int    // positions of the roots meant for a server, in order
	meantFor []int                       // by position: to how many servers it is assigned
	state    *store.State
}

// layout is the part of an index that only a change of the roots or of the
// workspace changes. Positions are those in the user's order, from 0.
type layout struct {
	members  []store.RootID // of the active workspace
	roots    []store.Root   // by position
	places   []monitor.Place
	position map[store.RootID]int
	byURI    map[string]store.RootID // also those of other workspaces
	nestedIn []int                   // by position: the innermost root that contains it, or -1

	serial  uint64
	follows uint64 // serial of the layout of which this one keeps all positions; 0: none
	changed []int  // positions of roots that are not as they were in that one
}

var serials atomic.Uint64

// keeps reports whether the roots at these positions were the same in another
// layout, earlier or not.
func (x *layout) keeps(o *layout, positions []int) bool {
	switch {
	case x == o:
		return true
	case x == nil || o == nil || x.follows != o.serial:
		return false
	}
	return !slices.ContainsFunc(x.changed, func(at int) bool {
		_, found := slices.BinarySearch(positions, at)
		return found
	})
}

// newIndex makes the index of a state; before, if not nil, is any earlier one.
func newIndex(s *store.State, before *index) *index {
	if before == nil {
		before = &index{state: &store.State{}, layout: &layout{}}
	}
	ix := &index{state: s, servers: before.servers, named: before.named, layout: before.layout}
	if ix.servers == nil || !sameSlice(s.Servers, before.state.Servers) {
		ix.servers = make(map[store.ServerID]store.Server, len(s.Servers))
		ix.named = make(map[string][]store.ServerID, len(s.Servers))
		for _, srv := range s.Servers {
			ix.servers[srv.ID] = srv
			key := nameKey(srv.Name)
			ix.named[key] = append(ix.named[key], srv.ID)
		}
	}
	if ix.serial == 0 || !sameSlice(s.Members[s.Active], before.members) || !sameMap(s.Roots, before.state.Roots) {
		ix.layout = newLayout(s, before.layout)
	}
	ix.meant = make(map[store.ServerID][]int, len(s.Servers))
	ix.meantFor = make([]int, len(ix.members))
	old := before.state.Assignments[before.state.Active]
	for id, assigned := range s.Assignments[s.Active] {
		list, ok := before.meant[id]
		if !ok || ix.layout != before.layout && ix.follows != before.serial || !sameMap(assigned, old[id]) {
			list = ix.positions(assigned)
		}
		ix.meant[id] = list
		for _, at := range list {
			ix.meantFor[at]++
		}
	}
	return ix
}

// positions lists where the roots of an assignment stand, in order.
func (x *layout) positions(assigned map[store.RootID]root.Access) []int {
	list := make([]int, 0, len(assigned))
	for id := range assigned {
		if at, ok := x.position[id]; ok {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

func newLayout(s *store.State, before *layout) *layout {
	members := s.Members[s.Active]
	x := &layout{
		members:  members,
		roots:    make([]store.Root, len(members)),
		places:   make([]monitor.Place, len(members)),
		position: make(map[store.RootID]int, len(members)),
		byURI:    make(map[string]store.RootID, len(s.Roots)),
		serial:   serials.Add(1),
	}
	if n := len(before.members); n <= len(members) && slices.Equal(before.members, members[:n]) {
		x.follows = before.serial
	}
	for i, id := range members {
		r := s.Roots[id]
		x.roots[i], x.position[id] = r, i
		if at, ok := before.position[id]; ok && before.roots[at] == r {
			x.places[i] = before.places[at] // parsing 10,000 URIs takes longer than all the rest
			continue
		}
		x.places[i] = place(r)
		x.changed = append(x.changed, i)
	}
	for id, r := range s.Roots {
		x.byURI[r.URI] = id
	}
	x.nestedIn = nesting(x.places)
	return x
}

// sameSlice reports whether two slices are one and the same. States share what
// no change touched.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// sameMap reports whether two maps are one and the same.
func sameMap[K comparable, V any](a, b map[K]V) bool {
	return len(a) == len(b) && reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// nesting finds for each place the innermost other one that contains it, or -1.
// Sorted by path, a container stands before its contents, so one pass with a
// stack is enough.
func nesting(places []monitor.Place) []int {
	nested := make([]int, len(places))
	keys := make([]string, len(places))
	order := make([]int, 0, len(places))
	for i, p := range places {
		nested[i] = -1
		if p.Kind == root.HTTPS {
			continue
		}
		keys[i] = p.Path + string(filepath.Separator)
		if runtime.GOOS == "windows" {
			keys[i] = strings.ToLower(keys[i])
		}
		order = append(order, i)
	}
	sort.Slice(order, func(a, b int) bool { return keys[order[a]] < keys[order[b]] })
	var stack []int
	for _, i := range order {
		for len(stack) > 0 && !strings.HasPrefix(keys[i], keys[stack[len(stack)-1]]) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			nested[i] = stack[len(stack)-1]
		}
		stack = append(stack, i)
	}
	return nested
}

func place(r store.Root) monitor.Place {
	return monitor.Place{ID: string(r.ID), Path: rootPath(r), Kind: r.Kind}
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
