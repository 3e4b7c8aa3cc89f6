package monitor

import (
	"errors"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// watchAncestors: an inotify watch costs little, so renames above the parent
// are seen as well.
const watchAncestors = true

type nativeStat struct{}

// noStatx is set where a sandbox forbids statx.
var noStatx atomic.Bool

func (nativeStat) lstat(path string) (entry, error) {
	if !noStatx.Load() {
		var st unix.Statx_t
		err := retry(func() error {
			return unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE|unix.STATX_INO|unix.STATX_BTIME, &st)
		})
		switch {
		case err == nil:
			e := entry{mode: fileMode(uint32(st.Mode)), ino: st.Ino}
			if st.Mask&unix.STATX_BTIME != 0 {
				e.birth = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
			}
			return e, nil
		case !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM):
			return entry{}, err
		case errors.Is(err, unix.ENOSYS):
			noStatx.Store(true)
		}
	}
	return lstatUnix(path)
}

// device prefers the number of the file system, which ext4, btrfs and others
// derive from what is on the disk, over the number of the device, which
// depends on what was plugged in first.
func (nativeStat) device(path string) uint64 {
	var st unix.Statfs_t
	if err := retry(func() error { return unix.Statfs(path, &st) }); err != nil {
		return 0
	}
	return uint64(uint32(st.Fsid.Val[0])) | uint64(uint32(st.Fsid.Val[1]))<<32
}

func birth(*unix.Stat_t) int64 { return 0 }
