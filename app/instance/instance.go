// Package instance lets one window have a profile: a second start finds the
// first and asks it to come to the front.
//
// The first holds a file lock, which the system releases however it ends, and
// listens on a local socket that only this user can open. [Claim] starts one
// goroutine, which [Instance.Close] ends and waits for.
package instance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrRunning says that another window has the profile and was asked to come
// to the front.
var ErrRunning = errors.New("Roots Manager is open already; its window was brought to the front") //nolint:staticcheck // shown as it is

// raise is the one word spoken on the socket.
const raise = "raise\n"

// patience is how long the first window has to answer a second start.
const patience = 2 * time.Second

// Instance is the claim of the first window.
type Instance struct {
	lock     *os.File
	listener net.Listener
	raised   chan struct{}
	done     sync.WaitGroup
}

// Claim makes this process the one with the window of the profile in dir. It
// returns [ErrRunning] after it raised the window of another process.
func Claim(ctx context.Context, dir string) (*Instance, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the profile folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "window.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the window's lock: %w", err)
	}
	socket := socketPath(dir)
	held, err := tryLock(lock)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the profile for this window: %w", err), lock.Close())
	}
	if !held {
		return nil, errors.Join(callFirst(ctx, socket), lock.Close())
	}
	// The lock is ours, so a socket that is there was left by a process that
	// was killed.
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("remove the socket of an earlier window: %w", err), lock.Close())
	}
	listener, err := net.Listen("unix", socket)
	if err == nil {
		err = os.Chmod(socket, 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for a second start: %w", err), lock.Close())
	}
	i := &Instance{lock: lock, listener: listener, raised: make(chan struct{}, 1)}
	i.done.Add(1)
	go i.listen()
	return i, nil
}

// Raised receives whenever a second start asks for the window.
func (i *Instance) Raised() <-chan struct{} { return i.raised }

// Close gives the profile's window up.
func (i *Instance) Close() error {
	err := i.listener.Close() // removes the socket, too
	i.done.Wait()
	return errors.Join(err, i.lock.Close())
}

func (i *Instance) listen() {
	defer i.done.Done()
	for {
		conn, err := i.listener.Accept()
		if err != nil {
			return // closed
		}
		i.answer(conn)
	}
}

// answer raises the window if that is what is asked; anything else is not
// worth an error.
func (i *Instance) answer(conn net.Conn) {
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(patience)) != nil {
		return
	}
	word := make([]byte, len(raise))
	if _, err := io.ReadFull(conn, word); err != nil || string(word) != raise {
		return
	}
	select {
	case i.raised <- struct{}{}:
	default:
	}
	io.WriteString(conn, "ok\n") //nolint:errcheck // the other side may be gone already
}

// callFirst asks the process that has the lock to show its window.
func callFirst(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("Roots Manager is open already, but does not answer: %w", err) //nolint:staticcheck // a sentence
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, raise); err != nil {
		return fmt.Errorf("Roots Manager is open already, but does not answer: %w", err) //nolint:staticcheck // a sentence
	}
	if _, err := io.ReadAll(io.LimitReader(conn, 16)); err != nil {
		return fmt.Errorf("Roots Manager is open already, but does not answer: %w", err) //nolint:staticcheck // a sentence
	}
	return ErrRunning
}

// socketPath is short, because systems allow a socket's path about 100 bytes,
// and lies where only this user may look.
func socketPath(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	sum := sha256.Sum256([]byte(dir))
	name := "roots-manager-" + hex.EncodeToString(sum[:6]) + ".sock"
	if runtime := os.Getenv("XDG_RUNTIME_DIR"); runtime != "" {
		if info, err := os.Stat(runtime); err == nil && info.IsDir() {
			return filepath.Join(runtime, name)
		}
	}
	if inside := filepath.Join(dir, "window.sock"); len(inside) < 100 {
		return inside
	}
	return filepath.Join(os.TempDir(), name)
}
