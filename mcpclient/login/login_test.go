package login

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// required returns what err says is needed.
func required(t *testing.T, err error) *RequiredError {
	t.Helper()
	var r *RequiredError
	if !errors.As(err, &r) {
		t.Fatalf("the error is %v, want a RequiredError", err)
	}
	return r
}

func TestLoginOpensTheServerAndIsKept(t *testing.T) {
	s, store := newService(t), newMemory()
	a := account(t, s, store, nil)
	if in, err := a.LoggedIn(within(t)); in || err != nil {
		t.Errorf("before: %v %v", in, err)
	}
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	cs, err := connect(t, s, a)
	if err != nil {
		t.Fatal(err)
	}
	if err := call(t, cs); err != nil {
		t.Error(err)
	}
	if in, err := a.LoggedIn(within(t)); !in || err != nil {
		t.Errorf("after: %v %v", in, err)
	}
	// Another run of the program finds it.
	later, err := connect(t, s, account(t, s, store, &Options{Open: noBrowser(t)}))
	if err != nil {
		t.Fatal(err)
	}
	if err := call(t, later); err != nil {
		t.Error(err)
	}
}

func noBrowser(t *testing.T) func(context.Context, string) error {
	return func(context.Context, string) error {
		t.Error("a browser opened although nobody asked for it")
		return errors.New("no browser")
	}
}

func TestSessionWithoutLoginSaysSoAndOpensNoBrowser(t *testing.T) {
	s := newService(t)
	a := account(t, s, newMemory(), &Options{Open: noBrowser(t)})
	_, err := connect(t, s, a)
	r := required(t, err)
	if r.Reason != NotLoggedIn || r.Origin != s.mcp.URL || r.Error() != s.mcp.URL+" wants you to log in" {
		t.Errorf("it says %+v: %s", r, r)
	}
	if len(s.tokens) != 0 {
		t.Error("the login service was asked for a token")
	}
}

func TestEndedTokenIsRefreshedAndTheNewOneKept(t *testing.T) {
	s, store, c := newService(t), newMemory(), &clock{at: time.Now()}
	a := account(t, s, store, &Options{now: c.now})
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	before := store.record(t)
	cs, err := connect(t, s, a)
	if err != nil {
		t.Fatal(err)
	}
	c.move(time.Hour)
	s.with(func() { s.seen = nil; clear(s.access) })
	if err := call(t, cs); err != nil {
		t.Fatal(err)
	}
	after := store.record(t)
	if after.Access == before.Access || after.Refresh == before.Refresh || after.ClientID != before.ClientID {
		t.Error("the saved login is not the renewed one")
	}
	for _, h := range s.seen {
		if strings.Contains(h, before.Access) {
			t.Error("the ended token was sent")
		}
	}
}

func TestRevokedTokenIsRenewedInTheMiddleOfASession(t *testing.T) {
	s := newService(t)
	a := account(t, s, newMemory(), nil)
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	cs, err := connect(t, s, a)
	if err != nil {
		t.Fatal(err)
	}
	s.revokeAccess()
	if err := call(t, cs); err != nil {
		t.Errorf("after the access token was revoked: %v", err)
	}
	// A server that refuses the renewed one too is not asked in a circle.
	s.revokeAccess()
	n := len(s.tokens)
	if r := required(t, call(t, cs)); r.Reason != Expired {
		t.Errorf("it says %+v", r)
	}
	if len(s.tokens) != n {
		t.Error("a token that was refused at once was renewed again")
	}
}

func TestRevokedLoginAsksForANewOne(t *testing.T) {
	s, store := newService(t), newMemory()
	a := account(t, s, store, nil)
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	cs, err := connect(t, s, a)
	if err != nil {
		t.Fatal(err)
	}
	s.revokeAccess()
	s.revokeRefresh()
	if r := required(t, call(t, cs)); r.Reason != Expired || !strings.Contains(r.Error(), "log in again") {
		t.Errorf("it says %+v", r)
	}
	if store.record(t) != nil {
		t.Error("a login that is over is still saved")
	}
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, s, a); err != nil {
		t.Errorf("after logging in again: %v", err)
	}
}

func TestAnswersThatAreNotTrusted(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  func(*service)
		want error
		text string
	}{
		{"another issuer", func(s *service) { s.iss = "https://evil.example" }, ErrIssuer, "another login service"},
		{"no issuer although promised", func(s *service) { s.noIss = true }, ErrIssuer, "another login service"},
		{"metadata of another issuer", func(s *service) { s.issuer = "https://evil.example" }, nil, "cannot be used"},
		{"another state", func(s *service) { s.state = "other" }, ErrState, "another login"},
		{"no consent", func(s *service) { s.refuse = "access_denied" }, ErrDenied, "refused"},
		{"trouble", func(s *service) { s.refuse = "server_error\x1b[31m" }, nil, "the login service refused: server_error[31m"},
		{"token refused", func(s *service) {
			s.tokenReply = func(w http.ResponseWriter, r *http.Request) bool {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprintf(w, "you sent %v", r.PostForm)
				return true
			}
		}, nil, "did not accept the answer"},
		{"token endpoint moved", func(s *service) {
			s.tokenReply = func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, s.mcp.URL+"/steal", http.StatusTemporaryRedirect)
				return true
			}
		}, nil, "sends us to another address"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, store := newService(t), newMemory()
			tc.set(s)
			var logs strings.Builder
			a := account(t, s, store, &Options{Logger: slog.New(slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			err := a.LogIn(within(t))
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("the error is: %v", err)
			}
			if store.record(t) != nil {
				t.Error("a login was saved")
			}
			for _, secret := range s.secrets() {
				if strings.Contains(fmt.Sprint(err), secret) || strings.Contains(logs.String(), secret) {
					t.Errorf("a secret is in the error or the log: %v %s", err, logs.String())
				}
			}
		})
	}
}

func TestCancelledLoginEndsAtOnce(t *testing.T) {
	s := newService(t)
	opened := make(chan struct{}, 1)
	a := account(t, s, newMemory(), &Options{Open: func(context.Context, string) error { opened <- struct{}{}; return nil }})
	ctx, cancel := context.WithCancel(within(t))
	done := make(chan error, 1)
	go func() { done <- a.LogIn(ctx) }()
	<-opened
	if err := a.LogIn(within(t)); err != ErrUnderWay {
		t.Errorf("a second login at the same time: %v", err)
	}
	cancel()
	if err := <-done; err != ErrCancelled {
		t.Errorf("the error is: %v", err)
	}
	if _, err := connect(t, s, a); required(t, err).Reason != NotLoggedIn {
		t.Errorf("after it: %v", err)
	}
	late := account(t, s, newMemory(), &Options{Open: func(context.Context, string) error { return nil }, Limit: 50 * time.Millisecond})
	if err := late.LogIn(within(t)); err != ErrLate {
		t.Errorf("nobody came back: %v", err)
	}
}

func TestBrowserThatCannotOpenIsNamed(t *testing.T) {
	a := account(t, newService(t), newMemory(), &Options{Open: func(context.Context, string) error { return errors.New("no display") }})
	if err := a.LogIn(within(t)); err == nil || !strings.Contains(err.Error(), "could not be opened: no display") {
		t.Errorf("the error is: %v", err)
	}
}

func TestServerThatMovedGetsNoToken(t *testing.T) {
	s, store := newService(t), newMemory()
	if err := account(t, s, store, nil).LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	other := newService(t)
	a := account(t, other, store, nil)
	_, err := connect(t, other, a)
	if required(t, err).Reason != NotLoggedIn {
		t.Errorf("it says %v", err)
	}
	for _, h := range other.seen {
		if h != "" {
			t.Error("a token went to another server")
		}
	}
}

func TestProcessesThatShareALoginDoNotSpoilIt(t *testing.T) {
	s, store, c := newService(t), newMemory(), &clock{at: time.Now()}
	one := account(t, s, store, &Options{now: c.now})
	two := account(t, s, store, &Options{now: c.now})
	if err := one.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	for _, a := range []*Account{one, two} {
		if _, err := connect(t, s, a); err != nil {
			t.Fatal(err)
		}
	}
	c.move(time.Hour) // both have the same ended token, and its refresh token works once
	for _, a := range []*Account{one, two} {
		if _, err := connect(t, s, a); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.LogOut(within(t)); err != nil {
		t.Fatal(err)
	}
	c.move(time.Hour)
	if _, err := connect(t, s, two); required(t, err).Reason != NotLoggedIn {
		t.Errorf("after the other logged out: %v", err)
	}
}

func TestMoreRightsAreAskedOnTopOfTheOldOnes(t *testing.T) {
	s := newService(t)
	a := account(t, s, newMemory(), nil)
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	s.with(func() { s.wantScope = "files:write" })
	_, err := connect(t, s, a)
	r := required(t, err)
	if diff := cmp.Diff([]string{"files:write"}, r.Scopes); r.Reason != MoreRights || diff != "" {
		t.Errorf("it says %+v", r)
	}
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, s, a); err != nil {
		t.Errorf("with the new rights: %v", err)
	}
	for _, scope := range s.granted {
		if strings.Contains(scope, "files:write") && !strings.Contains(scope, "files:read") {
			t.Errorf("the old rights were given up: %q", scope)
		}
	}
}

func TestStoreInTrouble(t *testing.T) {
	s, store := newService(t), newMemory()
	store.saveErr = errors.New("the keyring is locked")
	a := account(t, s, store, nil)
	if err := a.LogIn(within(t)); !errors.Is(err, ErrNotSaved) || !strings.Contains(err.Error(), "the keyring is locked") {
		t.Errorf("the error is: %v", err)
	}
	if _, err := connect(t, s, a); err != nil {
		t.Errorf("the login does not work until the end of the program: %v", err)
	}
	s.revokeAccess() // it is renewed although the store never had it
	if _, err := connect(t, s, a); err != nil {
		t.Errorf("a login that is not saved cannot be renewed: %v", err)
	}
	store.loadErr = errors.New("the keyring is gone")
	b := account(t, s, store, nil)
	if _, err := connect(t, s, b); err == nil || !strings.Contains(err.Error(), "the keyring is gone") {
		t.Errorf("the error is: %v", err)
	}
	store.loadErr, store.values["k"] = nil, []byte("{nonsense")
	if _, err := connect(t, s, account(t, s, store, nil)); required(t, err).Reason != NotLoggedIn {
		t.Errorf("with a damaged login: %v", err)
	}
}

func TestServiceInTroubleDoesNotEndTheLogin(t *testing.T) {
	s, store, c := newService(t), newMemory(), &clock{at: time.Now()}
	a := account(t, s, store, &Options{now: c.now})
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	c.move(time.Hour)
	s.with(func() {
		s.tokenReply = func(w http.ResponseWriter, r *http.Request) bool {
			http.Error(w, r.PostForm.Encode(), http.StatusBadGateway)
			return true
		}
	})
	_, err := connect(t, s, a)
	if err == nil || !strings.Contains(err.Error(), "answered 502") {
		t.Errorf("the error is: %v", err)
	}
	for _, secret := range s.secrets() {
		if strings.Contains(fmt.Sprint(err), secret) {
			t.Error("a secret is in the error")
		}
	}
	s.with(func() { s.tokenReply = nil })
	if _, err := connect(t, s, a); err != nil {
		t.Errorf("when the service is back: %v", err)
	}
}

func TestOpenServerNeedsNoLogin(t *testing.T) {
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	defer open.Close()
	a, err := New(open.URL, "k", newMemory(), &Options{Open: noBrowser(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.LogIn(within(t)); err != ErrNotNeeded {
		t.Errorf("the error is: %v", err)
	}
}

func TestRefreshesOfManyRequestsAreOne(t *testing.T) {
	s, c := newService(t), &clock{at: time.Now()}
	a := account(t, s, newMemory(), &Options{now: c.now})
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	c.move(time.Hour)
	n := len(s.tokens)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := a.access(within(t)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := len(s.tokens) - n; got != 1 {
		t.Errorf("%d refreshes", got)
	}
}
