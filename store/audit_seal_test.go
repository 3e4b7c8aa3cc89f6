package store

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// audited makes a profile with n entries and closes it.
func audited(t *testing.T, dir string, n int) {
	t.Helper()
	s, err := openSettled(t.Context(), dir, testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s.Audit(AuditEntry{Kind: "answered", Server: "one", Text: strconv.Itoa(i), URIs: []string{"file:///" + strconv.Itoa(i)}})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, s *Store) AuditVerdict {
	t.Helper()
	v, err := s.VerifyAudit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAttackOnTheAuditLog(t *testing.T) {
	tests := map[string]struct {
		statements []string
		why        string
	}{
		"untouched":               {nil, ""},
		"edit an entry":           {[]string{"UPDATE audit SET text = 'nothing' WHERE seq = 5"}, "Entry 5 is not as it was written."},
		"edit the addresses":      {[]string{"UPDATE audit SET uris = '[]' WHERE seq = 5"}, "Entry 5 is not as it was written."},
		"move text between cells": {[]string{"UPDATE audit SET subject = text, text = subject WHERE seq = 5"}, "Entry 5 is not as it was written."},
		"delete an entry":         {[]string{"DELETE FROM audit WHERE seq = 5"}, "Entry 5 is missing."},
		"delete the oldest":       {[]string{"DELETE FROM audit WHERE seq < 5"}, "Entry 1 is missing."},
		"delete the newest":       {[]string{"DELETE FROM audit WHERE seq > 15"}, "The newest entries are missing: the keyring remembers entry 20."},
		"delete all":              {[]string{"DELETE FROM audit"}, "The newest entries are missing: the keyring remembers entry 20."},
		"swap two entries":        {[]string{"UPDATE audit SET seq = -5 WHERE seq = 5", "UPDATE audit SET seq = 5 WHERE seq = 6", "UPDATE audit SET seq = 6 WHERE seq = -5"}, "Entry 5 is not as it was written."},
		"unseal and edit the end": {[]string{"UPDATE audit SET tag = x'', text = 'nothing' WHERE seq > 15"}, "The newest entries are missing: the keyring remembers entry 20."},
		"pretend it was pruned": {[]string{
			"INSERT INTO meta (key, value) SELECT '" + metaCheckpoint + "', 'audit 5 ' || lower(hex(tag)) || ' ' || lower(hex(tag)) FROM audit WHERE seq = 5", "DELETE FROM audit WHERE seq <= 5",
		}, "Entry 1 is missing."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			audited(t, dir, 20)
			tamper(t, dir, tt.statements...)
			v := verify(t, openAt(t, dir))
			if v.OK != (tt.why == "") || v.Why != tt.why && name != "unseal and edit the end" {
				t.Errorf("%+v, want %q", v, tt.why)
			}
		})
	}
}

func TestPruningIsNoAlarm(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	opts := testOptions(dir)
	opts.Now = func() time.Time { return now }
	s := openWith(t, dir, opts)
	update(t, s, func(tx *Tx) error { return tx.SetSetting(SettingAuditEntries, "1000") })
	write := func(n int) {
		t.Helper()
		for i := range n {
			s.Audit(AuditEntry{Kind: "asked", Text: strconv.Itoa(i)})
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	write(2_500)
	if v := verify(t, s); !v.OK || v.Verified < 1_000 || v.Verified > 2_000 {
		t.Errorf("after 2,500 entries: %+v", v)
	}
	now = now.AddDate(0, 0, 89)
	write(10)
	now = now.AddDate(0, 0, 2) // the first ones are 91 days old
	write(1_000)
	found, err := s.SearchAudit(t.Context(), AuditFilter{Until: now.AddDate(0, 0, -90), Limit: 10})
	if err != nil || len(found) > 0 {
		t.Errorf("older than 90 days: %v %v", found, err)
	}
	if v := verify(t, s); !v.OK || v.Older != 0 {
		t.Errorf("%+v", v)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if v := verify(t, openWith(t, dir, opts)); !v.OK {
		t.Errorf("after a restart: %+v", v)
	}
}

func TestAuditWrittenWithoutKeyringIsSealedLate(t *testing.T) {
	dir, ring := t.TempDir(), newSwitchRing()
	ring.set(errLocked, nil)
	s := openWith(t, dir, ring.options())
	s.Audit(AuditEntry{Kind: "asked"}, AuditEntry{Kind: "answered"})
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.VerifyAudit(t.Context()); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("got %v", err)
	}
	ring.set(nil, nil)
	until(t, s, "sealed", func() bool { return s.Seal().Sealed })
	s.Audit(AuditEntry{Kind: "stopped"})
	if v := verify(t, s); !v.OK || v.Verified != 4 || v.Unsealed != 0 {
		t.Errorf("%+v", v)
	}
	late, err := s.SearchAudit(t.Context(), AuditFilter{Kind: AuditSealedLate})
	if err != nil || len(late) != 1 || late[0].Count != 2 {
		t.Errorf("%+v %v", late, err)
	}
}

func TestAuditGoesOnWithAnotherKeyring(t *testing.T) {
	dir := t.TempDir()
	audited(t, dir, 3)
	opts := &Options{Keyring: NewMemoryKeyring()} // the old one is lost
	s := openWith(t, dir, opts)
	s.Audit(AuditEntry{Kind: "started"})
	if v := verify(t, s); !v.OK || v.Older != 3 || v.Verified != 1 {
		t.Errorf("%+v", v)
	}
}

func TestAuditOfTwoProcessesIsOneChain(t *testing.T) {
	dir := t.TempDir()
	one, two := openAt(t, dir), openAt(t, dir)
	for i := range 30 {
		for _, s := range []*Store{one, two} {
			s.Audit(AuditEntry{Kind: "asked", Text: strconv.Itoa(i)})
			if err := s.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if v := verify(t, one); !v.OK || v.Verified != 60 {
		t.Errorf("%+v", v)
	}
}

func TestAuditIsExported(t *testing.T) {
	s := openAt(t, t.TempDir())
	when := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	s.Audit(
		AuditEntry{Time: when, Kind: "answered", ServerID: "s_a", Server: "=HYPERLINK(1)", Text: "told <2>\nfolders", URIs: []string{"file:///a", "file:///b"}},
		AuditEntry{Time: when.Add(time.Second), Kind: "asked", Server: "other"})
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var lines, table bytes.Buffer
	if err := s.ExportAuditJSON(t.Context(), &lines, AuditFilter{Kind: "answered"}); err != nil {
		t.Fatal(err)
	}
	want := `{"seq":1,"time":"2026-11-21T09:00:00Z","kind":"answered","serverId":"s_a","server":"=HYPERLINK(1)","text":"told <2>\nfolders","uris":["file:///a","file:///b"],"count":2}` + "\n"
	if diff := cmp.Diff(want, lines.String()); diff != "" || !json.Valid(lines.Bytes()) {
		t.Error(diff)
	}
	if err := s.ExportAuditCSV(t.Context(), &table, AuditFilter{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][4] != "'=HYPERLINK(1)" || rows[1][7] != "file:///a\nfile:///b" || rows[2][2] != "asked" {
		t.Errorf("%q %v", rows, err)
	}
}
