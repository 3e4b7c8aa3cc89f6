package mcpclient

import (
	"math/rand/v2"
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }

// due checks when t would tell, seen at ms: -1 for never.
func due(t *testing.T, tl *teller, ms, want int) {
	t.Helper()
	tell, wait := tl.due(at(ms))
	got := -1
	if tell {
		got = ms
	} else if wait > 0 {
		got = ms + int(wait/time.Millisecond)
	}
	if got != want {
		t.Errorf("at %d ms it is due at %d, want %d", ms, got, want)
	}
}

func TestChangesWithinTheWindowAreToldOnce(t *testing.T) {
	tl := &teller{coalesce: defaultCoalesce}
	due(t, tl, 0, -1)
	tl.changed(at(0))
	tl.changed(at(20))
	due(t, tl, 20, 25)
	due(t, tl, 25, 25)
	tl.sending(at(25))
	due(t, tl, 26, -1)
}

func TestServerThatHasNotAskedIsToldAgainAfterASecond(t *testing.T) {
	tl := &teller{coalesce: defaultCoalesce}
	tl.changed(at(0))
	tl.sending(at(25))
	tl.changed(at(100))
	due(t, tl, 100, 1025) // it will get the newest when it asks
	tl.answered(tl.asked(), at(150))
	due(t, tl, 200, -1) // and so it did
}

func TestNothingIsToldWhileAnAnswerIsOnItsWay(t *testing.T) {
	tl := &teller{coalesce: defaultCoalesce}
	upTo := tl.asked()
	tl.changed(at(0)) // the answer may be an old one
	due(t, tl, 1000, -1)
	tl.answered(upTo, at(1000))
	due(t, tl, 1000, 1000)
}

func TestAnswerMadeAfterTheChangeIsEnough(t *testing.T) {
	tl := &teller{coalesce: defaultCoalesce}
	tl.changed(at(0))
	upTo := tl.asked()
	tl.answered(upTo, at(1000))
	due(t, tl, 1000, -1)
}

func TestOldAnswerThatCameLastIsFollowedByANotification(t *testing.T) {
	tl := &teller{coalesce: defaultCoalesce}
	older := tl.asked()
	tl.changed(at(0))
	newer := tl.asked()
	tl.answered(newer, at(10))
	tl.answered(older, at(20))
	due(t, tl, 20, 45)
}

func TestServerIsToldFiveTimesASecondAtMost(t *testing.T) {
	tl := &teller{coalesce: defaultCoalesce}
	sent := 0
	for ms := 0; ms < 10_000; ms++ {
		tl.changed(at(ms))
		if tell, _ := tl.due(at(ms)); tell {
			tl.sending(at(ms))
			tl.answered(tl.asked(), at(ms)) // a quick server
			sent++
		}
	}
	if sent != 50 {
		t.Errorf("told %d times in 10 s, want 50", sent)
	}
}

func TestFailedNotificationIsTriedAgain(t *testing.T) {
	tl := &teller{coalesce: defaultCoalesce}
	tl.changed(at(0))
	tl.sending(at(25))
	tl.failed(at(30))
	due(t, tl, 30, 1055)
}

// A server that asks whenever it is told ends up with the last state, whatever
// the order of changes, questions and answers.
func TestNoServerIsLeftStale(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		tl := &teller{coalesce: defaultCoalesce}
		var state, has uint64 // the exposure, and what the server was answered with
		type question struct {
			upTo, given uint64
			made        bool
		}
		var open []*question
		mail := 0 // notifications the server has not acted on
		step := func(ms int, change bool) {
			if change && r.IntN(10) == 0 {
				state++
				tl.changed(at(ms))
			}
			if tell, _ := tl.due(at(ms)); tell {
				tl.sending(at(ms))
				mail++
			}
			if mail > 0 && r.IntN(20) == 0 {
				mail--
				open = append(open, &question{upTo: tl.asked()})
			}
			if change && r.IntN(15) == 0 { // it asks out of the blue
				open = append(open, &question{upTo: tl.asked()})
			}
			r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
			for i, q := range open {
				if !q.made {
					q.given, q.made = state, r.IntN(10) == 0 // looks at the state until it is made
					continue
				}
				if r.IntN(10) == 0 {
					has = q.given
					tl.answered(q.upTo, at(ms))
					open = append(open[:i], open[i+1:]...)
					break
				}
			}
		}
		for ms := range 3000 {
			step(ms, true)
		}
		for ms := 3000; ms < 20_000 && (has != state || len(open) > 0 || mail > 0); ms++ {
			step(ms, false)
		}
		if has != state {
			t.Fatalf("seed %d: the server has %d, the exposure is %d", seed, has, state)
		}
	}
}

func TestRetriesGrowToAMinuteAndStartOverAfterHealth(t *testing.T) {
	r := retries{first: time.Second}
	now := epoch
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		wait, gaveUp := r.after(now, 0, false)
		if wait != want*time.Second || gaveUp {
			t.Errorf("wait %d is %v (gave up: %v), want %v s", i+1, wait, gaveUp, want)
		}
		now = now.Add(wait)
	}
	if wait, _ := r.after(now, healthyAfter, false); wait != time.Second {
		t.Errorf("after a healthy minute: %v", wait)
	}
}

func TestFiveCrashesInTwoMinutesAreTooMany(t *testing.T) {
	r := retries{first: time.Second}
	for i := range crashLimit {
		if _, gaveUp := r.after(epoch.Add(time.Duration(i)*29*time.Second), 0, true); gaveUp != (i == crashLimit-1) {
			t.Errorf("crash %d: gave up %v", i+1, gaveUp)
		}
	}
	r = retries{first: time.Second}
	for i := range 100 {
		if _, gaveUp := r.after(epoch.Add(time.Duration(i)*31*time.Second), 0, true); gaveUp {
			t.Fatalf("gave up at crash %d, though there are four in two minutes", i+1)
		}
	}
}

func TestJitterStaysWithinATenth(t *testing.T) {
	for range 1000 {
		if d := jitter(time.Second); d < 900*time.Millisecond || d > 1100*time.Millisecond {
			t.Fatalf("a second became %v", d)
		}
	}
}
