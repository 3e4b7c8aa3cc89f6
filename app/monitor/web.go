package monitor

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	webEvery    = time.Minute
	webDeadline = 5 * time.Second
	webAtOnce   = 4
	webForget   = 10 * time.Minute
)

// web asks sites whether they are there.
type web struct {
	loop   *loop
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	found  chan webFound
	slots  chan struct{}
	sites  map[string]*site // by URI
}

type site struct {
	asked   time.Time // zero: never
	result  result
	running bool
	waiting []*tracked
}

type webFound struct {
	uri    string
	result result
}

func newWeb(l *loop) *web {
	client := http.Client{}
	if l.opts.Client != nil {
		client = *l.opts.Client
	}
	// A redirect says that the site is there; following it would tell another one.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	w := &web{loop: l, client: &client, found: make(chan webFound), slots: make(chan struct{}, webAtOnce), sites: map[string]*site{}}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// want gives t the newest answer of its site, and asks if there is none.
func (w *web) want(t *tracked) {
	uri := t.place.Path
	s := w.sites[uri]
	if s == nil {
		s = &site{}
		w.sites[uri] = s
	}
	switch {
	case s.running:
		s.waiting = append(s.waiting, t)
	case !s.asked.IsZero() && time.Since(s.asked) < webEvery:
		w.loop.take(t, s.result, false)
	default:
		s.asked, s.running = time.Now(), true
		s.waiting = append(s.waiting, t)
		w.wg.Go(func() { w.ask(uri) })
	}
}

func (w *web) ask(uri string) {
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-w.ctx.Done():
		return
	}
	f := webFound{uri, w.head(uri)}
	select {
	case w.found <- f:
	case <-w.loop.quit:
	}
}

func (w *web) head(uri string) result {
	ctx, cancel := context.WithTimeout(w.ctx, webDeadline)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, uri, nil)
	if err != nil {
		return result{status: Unreachable, detail: err.Error()}
	}
	res, err := w.client.Do(req)
	if err != nil {
		return result{status: Unreachable, detail: err.Error()}
	}
	if err := res.Body.Close(); err != nil { // a HEAD has no body; the connection may be of no use any more, the answer is
		w.loop.opts.Logger.Debug("closing the answer of a site", "error", err)
	}
	r := result{status: Reachable, target: uri}
	switch code := res.StatusCode; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		r = result{status: NoPermission}
	case code == http.StatusNotFound || code == http.StatusGone:
		r = result{status: Missing}
	case code >= 500:
		r = result{status: Unreachable}
	}
	if !r.status.Usable() {
		r.detail = fmt.Sprintf("the site answers %s", res.Status)
	}
	return r
}

func (w *web) take(f webFound, now time.Time) {
	s := w.sites[f.uri]
	if s == nil {
		return
	}
	waiting := s.waiting
	s.result, s.running, s.waiting, s.asked = f.result, false, nil, now
	for _, t := range waiting {
		if !t.gone {
			w.loop.take(t, f.result, false)
		}
	}
}

// beat asks for what was not asked for a minute, and forgets what nobody wants.
func (w *web) beat(now time.Time) {
	if len(w.sites) == 0 {
		return
	}
	for _, t := range w.loop.places {
		if !t.web() {
			continue
		}
		if s := w.sites[t.place.Path]; s != nil && !s.running && now.Sub(s.asked) >= webEvery {
			w.want(t)
		}
	}
	for uri, s := range w.sites {
		if !s.running && now.Sub(s.asked) > webForget {
			delete(w.sites, uri)
		}
	}
}

// stale lets a site be asked again before its minute is over, for when the
// machine slept. The minute that passed on the wall clock counts.
func (w *web) stale(t *tracked) {
	if !t.web() {
		return
	}
	if s := w.sites[t.place.Path]; s != nil && !s.running {
		s.asked = time.Time{}
	}
}

func (w *web) close() {
	w.cancel()
	w.wg.Wait()
}
