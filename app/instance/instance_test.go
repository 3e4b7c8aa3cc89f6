package instance

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("INSTANCE_TEST_HOLD"); dir != "" {
		if _, err := Claim(context.Background(), dir); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		select {} // until killed
	}
	goleak.VerifyTestMain(m)
}

func TestSecondStartRaisesTheFirstWindow(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir := t.TempDir()
	first, err := Claim(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := Claim(t.Context(), dir); !errors.Is(err, ErrRunning) {
		t.Fatalf("second claim: %v", err)
	}
	select {
	case <-first.Raised():
	case <-time.After(10 * time.Second):
		t.Fatal("the first window was not told")
	}
	other, err := Claim(t.Context(), t.TempDir())
	if err != nil {
		t.Fatalf("another profile: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

func TestKilledWindowLeavesNothingInTheWay(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), exe)
	child.Env = append(os.Environ(), "INSTANCE_TEST_HOLD="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	i, err := Claim(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}

func TestSocketIsForThisUserOnlyAndIgnoresNonsense(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(t.TempDir(), "absent"))
	dir := t.TempDir()
	i, err := Claim(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	info, err := os.Stat(socketPath(dir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("socket %v, %v", info, err)
	}
	conn, err := net.Dial("unix", socketPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("quit!\n")); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 8)); n != 0 || err == nil {
		t.Error("nonsense was answered")
	}
	conn.Close()
	select {
	case <-i.Raised():
		t.Error("nonsense raised the window")
	default:
	}
}
