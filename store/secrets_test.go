package store

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func secretServer(name, value string) Server {
	v := aServer(name)
	v.Env = append(v.Env, Var{Name: "API_TOKEN", Value: value, Secret: true})
	return v
}

// wantAbsent looks for text in every file of a profile.
func wantAbsent(t *testing.T, dir string, secret string) {
	t.Helper()
	needles := [][]byte{[]byte(secret), []byte(base64.StdEncoding.EncodeToString([]byte(secret)))}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, needle := range needles {
			if bytes.Contains(content, needle) {
				t.Errorf("the secret stands in %s", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSecretsLiveOnlyInTheKeyring(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	long := strings.Repeat("planted-secret-0123456789", 400) // 10,000 bytes
	var v Server
	st := update(t, s, func(tx *Tx) (err error) {
		v, err = tx.AddServer(secretServer("one", long))
		return err
	})
	if st.Servers[0].Env[1].Value != "" || v.Env[1].Value != "" {
		t.Error("the state carries the secret")
	}
	if got, err := s.Secret(t.Context(), v.ID, "API_TOKEN"); err != nil || got != long {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := s.backUp(t.Context(), s.now()); err != nil {
		t.Fatal(err)
	}
	wantAbsent(t, dir, "planted-secret")
	ring := fileKeyring(dir + "-ring")
	for _, account := range ring.accounts(t) {
		if value, err := ring.Get(account); err != nil || len(value) > maxItemBytes {
			t.Errorf("%s: %d bytes, %v", account, len(value), err)
		}
	}

	// Without a value it keeps the one it has; a failed change keeps it too.
	v.Env[1].Value, v.Command = "", "node"
	update(t, s, func(tx *Tx) error { return tx.PutServer(v) })
	_, err := s.Update(t.Context(), func(tx *Tx) error {
		v.Env[1].Value = "never committed"
		return errors.Join(tx.PutServer(v), errors.New("stop"))
	})
	if err == nil {
		t.Fatal("committed")
	}
	other := openAt(t, dir)
	if got, err := other.Secret(t.Context(), v.ID, "API_TOKEN"); err != nil || got != long {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestSecretsOfRemovedServersLeaveTheKeyringAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	s, err := openSettled(t.Context(), dir, testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	var v Server
	update(t, s, func(tx *Tx) (err error) { v, err = tx.AddServer(secretServer("one", "first")); return err })
	v.Env[1].Value = "second"
	update(t, s, func(tx *Tx) error { return tx.PutServer(v) })
	update(t, s, func(tx *Tx) error { return tx.RemoveServer(v.ID) })
	v.Env[1].Value = ""
	update(t, s, func(tx *Tx) error { _, err := tx.AddServer(v); return err }) // undo
	if got, err := s.Secret(t.Context(), v.ID, "API_TOKEN"); err != nil || got != "second" {
		t.Errorf("after undo: %q %v", got, err)
	}
	update(t, s, func(tx *Tx) error { return tx.RemoveServer(v.ID) })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openAt(t, dir)
	for _, account := range fileKeyring(dir + "-ring").accounts(t) {
		if strings.Contains(account, "secret/") {
			t.Errorf("still there: %s", account)
		}
	}
}

func TestSecretsWaitInMemoryForTheKeyring(t *testing.T) {
	dir, ring := t.TempDir(), newSwitchRing()
	ring.set(errLocked, nil)
	s, err := openSettled(t.Context(), dir, ring.options())
	if err != nil {
		t.Fatal(err)
	}
	var v Server
	update(t, s, func(tx *Tx) (err error) { v, err = tx.AddServer(secretServer("one", "planted-secret")); return err })
	if got, err := s.Secret(t.Context(), v.ID, "API_TOKEN"); err != nil || got != "planted-secret" {
		t.Errorf("%q %v", got, err)
	}
	wantAbsent(t, dir, "planted-secret")
	if _, err := s.Secret(t.Context(), v.ID, "OTHER"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	ring.set(nil, nil)
	until(t, s, "given to the keyring", func() bool {
		_, waits := s.secrets.get(secretName{v.ID, "API_TOKEN"})
		return !waits
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := openWith(t, dir, ring.options())
	if got, err := again.Secret(t.Context(), v.ID, "API_TOKEN"); err != nil || got != "planted-secret" {
		t.Errorf("%q %v", got, err)
	}
	ring.set(errLocked, nil)
	if _, err := again.Secret(t.Context(), v.ID, "API_TOKEN"); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("got %v", err)
	}
}

func TestDigestStaysWithTheKeyring(t *testing.T) {
	digest := func(s *Store, parts ...string) string {
		t.Helper()
		var all [][]byte
		for _, p := range parts {
			all = append(all, []byte(p))
		}
		d, err := s.Digest(all...)
		if err != nil || len(d) != 64 {
			t.Fatal(d, err)
		}
		return d
	}
	dir := t.TempDir()
	one, two := openAt(t, dir), openAt(t, dir)
	if digest(one, "A", "1") != digest(two, "A", "1") {
		t.Error("two processes of one profile disagree")
	}
	if digest(one, "A", "1") == digest(one, "A1") {
		t.Error("parts run into each other")
	}
	if digest(openAt(t, t.TempDir()), "A", "1") == digest(one, "A", "1") {
		t.Error("two profiles agree")
	}
	away := newSwitchRing()
	away.set(errLocked, nil)
	blind := openWith(t, t.TempDir(), away.options())
	if first, second := digest(blind, "A"), digest(blind, "A"); first != second {
		t.Error("without a keyring a digest does not even last")
	}
}
