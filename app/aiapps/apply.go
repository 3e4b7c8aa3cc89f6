package aiapps

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Apply makes the edit: the file is saved in backupDir under a dated name, and
// replaced in one step, with its mode and owner kept. A link is followed, not
// replaced. It fails with [ErrChanged] if the file is not what it was when the
// edit was worked out. The path of the backup is returned.
func (e *Edit) Apply(backupDir string, now time.Time) (backup string, err error) {
	target, err := filepath.EvalSymlinks(e.File)
	if err != nil {
		return "", fmt.Errorf("%s cannot be changed: %w", e.File, err)
	}
	info, err := e.unchanged(target)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return "", fmt.Errorf("%s is read-only, so it is not changed: change it where it comes from", e.File)
	}
	if backup, err = e.backup(backupDir, now); err != nil {
		return "", fmt.Errorf("%s is not changed, because no backup can be made: %w", e.File, err)
	}
	if err := e.replace(target, info); err != nil {
		return backup, err
	}
	return backup, nil
}

// unchanged returns what is known of the file if it is still as it was.
func (e *Edit) unchanged(target string) (os.FileInfo, error) {
	info, err := os.Stat(target)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be changed: %w", e.File, err)
	}
	src, err := readFile(target)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be changed: %w", e.File, err)
	}
	if !bytes.Equal(src, e.before) {
		return nil, fmt.Errorf("%s: %w", e.File, ErrChanged)
	}
	return info, nil
}

// backup keeps the bytes of the file before the edit, readable by the user only:
// they may hold secrets.
func (e *Edit) backup(dir string, now time.Time) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, now.UTC().Format("20060102-150405")+"-*-"+filepath.Base(e.File)) // made 0600
	if err != nil {
		return "", err
	}
	if err := fill(f, e.before); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// replace puts the new bytes in place of the file.
func (e *Edit) replace(target string, info os.FileInfo) (err error) {
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*.tmp")
	if err != nil {
		return fmt.Errorf("%s cannot be changed: %w", e.File, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s is not changed: %w", e.File, err), os.Remove(f.Name()))
		}
	}()
	if err := fill(f, e.after); err != nil {
		return err
	}
	if err := keepOwner(f.Name(), info); err != nil {
		return fmt.Errorf("its owner cannot be kept: %w", err)
	}
	if err := os.Chmod(f.Name(), info.Mode().Perm()); err != nil {
		return err
	}
	if _, err := e.unchanged(target); err != nil { // as late as can be: apps write these files, too
		return err
	}
	if err := os.Rename(f.Name(), target); err != nil {
		return err
	}
	// The rename is done; that it outlives a power cut is worth a try only.
	if dir, openErr := os.Open(filepath.Dir(target)); openErr == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// fill writes, syncs and closes a new file.
func fill(f *os.File, content []byte) error {
	_, err := f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
