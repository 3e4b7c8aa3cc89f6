//go:build !windows && !darwin

package pick

import (
	"context"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"
)

// serviceStart bounds every exchange with a desktop service that does not wait
// for the person. It is long enough for the bus to start the service.
const serviceStart = 6 * time.Second

// withBus runs use with a connection to the session bus of its own, so that
// signals and lifetimes mix with nobody else's. It never starts a bus.
func withBus(ctx context.Context, use func(*dbus.Conn) error) error {
	// The connection has to outlive ctx: a dialog is closed through it.
	life, end := context.WithCancel(context.Background())
	defer end()
	conn, err := dbus.SessionBusPrivateNoAutoStartup(
		dbus.WithContext(life),
		dbus.WithSignalHandler(dbus.NewSequentialSignalHandler()))
	if err != nil {
		return fmt.Errorf("there is no desktop session bus: %w", err)
	}
	defer conn.Close() //nolint:errcheck // nothing is left to be written

	hung := time.AfterFunc(serviceStart, end)
	defer hung.Stop()
	stop := context.AfterFunc(ctx, end)
	if err := conn.Auth(nil); err != nil {
		return fmt.Errorf("the desktop session bus refused the connection: %w", err)
	}
	if err := conn.Hello(); err != nil {
		return fmt.Errorf("the desktop session bus did not answer: %w", err)
	}
	stop()
	hung.Stop()
	return use(conn)
}
