package mcpclient

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"rootsmanager/mcpclient/login"
)

// When and how often a session tries again.
const (
	backoffLimit = 60 * time.Second
	healthyAfter = 60 * time.Second
	crashLimit   = 5
	crashWindow  = 2 * time.Minute
)

// retries decides when to connect again. It knows no clock.
type retries struct {
	first   time.Duration
	fails   int         // in a row, since the last healthy connection
	crashes []time.Time // of a child, within crashWindow
}

// after notes the end of an attempt that was connected for up (zero if it never
// was) and returns the wait before the next one, without jitter. gaveUp means
// there is none: a child that ends again and again is left alone.
func (r *retries) after(now time.Time, up time.Duration, child bool) (wait time.Duration, gaveUp bool) {
	if up >= healthyAfter {
		r.fails = 0
		r.crashes = nil
	}
	if child {
		recent := r.crashes[:0]
		for _, t := range r.crashes {
			if now.Sub(t) < crashWindow {
				recent = append(recent, t)
			}
		}
		r.crashes = append(recent, now)
		if len(r.crashes) >= crashLimit {
			return 0, true
		}
	}
	r.fails++
	return min(r.first<<min(r.fails-1, 10), backoffLimit), false
}

// jitter spreads waits by a fifth, so that servers that fell together do not
// rise together.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1)
}

// work is the session's worker: it connects, serves and reconnects until Close.
func (s *Session) work() {
	defer close(s.done)
	defer releaseStarter()
	defer releaseGuard()
	if err := acquireGuard(); err != nil { // here, because New may not wait for a process
		s.log.Warn("children of servers may outlive a crash of the app", "error", err)
	}
	again := retries{first: s.opts.timing.backoff}
	for s.ctx.Err() == nil {
		ctx, fresh := s.begin()
		if fresh {
			again = retries{first: s.opts.timing.backoff}
		}
		o := s.once(ctx)
		s.rest(ctx, &again, o)
	}
}

// begin makes the context of one attempt, which Restart ends.
func (s *Session) begin() (ctx context.Context, fresh bool) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attempt != nil {
		s.attempt()
	}
	s.attempt = cancel
	fresh, s.fresh = s.fresh, false
	return ctx, fresh
}

// needsLogin reports whether only a person can help.
func needsLogin(err error) bool {
	var required *login.RequiredError
	return errors.As(err, &required)
}

// outcome is how one attempt ended.
type outcome struct {
	conn     *connection // nil if Launch failed
	up       time.Duration
	launched bool // Launch said what to run
	child    bool // it was a child process
	expired  bool // the HTTP session expired: connect again at once
	err      error
}

// once launches, connects and serves, until the connection ends or ctx does.
func (s *Session) once(ctx context.Context) outcome {
	spec, err := s.host.Launch(ctx)
	if err != nil {
		return outcome{err: err}
	}
	o := outcome{launched: true, child: spec.Transport == Stdio}
	o.conn = &connection{} // stands for the attempt in the order of events
	s.emit(o.conn, Event{Kind: Connecting, Transport: spec.Transport})
	s.tail.forget()
	c, err := s.connect(ctx, spec)
	if err != nil {
		o.err = err
		return o
	}
	o.conn = c
	began := time.Now()
	s.setCurrent(c)
	c.open()
	o.err, o.expired = c.serve(ctx)
	o.up = time.Since(began)
	s.setCurrent(nil)
	c.close()
	return o
}

// rest reports the end of an attempt and waits until the next one is due.
func (s *Session) rest(ctx context.Context, again *retries, o outcome) {
	e := Event{Kind: Disconnected, Err: o.err}
	var wait time.Duration
	switch {
	case s.ctx.Err() != nil: // Close: not an error, and there is no next attempt
		e.Err = nil
	case ctx.Err() != nil: // Restart
		e.Err = nil
		e.Retry = time.Now()
	case errors.Is(o.err, ErrNotApproved), needsLogin(o.err):
	case o.expired && o.up > time.Second:
		e.Retry = time.Now()
	default:
		wait, e.GaveUp = again.after(time.Now(), o.up, o.child)
		if !e.GaveUp {
			wait = jitter(wait)
			e.Retry = time.Now().Add(wait)
		}
	}
	if o.launched || e.Err != nil {
		s.emit(o.conn, e)
	}
	if ctx.Err() != nil || (wait == 0 && !e.Retry.IsZero()) {
		return
	}
	if e.Retry.IsZero() {
		<-ctx.Done()
		return
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
