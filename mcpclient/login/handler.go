package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// handler is an [Account] as the SDK's transport sees it.
type handler struct{ a *Account }

var _ auth.OAuthHandler = handler{}

// TokenSource implements [auth.OAuthHandler].
func (h handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	return source{ctx, h.a}, nil
}

// source gives the token of one request.
type source struct {
	ctx context.Context
	a   *Account
}

// Token implements [oauth2.TokenSource]. No token and no error means that the
// request goes without one, and the server says whether it needs one.
func (s source) Token() (*oauth2.Token, error) {
	access, err := s.a.access(s.ctx)
	if err != nil || access == "" {
		return nil, err
	}
	return &oauth2.Token{AccessToken: access, TokenType: "Bearer"}, nil
}

// Authorize implements [auth.OAuthHandler]: the server refused a request with
// 401 or 403. Where a newer token can be had without a person it returns nil,
// and the request is sent again with that one.
func (h handler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	_ = resp.Body.Close()
	return h.a.refused(ctx, req, resp)
}

func (a *Account) refused(ctx context.Context, req *http.Request, resp *http.Response) error {
	if o := originOf(req.URL); o != originOf(a.url) {
		return fmt.Errorf("%s is not the server that this login is for", plain(o, 200))
	}
	c := &challenge{status: resp.StatusCode, header: http.Header{}}
	c.header["Www-Authenticate"] = resp.Header.Values("WWW-Authenticate")
	scopes, more := c.moreRights()
	if c.status == http.StatusForbidden && !more {
		return nil // it refuses for another reason; sent again, the answer is the session's to explain
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.challenge = c
	if more {
		return a.Required(MoreRights, scopes...)
	}
	if err := a.load(ctx, false); err != nil {
		return err
	}
	now := a.opts.now()
	sent, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	switch {
	case a.saved.valid(now) && a.saved.Access != sent:
		return nil // a newer one came meanwhile
	case a.saved == nil && sent == "":
		return a.Required(NotLoggedIn)
	case a.saved == nil || a.saved.Refresh == "" || now.Sub(a.refreshed) < refreshPause:
		a.drop(sent)
		return a.Required(Expired)
	}
	return a.refresh(ctx)
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
		return "", nil // the server will ask, and Authorize says it
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
