//go:build !unix

package store

import (
	"fmt"
	"os"
)

// privateDir makes dir if need be. The user's own application folder is
// private by inherited access rights on these systems.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the data folder cannot be made; choose another with --data-dir: %w", err)
	}
	return nil
}

func privateFile(string) error { return nil }

// syncDir does nothing: folders cannot be synced here.
func syncDir(string) error { return nil }
