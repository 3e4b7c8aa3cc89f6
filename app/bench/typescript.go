package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"rootsmanager/mcpclient/peers"
)

// typeScript has the client of the TypeScript SDK tell as many servers.
func (b *bench) typeScript(servers, roots, rounds int) error {
	var why absent
	node, modules := peers.Node(&why), peers.SDK(&why)
	if why.reason != "" {
		return errors.New(why.reason)
	}
	cmd := exec.Command(node, filepath.Join("app", "bench", "tell.mjs"), modules, b.self, strconv.Itoa(servers), strconv.Itoa(roots), strconv.Itoa(rounds))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var found struct{ Write, Have []float64 } // ms
	if err := json.Unmarshal(out, &found); err != nil {
		return fmt.Errorf("reading %q: %w", out, err)
	}
	b.times("first → last notification written", "TypeScript SDK", servers, roots, "", durations(found.Write))
	b.times("change → all have the new list", "TypeScript SDK", servers, roots, "", durations(found.Have))
	return nil
}

func durations(ms []float64) []time.Duration {
	list := make([]time.Duration, len(ms))
	for i, v := range ms {
		list[i] = time.Duration(v * float64(time.Millisecond))
	}
	return list
}

// absent notes why a peer is missing.
type absent struct{ reason string }

func (*absent) Helper()             {}
func (a *absent) Skip(args ...any)  { a.reason = fmt.Sprint(args...) }
func (a *absent) Fatal(args ...any) { a.reason = fmt.Sprint(args...) }

// residentMB reads this process's resident set; where there is no /proc, what
// the Go runtime holds.
func residentMB() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, os.ErrNotExist) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.Sys) / 1e6, nil
	}
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024, err
		}
	}
	return 0, errors.New("no VmRSS in /proc/self/status")
}
