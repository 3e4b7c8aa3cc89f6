package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"rootsmanager/mcpclient/misbehave"
)

// stderrHas waits until the server's stderr has a line with text.
func stderrHas(t *testing.T, s *Session, text string) string {
	t.Helper()
	var found string
	until(t, "stderr with "+text, s.Stderr, func(lines []string) bool {
		for _, l := range lines {
			if strings.Contains(l, text) {
				found = l
				return true
			}
		}
		return false
	})
	return found
}

// neighbour is a well-behaved server beside an evil one.
type neighbour struct {
	h  *testHost
	s  *Session
	at int
}

func newNeighbour(t *testing.T) *neighbour {
	t.Helper()
	n := &neighbour{h: newHost(t, self(t, "behaves"))}
	n.s = start(t, n.h, nil)
	_, n.at = n.h.waitAnswered(0)
	return n
}

// wellServed changes the neighbour's roots and waits until it has them.
func (n *neighbour) wellServed(t *testing.T) {
	t.Helper()
	n.h.set(Root{URI: "file:///next/door"})
	began := time.Now()
	n.s.Announce()
	_, n.at = n.h.waitAnswered(n.at)
	if d := time.Since(began); d > 5*time.Second {
		t.Errorf("a healthy server beside it waited %v", d)
	}
}

// swift fails the test when f takes longer than no waiting on a server allows.
func swift(t *testing.T, what string, f func()) {
	t.Helper()
	began := time.Now()
	f()
	if d := time.Since(began); d > time.Second {
		t.Errorf("%s took %v", what, d)
	}
}

func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestServerThatStopsReadingBlocksNobody(t *testing.T) {
	n := newNeighbour(t)
	h := newHost(t, self(t, "never reads stdin again"))
	s := start(t, h, nil)
	_, at := h.waitKind(0, Connected)
	// Fill the pipe, with calls that are given up.
	big := strings.Repeat("x", 200_000)
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if _, err := s.CallTool(ctx, "any", map[string]any{"big": big}); err == nil {
			t.Error("a call to a server that does not read succeeded")
		}
		cancel()
	}
	swift(t, "Announce × 1,000", func() {
		for range 1000 {
			s.Announce()
		}
	})
	n.wellServed(t)
	swift(t, "Restart", s.Restart)
	_, at = h.waitKind(at, Disconnected)
	h.waitKind(at, Connected)
}

func TestCallToServerThatDoesNotReadEndsWithItsContext(t *testing.T) {
	h := newHost(t, self(t, "never reads stdin again"))
	s := start(t, h, nil)
	h.waitKind(0, Connected)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	swift(t, "a call that fills the pipe", func() {
		if _, err := s.CallTool(ctx, "any", map[string]any{"big": strings.Repeat("x", 1<<20)}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestFloodOfNotificationsStaysWithItsServer(t *testing.T) {
	n := newNeighbour(t)
	h := newHost(t, self(t, "floods stdout with notifications"))
	s := start(t, h, nil)
	h.waitKind(0, Connected)
	before := memory()
	for range 20 {
		n.wellServed(t)
	}
	if after := memory(); after > before+32<<20 {
		t.Errorf("memory grew from %d to %d bytes", before, after)
	}
	swift(t, "Announce", s.Announce)
}

func TestFloodOfQuestionsIsBounded(t *testing.T) {
	n := newNeighbour(t)
	h := newHost(t, self(t, "floods with questions and reads no answer"))
	h.hold = make(chan struct{}) // a person thinks about it
	start(t, h, nil)
	h.wait(0, "64th question", func(Event) bool { return h.count(Requested) >= maxAsked })
	before := runtime.NumGoroutine()
	for range 10 {
		n.wellServed(t)
	}
	if after := runtime.NumGoroutine(); after > before+50 {
		t.Errorf("goroutines grew from %d to %d", before, after)
	}
	if got := h.count(Requested); got > maxAsked {
		t.Errorf("%d questions at once reached the host", got)
	}
}

func TestFloodOfStderrIsBoundedAndReportedFourTimesASecond(t *testing.T) {
	n := newNeighbour(t)
	h := newHost(t, self(t, "floods stderr"))
	s := start(t, h, nil)
	h.waitKind(0, Connected)
	began := time.Now()
	until(t, "500 lines", s.Stderr, func(lines []string) bool { return len(lines) == stderrLines })
	for range 10 {
		n.wellServed(t)
	}
	for _, l := range s.Stderr() {
		if len(l) > stderrLine {
			t.Fatalf("a line of %d bytes was kept", len(l))
		}
	}
	if got, most := h.count(Stderr), int(time.Since(began)/stderrPause)+3; got > most {
		t.Errorf("%d Stderr events in %v", got, time.Since(began))
	}
}

func TestLineOf100MBIsSkipped(t *testing.T) {
	n := newNeighbour(t)
	h := newHost(t, self(t, "sends a line of 100 MB"))
	s := start(t, h, nil)
	_, at := h.waitKind(0, Connected)
	before := memory()
	h.waitAnswered(at)
	if after := memory(); after > before+32<<20 {
		t.Errorf("memory grew from %d to %d bytes", before, after)
	}
	stderrHas(t, s, "skipped a message of 104.9 MB: the limit is 8.4 MB")
	if got := h.count(Disconnected); got != 0 {
		t.Errorf("disconnected %d times", got)
	}
	n.wellServed(t)
}

func TestGarbageOnStdoutIsKeptWithStderr(t *testing.T) {
	h := newHost(t, self(t, "sends garbage"))
	h.set(Root{URI: "file:///a"})
	s := start(t, h, nil)
	h.waitAnswered(0)
	for _, text := range []string{"stdout: Welcome to my server!", "stdout: {not json", `a log line that is JSON`} {
		stderrHas(t, s, text)
	}
	stderrHas(t, s, `result {"roots":[{"uri":"file:///a"}]}`)
	if got := h.count(Connecting); got != 1 {
		t.Errorf("it took %d connections", got)
	}
}

func TestWrongIDsAreIgnored(t *testing.T) {
	h := newHost(t, self(t, "answers with wrong ids"))
	h.set(Root{URI: "file:///a"})
	s := start(t, h, nil)
	h.waitAnswered(0)
	stderrHas(t, s, "dropped an answer to a request that is not open")
	stderrHas(t, s, `result {"roots":[{"uri":"file:///a"}]}`)
}

func TestSecondAnswerIsIgnored(t *testing.T) {
	h := newHost(t, self(t, "answers twice"))
	s := start(t, h, nil)
	e, _ := h.waitKind(0, Connected)
	if e.Revision != misbehave.Current {
		t.Errorf("revision %s", e.Revision)
	}
	stderrHas(t, s, `result {"roots":[]}`)
}

func TestQuestionsWithOneIDAreAnsweredOnce(t *testing.T) {
	h := newHost(t, self(t, "asks twice with one id"))
	hold := make(chan struct{})
	h.hold = hold
	s := start(t, h, nil)
	stderrHas(t, s, `error {"code":-32600,"message":"Invalid Request: this request ID is already in use"}`)
	close(hold)
	stderrHas(t, s, `result {"roots":[]}`)
}

func TestQuestionWithWrongParamsIsRefused(t *testing.T) {
	h := newHost(t, self(t, "asks with wrong params"))
	s := start(t, h, nil)
	stderrHas(t, s, `error {"code":-32602`)
	stderrHas(t, s, `result {"roots":[]}`)
}

func TestBatchIsAnsweredAsABatchWhereTheRevisionHasThem(t *testing.T) {
	h := newHost(t, self(t, "asks in a batch"))
	h.set(Root{URI: "file:///a"})
	s := start(t, h, nil)
	line := stderrHas(t, s, "batch [")
	for _, part := range []string{`{"jsonrpc":"2.0","id":"a","result":{"roots":[{"uri":"file:///a"}]}}`, `{"jsonrpc":"2.0","id":"b","result":{}}`} {
		if !strings.Contains(line, part) {
			t.Errorf("%s lacks %s", line, part)
		}
	}
	stderrHas(t, s, `result {"roots":[{"uri":"file:///a"}]}`)
}

func TestBatchIsRefusedWhereTheRevisionHasNone(t *testing.T) {
	h := newHost(t, self(t, "asks in a batch where there are none"))
	s := start(t, h, nil)
	stderrHas(t, s, `error {"code":-32600,"message":"Invalid Request: no batches in this revision"}`)
	stderrHas(t, s, `result {"roots":[]}`)
}

func TestCancelledQuestionIsNotAnswered(t *testing.T) {
	h := newHost(t, self(t, "cancels its question"))
	hold := make(chan struct{})
	h.hold = hold
	s := start(t, h, nil)
	stderrHas(t, s, "cancelled")
	close(hold)
	h.waitAnswered(0)
	stderrHas(t, s, `result {"roots":[]}`)
	for _, l := range s.Stderr() {
		if strings.HasPrefix(l, "unexpected") {
			t.Error(l)
		}
	}
}

func TestServerThatAsksTooEarlyIsToldNothingAndConnects(t *testing.T) {
	h := newHost(t, self(t, "asks before it is initialized"))
	h.set(Root{URI: "file:///a"})
	s := start(t, h, nil)
	h.waitAnswered(0)
	lines := s.Stderr()
	if len(lines) == 0 || !strings.HasPrefix(lines[0], `error {"code":-32603`) {
		t.Errorf("before it was initialized it was told %q", lines)
	}
	stderrHas(t, s, `result {"roots":[{"uri":"file:///a"}]}`)
}

func TestServerThatAnswersNothingIsGivenUpInTime(t *testing.T) {
	n := newNeighbour(t)
	h := newHost(t, self(t, "answers nothing"))
	quick := fast
	quick.connectStdio = 300 * time.Millisecond
	s := start(t, h, &Options{timing: quick})
	e, _ := h.waitKind(0, Disconnected)
	if e.Err == nil || e.Err.Error() != "the server did not answer within 0.3 s" || e.Retry.IsZero() {
		t.Errorf("reported as %+v", e)
	}
	n.wellServed(t)
	swift(t, "Announce", s.Announce)
}

func TestServerThatStopsAnsweringPingsIsStartedAgain(t *testing.T) {
	h := newHost(t, self(t, "answers nothing once connected"))
	quick := fast
	quick.ping, quick.pong = 50*time.Millisecond, 50*time.Millisecond
	start(t, h, &Options{timing: quick})
	_, at := h.waitKind(0, Connected)
	e, at := h.waitKind(at, Disconnected)
	if e.Err == nil || e.Err.Error() != "the server stopped answering" {
		t.Errorf("reported as %v", e.Err)
	}
	h.waitKind(at, Connected)
}

func TestDeathInTheMiddleOfAMessageIsReportedWithTheLastWords(t *testing.T) {
	h := newHost(t, self(t, "dies in the middle of a message"))
	start(t, h, nil)
	e, _ := h.waitKind(0, Disconnected)
	if want := "the server exited with status 139: “Segmentation fault, as if”"; e.Err == nil || e.Err.Error() != want {
		t.Errorf("reported as %v, want %s", e.Err, want)
	}
	if e.Retry.IsZero() || e.GaveUp {
		t.Errorf("one crash: %+v", e)
	}
}

func TestCrashLoopIsLeftAloneUntilRestart(t *testing.T) {
	n := newNeighbour(t)
	h := newHost(t, self(t, "exits at once"))
	s := start(t, h, nil)
	e, at := h.wait(0, "giving up", func(e Event) bool { return e.GaveUp })
	if want := "the server exited with status 1: “Error: Cannot find module 'left-pad'”"; e.Err.Error() != want {
		t.Errorf("gave up with %v", e.Err)
	}
	if got := h.count(Connecting); got != crashLimit || !e.Retry.IsZero() {
		t.Errorf("gave up after %d attempts, next at %v", got, e.Retry)
	}
	n.wellServed(t)
	s.Restart()
	e, _ = h.waitKind(at, Disconnected)
	if e.GaveUp {
		t.Error("Restart did not forget the crashes")
	}
}

func TestServersThatBreakOnUnknownFirstMessagesConnect(t *testing.T) {
	for mode, want := range map[string]string{
		"ignores initialize":               "2026-07-28",
		"exits on initialize":              "2026-07-28",
		"refuses initialize without an id": "2026-07-28",
		"refuses new revisions":            "2024-11-05",
	} {
		t.Run(mode, func(t *testing.T) {
			quick := fast
			if mode == "ignores initialize" {
				quick.connectStdio = 2 * time.Second
			}
			h := newHost(t, self(t, mode))
			start(t, h, &Options{timing: quick})
			e, _ := h.waitKind(0, Connected)
			if e.Revision != want || e.CanNotify != (want < "2026") {
				t.Errorf("connected as %+v", e)
			}
			if got := h.count(Connecting); got != 1 {
				t.Errorf("it took %d attempts", got)
			}
		})
	}
}

func TestServerThatIgnoresEveryPoliteEndIsKilled(t *testing.T) {
	h := newHost(t, self(t, "ignores every polite end"))
	s := start(t, h, nil)
	h.waitKind(0, Connected)
	began := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if d := time.Since(began); d > closeLimit {
		t.Errorf("Close took %v", d)
	}
}

func TestRootsSwitchedOffReadsAsTheSpecificationSays(t *testing.T) {
	h := newHost(t, self(t, "behaves"))
	h.rootsErr = ErrRootsOff
	s := start(t, h, nil)
	stderrHas(t, s, `error {"code":-32601,"message":"Roots not supported","data":{"reason":"Client does not have roots capability"}}`)
}

func TestTroubleOfOursTellsTheServerNoDetails(t *testing.T) {
	h := newHost(t, self(t, "behaves"))
	h.rootsErr = errBroken
	s := start(t, h, nil)
	e, _ := h.waitKind(0, Answered)
	if !errors.Is(e.Err, errBroken) {
		t.Errorf("reported as %v", e.Err)
	}
	stderrHas(t, s, `error {"code":-32603,"message":"Internal error"}`)
}

func TestInputRequestsAreAnsweredByTheSameWay(t *testing.T) {
	h := newHost(t, self(t, "wants input"))
	h.set(Root{URI: "file:///a", Name: "A"})
	s := start(t, h, nil)
	e, at := h.waitKind(0, Connected)
	if e.Revision != "2026-07-28" || e.CanNotify || e.ServerName != "modern" {
		t.Errorf("connected as %+v", e)
	}
	res, err := s.CallTool(within(t), "any", nil)
	if err != nil {
		t.Fatal(err)
	}
	state, given, _ := strings.Cut(res.Text, "|")
	if want := `st/ate+="quoted" ü`; state != want {
		t.Errorf("the state came back as %s, want %s", state, want)
	}
	const roots = `{"roots":[{"uri":"file:///a","name":"A"}]}`
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(given), &got); err != nil {
		t.Fatal(err)
	}
	if string(got["one"]) != roots || string(got["two"]) != roots || string(got["form"]) != `{"action":"decline"}` {
		t.Errorf("given: %s", given)
	}
	h.waitAnswered(at)
	if h.count(Requested) != 1 {
		t.Errorf("the host was asked %d times for one result", h.count(Requested))
	}
	// A change is not told in this revision; the next call has it.
	h.set(Root{URI: "file:///b"})
	s.Announce()
	if res, err = s.CallTool(within(t), "any", nil); err != nil || !strings.Contains(res.Text, "file:///b") {
		t.Errorf("after a change: %v %s", err, res.Text)
	}
	if h.count(Notified) != 0 {
		t.Error("list_changed was reported")
	}
	for _, l := range s.Stderr() {
		if strings.Contains(l, "told, though") {
			t.Error(l)
		}
	}
}

func TestInputRequestForRootsThatAreOffFailsTheCall(t *testing.T) {
	h := newHost(t, self(t, "wants input"))
	h.rootsErr = ErrRootsOff
	s := start(t, h, nil)
	h.waitKind(0, Connected)
	if _, err := s.CallTool(within(t), "any", nil); !errors.Is(err, ErrRootsOff) {
		t.Errorf("ended with %v", err)
	}
}

func TestInputRequestForSamplingIsRefused(t *testing.T) {
	h := newHost(t, self(t, "wants input"))
	s := start(t, h, nil)
	h.waitKind(0, Connected)
	if _, err := s.CallTool(within(t), "sample", nil); err == nil || !strings.Contains(err.Error(), "the server wanted to use a language model") {
		t.Errorf("ended with %v", err)
	}
}
