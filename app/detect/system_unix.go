//go:build unix

package detect

import (
	"io/fs"
	"syscall"
)

// neverWait opens a file that became a pipe without waiting for its writer.
const neverWait = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// device names a file system.
type device uint64

func deviceOf(info fs.FileInfo) (device, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return device(st.Dev), true //nolint:unconvert // its type differs between systems
}
