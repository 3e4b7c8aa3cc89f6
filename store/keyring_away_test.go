package store

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"rootsmanager/app/root"
)

// switchRing is a keyring that can be taken away, or made to hang as one does
// whose prompt nobody answers.
type switchRing struct {
	*MemoryKeyring
	mu   sync.Mutex
	away error
	hang chan struct{} // not nil: calls wait until it is closed
}

func newSwitchRing() *switchRing { return &switchRing{MemoryKeyring: NewMemoryKeyring()} }

func (r *switchRing) set(away error, hang chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away, r.hang = away, hang
}

func (r *switchRing) pass() error {
	r.mu.Lock()
	away, hang := r.away, r.hang
	r.mu.Unlock()
	if hang != nil {
		<-hang
		r.mu.Lock()
		away = r.away
		r.mu.Unlock()
	}
	return away
}

func (r *switchRing) Get(account string) (string, error) {
	if err := r.pass(); err != nil {
		return "", err
	}
	return r.MemoryKeyring.Get(account)
}

func (r *switchRing) Set(account, value string) error {
	if err := r.pass(); err != nil {
		return err
	}
	return r.MemoryKeyring.Set(account, value)
}

func (r *switchRing) Delete(account string) error {
	if err := r.pass(); err != nil {
		return err
	}
	return r.MemoryKeyring.Delete(account)
}

func (r *switchRing) Probe() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.away
}

func (r *switchRing) options() *Options {
	return &Options{Keyring: r, KeyringWait: 200 * time.Millisecond, KeyringProbe: 10 * time.Millisecond}
}

// until waits for changes until the condition holds.
func until(t *testing.T, s *Store, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for !holds() {
		select {
		case <-s.Changes():
		case <-ctx.Done():
			t.Fatalf("never: %s; %+v", what, s.Seal())
		}
	}
}

func verdictOf(s *Store, uri string) Verdict { return s.State().Decisions["id"][uri].Verdict }

func record(t *testing.T, s *Store, uri string, verdict Verdict) {
	t.Helper()
	update(t, s, func(tx *Tx) error {
		return tx.Record(Decision{Identity: "id", URI: uri, Access: root.ReadOnly, Verdict: verdict})
	})
}

func TestWithoutKeyringDecisionsLastUntilQuit(t *testing.T) {
	dir, ring := t.TempDir(), newSwitchRing()
	ring.set(errNoService, nil)
	s := openWith(t, dir, ring.options())
	if seal := s.Seal(); seal.Sealed || seal.Tampered || seal.Reason != "no keyring service is running" || seal.Help == "" {
		t.Errorf("%+v", seal)
	}
	record(t, s, "file:///a", Allow)
	update(t, s, func(tx *Tx) error { return tx.PutApproval(Approval{Identity: "id"}) })
	if verdictOf(s, "file:///a") != Allow || s.State().Approvals["id"].Identity == "" {
		t.Error("a decision of this session does not count")
	}
	var rows int
	if err := s.db.QueryRow("SELECT (SELECT COUNT(*) FROM ledger) + (SELECT COUNT(*) FROM restrictions)").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows on disk, %v", rows, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := openWith(t, dir, ring.options())
	if len(again.State().Decisions) != 0 || len(again.State().Approvals) != 0 {
		t.Error("a decision outlived its session")
	}
}

func TestKeyringThatComesIsPickedUpByItself(t *testing.T) {
	dir, ring := t.TempDir(), newSwitchRing()
	s, err := openSettled(t.Context(), dir, ring.options())
	if err != nil {
		t.Fatal(err)
	}
	record(t, s, "file:///stored", Allow)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	ring.set(errLocked, nil)
	s = openWith(t, dir, ring.options())
	if s.Seal().Sealed || len(s.State().Decisions) != 0 {
		t.Fatalf("locked, and still %+v %v", s.Seal(), s.State().Decisions)
	}
	record(t, s, "file:///session", Allow)
	ring.set(nil, nil)
	until(t, s, "sealed again", func() bool { return s.Seal().Sealed })
	if verdictOf(s, "file:///stored") != Allow || verdictOf(s, "file:///session") != Allow {
		t.Errorf("%v", s.State().Decisions)
	}
	record(t, s, "file:///later", Allow)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := openWith(t, dir, ring.options())
	if verdictOf(again, "file:///stored") != Allow || verdictOf(again, "file:///later") != Allow || verdictOf(again, "file:///session") != "" {
		t.Errorf("%v", again.State().Decisions)
	}
}

func TestKeyringThatGoesIsNoticed(t *testing.T) {
	ring := newSwitchRing()
	s := openWith(t, t.TempDir(), ring.options())
	record(t, s, "file:///a", Allow)
	ring.set(errNoBus, nil)
	until(t, s, "noticed", func() bool { return !s.Seal().Sealed })
	if verdictOf(s, "file:///a") != Allow {
		t.Error("what was verified before does not count any more")
	}
}

func TestRevokingWithoutKeyringOutlivesTheSession(t *testing.T) {
	dir, ring := t.TempDir(), newSwitchRing()
	s, err := openSettled(t.Context(), dir, ring.options())
	if err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{"file:///a", "file:///b", "file:///c"} {
		record(t, s, uri, Allow)
	}
	update(t, s, func(tx *Tx) error { return tx.PutApproval(Approval{Identity: "id"}) })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// This session never sees the ledger; what it takes back counts all the same.
	ring.set(errLocked, nil)
	if s, err = openSettled(t.Context(), dir, ring.options()); err != nil {
		t.Fatal(err)
	}
	record(t, s, "file:///a", Revoked)
	record(t, s, "file:///b", Never)
	record(t, s, "file:///b", Allow) // until quit
	update(t, s, func(tx *Tx) error { return tx.RemoveApproval("id") })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	ring.set(nil, nil)
	for range 2 { // the first one moves it into the ledger
		if s, err = openSettled(t.Context(), dir, ring.options()); err != nil {
			t.Fatal(err)
		}
		if verdictOf(s, "file:///a") != Revoked || verdictOf(s, "file:///b") != Never || verdictOf(s, "file:///c") != Allow {
			t.Errorf("%v", s.State().Decisions)
		}
		if _, still := s.State().Approvals["id"]; still {
			t.Error("the approval that was taken back is back")
		}
		var left int
		if err := s.db.QueryRow("SELECT COUNT(*) FROM restrictions").Scan(&left); err != nil || left != 0 {
			t.Errorf("%d restrictions wait, %v", left, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHangingKeyringBlocksNobodyForLong(t *testing.T) {
	dir, ring := t.TempDir(), newSwitchRing()
	prompt := make(chan struct{})
	ring.set(nil, prompt)
	start := time.Now()
	s := openWith(t, dir, ring.options())
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("Open took %v", took)
	}
	if seal := s.Seal(); seal.Sealed || !strings.Contains(seal.Reason, "does not answer") {
		t.Errorf("%+v", seal)
	}
	record(t, s, "file:///a", Allow) // works meanwhile
	ring.set(nil, nil)
	close(prompt) // the person answers the prompt at last
	until(t, s, "sealed", func() bool { return s.Seal().Sealed })
}

func TestKeyringLostInTheMiddleOfADecision(t *testing.T) {
	for _, failing := range []string{itemIntent, itemHead} {
		t.Run("at the "+failing, func(t *testing.T) {
			dir := t.TempDir()
			ring := &failingRing{MemoryKeyring: NewMemoryKeyring()}
			s, err := openSettled(t.Context(), dir, &Options{Keyring: ring, KeyringProbe: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			record(t, s, "file:///a", Allow)
			ring.fail(failing)
			record(t, s, "file:///b", Allow)
			if s.Seal().Sealed {
				t.Error("still said to be sealed")
			}
			record(t, s, "file:///c", Allow)
			ring.fail("")
			s.LookAtKeyring()
			until(t, s, "sealed", func() bool { return s.Seal().Sealed })
			record(t, s, "file:///d", Allow)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			again := openWith(t, dir, &Options{Keyring: ring})
			if got := again.Seal(); got != (SealState{Sealed: true}) {
				t.Errorf("false alarm: %+v", got)
			}
			want := map[string]Verdict{"file:///a": Allow, "file:///d": Allow, "file:///c": ""}
			if failing == itemHead {
				want["file:///b"] = Allow // was on disk already
			}
			for uri, verdict := range want {
				if got := verdictOf(again, uri); got != verdict {
					t.Errorf("%s: %q, want %q", uri, got, verdict)
				}
			}
		})
	}
}

type failingRing struct {
	*MemoryKeyring
	mu   sync.Mutex
	item string
}

func (r *failingRing) fail(item string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.item = item
}

func (r *failingRing) Set(account, value string) error {
	r.mu.Lock()
	item := r.item
	r.mu.Unlock()
	if item != "" && strings.HasSuffix(account, "/"+item) {
		return errLocked
	}
	return r.MemoryKeyring.Set(account, value)
}

func TestVaultGivesUpOnCallsAndTellsWhenTheyEnd(t *testing.T) {
	ring := newSwitchRing()
	prompt := make(chan struct{})
	ring.set(nil, prompt)
	freed := make(chan struct{}, 1)
	v := newVault(ring, "p_x", 20*time.Millisecond, func() { freed <- struct{}{} })
	if _, err := v.get(t.Context(), "a", true); !errors.Is(err, errNoAnswer) {
		t.Fatalf("got %v", err)
	}
	start := time.Now()
	if _, err := v.get(t.Context(), "a", true); !errors.Is(err, errNoAnswer) || time.Since(start) > 10*time.Millisecond {
		t.Errorf("a second prompt was risked: %v after %v", err, time.Since(start))
	}
	ring.set(nil, nil)
	close(prompt)
	<-freed
	if _, err := v.get(t.Context(), "a", true); !errors.Is(err, ErrNoItem) {
		t.Errorf("got %v", err)
	}
}

type panickingRing struct{ *MemoryKeyring }

func (panickingRing) Get(string) (string, error) { panic("the bus is gone") }

func TestVaultSurvivesPanicsOfTheKeyring(t *testing.T) {
	v := newVault(panickingRing{NewMemoryKeyring()}, "p_x", time.Second, func() {})
	if _, err := v.get(t.Context(), "a", false); err == nil || !strings.Contains(err.Error(), "the bus is gone") {
		t.Errorf("got %v", err)
	}
}

func TestKeyringWordsTellWhatToDo(t *testing.T) {
	tests := []struct {
		err             error
		goos, desktop   string
		reason, helpHas string
	}{
		{errNoBus, "linux", "", "this session has no message bus", "dbus-run-session"},
		{errors.New(`exec: "dbus-launch": executable file not found in $PATH`), "linux", "GNOME", "this session has no message bus", "desktop"},
		{errors.New("The name org.freedesktop.secrets was not provided by any .service files"), "linux", "GNOME", "no keyring service is running", "gnome-keyring"},
		{errNoService, "linux", "KDE", "no keyring service is running", "KDE Wallet"},
		{errLocked, "linux", "GNOME", "the keyring is locked", "Passwords and Keys"},
		{errLocked, "linux", "KDE", "the keyring is locked", "KWalletManager"},
		{errors.New("failed to unlock correct collection '/x'"), "linux", "", "the keyring is locked", "unlock"},
		{errNoCollection, "linux", "", "there is no default keyring yet", "default"},
		{errNoAnswer, "linux", "", "the keyring does not answer; its own prompt may be waiting", "prompt"},
		{errNoAnswer, "windows", "", "the keyring does not answer; its own prompt may be waiting", "prompt"},
		{errors.New("x"), "windows", "", "the Windows Credential Manager refused", "Credential Manager"},
		{errors.New("x"), "darwin", "", "the login keychain refused", "Keychain Access"},
		{errors.New("something new"), "linux", "", "the keyring refused", "something new"},
	}
	for _, tt := range tests {
		reason, help := keyringWords(tt.err, tt.goos, tt.desktop)
		if reason != tt.reason || !strings.Contains(help, tt.helpHas) {
			t.Errorf("%v on %s %s: %q, %q", tt.err, tt.goos, tt.desktop, reason, help)
		}
	}
}
