package mcpclient

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"rootsmanager/mcpclient/login"
)

// guarded is a server behind a login. What a login service must check is tested
// in package login; this one believes everything but tokens.
type guarded struct {
	server *webServer

	mu      sync.Mutex
	access  map[string]bool
	refresh map[string]bool
}

func newGuarded(t *testing.T, transport Transport) *guarded {
	t.Helper()
	g := &guarded{access: map[string]bool{}, refresh: map[string]bool{}}
	g.server = newWebServer(t, transport, nil, func(next http.Handler) http.Handler { return g.routes(g.guard(next)) })
	return g
}

func (g *guarded) routes(guarded http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", guarded)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		g.reply(w, map[string]any{
			"issuer": g.server.URL, "authorization_endpoint": g.server.URL + "/authorize", "token_endpoint": g.server.URL + "/token",
			"registration_endpoint": g.server.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			"response_types_supported": []string{"code"},
		})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, _ *http.Request) {
		g.reply(w, map[string]any{"client_id": "client", "token_endpoint_auth_method": "none"})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"code"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if old := r.FormValue("refresh_token"); old != "" && !g.refresh[old] {
			w.WriteHeader(http.StatusBadRequest)
			g.reply(w, map[string]any{"error": "invalid_grant"})
			return
		}
		access, refresh := rand.Text(), rand.Text()
		g.access[access], g.refresh[refresh] = true, true
		g.reply(w, map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600})
	})
	return mux
}

func (g *guarded) reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (g *guarded) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		g.mu.Lock()
		ok := g.access[token]
		g.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *guarded) revoke(refresh bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.access)
	if refresh {
		clear(g.refresh)
	}
}

// oneLogin is a store for one account.
type oneLogin struct {
	mu    sync.Mutex
	value []byte
}

func (o *oneLogin) Load(context.Context, string) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.value, nil
}

func (o *oneLogin) Save(_ context.Context, _ string, value []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.value = value
	return nil
}

func (o *oneLogin) Delete(context.Context, string) error {
	return o.Save(context.Background(), "", nil)
}

// agree is a person who agrees to everything.
func agree(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func TestServerBehindALogin(t *testing.T) {
	for _, transport := range []Transport{HTTP, SSE} {
		t.Run(string(transport), func(t *testing.T) {
			g := newGuarded(t, transport)
			address := g.server.URL + "/mcp"
			account, err := login.New(address, "k", &oneLogin{}, &login.Options{Open: agree})
			if err != nil {
				t.Fatal(err)
			}
			h := newHost(t, Spec{Transport: transport, URL: address})
			h.set(Root{URI: "file:///a"})
			s := start(t, h, &Options{timing: fast, Login: func(Spec) *login.Account { return account }})

			e, at := h.waitKind(0, Disconnected)
			var required *login.RequiredError
			if !errors.As(e.Err, &required) || required.Reason != login.NotLoggedIn || !e.Retry.IsZero() || e.GaveUp {
				t.Errorf("without a login it was reported as %+v", e)
			}
			if err := account.LogIn(within(t)); err != nil {
				t.Fatal(err)
			}
			s.Restart()
			_, at = h.waitKind(at, Connected)
			_, at = h.waitAnswered(at)

			g.revoke(false) // the next message of ours is refused, and sent again with a new token
			h.set(Root{URI: "file:///b"})
			s.Announce()
			_, at = h.waitAnswered(at)
			g.server.has(t, Root{URI: "file:///b"})

			g.revoke(true)
			if _, err := s.Tools(within(t)); !errors.As(err, &required) || required.Reason != login.Expired {
				t.Errorf("after the login was revoked: %v", err)
			}
			s.Restart()
			if e, _ = h.wait(at, "Disconnected with a reason", func(e Event) bool { return e.Kind == Disconnected && e.Err != nil }); !errors.As(e.Err, &required) {
				t.Errorf("after the login was revoked it was reported as %+v", e)
			}
		})
	}
}

func TestRefusedTokenOfTheAnswerItselfIsRenewed(t *testing.T) {
	g := newGuarded(t, HTTP)
	account, err := login.New(g.server.URL+"/mcp", "k", &oneLogin{}, &login.Options{Open: agree})
	if err != nil {
		t.Fatal(err)
	}
	if err := account.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, Spec{Transport: HTTP, URL: account.URL()})
	h.set(Root{URI: "file:///a"})
	h.hold = make(chan struct{})
	start(t, h, &Options{timing: fast, Login: func(Spec) *login.Account { return account }})
	_, at := h.waitKind(0, Requested)
	g.revoke(false)
	close(h.hold)
	h.waitAnswered(at)
	g.server.has(t, Root{URI: "file:///a"})
	if n := h.count(Answered); n != 1 {
		t.Errorf("one question was reported as answered %d times", n)
	}
}

func TestOwnAuthorizationHeaderNeedsNoAccount(t *testing.T) {
	g := newGuarded(t, HTTP)
	g.access["mine"] = true
	h := newHost(t, Spec{Transport: HTTP, URL: g.server.URL + "/mcp", Headers: map[string]string{"authorization": "Bearer mine"}})
	start(t, h, &Options{timing: fast, Login: func(Spec) *login.Account {
		t.Error("an account was asked for")
		return nil
	}})
	h.waitKind(0, Connected)
}

func TestAccountOfAnotherAddressIsNotUsed(t *testing.T) {
	g, other := newGuarded(t, HTTP), newGuarded(t, HTTP)
	account, err := login.New(other.server.URL+"/mcp", "k", &oneLogin{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, Spec{Transport: HTTP, URL: g.server.URL + "/mcp"})
	start(t, h, &Options{timing: fast, Login: func(Spec) *login.Account { return account }})
	if e, _ := h.waitKind(0, Disconnected); e.Err == nil || !strings.Contains(e.Err.Error(), "another address") {
		t.Errorf("reported as %+v", e)
	}
}
