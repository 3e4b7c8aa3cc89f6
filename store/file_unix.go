//go:build unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// privateDir makes dir if need be and takes it away from everybody else.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the data folder cannot be made; choose another with --data-dir: %w", err)
	}
	if err := narrow(dir, 0o700); err != nil {
		return fmt.Errorf("the data folder cannot be made private: %w", err)
	}
	return nil
}

// privateFile takes an existing file away from everybody else; a missing one is fine.
func privateFile(path string) error {
	err := narrow(path, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func narrow(path string, mode fs.FileMode) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&^mode == 0 {
		return nil
	}
	return os.Chmod(path, mode)
}

// syncDir makes renames in dir last through a power loss.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
