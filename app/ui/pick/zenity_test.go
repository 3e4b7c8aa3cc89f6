//go:build linux

package pick

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// display starts an X server for one test and points the environment at it.
func display(t *testing.T) {
	t.Helper()
	for _, program := range []string{"Xvfb", "xdotool", "zenity"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program+" is not installed")
		}
	}
	number, report, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{report}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = report.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = number.Close()
	})
	if err := number.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(number).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb does not start: %v", err)
	}
	t.Setenv("DISPLAY", ":"+strings.TrimSpace(line))
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("GDK_BACKEND", "x11")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	t.Setenv("GSETTINGS_BACKEND", "memory")
}

func xdotool(t *testing.T, ctx context.Context, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(ctx, "xdotool", args...).CombinedOutput(); err != nil {
		t.Errorf("xdotool %q: %v %s", args, err, out)
	}
}

// TestRealZenity drives the program itself, so that its options, its separator
// and its way of printing names are what this package believes.
func TestRealZenity(t *testing.T) {
	display(t)
	dir := t.TempDir()
	want := []string{filepath.Join(dir, "c++ #1 100% ü"), filepath.Join(dir, "d\nnewline"), filepath.Join(dir, "e|f")}
	for _, path := range want {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", dir) // where the dialog starts

	show := func(drive func(ctx context.Context)) ([]string, error) {
		ctx, done := context.WithTimeout(t.Context(), 40*time.Second)
		defer done()
		driven := make(chan struct{})
		go func() {
			defer close(driven)
			xdotool(t, ctx, "search", "--sync", "--onlyvisible", "--name", "Pick for the test", "windowfocus", "--sync")
			drive(ctx)
		}()
		paths, err := only("zenity", zenity).Folders(ctx, "Pick for the test")
		<-driven
		return paths, err
	}

	if _, err := show(func(ctx context.Context) { xdotool(t, ctx, "key", "Escape") }); !errors.Is(err, ErrCancelled) {
		t.Errorf("Escape: got %v, want ErrCancelled", err)
	}
	got, err := show(func(ctx context.Context) { xdotool(t, ctx, "key", "--delay", "300", "ctrl+a", "Return") })
	slices.Sort(got)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("all folders chosen: %v %s", err, diff)
	}
}
