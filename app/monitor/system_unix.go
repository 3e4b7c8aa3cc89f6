//go:build unix

package monitor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func splitTop(path string) (top, rest string) { return "/", path[1:] }

const separator = '/'

type native struct{ nativeStat }

func (native) readlink(path string) (string, error) { return os.Readlink(path) }

func (native) access(path string, e entry) error {
	read := uint32(unix.R_OK)
	if e.mode.IsDir() {
		read |= unix.X_OK
	}
	err := retry(func() error { return unix.Access(path, read|unix.W_OK) })
	if !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EROFS) && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ETXTBSY) {
		return err
	}
	if err := retry(func() error { return unix.Access(path, read) }); err != nil {
		return err
	}
	return errReadOnly
}

func (native) names(path string, limit int) ([]string, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(limit)
	return names, errors.Join(err, dir.Close())
}

func fileMode(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFREG:
		return 0
	}
	return fs.ModeIrregular
}

// retry repeats a call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func lstatUnix(path string) (entry, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Lstat(path, &st) }); err != nil {
		return entry{}, err
	}
	return entry{mode: fileMode(uint32(st.Mode)), ino: st.Ino, birth: birth(&st)}, nil
}

func clean(path string) string { return filepath.Clean(path) }
