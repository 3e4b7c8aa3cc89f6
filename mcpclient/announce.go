package mcpclient

import "time"

// Limits of announcing. A server that was told and has not asked yet will get
// the newest state when it asks, so it is told again only after retell, in case
// it lost the first one.
const (
	defaultCoalesce = 25 * time.Millisecond
	perSecond       = 5
	retell          = time.Second
)

// teller decides when a server is told of a change. It knows no clock and is
// not safe for concurrent use.
//
// A change is covered when the server was given an answer that was asked of
// [Host.Roots] after the change: then there is nothing to tell. While an answer
// is on its way nothing is told, for it may cover the change; when it did not,
// the server is told right after it. So no server is left with an old list
// without having been told that it is old.
type teller struct {
	coalesce time.Duration

	changes uint64    // how many changes there were
	covered uint64    // up to which change the server has answers
	told    uint64    // up to which change the server was told
	since   time.Time // first change that is neither covered nor told
	toldAt  time.Time // zero: never
	heeded  bool      // it asked after it was told
	flight  int       // answers on their way
	sends   []time.Time
}

// changed notes a change of the exposure.
func (t *teller) changed(now time.Time) {
	if t.changes == max(t.covered, t.told) {
		t.since = now
	}
	t.changes++
}

// asked notes that an answer is being made; the value goes to answered.
func (t *teller) asked() uint64 {
	t.flight++
	t.heeded = true
	return t.changes
}

// answered notes that an answer was written, or failed. Answers can overtake
// each other; the server believes the one that came last, so when that is an
// older one, the server has to be told once more.
func (t *teller) answered(upTo uint64, now time.Time) {
	t.flight--
	if upTo < t.covered {
		t.told = min(t.told, upTo)
		t.since = now
	}
	t.covered = upTo
}

// due says whether to tell now, and if not, after which time to look again;
// zero: when something happens.
func (t *teller) due(now time.Time) (tell bool, wait time.Duration) {
	if t.changes <= t.covered || t.changes <= t.told || t.flight > 0 {
		return false, 0
	}
	at := t.since.Add(t.coalesce)
	if !t.toldAt.IsZero() && !t.heeded {
		at = later(at, t.toldAt.Add(retell))
	}
	if len(t.sends) == perSecond {
		at = later(at, t.sends[0].Add(time.Second))
	}
	if now.Before(at) {
		return false, at.Sub(now)
	}
	return true, 0
}

// sending notes that the server is about to be told of all changes so far.
func (t *teller) sending(now time.Time) {
	if len(t.sends) == perSecond {
		t.sends = t.sends[1:]
	}
	t.sends = append(t.sends[:len(t.sends):len(t.sends)], now)
	t.told = t.changes
	t.toldAt = now
	t.heeded = false
}

// failed takes the last sending back, to be tried again in a second.
func (t *teller) failed(now time.Time) {
	t.told = t.covered
	t.since = now.Add(retell)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
