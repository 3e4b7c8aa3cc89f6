//go:build linux

package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// needPeer skips a test whose peer is not installed; with REQUIRE_PEERS=1 it
// fails instead.
func needPeer(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("REQUIRE_PEERS") == "1" {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("%s is not installed", program)
	}
}

const busConfig = `<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

func TestRealGnomeKeyring(t *testing.T) {
	needPeer(t, "dbus-run-session")
	needPeer(t, "gnome-keyring-daemon")
	home := t.TempDir()
	runtimeDir := filepath.Join(home, "run")
	if err := os.Mkdir(runtimeDir, 0o700); err != nil {
		t.Fatal(err)
	}
	// A bus that starts no services by itself: the test says when the keyring is there.
	config := filepath.Join(home, "bus.conf")
	if err := os.WriteFile(config, []byte(busConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dbus-run-session", "--config-file="+config, "--", os.Args[0])
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "HOME", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "GNOME_KEYRING_CONTROL", "XDG_CURRENT_DESKTOP":
		default:
			if !strings.HasPrefix(name, "XDG_") {
				cmd.Env = append(cmd.Env, e)
			}
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+home, "XDG_RUNTIME_DIR="+runtimeDir, "STORE_TEST_CHILD=gnome", "STORE_TEST_DIR="+filepath.Join(home, "profile"))
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// gnomeDaemon runs an unlocked gnome-keyring until stop is called.
func gnomeDaemon() (stop func() error, err error) {
	cmd := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	cmd.Stdin = strings.NewReader("\n")
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() error {
		if err := cmd.Process.Kill(); err != nil {
			return err
		}
		_ = cmd.Wait() // says that it was killed
		return nil
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		err := SystemKeyring().(prober).Probe()
		if err == nil {
			return stop, nil
		}
		if time.Now().After(deadline) {
			return nil, errors.Join(fmt.Errorf("gnome-keyring does not come up: %w", err), stop())
		}
		if err := pause(context.Background(), 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func gnomeLock() error {
	conn, err := dbus.SessionBus()
	if err != nil {
		return err
	}
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	return conn.Object(secretServiceName, secretsPath).Call(secretsService+".Lock", 0, []dbus.ObjectPath{loginCollection}).Store(&locked, &prompt)
}

// childGnome runs within a session bus of its own: decide, start again, lock,
// start again, unlock.
func childGnome(ctx context.Context, dir string) error {
	opts := &Options{KeyringProbe: 50 * time.Millisecond, KeyringWait: 2 * time.Second}
	stop, err := gnomeDaemon()
	if err != nil {
		return err
	}
	allowed := func(s *Store) bool { return s.State().Decisions["id"]["file:///a"].Verdict == Allow }
	s, err := openSettled(ctx, dir, opts)
	if err != nil {
		return err
	}
	if seal := s.Seal(); seal != (SealState{Sealed: true}) {
		return fmt.Errorf("first run: %+v", seal)
	}
	var v Server
	_, err = s.Update(ctx, func(tx *Tx) (err error) {
		if v, err = tx.AddServer(secretServer("one", strings.Repeat("long secret ", 500))); err != nil {
			return err
		}
		return tx.Record(Decision{Identity: "id", URI: "file:///a", Verdict: Allow})
	})
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}

	if s, err = openSettled(ctx, dir, opts); err != nil {
		return err
	}
	secret, err := s.Secret(ctx, v.ID, "API_TOKEN")
	if err != nil || len(secret) != 6_000 || !allowed(s) {
		return fmt.Errorf("second run: %v, %d bytes, %v", s.State().Decisions, len(secret), err)
	}

	// Locked while it runs: noticed, and nothing new is kept.
	if err := gnomeLock(); err != nil {
		return err
	}
	if err := waitUntil(s, func() bool { return !s.Seal().Sealed }); err != nil {
		return fmt.Errorf("lock not noticed: %w", err)
	}
	if reason := s.Seal().Reason; reason != "the keyring is locked" {
		return fmt.Errorf("locked, but the reason is %q", reason)
	}
	if err := s.Close(); err != nil {
		return err
	}

	// Locked from the start: nothing is disclosed.
	if s, err = openSettled(ctx, dir, opts); err != nil {
		return err
	}
	if seal := s.Seal(); seal.Sealed || seal.Tampered || seal.Reason == "" || len(s.State().Decisions) != 0 {
		return fmt.Errorf("locked: %+v %v", seal, s.State().Decisions)
	}
	if _, err := s.Secret(ctx, v.ID, "API_TOKEN"); err == nil {
		return errors.New("a secret came out of a locked keyring")
	}

	// Gone, then there again and unlocked: picked up without a restart.
	if err := stop(); err != nil {
		return err
	}
	if err := waitUntil(s, func() bool { return s.Seal().Reason == "no keyring service is running" }); err != nil {
		return fmt.Errorf("end of the daemon not noticed: %w", err)
	}
	if stop, err = gnomeDaemon(); err != nil {
		return err
	}
	if err := waitUntil(s, func() bool { return s.Seal().Sealed && allowed(s) }); err != nil {
		return fmt.Errorf("unlock not noticed: %w", err)
	}
	return errors.Join(s.Close(), stop())
}

func waitUntil(s *Store, holds func() bool) error {
	deadline := time.NewTimer(15 * time.Second)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-s.Changes():
		case <-deadline.C:
			return fmt.Errorf("waited in vain: %+v", s.Seal())
		}
	}
	return nil
}
