package monitor

import (
	"errors"
	"io/fs"
)

// fileSystem is what the monitor asks of the system. All paths are absolute.
// Each call may block for as long as it likes.
type fileSystem interface {
	// lstat does not follow a link at the end of path.
	lstat(path string) (entry, error)
	readlink(path string) (string, error)
	// access says what may be done with a file or folder that exists: nil, or
	// errReadOnly, or an error that is fs.ErrPermission.
	access(path string, e entry) error
	// device returns a number for the device below path that lasts longer than
	// a mount where the system has one, and 0 where it has none.
	device(path string) uint64
	// names returns at most limit names in a folder.
	names(path string, limit int) ([]string, error)
}

// entry is what lstat knows.
type entry struct {
	mode  fs.FileMode
	ino   uint64
	birth int64 // ns since 1970, 0 if the system does not know
}

// errReadOnly says that a place can be read but not written.
var errReadOnly = errors.New("read-only")
