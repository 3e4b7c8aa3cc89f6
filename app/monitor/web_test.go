package monitor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rootsmanager/app/root"
)

func TestSitesAreAskedWithHEAD(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Method != http.MethodHead {
			t.Errorf("method %s", r.Method)
		}
		var code int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &code); err != nil {
			t.Error(err)
		}
		if code == 302 {
			w.Header().Set("Location", "/999")
		}
		w.WriteHeader(code)
	}))
	defer server.Close()
	w := start(t, &Options{Client: server.Client()})
	tests := map[int]Status{200: Reachable, 204: Reachable, 302: Reachable, 405: Reachable, 401: NoPermission, 403: NoPermission, 404: Missing, 410: Missing, 500: Unreachable, 503: Unreachable}
	for code, want := range tests {
		o := w.m.Observe(context.Background(), Place{Path: fmt.Sprintf("%s/%d", server.URL, code), Kind: root.HTTPS})[0]
		if o.Status != want || (o.Detail == "") != want.Usable() {
			t.Errorf("%d: %+v, want %s", code, o, want)
		}
	}
	if n := int(asked.Load()); n != len(tests) {
		t.Errorf("asked %d times, want %d: redirects are not followed", n, len(tests))
	}
	server.Close()
	if o := w.m.Observe(context.Background(), Place{Path: server.URL + "/201", Kind: root.HTTPS})[0]; o.Status != Unreachable || !strings.Contains(o.Detail, "refused") {
		t.Errorf("%+v", o)
	}
	server.Client().CloseIdleConnections()
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSitesAreAskedOnceAMinuteAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex
		var asked []time.Duration
		var mode atomic.Value
		mode.Store("up")
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			asked = append(asked, time.Since(began))
			mu.Unlock()
			switch mode.Load() {
			case "up":
				return &http.Response{StatusCode: 200, Status: "200 OK", Body: http.NoBody}, nil
			case "hang":
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return nil, errors.New("no route")
		})}
		m := New(&Options{fs: newFakeFS(), mounts: newFakeMounts(), watcher: noWatcher, Client: client})
		w := &log{m: m, began: began, last: map[string]Observation{}}
		p := Place{ID: "site", Path: "https://example.com/", Kind: root.HTTPS}
		m.Watch([]Place{p})
		w.after(30 * time.Second)
		for range 100 {
			m.Recheck("site")
			m.Observe(context.Background(), p)
		}
		w.after(30*time.Second - 1)
		mu.Lock()
		if len(asked) != 1 {
			t.Errorf("asked at %v", asked)
		}
		mu.Unlock()
		mode.Store("down")
		w.after(2 * time.Second)
		mode.Store("hang")
		w.after(time.Minute)
		if s := w.last["site"]; s.Status != Unreachable || !strings.Contains(s.Detail, "no route") {
			t.Errorf("%+v", s)
		}
		w.after(10 * time.Second)
		mode.Store("up")
		w.after(10 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		for i := 1; i < len(asked); i++ {
			if asked[i]-asked[i-1] < time.Minute {
				t.Errorf("asked again after %v", asked[i]-asked[i-1])
			}
		}
		if got := fmt.Sprint(w.lines); !strings.HasPrefix(got, "[site reachable@0s site unreachable@1m") || w.last["site"].Status != Reachable || len(asked) < 10 {
			t.Errorf("%v, asked %d times", got, len(asked))
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestClosingDoesNotWaitForSites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		m := New(&Options{fs: newFakeFS(), mounts: newFakeMounts(), watcher: noWatcher, Client: client})
		var places []Place
		for i := range 20 {
			places = append(places, Place{ID: fmt.Sprint(i), Path: fmt.Sprintf("https://example.com/%d", i), Kind: root.HTTPS})
		}
		m.Watch(places)
		synctest.Wait()
		began := time.Now()
		if err := m.Close(); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
