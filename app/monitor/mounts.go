package monitor

import (
	"strings"
	"sync/atomic"
)

// mount is one file system in the tree of folders.
type mount struct {
	key    string // differs for every mount, also for the next one at the same point
	point  string
	remote bool   // events do not tell what others do there, and it may stop answering
	state  string // what a remount changes
	device atomic.Uint64
	known  atomic.Bool // device was asked for
}

// mountTable is the mounts at one moment; the last one at a point hides those
// before it.
type mountTable struct {
	byPoint map[string]*mount
	top     *mount // for what no mount covers
}

func newMountTable(mounts []*mount) *mountTable {
	t := &mountTable{byPoint: make(map[string]*mount, len(mounts)), top: &mount{key: "top"}}
	for _, m := range mounts {
		t.byPoint[m.point] = m
	}
	return t
}

// of returns the mount that a clean absolute path lies on, by names alone.
func (t *mountTable) of(path string) *mount {
	for {
		if m, ok := t.byPoint[path]; ok {
			return m
		}
		i := strings.LastIndexByte(path, separator)
		if i < 0 {
			return t.top
		}
		if i == 0 {
			if m, ok := t.byPoint["/"]; ok {
				return m
			}
			return t.top
		}
		path = path[:i]
	}
}

// changed returns the points at which old and t differ.
func (t *mountTable) changed(old *mountTable) []string {
	var points []string
	for point, m := range t.byPoint {
		was, ok := old.byPoint[point]
		if !ok || was.key != m.key || was.state != m.state {
			points = append(points, point)
		}
	}
	for point := range old.byPoint {
		if _, ok := t.byPoint[point]; !ok {
			points = append(points, point)
		}
	}
	return points
}

// isRemote reports file systems on which a call may wait for another machine
// or for another program.
func isRemote(kind string) bool {
	kind, sub, _ := strings.Cut(kind, ".")
	switch kind {
	case "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav", "ncpfs", "afs", "ceph", "glusterfs", "lustre", "9p", "virtiofs", "autofs", "coda", "gfs2", "ocfs2", "orangefs", "beegfs", "macfuse", "osxfuse":
		return true
	case "fuse":
		return sub != "portal" // the document portal is part of the desktop
	}
	return false
}

// mountSource tells of mounts.
type mountSource interface {
	read() (*mountTable, error)
	// changes gets a value after the table changed; nil if only read tells.
	changes() <-chan struct{}
	close()
}
