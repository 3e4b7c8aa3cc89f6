package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestAuditTellsWhatHappened(t *testing.T) {
	s := newShell(t)
	_, stderr := s.must("audit")
	contains(t, "audit", stderr, "Nothing is in the log")
	s.must("server", "add", "Files", "--", "sh")
	s.must("server", "add", "Web", "--url", "https://example.com/mcp")
	s.must("server", "off", "web")

	out, _ := s.must("audit")
	contains(t, "audit", out, "Files was added", "Web was turned off")
	if strings.Index(out, "was added") > strings.Index(out, "was turned off") {
		t.Error("not oldest first:", out)
	}
	out, _ = s.must("audit", "--server", "WEB", "--since", "1h")
	if strings.Contains(out, "Files") || !strings.Contains(out, "Web was turned off") {
		t.Error(out)
	}
	out, _ = s.must("audit", "--json", "--server", "web")
	n := 0
	for line := range strings.Lines(out) {
		var entry struct{ Time, Kind, Server string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Server != "Web" || entry.Kind != "changed" {
			t.Errorf("%s: %v", line, err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d lines", n)
	}
	out, _ = s.must("audit", "--verify")
	contains(t, "audit --verify", out, "as it was written")
	out, _ = s.must("audit", "--verify", "--json")
	var v auditVerdict
	decode(t, out, &v)
	if !v.OK || v.Verified < 3 {
		t.Errorf("%+v", v)
	}
}

func TestAuditOfAnotherKeyringIsNotCalledVerified(t *testing.T) {
	s := newShell(t)
	s.must("server", "add", "Files", "--", "sh")
	s.ring = noKeyring{}
	if status, out, stderr := s.do("audit", "--verify"); status == Done && !strings.Contains(out, "Not checked") {
		t.Errorf("%s %s", out, stderr)
	}
}

func TestTheLogIsReadWithoutAKeyring(t *testing.T) {
	s := newShell(t)
	s.ring = noKeyring{}
	s.must("server", "add", "Files", "--", "sh")
	out, _ := s.must("audit")
	contains(t, "audit", out, "Files was added")
}

func TestSinceIsADurationADayOrATime(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"90m":                  now.Add(-90 * time.Minute),
		"24h":                  now.Add(-24 * time.Hour),
		"7d":                   now.AddDate(0, 0, -7),
		"2026-11-20":           time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC),
		"2026-11-20T01:02:03Z": time.Date(2026, 11, 20, 1, 2, 3, 0, time.UTC),
	} {
		if got, err := parseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "yesterday", "-1h", "-1d", "99999999d", "20.11.2026"} {
		if got, err := parseSince(text, now); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
