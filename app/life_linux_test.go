package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"rootsmanager/store"
)

// stubborn are the ways of a server not to end when it is told to.
var stubborn = []string{
	"never reads stdin again", "ignores every polite end", "leaves a child behind", "forgets its stdin",
	"floods stdout with notifications", "floods with questions and reads no answer", "answers nothing",
}

func TestStartDoesNotWaitAndCloseLeavesNothingBehind(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	before := descriptors(t)
	for round := range 3 { // what leaks a little shows
		e, err := Open(t.Context(), &Options{DataDir: filepath.Join(t.TempDir(), "profile"), ApproveAll: true, Store: &store.Options{Keyring: store.NewMemoryKeyring()}})
		if err != nil {
			t.Fatal(err)
		}
		d := &desk{Engine: e, t: t}
		var slow []store.ServerID
		for _, behaviour := range stubborn {
			slow = append(slow, d.addBad(behaviour))
		}
		probe := d.addProbe("probe")
		began := time.Now()
		e.Start()
		if took := time.Since(began); took > 500*time.Millisecond {
			t.Errorf("Start took %v", took)
		}
		for i, id := range slow {
			d.until(stubborn[i], func(s *Snapshot) bool {
				return server(s, id).State == ServerConnected || stubborn[i] == "answers nothing" && server(s, id).State == ServerConnecting
			})
		}
		d.tells(probe, 0)
		if n := len(children(t)); n < len(stubborn)+1 {
			t.Fatalf("only %d processes were started", n)
		}
		began = time.Now()
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		took := time.Since(began)
		t.Logf("round %d: closed in %v", round, took.Round(time.Millisecond))
		if took > 3500*time.Millisecond { // 3 s, and a little for a busy machine
			t.Errorf("Close took %v", took)
		}
		soon(t, "processes are left", func() []int { return children(t) })
	}
	if after := descriptors(t); after > before {
		t.Errorf("file descriptors grew from %d to %d", before, after)
	}
	left, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		if filepath.Ext(entry.Name()) != "" || !entry.IsDir() { // the test's own folders are folders
			t.Errorf("%s is left in the folder for temporary files", entry.Name())
		}
	}
}
