package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestDoctorSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	s := newShell(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.must("server", "add", "waits", "--channel", "arguments", "--", exe, "probe")
	out, _ := s.must("doctor")
	contains(t, "doctor", out, "waits", "not started: it waits for your approval", "roots-manager approve waits", "ok")

	s.must("server", "add", "broken", "--", "/no/such/program")
	status, out, _ := s.do("doctor", "BROKEN", "--json")
	var doc examined
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if status != Failed || doc.OK {
		t.Errorf("status %d, %+v", status, doc)
	}
	for _, f := range doc.Findings {
		if f.Server != "" && f.Server != "broken" {
			t.Errorf("another server was examined: %+v", f)
		}
		if f.Level == "wrong" && (f.Server != "broken" || f.Remedy == "" || !strings.Contains(f.Text, "not found")) {
			t.Errorf("found %+v", f)
		}
	}
	for _, args := range [][]string{{"doctor", "a", "b"}, {"server", "add", "x", "--channel", "pigeon", "--", exe}} {
		if status, _, _ := s.do(args...); status != Usage {
			t.Errorf("%q: status %d", args, status)
		}
	}
	if status, _, err := s.do("doctor", "nobody"); status != Failed || !strings.Contains(err, "there is no server") {
		t.Errorf("an unknown server: %d, %s", status, err)
	}
	if status, _, err := s.do("server", "add", "x", "--", exe, "${roots:csv}"); status != Failed || !strings.Contains(err, "is not known") {
		t.Errorf("an unknown placeholder: %d, %s", status, err)
	}
}
