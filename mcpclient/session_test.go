package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// probeRoots reads from the probe what it believes.
func probeRoots(t *testing.T, s *Session) []Root {
	t.Helper()
	res, err := s.CallTool(within(t), "list_roots", nil)
	if err != nil || res.IsError {
		t.Fatalf("list_roots: %v %s", err, res.Text)
	}
	var out struct{ Roots []Root }
	if err := json.Unmarshal(res.Structured, &out); err != nil {
		t.Fatal(err)
	}
	return out.Roots
}

func TestServerIsToldAndRereadsInTheUsersOrder(t *testing.T) {
	h := newHost(t, self(t, "probe"))
	h.set(Root{URI: "file:///z", Name: "last letter first"}, Root{URI: "file:///a"})
	s := start(t, h, nil)
	e, at := h.waitKind(0, Connected)
	if e.Revision != "2025-11-25" || !e.CanNotify || e.ServerName != "roots-manager-probe" || e.ServerVersion != "1.2.3" || e.Transport != Stdio {
		t.Errorf("connected as %+v", e)
	}
	_, at = h.waitAnswered(at)
	want := []Root{{URI: "file:///z", Name: "last letter first"}, {URI: "file:///a"}}
	if diff := cmp.Diff(want, probeRoots(t, s)); diff != "" {
		t.Errorf("the server believes (-want +got):\n%s", diff)
	}
	h.set(Root{URI: "file:///new%20one", Name: "<&> \"quoted\" ünï"})
	s.Announce()
	_, at = h.waitKind(at, Notified)
	_, at = h.waitKind(at, Requested)
	_, at = h.waitAnswered(at)
	if diff := cmp.Diff([]Root{{URI: "file:///new%20one", Name: "<&> \"quoted\" ünï"}}, probeRoots(t, s)); diff != "" {
		t.Errorf("the server believes (-want +got):\n%s", diff)
	}
	h.set()
	s.Announce()
	h.waitAnswered(at)
	if got := probeRoots(t, s); len(got) != 0 {
		t.Errorf("after the last root was taken away the server believes %v", got)
	}
}

func TestRestartStartsAgainAndForgetsFailures(t *testing.T) {
	h := newHost(t, self(t, "probe"))
	h.set(Root{URI: "file:///a"})
	s := start(t, h, nil)
	_, at := h.waitAnswered(0)
	s.Restart()
	e, at := h.waitKind(at, Disconnected)
	if e.Err != nil || e.Retry.IsZero() || e.GaveUp {
		t.Errorf("a wanted end was reported as %+v", e)
	}
	_, at = h.waitKind(at, Connecting)
	_, at = h.waitKind(at, Connected)
	h.waitAnswered(at)
}

func TestUnapprovedServerRestsUntilRestart(t *testing.T) {
	h := newHost(t, self(t, "probe"))
	h.update(func() { h.launch = ErrNotApproved })
	s := start(t, h, nil)
	e, at := h.waitKind(0, Disconnected)
	if e.Err != ErrNotApproved || !e.Retry.IsZero() || e.GaveUp {
		t.Errorf("reported as %+v", e)
	}
	if _, err := s.Tools(within(t)); err != ErrNotConnected {
		t.Errorf("Tools without a connection: %v", err)
	}
	h.update(func() { h.launch = nil })
	s.Restart()
	h.waitKind(at, Connected)
	if n := h.count(Connecting); n != 1 {
		t.Errorf("%d attempts, want 1: nothing may be started without approval", n)
	}
}

func TestCloseEndsAWaitingQuestion(t *testing.T) {
	h := newHost(t, self(t, "probe"))
	h.hold = make(chan struct{})
	s := start(t, h, nil)
	h.waitKind(0, Requested)
	began := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d > closeLimit {
		t.Errorf("Close took %v", d)
	}
	n := len(h.all())
	if err := s.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	if last := h.all()[len(h.all())-1]; last.Kind != Disconnected || !last.Retry.IsZero() || len(h.all()) != n {
		t.Errorf("the last event is %+v", last)
	}
}

func TestToolsAreListed(t *testing.T) {
	h := newHost(t, self(t, "probe"))
	s := start(t, h, nil)
	h.waitKind(0, Connected)
	tools, err := s.Tools(within(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "check_path list_roots" {
		t.Errorf("tools: %s", got)
	}
}

func TestManyChangesBecomeFewNotifications(t *testing.T) {
	h := newHost(t, self(t, "probe"))
	s := start(t, h, nil)
	_, at := h.waitAnswered(0)
	for i := range 1000 {
		h.set(Root{URI: fmt.Sprintf("file:///%d", i)})
		s.Announce()
	}
	h.waitAnswered(at)
	if n := h.count(Notified); n > 3 {
		t.Errorf("1,000 changes at once became %d notifications", n)
	}
	if got := probeRoots(t, s); len(got) != 1 || got[0].URI != "file:///999" {
		t.Errorf("the server believes %v", got)
	}
}

func TestNotificationIsReportedBeforeTheQuestionItCauses(t *testing.T) {
	h := newHost(t, self(t, "behaves"))
	s := start(t, h, nil)
	_, at := h.waitAnswered(0)
	for i := range 20 {
		h.set(Root{URI: fmt.Sprintf("file:///%d", i)})
		s.Announce()
		_, at = h.waitAnswered(at)
	}
	var last EventKind
	for _, e := range h.all() {
		if e.Kind == Notified && last == Requested {
			t.Fatalf("out of order: %s", h.story())
		}
		if e.Kind != Stderr {
			last = e.Kind
		}
	}
}
