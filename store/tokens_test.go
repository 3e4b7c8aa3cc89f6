package store

import (
	"strings"
	"testing"
)

func TestLoginIsKeptInTheKeyringForItsAddressOnly(t *testing.T) {
	dir, ring := t.TempDir(), NewMemoryKeyring()
	open := func() *Store {
		s, err := Open(t.Context(), dir, &Options{Keyring: ring})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	var v Server
	if _, err := s.Update(t.Context(), func(tx *Tx) (err error) {
		v, err = tx.AddServer(Server{Name: "web", Transport: HTTP, URL: "https://a.example/mcp"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("token ", 1000)
	if err := s.SaveLogin(t.Context(), v.ID, v.URL, long); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveLogin(t.Context(), "s_nobody", v.URL, long); err == nil {
		t.Error("a login of a server that is not there was kept")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close()
	if err := s.sweepSecrets(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Login(t.Context(), v.ID, v.URL); err != nil || got != long {
		t.Fatalf("kept %d bytes, %v", len(got), err)
	}
	if got, err := s.Login(t.Context(), v.ID, "https://b.example/mcp"); err != nil || got != "" {
		t.Errorf("another address gets %q, %v", got, err)
	}
	if err := s.DeleteLogin(t.Context(), v.ID, v.URL); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Login(t.Context(), v.ID, v.URL); err != nil || got != "" {
		t.Errorf("after forgetting: %q, %v", got, err)
	}
}
