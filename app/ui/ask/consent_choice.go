package ask

import (
	"strings"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// choice is what a person has ticked so far in a consent question. Nothing is
// ticked at first, also not what is assigned already: that it is meant for the
// server is not yet a yes.
type choice struct {
	folders []app.ConsentFolder
	rows    []int // indexes of folders that pass the filter
	filter  string

	ticked map[store.RootID]bool
	access map[store.RootID]root.Access
	sure   map[store.RootID]bool // the second yes was given
	asking store.RootID          // the folder whose second yes is asked for, or ""
}

func newChoice(folders []app.ConsentFolder) *choice {
	c := &choice{
		folders: folders,
		ticked:  map[store.RootID]bool{},
		access:  map[store.RootID]root.Access{},
		sure:    map[store.RootID]bool{},
	}
	for _, f := range folders {
		c.access[f.Root] = f.Access
		if f.Access != root.ReadWrite {
			c.access[f.Root] = root.ReadOnly
		}
	}
	c.setFilter("")
	return c
}

// setFilter keeps the rows that hold every word of the text.
func (c *choice) setFilter(text string) {
	c.filter = text
	words := strings.Fields(strings.ToLower(text))
	c.rows = c.rows[:0]
	for i, f := range c.folders {
		in := strings.ToLower(f.Label + " " + f.Short + " " + f.URI)
		keep := true
		for _, w := range words {
			keep = keep && strings.Contains(in, w)
		}
		if keep {
			c.rows = append(c.rows, i)
		}
	}
}

// toggle ticks a folder or takes the tick back. A sensitive one is only ticked
// by confirm; toggle asks for it.
func (c *choice) toggle(f app.ConsentFolder) {
	switch {
	case c.ticked[f.Root]:
		delete(c.ticked, f.Root)
		delete(c.sure, f.Root)
	case c.asking == f.Root:
		c.asking = ""
	case f.Warning != "":
		c.asking = f.Root
	default:
		c.ticked[f.Root] = true
	}
}

// confirm is the second yes for a sensitive folder.
func (c *choice) confirm(f app.ConsentFolder) {
	if c.asking != f.Root {
		return
	}
	c.asking = ""
	c.sure[f.Root], c.ticked[f.Root] = true, true
}

func (c *choice) setAccess(f app.ConsentFolder, a root.Access) { c.access[f.Root] = a }

func (c *choice) count() int { return len(c.ticked) }

// answer is what was ticked. A sensitive folder without its second yes is
// never part of it.
func (c *choice) answer() map[store.RootID]root.Access {
	out := make(map[store.RootID]root.Access, len(c.ticked))
	for _, f := range c.folders {
		if c.ticked[f.Root] && (f.Warning == "" || c.sure[f.Root]) {
			out[f.Root] = c.access[f.Root]
		}
	}
	return out
}
