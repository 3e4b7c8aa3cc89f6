//go:build !windows

package aiapps

import (
	"os"
	"syscall"
)

// keepOwner gives a new file the owner of the one it replaces.
func keepOwner(name string, info os.FileInfo) error {
	was, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	now, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if is, ok := now.Sys().(*syscall.Stat_t); ok && is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	return os.Lchown(name, int(was.Uid), int(was.Gid))
}
