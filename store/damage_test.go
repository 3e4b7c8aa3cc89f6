package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNewerSchemaIsRefusedAndLeftAlone(t *testing.T) {
	dir := t.TempDir()
	s, err := openSettled(t.Context(), dir, testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("PRAGMA user_version = 900"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), dir, testOptions(dir))
	newer, ok := errors.AsType[*NewerSchemaError](err)
	if !ok || newer.Found != 900 || !strings.Contains(err.Error(), "--data-dir") {
		t.Fatalf("got %v", err)
	}
	after, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was touched (%v)", err)
	}
}

// closedProfile makes a profile with a backup and changes made after it.
func closedProfile(t *testing.T, dir string) (atBackup *State) {
	t.Helper()
	when := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	notDue(t, dir, when)
	opts := testOptions(dir)
	opts.Now = func() time.Time { return when }
	s, err := openSettled(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	atBackup = fill(t, s, 20, 200)
	if err := s.backUp(t.Context(), when); err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx *Tx) error { return tx.SetSetting("after", "backup") })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return atBackup
}

func TestDamagedFileIsSetAsideAndBackupOffered(t *testing.T) {
	damages := map[string]func(content []byte) []byte{
		"not a database":         func([]byte) []byte { return []byte(strings.Repeat("this is a letter to my aunt\n", 100)) },
		"zeroed in the middle":   func(c []byte) []byte { clear(c[len(c)/4 : len(c)/2]); return c },
		"noise in the middle":    func(c []byte) []byte { copy(c[8192:], bytes.Repeat([]byte{0xA5}, 40_000)); return c },
		"cut short":              func(c []byte) []byte { return c[:len(c)/2] },
		"header overwritten":     func(c []byte) []byte { copy(c, "SQLite format 4"); return c },
		"somebody else's tables": func(c []byte) []byte { c[68] ^= 0xFF; return c }, // application_id
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			atBackup := closedProfile(t, dir)
			path := filepath.Join(dir, fileName)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			content = damage(content)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}

			_, err = Open(t.Context(), dir, testOptions(dir))
			found, ok := errors.AsType[*DamagedError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			kept, err := os.ReadFile(found.SetAside)
			if err != nil || !bytes.Equal(kept, content) {
				t.Errorf("the damaged file was not kept as it was: %v", err)
			}
			if found.Backup == "" || !found.BackupTime.Equal(time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)) {
				t.Fatalf("backup %q of %v", found.Backup, found.BackupTime)
			}
			_, err = Open(t.Context(), dir, testOptions(dir))
			if _, ok := errors.AsType[*DamagedError](err); !ok {
				t.Errorf("a second Open silently began anew: %v", err)
			}
			if err := RestoreBackup(t.Context(), dir, found.Backup); err != nil {
				t.Fatal(err)
			}
			if diff := sameState(atBackup, openAt(t, dir).State()); diff != "" {
				t.Errorf("restored is something else:\n%s", diff)
			}
		})
	}
}

func TestStartingFreshAfterDamageKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), bytes.Repeat([]byte("x"), 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), dir, testOptions(dir))
	found, ok := errors.AsType[*DamagedError](err)
	if !ok || found.Backup != "" {
		t.Fatalf("got %v", err)
	}
	if err := StartFresh(dir); err != nil {
		t.Fatal(err)
	}
	if st := openAt(t, dir).State(); len(st.Workspaces) != 1 {
		t.Errorf("%+v", st)
	}
	if _, err := os.Stat(found.SetAside); err != nil {
		t.Error(err)
	}
}

func TestDamagedBackupIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	closedProfile(t, dir)
	for name, content := range map[string]string{fileName: "gone", backupDir + "/profile-2026-11-21T080000Z.db": "gone too"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(t.Context(), dir, testOptions(dir))
	found, ok := errors.AsType[*DamagedError](err)
	if !ok || filepath.Base(found.Backup) != "profile-2026-11-20T080000Z.db" {
		t.Fatalf("%+v", found)
	}
}

func TestBackupsAreDailyAndFiveStay(t *testing.T) {
	dir := t.TempDir()
	day := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	now := day
	for i := range 8 {
		now = day.AddDate(0, 0, i)
		for _, later := range []time.Duration{0, 11 * time.Hour} {
			s, err := openSettled(t.Context(), dir, &Options{Keyring: fileKeyring(dir + "-ring"), Now: func() time.Time { return now.Add(later) }})
			if err != nil {
				t.Fatal(err)
			}
			update(t, s, func(tx *Tx) error { return tx.SetSetting("day", now.Add(later).String()) })
			if err := s.Close(); err != nil { // waits for the backup that Open began
				t.Fatal(err)
			}
		}
	}
	all, err := Backups(dir)
	if err != nil {
		t.Fatal(err)
	}
	var days []int
	for _, b := range all {
		days = append(days, b.Time.Day())
	}
	if diff := cmp.Diff([]int{8, 7, 6, 5, 4}, days); diff != "" {
		t.Error(diff)
	}
	left, err := filepath.Glob(filepath.Join(dir, backupDir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
