package login

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connectBelow opens an MCP session whose transport knows nothing of logins.
func connectBelow(t *testing.T, s *service, a *Account) (*mcp.ClientSession, error) {
	t.Helper()
	rt := &http.Transport{}
	t.Cleanup(rt.CloseIdleConnections)
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(within(t), &mcp.StreamableClientTransport{
		Endpoint: s.mcp.URL + "/mcp", HTTPClient: &http.Client{Transport: a.Transport(rt)}, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err == nil {
		t.Cleanup(func() { _ = cs.Close() })
	}
	return cs, err
}

func TestTransportBelowAnyClientDoesTheSame(t *testing.T) {
	s, c := newService(t), &clock{at: time.Now()}
	a := account(t, s, newMemory(), &Options{now: c.now})
	if _, err := connectBelow(t, s, a); required(t, err).Reason != NotLoggedIn {
		t.Errorf("without a login: %v", err)
	}
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	cs, err := connectBelow(t, s, a)
	if err != nil {
		t.Fatal(err)
	}
	s.revokeAccess()
	if err := call(t, cs); err != nil {
		t.Errorf("after the access token was revoked: %v", err)
	}
	c.move(time.Hour)
	if err := call(t, cs); err != nil {
		t.Errorf("after the access token ended: %v", err)
	}
	s.revokeAccess()
	s.revokeRefresh()
	c.move(time.Hour)
	if err := call(t, cs); err == nil || !strings.Contains(err.Error(), "log in") {
		t.Errorf("after all was revoked: %v", err)
	}
}

func TestTransportKeepsTheTokenFromOthers(t *testing.T) {
	s := newService(t)
	a := account(t, s, newMemory(), nil)
	if err := a.LogIn(within(t)); err != nil {
		t.Fatal(err)
	}
	var got []string
	rt := a.Transport(roundTrip(func(req *http.Request) (*http.Response, error) {
		got = append(got, req.Header.Get("Authorization"))
		return &http.Response{StatusCode: 401, Header: http.Header{}, Body: http.NoBody}, nil
	}))
	foreign, err := http.NewRequestWithContext(within(t), http.MethodGet, "https://evil.example/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rt.RoundTrip(foreign)
	if err != nil || resp.StatusCode != 401 || len(got) != 1 || got[0] != "" {
		t.Errorf("another origin: %v %v, sent %q", resp, err, got)
	}
	// What cannot be sent again is not: the refusal is passed on.
	once, err := http.NewRequestWithContext(within(t), http.MethodPost, s.mcp.URL+"/mcp", io.NopCloser(strings.NewReader("{}")))
	if err != nil {
		t.Fatal(err)
	}
	once.GetBody = nil
	got = nil
	if resp, err = rt.RoundTrip(once); err != nil || resp.StatusCode != 401 || len(got) != 1 || !strings.HasPrefix(got[0], "Bearer ") {
		t.Errorf("a body that is gone: %v %v, sent %d times", resp, err, len(got))
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
