// Package peers finds the programs that Roots Manager is tested against and
// that nobody here wrote: Node.js, the MCP servers and the TypeScript SDK that
// package-lock.json beside this file pins. `make peers` installs them into
// build/peers.
//
// Its promise: a test that asks for a peer gets a path that exists, or is
// skipped with the reason; with REQUIRE_PEERS=1 in the environment it fails
// instead, so that a complete machine can never pass by skipping. It is
// imported by tests and benchmarks only and starts no goroutines.
package peers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// TB is the part of [testing.TB] that this package needs. Programs that are
// not tests, such as the benchmark, bring their own.
type TB interface {
	Helper()
	Skip(args ...any)
	Fatal(args ...any)
}

// Require ends the test because something it needs is absent: a peer, a
// display, a keyring, a session bus. The reason says what is missing and how to
// get it. The test is skipped, or fails where REQUIRE_PEERS is 1.
func Require(t TB, reason string) {
	t.Helper()
	if Required() {
		t.Fatal("REQUIRE_PEERS=1 and this is missing: " + reason)
	}
	t.Skip(reason)
}

// Required reports whether an absent peer is a failure (REQUIRE_PEERS=1).
func Required() bool { return os.Getenv("REQUIRE_PEERS") == "1" }

// Node returns the path of the Node.js program.
func Node(t TB) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		Require(t, "Node.js is not installed; install nodejs and npm, then run: make peers")
	}
	return node
}

// Filesystem returns the script of @modelcontextprotocol/server-filesystem,
// to be started with [Node].
func Filesystem(t TB) string {
	t.Helper()
	return installed(t, "@modelcontextprotocol", "server-filesystem", "dist", "index.js")
}

// Everything returns the script of @modelcontextprotocol/server-everything, to
// be started with [Node]. Its first argument chooses the transport: stdio,
// streamableHttp or sse; PORT in the environment chooses the port.
func Everything(t TB) string {
	t.Helper()
	return installed(t, "@modelcontextprotocol", "server-everything", "dist", "index.js")
}

// SDK returns the node_modules folder in which @modelcontextprotocol/sdk and
// zod are installed. A script finds them when it lies in the folder above, or
// imports them by their path in here.
func SDK(t TB) string {
	t.Helper()
	return filepath.Dir(filepath.Dir(filepath.Dir(
		installed(t, "@modelcontextprotocol", "sdk", "package.json"))))
}

// Root returns the top folder of this repository: the nearest folder, from the
// working directory up, that holds go.mod.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod in this folder or above it: run this inside the repository")
		}
		dir = up
	}
}

// installed returns the path of a file below build/peers/node_modules.
func installed(t TB, elements ...string) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(append([]string{root, "build", "peers", "node_modules"}, elements...)...)
	if _, err := os.Stat(path); err != nil {
		Require(t, filepath.Join(elements[:2]...)+" is not installed; run: make peers")
	}
	return path
}
