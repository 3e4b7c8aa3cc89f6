//go:build !linux

package store

import (
	"context"
	"errors"
)

func childGnome(context.Context, string) error { return errors.New("there is no gnome-keyring here") }
