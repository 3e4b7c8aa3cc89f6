package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rootsmanager/store"
)

// safeBuffer collects what several goroutines write.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A secret is planted in two servers, one of which prints it and dies, and
// then looked for in everything that a full run leaves behind.
func TestPlantedSecretIsNowhereButInTheKeyring(t *testing.T) {
	const secret = "pl4nted-s3cret-value"
	var log, events safeBuffer
	dir := filepath.Join(t.TempDir(), "profile")
	opts := Options{DataDir: dir, Prompter: true, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	d := newDesk(t, opts)
	d.Events(func(ev Event) { fmt.Fprintf(&events, "%+v\n", ev) })
	var snapshots safeBuffer
	d.Subscribe(func(s *Snapshot) {
		if err := json.NewEncoder(&snapshots).Encode(s); err != nil {
			t.Errorf("a snapshot cannot be written: %v", err)
		}
	})
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := []store.Var{{Name: "TOKEN", Value: secret, Secret: true}}
	good, err := d.AddServer(t.Context(), ServerSpec{Name: "good", Command: exe, Args: []string{"probe"}, Env: env, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	p := d.prompt(good, false)
	if len(p.Approval.Env) != 1 || !p.Approval.Env[0].Secret || p.Approval.Env[0].Value != "" {
		t.Errorf("the question shows %+v", p.Approval.Env)
	}
	d.answerApproval(good, AllowAlways)
	loud, err := d.AddServer(t.Context(), ServerSpec{
		Name: "loud", Command: "/bin/sh", Args: []string{"-c", `echo "my token is $TOKEN" >&2; test -n "$TOKEN" && exit 3`}, Env: env, Enabled: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	d.answerApproval(loud, AllowUntilQuit)
	d.until("the loud one failed", func(s *Snapshot) bool { return server(s, loud).State == ServerFailed })
	if err := d.RestartServer(t.Context(), loud); err != nil {
		t.Fatal(err)
	}
	web, err := d.AddServer(t.Context(), ServerSpec{
		Name: "web", URL: "http://127.0.0.1:9/mcp", Headers: []store.Var{{Name: "Authorization", Value: "Bearer " + secret, Secret: true}}, Enabled: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	d.answerApproval(web, AllowAlways)
	d.until("the absent one failed", func(s *Snapshot) bool { return server(s, web).State == ServerFailed })
	d.tick(good, d.addFolder(filepath.Join(t.TempDir(), "folder")), true)
	d.tells(good, 1)
	stderr := strings.Join(d.ServerStderr(loud), "\n")
	spec := fmt.Sprintf("%+v", server(d.Snapshot(), good).Spec())
	var export bytes.Buffer
	if err := d.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.store.ExportAuditJSON(t.Context(), &export, store.AuditFilter{}); err != nil {
		t.Fatal(err)
	}
	if err := d.store.ExportAuditCSV(t.Context(), &export, store.AuditFilter{}); err != nil {
		t.Fatal(err)
	}
	decisions := fmt.Sprintf("%+v", d.Decisions())
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stderr, "my token is •••") {
		t.Errorf("what the loud one printed is shown as %q", stderr)
	}
	for what, text := range map[string]string{
		"log": log.String(), "events": events.String(), "snapshots": snapshots.String(), "stderr": stderr,
		"entry": spec, "export": export.String(), "decisions": decisions,
	} {
		if text == "" {
			t.Errorf("there is nothing in the %s", what)
		}
		if strings.Contains(text, secret) {
			t.Errorf("the secret is in the %s", what)
		}
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("the secret is in the file %s", entry.Name())
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("looked at %d files: %v", files, err)
	}

	again := newDesk(t, Options{DataDir: dir, Prompter: true})
	again.tells(good, 1) // with the secret from the keyring, still the same identity
}
