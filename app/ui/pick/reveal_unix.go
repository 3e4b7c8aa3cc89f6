//go:build !windows && !darwin

package pick

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	fileManagerName = "org.freedesktop.FileManager1"
	fileManagerPath = dbus.ObjectPath("/org/freedesktop/FileManager1")
)

// openerTime is how long xdg-open may take to complain. Some desktops' opener
// stays as long as the file manager does, so silence means it worked.
const openerTime = 3 * time.Second

func reveal(ctx context.Context, path string, folder bool) error {
	busErr := withBus(ctx, func(conn *dbus.Conn) error {
		quick, done := context.WithTimeout(ctx, serviceStart)
		defer done()
		return conn.Object(fileManagerName, fileManagerPath).
			CallWithContext(quick, fileManagerName+".ShowItems", 0, []string{uriOfPath(path)}, "").Err
	})
	if busErr == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("the file manager was not asked in time: %w", err)
	}
	if !folder {
		path = filepath.Dir(path)
	}
	if err := open(ctx, path); err != nil {
		return fmt.Errorf("no file manager could be opened: %w (and over the session bus: %w)", err, busErr)
	}
	return nil
}

func open(ctx context.Context, folder string) error {
	program, err := exec.LookPath("xdg-open")
	if err != nil {
		return fmt.Errorf("xdg-open is not installed")
	}
	// Not bound to ctx: the file manager it starts belongs to the person, and
	// stays when this program goes.
	cmd := exec.Command(program, folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("xdg-open could not be started: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	patience := time.NewTimer(openerTime)
	defer patience.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("xdg-open could not open the folder: %w", err)
		}
		return nil
	case <-patience.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("xdg-open did not answer in time: %w", ctx.Err())
	}
}
