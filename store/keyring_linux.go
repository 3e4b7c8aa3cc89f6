package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/godbus/dbus/v5"
)

// probeWait bounds the few questions of Probe.
const probeWait = 2 * time.Second

const (
	secretsPath       = dbus.ObjectPath("/org/freedesktop/secrets")
	secretsService    = "org.freedesktop.Secret.Service"
	secretsCollection = "org.freedesktop.Secret.Collection"
	loginCollection   = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
)

// Probe asks the Secret Service whether the collection that would be used is
// there and open. Unlike Get it never makes the service show a prompt.
func (systemKeyring) Probe() error {
	if !hasSessionBus() {
		return errNoBus // godbus would try to start a bus of its own
	}
	conn, err := dbus.SessionBus()
	if err != nil {
		return fmt.Errorf("%w: %w", errNoBus, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeWait)
	defer cancel()
	service := conn.Object(secretServiceName, secretsPath)
	var collections dbus.Variant
	if err := service.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, secretsService, "Collections").Store(&collections); err != nil {
		if ctx.Err() != nil {
			return errNoAnswer
		}
		return fmt.Errorf("%w: %w", errNoService, err)
	}
	var paths []dbus.ObjectPath
	if err := collections.Store(&paths); err != nil {
		return fmt.Errorf("%w: %w", errNoService, err)
	}
	use := dbus.ObjectPath("/")
	for _, path := range paths {
		if path == loginCollection {
			use = path
		}
	}
	if use == "/" {
		if err := service.CallWithContext(ctx, secretsService+".ReadAlias", 0, "default").Store(&use); err != nil {
			return fmt.Errorf("%w: %w", errNoService, err)
		}
	}
	if use == "/" {
		return errNoCollection
	}
	var locked dbus.Variant
	err = conn.Object(secretServiceName, use).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, secretsCollection, "Locked").Store(&locked)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoService, err)
	}
	if is, ok := locked.Value().(bool); !ok || is {
		return errLocked
	}
	return nil
}

func hasSessionBus() bool {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" {
		return true
	}
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), filepath.Join("/run/user", strconv.Itoa(os.Getuid()))} {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "bus")); err == nil {
			return true
		}
	}
	return false
}
