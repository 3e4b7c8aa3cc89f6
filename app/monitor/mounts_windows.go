package monitor

import (
	"strings"

	"golang.org/x/sys/windows"
)

// volumes are the drives; shares are found by their paths.
type volumes struct{}

func systemMounts() (mountSource, error) { return volumes{}, nil }

func (volumes) changes() <-chan struct{} { return nil }

func (volumes) close() {}

func (volumes) read() (*mountTable, error) {
	mask, err := windows.GetLogicalDrives()
	if err != nil {
		return nil, err
	}
	var mounts []*mount
	for i := range 26 {
		if mask&(1<<i) == 0 {
			continue
		}
		point := string(rune('A'+i)) + ":"
		remote := false
		if name, err := windows.UTF16PtrFromString(point + `\`); err == nil {
			remote = windows.GetDriveType(name) == windows.DRIVE_REMOTE
		}
		mounts = append(mounts, &mount{key: strings.ToLower(point), point: point, remote: remote})
	}
	return newMountTable(mounts), nil
}
