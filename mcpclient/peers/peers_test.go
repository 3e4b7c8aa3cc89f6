package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recorder stands for a test and keeps how it ended. Like a real test it stops
// the caller, here by a panic that end catches.
type recorder struct{ skipped, failed string }

type ended struct{}

func (r *recorder) Helper() {}

func (r *recorder) Skip(args ...any) {
	r.skipped = fmt.Sprint(args...)
	panic(ended{})
}

func (r *recorder) Fatal(args ...any) {
	r.failed = fmt.Sprint(args...)
	panic(ended{})
}

func end(f func()) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(ended); !ok {
				panic(v)
			}
		}
	}()
	f()
}

func TestAbsentPeerSkipsWithItsReason(t *testing.T) {
	t.Setenv("REQUIRE_PEERS", "")
	t.Setenv("PATH", t.TempDir())
	var r recorder
	end(func() { Node(&r) })
	if r.failed != "" || !strings.Contains(r.skipped, "Node.js is not installed") {
		t.Errorf("skipped %q, failed %q; want a skip that names Node.js", r.skipped, r.failed)
	}
}

func TestAbsentPeerFailsWhereItIsRequired(t *testing.T) {
	t.Setenv("REQUIRE_PEERS", "1")
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "go.mod"), []byte("module empty\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(empty)
	for name, find := range map[string]func(TB) string{"server-filesystem": Filesystem, "server-everything": Everything, "sdk": SDK} {
		var r recorder
		end(func() { find(&r) })
		if r.skipped != "" || !strings.Contains(r.failed, name) || !strings.Contains(r.failed, "make peers") {
			t.Errorf("%s: skipped %q, failed %q; want a failure that names it and the remedy", name, r.skipped, r.failed)
		}
	}
}

func TestInstalledPeersAreThePinnedVersions(t *testing.T) {
	modules := SDK(t)
	for _, server := range []string{Filesystem(t), Everything(t)} {
		if _, err := os.Stat(server); err != nil {
			t.Errorf("server script: %v", err)
		}
	}
	raw, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pinned struct{ Dependencies map[string]string }
	if err := json.Unmarshal(raw, &pinned); err != nil {
		t.Fatal(err)
	}
	for name, want := range pinned.Dependencies {
		raw, err := os.ReadFile(filepath.Join(modules, filepath.FromSlash(name), "package.json"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got struct{ Version string }
		if err := json.Unmarshal(raw, &got); err != nil || got.Version != want {
			t.Errorf("%s is installed at %q (%v), pinned is %q", name, got.Version, err, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, Node(t), "--version").Output()
	if err != nil || !strings.HasPrefix(string(out), "v") {
		t.Errorf("node --version: %q, %v", out, err)
	}
}

// The lock file must install from whichever registry a machine is set up for.
func TestLockFileNamesNoHost(t *testing.T) {
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"://", `"resolved"`} {
		if strings.Contains(string(lock), bad) {
			t.Errorf("package-lock.json contains %q: make it again with npm's omit-lockfile-registry-resolved and without the funding entries", bad)
		}
	}
}
