package monitor

import "golang.org/x/sys/unix"

// watchAncestors: kqueue opens every file of a watched folder, which is too
// much for folders such as the home folder; the sweep covers them.
const watchAncestors = false

type nativeStat struct{}

func (nativeStat) lstat(path string) (entry, error) { return lstatUnix(path) }

func (nativeStat) device(path string) uint64 {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Lstat(path, &st) }); err != nil {
		return 0
	}
	return uint64(uint32(st.Dev))
}

func birth(st *unix.Stat_t) int64 { return st.Btim.Nano() }
