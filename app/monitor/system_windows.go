package monitor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const (
	separator = '\\'
	// watchAncestors: an open handle on each folder up to the drive would be
	// in the way of people who rename them; the sweep covers them.
	watchAncestors = false
)

// splitTop parts "C:\" or `\\server\share\` from the rest.
func splitTop(path string) (top, rest string) {
	volume := filepath.VolumeName(path)
	top, rest = volume+`\`, path[len(volume):]
	for len(rest) > 0 && os.IsPathSeparator(rest[0]) {
		rest = rest[1:]
	}
	return top, rest
}

func clean(path string) string { return filepath.Clean(path) }

type native struct{}

func (native) lstat(path string) (entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	e := entry{mode: info.Mode()}
	if e.mode&fs.ModeIrregular != 0 {
		if _, err := os.Readlink(path); err == nil { // a junction leads elsewhere as a link does
			e.mode = fs.ModeSymlink
		}
	}
	about, err := fileInformation(path)
	if err == nil {
		e.ino = uint64(about.FileIndexHigh)<<32 | uint64(about.FileIndexLow)
		e.birth = about.CreationTime.Nanoseconds()
	}
	return e, nil // a file that may not be opened has no number, and is there
}

func fileInformation(path string) (windows.ByHandleFileInformation, error) {
	var about windows.ByHandleFileInformation
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return about, err
	}
	share := uint32(windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE)
	flags := uint32(windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OPEN_REPARSE_POINT)
	h, err := windows.CreateFile(name, 0, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return about, err
	}
	err = windows.GetFileInformationByHandle(h, &about)
	return about, errors.Join(err, windows.CloseHandle(h))
}

func (native) readlink(path string) (string, error) { return os.Readlink(path) }

func (native) access(path string, e entry) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	attributes, err := windows.GetFileAttributes(name)
	if err != nil {
		return err
	}
	if !e.mode.IsDir() && attributes&windows.FILE_ATTRIBUTE_READONLY != 0 {
		return errReadOnly
	}
	top, _ := splitTop(path)
	volume, err := windows.UTF16PtrFromString(top)
	if err != nil {
		return err
	}
	var flags uint32
	if err := windows.GetVolumeInformation(volume, nil, 0, nil, nil, &flags, nil, 0); err == nil && flags&windows.FILE_READ_ONLY_VOLUME != 0 {
		return errReadOnly
	}
	return nil
}

func (native) device(path string) uint64 {
	about, err := fileInformation(path)
	if err != nil {
		return 0
	}
	return uint64(about.VolumeSerialNumber)
}

func (native) names(path string, limit int) ([]string, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(limit)
	return names, errors.Join(err, dir.Close())
}
