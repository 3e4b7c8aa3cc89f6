package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// processesWith lists the processes whose command line holds text, without
// this one and without remains.
func processesWith(t testing.TB, text string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(line, []byte(text)) {
			continue // it ended meanwhile, or is somebody else's
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		if pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// children lists the processes below this one.
func children(t testing.TB) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	parent := map[int]int{}
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it ended meanwhile
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || len(fields) < 2 || fields[0] == "Z" {
			continue
		}
		if parent[pid], err = strconv.Atoi(fields[1]); err != nil {
			t.Fatal(err)
		}
	}
	var below []int
	for pid := range parent {
		for up := parent[pid]; up > 1; up = parent[up] {
			if up == os.Getpid() {
				below = append(below, pid)
				break
			}
		}
	}
	return below
}

func descriptors(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// soon looks again and again until there is nothing left.
func soon(t testing.TB, what string, left func() []int) {
	t.Helper()
	deadline := time.After(patience)
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		list := left()
		if len(list) == 0 {
			return
		}
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("%s: %v", what, list)
		}
	}
}
