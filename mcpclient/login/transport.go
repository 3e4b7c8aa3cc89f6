package login

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Transport returns a round tripper over base that adds the token to requests
// to the account's server, refreshes it when it ends, and sends a request that
// was refused once more where a newer token could be had. Where only a person
// can help, it fails with a [*RequiredError]; it never opens a browser.
func (a *Account) Transport(base http.RoundTripper) http.RoundTripper {
	return &bearer{a, base}
}

// bearer stands below the SDK's transports, in the place of their own handling
// of logins, because the old SSE transport has none, and the other one has none
// for streams.
type bearer struct {
	a    *Account
	base http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	if originOf(req.URL) != originOf(b.a.url) {
		return b.base.RoundTrip(req)
	}
	token, resp, err := b.send(req)
	if err != nil || (resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden) {
		return resp, err
	}
	again := req
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return resp, nil // it cannot be sent again
		}
		body, err := req.GetBody()
		if err != nil {
			_ = resp.Body.Close()
			return nil, err
		}
		again = req.Clone(req.Context())
		again.Body = body
	}
	better, err := b.a.refused(req.Context(), token, resp)
	if err != nil || !better {
		if again.Body != nil {
			_ = again.Body.Close()
		}
		if err == nil {
			return resp, nil
		}
		_ = resp.Body.Close()
		return nil, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	_ = resp.Body.Close()
	_, resp, err = b.send(again)
	return resp, err
}

// send sends a copy of req with the token, if there is one, and returns it.
func (b *bearer) send(req *http.Request) (token string, resp *http.Response, err error) {
	if token, err = b.a.access(req.Context()); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return "", nil, err
	}
	out := req.Clone(req.Context())
	if token != "" {
		out.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err = b.base.RoundTrip(out)
	return token, resp, err
}

// refused finds out what helps when the server refused a request that was sent
// with a token, or without one. It reports whether there is a better token now.
func (a *Account) refused(ctx context.Context, sent string, resp *http.Response) (better bool, err error) {
	c := &challenge{status: resp.StatusCode, header: http.Header{}}
	c.header["Www-Authenticate"] = resp.Header.Values("WWW-Authenticate")
	scopes, more := c.moreRights()
	if c.status == http.StatusForbidden && !more {
		return false, nil // it refuses for another reason
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.challenge = c
	if more {
		return false, a.Required(MoreRights, scopes...)
	}
	if err := a.load(ctx, false); err != nil {
		return false, err
	}
	now := a.opts.now()
	switch {
	case a.saved.valid(now) && a.saved.Access != sent:
		return true, nil // a newer one came meanwhile
	case a.saved == nil && sent == "":
		return false, a.Required(NotLoggedIn)
	case a.saved == nil || a.saved.Refresh == "" || now.Sub(a.refreshed) < refreshPause:
		a.drop(sent)
		return false, a.Required(Expired)
	}
	if err := a.refresh(ctx); err != nil {
		return false, err
	}
	return true, nil
}

// access returns the token to send, "" where there is none.
func (a *Account) access(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.load(ctx, false); err != nil {
		return "", err
	}
	if a.saved.valid(a.opts.now()) {
		return a.saved.Access, nil
	}
	if a.saved == nil || a.saved.Refresh == "" {
		return "", nil
	}
	var required *RequiredError
	if err := a.refresh(ctx); errors.As(err, &required) {
		return "", nil // the server says whether it needs one
	} else if err != nil {
		return "", err
	}
	return a.saved.Access, nil
}

// drop forgets an access token that the server refused, in memory only: another
// server process may still take it. The caller holds mu.
func (a *Account) drop(refused string) {
	if a.saved != nil && a.saved.Access == refused {
		r := *a.saved
		r.Access = ""
		a.saved = &r
	}
}

// moreRights reports whether a server wants other rights, and which
// (2025-11-25, "Authorization", "Scope Challenge Handling").
func (c *challenge) moreRights() (scopes []string, more bool) {
	if c.status != http.StatusForbidden {
		return nil, false
	}
	all, err := oauthex.ParseWWWAuthenticate(c.header.Values("WWW-Authenticate"))
	if err != nil {
		return nil, false
	}
	for _, one := range all {
		if one.Scheme == "bearer" && one.Params["error"] == "insufficient_scope" {
			return strings.Fields(one.Params["scope"]), true
		}
	}
	return nil, false
}
