package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rootsmanager/mcpclient/peers"
	"rootsmanager/store"
)

func (d *desk) addFilesystem(args ...string) store.ServerID {
	d.t.Helper()
	id, err := d.AddServer(d.t.Context(), ServerSpec{
		Name: "filesystem", Command: peers.Node(d.t), Args: append([]string{peers.Filesystem(d.t)}, args...), Enabled: true,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.answerApproval(id, AllowAlways)
	return id
}

// read asks the server to read a file and reports whether it did.
func (d *desk) read(id store.ServerID, path string) (string, bool) {
	d.t.Helper()
	d.mu.Lock()
	session := d.links[id].session
	d.mu.Unlock()
	result, err := session.CallTool(d.t.Context(), "read_text_file", map[string]any{"path": path})
	if err != nil {
		return err.Error(), false
	}
	return result.Text, !result.IsError
}

func TestFilesystemServerWorksInExactlyTheTickedFolders(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	keep := t.TempDir() // what it was given as an argument is replaced by the ticks
	srv := d.addFilesystem(keep)
	folder := filepath.Join(t.TempDir(), "my # fol%der ü")
	r := d.addFolder(folder)
	d.tick(srv, r, true)
	d.tells(srv, 1)
	d.sees(srv, folder)
	file := filepath.Join(folder, "a.txt")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, ok := d.read(srv, file); !ok || !strings.Contains(text, "hello") {
		t.Fatalf("reading in the ticked folder: %s", text)
	}
}

// The server keeps the folders it had when it is given an empty list
// (facts: server-filesystem 2026.8.31); taking back the last one must hold all
// the same.
func TestRevokedLastFolderCannotBeReadAnyMore(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	other := t.TempDir()
	srv := d.addFilesystem(other)
	folder := t.TempDir()
	file := filepath.Join(folder, "secret.txt")
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := d.addRoot(folder)
	d.tick(srv, r, true)
	d.tells(srv, 1)
	d.sees(srv, folder)
	if text, ok := d.read(srv, file); !ok {
		t.Fatalf("reading in the ticked folder: %s", text)
	}
	d.tick(srv, r, false)
	d.tells(srv, 0)
	if text, ok := d.read(srv, file); ok {
		t.Fatalf("the server still reads what was taken back: %s", text)
	}
}
