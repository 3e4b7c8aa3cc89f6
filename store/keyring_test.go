package store

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// fileKeyring is a keyring of several processes, for tests: a folder with a
// file for each item.
type fileKeyring string

func (k fileKeyring) path(account string) string {
	return filepath.Join(string(k), hex.EncodeToString([]byte(account)))
}

func (k fileKeyring) Get(account string) (string, error) {
	value, err := os.ReadFile(k.path(account))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNoItem
	}
	return string(value), err
}

func (k fileKeyring) Set(account, value string) error {
	if err := os.MkdirAll(string(k), 0o700); err != nil {
		return err
	}
	part := k.path(account) + newID(".")
	return errors.Join(os.WriteFile(part, []byte(value), 0o600), os.Rename(part, k.path(account)))
}

func (k fileKeyring) Delete(account string) error {
	err := os.Remove(k.path(account))
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoItem
	}
	return err
}

// accounts lists what the keyring holds.
func (k fileKeyring) accounts(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(string(k))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if name, err := hex.DecodeString(e.Name()); err == nil {
			names = append(names, string(name))
		}
	}
	return names
}
