package store

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rootsmanager/app/root"
)

// The victim of the attacks: ten decisions, the last of which takes the first
// one back.
func victim(t *testing.T, dir string) {
	t.Helper()
	s, err := openSettled(t.Context(), dir, testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		update(t, s, func(tx *Tx) error {
			return tx.Record(Decision{Identity: "id", URI: "file:///" + strconv.Itoa(i), Access: root.ReadOnly, Verdict: Allow, Origin: "dialog"})
		})
	}
	update(t, s, func(tx *Tx) error {
		return errors.Join(
			tx.PutApproval(Approval{Identity: "id", Program: "/bin/true"}),
			tx.Record(Decision{Identity: "id", URI: "file:///0", Access: root.ReadOnly, Verdict: Revoked, Origin: "dialog"}))
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// tamper changes the file as somebody with an editor would.
func tamper(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", dataSource(filepath.Join(dir, fileName), ""))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		result, err := db.Exec(statement)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			t.Fatalf("%s did nothing (%v)", statement, err)
		}
	}
}

// wantAlarm opens the profile and expects that nothing in it is trusted, that
// the old ledger is kept, and that work goes on.
func wantAlarm(t *testing.T, dir string, kept int) {
	t.Helper()
	s, err := openSettled(t.Context(), dir, testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	seal, st := s.Seal(), s.State()
	if !seal.Tampered || !seal.Sealed || seal.Reason == "" || seal.Help == "" {
		t.Errorf("no alarm: %+v", seal)
	}
	if len(st.Decisions) != 0 || len(st.Approvals) != 0 {
		t.Errorf("trusted: %v %v", st.Decisions, st.Approvals)
	}
	var rows int
	if err := s.db.QueryRow("SELECT COUNT(*) FROM " + seal.KeptAt).Scan(&rows); err != nil || rows != kept {
		t.Errorf("the old ledger is not kept in %q: %d rows, %v", seal.KeptAt, rows, err)
	}
	update(t, s, func(tx *Tx) error { return tx.Record(Decision{Identity: "id", URI: "file:///new", Verdict: Allow}) })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	again := openAt(t, dir)
	if got := again.State().Decisions["id"]; len(got) != 1 || got["file:///new"].Verdict != Allow {
		t.Errorf("work does not go on: %v", got)
	}
	if !again.Seal().Tampered {
		t.Error("the alarm was forgotten before anybody saw it")
	}
	if err := again.AcknowledgeTampering(t.Context()); err != nil || again.Seal() != (SealState{Sealed: true}) {
		t.Errorf("after acknowledging: %+v %v", again.Seal(), err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAttackOnTheFile(t *testing.T) {
	attacks := []struct {
		name       string
		statements []string
		kept       int
	}{
		{"edit a row", []string{"UPDATE ledger SET body = replace(body, 'file:///3', 'file:///') WHERE seq = 4"}, 11},
		{"edit the verdict of the newest row", []string{"UPDATE ledger SET body = replace(body, 'revoked', 'allow') WHERE seq = 11"}, 11},
		{"edit an approval", []string{"UPDATE ledger SET body = replace(body, '/bin/true', '/bin/evil') WHERE seq = 10"}, 11},
		{"delete the newest row", []string{"DELETE FROM ledger WHERE seq = 11"}, 10},
		{"delete the oldest row", []string{"DELETE FROM ledger WHERE seq = 1"}, 10},
		{"delete a row and close the gap", []string{"DELETE FROM ledger WHERE seq = 5", "UPDATE ledger SET seq = seq - 1 WHERE seq > 5"}, 10},
		{"delete all rows", []string{"DELETE FROM ledger"}, 0},
		{"swap two rows", []string{"UPDATE ledger SET seq = -2 WHERE seq = 2", "UPDATE ledger SET seq = 2 WHERE seq = 3", "UPDATE ledger SET seq = 3 WHERE seq = -2"}, 11},
		{"swap the bodies of two rows", []string{"UPDATE ledger SET body = (SELECT body FROM ledger AS o WHERE o.seq = 5 - ledger.seq) WHERE seq IN (2, 3)"}, 11},
		{"duplicate a row at the end", []string{"INSERT INTO ledger SELECT 12, body, tag FROM ledger WHERE seq = 1"}, 12},
		{"add a row without a seal", []string{"INSERT INTO ledger SELECT 12, body, x'' FROM ledger WHERE seq = 1"}, 12},
		{"forge a row with a guessed seal", []string{"INSERT INTO ledger SELECT 12, body, zeroblob(32) FROM ledger WHERE seq = 1"}, 12},
		{"take the seals away", []string{"UPDATE ledger SET tag = x''"}, 11},
	}
	for _, attack := range attacks {
		t.Run(attack.name, func(t *testing.T) {
			dir := t.TempDir()
			victim(t, dir)
			tamper(t, dir, attack.statements...)
			wantAlarm(t, dir, attack.kept)
		})
	}
}

func TestUntouchedLedgerRaisesNoAlarm(t *testing.T) {
	dir := t.TempDir()
	victim(t, dir)
	for range 3 {
		s, err := openSettled(t.Context(), dir, testOptions(dir))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Seal(); got != (SealState{Sealed: true}) {
			t.Errorf("%+v", got)
		}
		if got := s.State().Decisions["id"]; len(got) != 9 || got["file:///0"].Verdict != Revoked || got["file:///8"].Verdict != Allow {
			t.Errorf("%+v", got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// copyProfile copies the database (and its log) as it stands.
func copyProfile(t testing.TB, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(filepath.Join(from, fileName+suffix))
		if errors.Is(err, fs.ErrNotExist) && suffix != "" {
			if err := os.Remove(filepath.Join(to, fileName+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(to, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, fileName+suffix), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAttackRestoreYesterdaysFile(t *testing.T) {
	dir, yesterday := t.TempDir(), t.TempDir()
	victim(t, dir)
	copyProfile(t, dir, yesterday)
	s := openAt(t, dir)
	update(t, s, func(tx *Tx) error { return tx.Record(Decision{Identity: "id", URI: "file:///8", Verdict: Revoked}) })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	copyProfile(t, yesterday, dir)
	wantAlarm(t, dir, 11)
}

func TestAttackRestoreYesterdaysFileWhileTheAppRuns(t *testing.T) {
	dir := t.TempDir()
	victim(t, dir)
	s := openAt(t, dir)
	update(t, s, func(tx *Tx) error { return tx.Record(Decision{Identity: "id", URI: "file:///8", Verdict: Revoked}) })
	tamper(t, dir, "DELETE FROM ledger WHERE seq = 12")
	st := update(t, s, func(tx *Tx) error { return tx.Record(Decision{Identity: "id", URI: "file:///9", Verdict: Allow}) })
	if got := st.Decisions["id"]; !s.Seal().Tampered || len(got) != 1 || got["file:///9"].Verdict != Allow {
		t.Errorf("%+v: %v", s.Seal(), got)
	}
}

func TestAttackCopyLedgerFromAnotherMachine(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	victim(t, here)
	victim(t, there)
	copyProfile(t, there, here) // its name comes with it, its keyring does not
	wantAlarm(t, here, 11)
}

func TestAttackCopyRowsFromAnotherMachine(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	victim(t, here)
	victim(t, there)
	tamper(t, here, "ATTACH '"+filepath.Join(there, fileName)+"' AS other; DELETE FROM ledger; INSERT INTO ledger SELECT * FROM other.ledger")
	wantAlarm(t, here, 11)
}

func TestAttackReplayAnOlderEpoch(t *testing.T) {
	dir, old := t.TempDir(), t.TempDir()
	victim(t, dir)
	copyProfile(t, dir, old)
	tamper(t, dir, "DELETE FROM ledger WHERE seq = 11")
	wantAlarm(t, dir, 10) // begins a new epoch
	copyProfile(t, old, dir)
	s := openAt(t, dir)
	if seal := s.Seal(); !seal.Tampered || len(s.State().Decisions) != 0 {
		t.Errorf("%+v %v", seal, s.State().Decisions)
	}
}

func TestAttackWidenThroughRestrictions(t *testing.T) {
	dir := t.TempDir()
	victim(t, dir)
	forged := (&ledgerRow{kind: rowDecision, decision: Decision{Identity: "id", URI: "file:///", Verdict: Allow, Access: root.ReadWrite}}).encode()
	tamper(t, dir, "INSERT INTO restrictions (identity, uri, body) VALUES ('id', 'file:///', '"+forged+"')")
	s := openAt(t, dir)
	if _, told := s.State().Decisions["id"]["file:///"]; told {
		t.Error("a forged restriction widened what is disclosed")
	}
}

func TestLostKeyringIsAnAlarm(t *testing.T) {
	dir := t.TempDir()
	victim(t, dir)
	if err := os.RemoveAll(dir + "-ring"); err != nil {
		t.Fatal(err)
	}
	wantAlarm(t, dir, 11)
}

func TestRestoredBackupCountsAsUndecided(t *testing.T) {
	dir := t.TempDir()
	victim(t, dir)
	s := openAt(t, dir)
	if err := s.backUp(t.Context(), s.now()); err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx *Tx) error { return tx.Record(Decision{Identity: "id", URI: "file:///8", Verdict: Never}) })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, fileName), bytes.Repeat([]byte("?"), 9_000), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), dir, testOptions(dir))
	damage, ok := errors.AsType[*DamagedError](err)
	if !ok {
		t.Fatal(err)
	}
	if err := RestoreBackup(t.Context(), dir, damage.Backup); err != nil {
		t.Fatal(err)
	}
	wantAlarm(t, dir, 11)
}

func TestTwoProcessesDecidingAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	const each = 60
	var children []*exec.Cmd
	for _, name := range []string{"left", "right"} {
		cmd, in, out := startChild(t, "decide", dir, "STORE_TEST_NAME="+name, "STORE_TEST_COUNT="+strconv.Itoa(each))
		if _, err := io.WriteString(in, "go\n"); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
		go io.Copy(io.Discard, out)
	}
	for i := range each {
		update(t, s, func(tx *Tx) error {
			return tx.Record(Decision{Identity: "here", URI: "file:///" + strconv.Itoa(i), Verdict: Allow})
		})
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after := openAt(t, dir)
	if got := after.Seal(); got != (SealState{Sealed: true}) {
		t.Errorf("false alarm: %+v", got)
	}
	for _, name := range []Identity{"left", "right", "here"} {
		if n := len(after.State().Decisions[name]); n != each {
			t.Errorf("%s: %d of %d decisions", name, n, each)
		}
	}
}

func TestNothingAboutDecisionsIsReadableInTheKeyring(t *testing.T) {
	dir := t.TempDir()
	victim(t, dir)
	ring := fileKeyring(dir + "-ring")
	accounts := ring.accounts(t)
	if len(accounts) < 3 {
		t.Fatalf("items: %v", accounts)
	}
	for _, account := range accounts {
		value, err := ring.Get(account)
		if err != nil || len(value) > maxItemBytes || strings.Contains(value, "file:") {
			t.Errorf("%s: %d bytes, %v", account, len(value), err)
		}
	}
}
