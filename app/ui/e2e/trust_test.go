//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"rootsmanager/mcpclient/peers"
)

// A decision made once holds through a restart; with a locked keyring nothing
// is started or told; unlocking is noticed without a restart.
func TestDecisionHoldsAndALockedKeyringDisclosesNothing(t *testing.T) {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		peers.Require(t, "there is no session bus with a keyring: run make e2e")
	}
	p := NewPerson(t)
	folder := p.Folder("Work")
	p.Do("server", "add", "files", "--", peers.Node(t), peers.Filesystem(t))
	p.Do("root", "add", folder)
	album := NewAlbum(t, "trust-", "e2e")

	g, w, e := open(t, p)
	w.Still(unhurried)
	w.Key("Tab", "Tab", "space") // Start and remember
	e.Wait("roots.answered", Answered())
	w.Key("alt+1")
	toList(w)
	w.Key("Home", "space")
	e.Wait("roots.answered", Answered(folder))
	w.Key("alt+6")
	w.Still(300 * time.Millisecond)
	album.Take(w, "decisions")
	w.Key("ctrl+q")
	g.Wait()

	g, w, e = open(t, p)
	e.Wait("server.connected", Of("files"))
	e.Wait("roots.answered", Answered(folder))
	w.Key("ctrl+q")
	g.Wait()

	ring := findKeyring(t)
	ring.lock()
	g, w, e = open(t, p)
	w.Still(unhurried)
	album.Take(w, "locked")
	e.None("server.connected")
	e.None("roots.answered")
	ring.unlock()
	e.Wait("server.connected", Of("files"))
	e.Wait("roots.answered", Answered(folder))
	w.Still(300 * time.Millisecond)
	album.Take(w, "unlocked")
	w.Key("ctrl+q")
	if status := g.Wait(); status != 0 {
		t.Errorf("status %d:\n%s", status, g.Stderr())
	}
}

// keyring is the gnome-keyring of the session the tests run in.
type keyring struct {
	t   *testing.T
	bus *dbus.Conn
	pid int
	env []string
}

func findKeyring(t *testing.T) *keyring {
	t.Helper()
	bus, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bus.Close(); err != nil {
			t.Error(err)
		}
	})
	k := &keyring{t: t, bus: bus}
	var pid uint32
	if err := bus.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, "org.freedesktop.secrets").Store(&pid); err != nil {
		t.Fatalf("there is no keyring: %v", err)
	}
	k.pid = int(pid)
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		t.Fatal(err)
	}
	k.env = strings.Split(strings.TrimRight(string(environ), "\x00"), "\x00")
	return k
}

func (k *keyring) lock() {
	k.t.Helper()
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	err := k.bus.Object("org.freedesktop.secrets", "/org/freedesktop/secrets").
		Call("org.freedesktop.Secret.Service.Lock", 0, []dbus.ObjectPath{"/org/freedesktop/secrets/collection/login"}).Store(&locked, &prompt)
	if err != nil || len(locked) != 1 {
		k.t.Fatalf("the keyring cannot be locked: %v, %v", locked, err)
	}
}

// unlock starts the keyring anew with its (empty) password, as logging in
// does. It ends with the session.
func (k *keyring) unlock() {
	k.t.Helper()
	if err := syscall.Kill(k.pid, syscall.SIGTERM); err != nil {
		k.t.Fatal(err)
	}
	Gone(k.t, []int{k.pid})
	cmd := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	cmd.Env, cmd.Stdin = k.env, strings.NewReader("\n")
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	k.pid = cmd.Process.Pid
}
