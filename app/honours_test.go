package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rootsmanager/store"
)

func reports(v ServerView, part string) bool {
	return slices.ContainsFunc(v.Report(), func(s string) bool { return strings.Contains(s, part) })
}

func TestReportSaysHowAServerTakesItsFolders(t *testing.T) {
	d := newDesk(t, Options{Prompter: true, askWait: 50 * time.Millisecond})
	srv := d.addProbe("probe")
	d.answerApproval(srv, AllowAlways)
	d.tells(srv, 0)
	r := d.addFolder(t.TempDir())
	d.tick(srv, r, true)
	d.until("it took the change over", func(s *Snapshot) bool {
		v := server(s, srv)
		return reports(v, "Takes over changes: it asked again") && reports(v, "with its tool list_roots")
	})
	d.tells(srv, 1)
	if _, err := d.AskWhatItSees(t.Context(), srv); err != nil {
		t.Fatal(err)
	}
	d.until("it was asked", func(s *Snapshot) bool { return reports(server(s, srv), "Says itself") })
	d.tick(srv, r, false)
	d.until("it was restarted", func(s *Snapshot) bool { return reports(server(s, srv), "restarted by us") })
}

func TestServerThatNeverAsksIsReported(t *testing.T) {
	d := newDesk(t, Options{Prompter: true, askWait: 50 * time.Millisecond})
	rec := d.addRecorder(ServerSpec{Name: "mute"})
	d.answerApproval(rec.id, AllowAlways)
	d.until("it did not ask", func(s *Snapshot) bool { return reports(server(s, rec.id), "Did not ask for its folders within 10 s") })
	spec := server(d.Snapshot(), rec.id).Spec()
	spec.Channel = store.ChannelArguments
	if err := d.UpdateServer(t.Context(), rec.id, spec); err != nil {
		t.Fatal(err)
	}
	d.answerApproval(rec.id, AllowAlways)
	d.until("that is fine in its command", func(s *Snapshot) bool {
		v := server(s, rec.id)
		return reports(v, "Gets its folders when it is started") && reports(v, "need not")
	})
}

func TestDoctorExaminesWithoutStartingWhatIsNotApproved(t *testing.T) {
	d := newDesk(t, Options{Prompter: true, askWait: 50 * time.Millisecond})
	good := d.addProbe("good")
	d.answerApproval(good, AllowAlways)
	d.tells(good, 0)
	waits := d.addRecorder(ServerSpec{Name: "waits"})
	broken, err := d.AddServer(t.Context(), ServerSpec{Name: "broken", Command: "/no/such/program", Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	d.until("it failed", func(s *Snapshot) bool { return server(s, broken).State == ServerFailed })

	examined := newDesk(t, Options{DataDir: d.dir, askWait: 500 * time.Millisecond})
	found, err := examined.Doctor(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	has := func(server string, level Level, part string) {
		t.Helper()
		if !slices.ContainsFunc(found, func(f Finding) bool {
			return f.Server == server && f.Level == level && strings.Contains(f.Text, part)
		}) {
			t.Errorf("no %s finding about %q that says %q: %+v", level, server, part, found)
		}
	}
	has("", Fine, "Only you can read it")
	has("", Fine, "The audit log is as it was written")
	has("", Fine, "sealed in keyring")
	has("good", Fine, "in revision 2025-11-25")
	has("good", Fine, "Asks for its folders")
	has("good", Fine, "Says itself")
	has("waits", Note, "waits for your approval")
	has("broken", Wrong, "was not found")
	if n := len(waits.starts()); n != 0 {
		t.Error("the doctor started what is not approved")
	}

	one := newDesk(t, Options{DataDir: d.dir, Only: "good"})
	if found, err = one.Doctor(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(found, func(f Finding) bool { return f.Server != "" && f.Server != "good" }) {
		t.Errorf("others were examined: %+v", found)
	}
}
