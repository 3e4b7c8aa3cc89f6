package monitor

import (
	"os"
	"path/filepath"
	"sync"
)

// index is the tree of the paths that matter: each place hangs on the paths
// whose change would change its status, and each folder that has something in
// it is worth a watch. Only the loop uses it, save for knows.
type index struct {
	mu    sync.RWMutex // held to change nodes, and by others to read it
	nodes map[string]*node
	// wanted are folders that need a watch and have none, unwanted the watched
	// ones that need none any more. Both are emptied by whoever acts on them.
	wanted   map[*node]struct{}
	unwanted map[string]struct{}
	watched  int // nodes that are
}

type node struct {
	path    string
	up      *node
	below   map[*node]struct{}
	places  []*tracked
	direct  int // nodes right below that carry places
	watched bool
	asked   bool // for a watch, and not answered yet
}

func newIndex() *index {
	return &index{nodes: map[string]*node{}, wanted: map[*node]struct{}{}, unwanted: map[string]struct{}{}}
}

// knows reports whether anything hangs at or below a path. Any goroutine may
// ask. What is attached later is looked at after that, so an event that came
// too early is not missed.
func (x *index) knows(path string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.nodes[path] != nil
}

// attach hangs t on a path. It reports whether the folder it is in was watched
// before, so that something may have been missed.
func (x *index) attach(t *tracked, path string) bool {
	n := x.node(path)
	n.places = append(n.places, t)
	if len(n.places) == 1 && n.up != nil {
		n.up.direct++
		x.check(n.up)
	}
	return n.up != nil && n.up.watched
}

func (x *index) detach(t *tracked, path string) {
	n := x.nodes[path]
	if n == nil {
		return
	}
	for i, p := range n.places {
		if p == t {
			n.places[i] = n.places[len(n.places)-1]
			n.places = n.places[:len(n.places)-1]
			if len(n.places) == 0 && n.up != nil {
				n.up.direct--
				x.check(n.up)
			}
			break
		}
	}
	for n != nil && len(n.places) == 0 && len(n.below) == 0 {
		x.mu.Lock()
		delete(x.nodes, n.path)
		x.mu.Unlock()
		delete(x.wanted, n)
		if n.up != nil {
			delete(n.up.below, n)
			x.check(n.up)
		}
		n = n.up
	}
}

func (x *index) node(path string) *node {
	if n := x.nodes[path]; n != nil {
		return n
	}
	n := &node{path: path}
	x.mu.Lock()
	x.nodes[path] = n
	x.mu.Unlock()
	if up := filepath.Dir(path); up != path {
		n.up = x.node(up)
		if n.up.below == nil {
			n.up.below = map[*node]struct{}{}
		}
		n.up.below[n] = struct{}{}
		x.check(n.up)
	}
	return n
}

// ensure wants a watch for every folder above a path that needs one.
func (x *index) ensure(path string) {
	if n := x.nodes[path]; n != nil {
		for n = n.up; n != nil; n = n.up {
			if !n.watched && !n.asked {
				x.check(n)
			}
		}
	}
}

// check notes whether a folder needs a watch.
func (x *index) check(n *node) {
	need := n.direct > 0 || watchAncestors && len(n.below) > 0
	switch {
	case need && !n.watched && !n.asked:
		x.wanted[n] = struct{}{}
	case !need && (n.watched || n.asked):
		x.drop(n)
		x.unwanted[n.path] = struct{}{}
	case !need:
		delete(x.wanted, n)
	}
}

func (x *index) drop(n *node) {
	if n.watched {
		x.watched--
	}
	n.watched, n.asked = false, false
}

// visit calls f for every place at or below a path. A path that no place hangs
// on has none, except for the folders above all places.
func (x *index) visit(path string, f func(*tracked)) {
	if n := x.nodes[path]; n != nil {
		n.each(f)
	}
}

func (n *node) each(f func(*tracked)) {
	for _, t := range n.places {
		f(t)
	}
	for b := range n.below {
		b.each(f)
	}
}

// lost notes that the folders at and below a path are no longer watched under
// that path: they were renamed, removed, unmounted or mounted over.
func (x *index) lost(path string) {
	if n := x.nodes[path]; n != nil {
		x.lose(n)
	}
}

func (x *index) lose(n *node) {
	if n.watched || n.asked {
		x.drop(n)
		x.unwanted[n.path] = struct{}{}
	}
	x.check(n)
	for b := range n.below {
		x.lose(b)
	}
}

// nameOf cleans the name in an event.
func nameOf(event string) string {
	if len(event) > 1 && os.IsPathSeparator(event[len(event)-1]) {
		return event[:len(event)-1]
	}
	return event
}
