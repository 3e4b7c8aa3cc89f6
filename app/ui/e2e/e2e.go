// Package e2e drives the finished program from outside, as a person does: real
// keys and clicks on a real display, pictures of what is seen, and the events
// the program writes. It promises to know nothing from inside the program, to
// wait for what it expects instead of sleeping, and to leave no process behind.
//
// Its tests have the build tag e2e and run with `make e2e`, which gives them a
// display, a window manager, a session bus and a keyring of their own. Each
// program started here is waited for by one goroutine, which ends with it.
package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"rootsmanager/mcpclient/peers"
)

// Patience is how long anything may take that a person waits for. It bounds
// failures only: everything here goes on as soon as what it waits for is there.
const Patience = 20 * time.Second

// every is how often the outside world is looked at while waiting for it.
const every = 25 * time.Millisecond

// Binary returns the program under test, built by `make build`.
func Binary(t testing.TB) string {
	t.Helper()
	top, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(top, "build", "roots-manager")
	if _, err := os.Stat(binary); err != nil {
		t.Fatal("build/roots-manager is not there; run: make build")
	}
	return binary
}

// Build returns a folder below build/, made if it is not there.
func Build(t testing.TB, elements ...string) string {
	t.Helper()
	top, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(append([]string{top, "build"}, elements...)...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Display skips the test, or fails it with REQUIRE_PEERS=1, where no window can
// be shown and driven.
func Display(t testing.TB) {
	t.Helper()
	if os.Getenv("DISPLAY") == "" {
		peers.Require(t, "there is no display; run: make e2e")
	}
	for _, program := range []string{"xdotool", "import"} {
		if _, err := exec.LookPath(program); err != nil {
			peers.Require(t, program+" is not installed; run: make e2e")
		}
	}
}

// until looks again and again until found returns true.
func until(ctx context.Context, found func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		ok, err := found()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// errLate is why a wait ends that lasted too long.
var errLate = errors.New("waited too long")

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), d, errLate)
	t.Cleanup(cancel)
	return ctx
}
