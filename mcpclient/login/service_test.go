package login

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is an authorization server and the MCP server that it guards, at two
// origins. Its fields are switches for what goes wrong.
type service struct {
	t    *testing.T
	auth *httptest.Server
	mcp  *httptest.Server

	mu       sync.Mutex
	clients  map[string]string // client ID to secret
	codes    map[string]url.Values
	access   map[string]bool // tokens that the MCP server takes
	refresh  map[string]bool
	lifetime int // of an access token, seconds; 0: not told
	tokens   []url.Values
	seen     []string // Authorization headers at the MCP server

	issuer     string // in the metadata
	iss        string // in the answer
	noIss      bool   // none in the answer
	state      string // in the answer, instead of ours
	refuse     string // error at the login page
	tokenReply func(w http.ResponseWriter, r *http.Request) bool
	wantScope  string // the MCP server wants it for tools/call
	granted    map[string]string
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{
		t: t, clients: map[string]string{}, codes: map[string]url.Values{},
		access: map[string]bool{}, refresh: map[string]bool{}, lifetime: 3600, granted: map[string]string{},
	}
	s.auth = httptest.NewServer(s.routes())
	t.Cleanup(s.auth.Close)
	s.issuer, s.iss = s.auth.URL, s.auth.URL
	server := mcp.NewServer(&mcp.Implementation{Name: "guarded", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil, nil
	})
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"resource": s.mcp.URL + "/mcp", "authorization_servers": []string{s.auth.URL}})
	})
	mux.Handle("/mcp", s.guard(inner))
	s.mcp = httptest.NewServer(mux)
	t.Cleanup(s.mcp.Close)
	t.Cleanup(func() { // a client without a token cannot end its session by itself
		for cs := range server.Sessions() {
			_ = cs.Close()
		}
	})
	return s
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *service) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := r.Header.Get("Authorization")
		token, _ := strings.CutPrefix(header, "Bearer ")
		s.mu.Lock()
		s.seen = append(s.seen, header)
		ok, scope, want := s.access[token], s.granted[token], s.wantScope
		s.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.mcp.URL+`/.well-known/oauth-protected-resource/mcp", scope="files:read"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if want != "" && !slices.Contains(strings.Fields(scope), want) {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+want+`", resource_metadata="`+s.mcp.URL+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "more!", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *service) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		reply(w, 200, map[string]any{
			"issuer": s.issuer, "authorization_endpoint": s.auth.URL + "/authorize", "token_endpoint": s.auth.URL + "/token",
			"registration_endpoint": s.auth.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			"response_types_supported": []string{"code"}, "authorization_response_iss_parameter_supported": true,
		})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		var m map[string]any
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m["application_type"] != "native" {
			reply(w, 400, map[string]any{"error": "invalid_client_metadata"})
			return
		}
		id, secret := "client-"+rand.Text(), "secret-"+rand.Text()
		s.mu.Lock()
		s.clients[id] = secret
		s.mu.Unlock()
		m["client_id"], m["client_secret"] = id, secret
		m["token_endpoint_auth_method"] = "client_secret_basic"
		reply(w, 201, m)
	})
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	return mux
}

func (s *service) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("resource") != s.mcp.URL+"/mcp" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || back.Hostname() != "127.0.0.1" {
		http.Error(w, "bad redirect", http.StatusBadRequest)
		return
	}
	code := "code-" + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[code] = q
	a := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {s.iss}}
	if s.noIss {
		a.Del("iss")
	}
	if s.state != "" {
		a.Set("state", s.state)
	}
	if s.refuse != "" {
		a.Del("code")
		a.Set("error", s.refuse)
	}
	back.RawQuery = a.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s *service) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		reply(w, 400, map[string]any{"error": "invalid_request"})
		return
	}
	s.tokens = append(s.tokens, r.PostForm)
	if s.tokenReply != nil && s.tokenReply(w, r) {
		return
	}
	id, secret, _ := r.BasicAuth()
	if want, ok := s.clients[id]; !ok || want != secret {
		reply(w, 401, map[string]any{"error": "invalid_client"})
		return
	}
	scope := ""
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		asked, ok := s.codes[r.PostForm.Get("code")]
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		if !ok || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || asked.Get("client_id") != id {
			reply(w, 400, map[string]any{"error": "invalid_grant"})
			return
		}
		delete(s.codes, r.PostForm.Get("code"))
		scope = asked.Get("scope")
	case "refresh_token":
		old := r.PostForm.Get("refresh_token")
		if !s.refresh[old] {
			reply(w, 400, map[string]any{"error": "invalid_grant"})
			return
		}
		delete(s.refresh, old) // each works once
	}
	if r.PostForm.Get("resource") != s.mcp.URL+"/mcp" {
		reply(w, 400, map[string]any{"error": "invalid_target"})
		return
	}
	access, refresh := "access-"+rand.Text(), "refresh-"+rand.Text()
	s.access[access], s.refresh[refresh], s.granted[access] = true, true, scope
	m := map[string]any{"access_token": access, "token_type": "Bearer", "refresh_token": refresh}
	if s.lifetime > 0 {
		m["expires_in"] = s.lifetime
	}
	reply(w, 200, m)
}

// with changes switches.
func (s *service) with(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *service) revokeAccess()  { s.with(func() { clear(s.access) }) }
func (s *service) revokeRefresh() { s.with(func() { clear(s.refresh) }) }

// secrets are all that must not be seen anywhere.
func (s *service) secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, f := range s.tokens {
		all = append(all, f.Get("code"), f.Get("code_verifier"), f.Get("refresh_token"))
	}
	for _, secret := range s.clients {
		all = append(all, secret)
	}
	for _, h := range s.seen {
		all = append(all, strings.TrimPrefix(h, "Bearer "))
	}
	return slices.DeleteFunc(all, func(x string) bool { return x == "" })
}

// memory is a store for tests.
type memory struct {
	mu      sync.Mutex
	values  map[string][]byte
	loadErr error
	saveErr error
}

func newMemory() *memory { return &memory{values: map[string][]byte{}} }

func (m *memory) Load(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.values[key], m.loadErr
}

func (m *memory) Save(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.saveErr == nil {
		m.values[key] = slices.Clone(value)
	}
	return m.saveErr
}

func (m *memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.values, key)
	return nil
}

func (m *memory) record(t *testing.T) *record {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values["k"] == nil {
		return nil
	}
	r := new(record)
	if err := json.Unmarshal(m.values["k"], r); err != nil {
		t.Fatal(err)
	}
	return r
}

// browser is a person at a browser who agrees to everything.
func browser(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "Back to Roots Manager") {
		return errors.New("the browser ended at " + resp.Status)
	}
	return nil
}

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func account(t *testing.T, s *service, store TokenStore, opts *Options) *Account {
	t.Helper()
	if opts == nil {
		opts = &Options{}
	}
	if opts.Open == nil {
		opts.Open = browser
	}
	a, err := New(s.mcp.URL+"/mcp", "k", store, opts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// connect opens an MCP session as the account.
func connect(t *testing.T, s *service, a *Account) (*mcp.ClientSession, error) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	rt := &http.Transport{}
	t.Cleanup(rt.CloseIdleConnections)
	cs, err := client.Connect(within(t), &mcp.StreamableClientTransport{
		Endpoint: s.mcp.URL + "/mcp", HTTPClient: &http.Client{Transport: a.Transport(rt)}, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err == nil {
		t.Cleanup(func() { _ = cs.Close() })
	}
	return cs, err
}

func call(t *testing.T, cs *mcp.ClientSession) error {
	t.Helper()
	_, err := cs.CallTool(within(t), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{}})
	return err
}
