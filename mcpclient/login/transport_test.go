package login

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

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
