package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// question is what a server is asked to find out whether it wants a login. It
// changes nothing there.
const question = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// LogIn opens the login page of the server's login service and waits until the
// person is done there, ctx ends, or [Options.Limit] is over. On success
// sessions get in with their next request; restart one that rests. It returns
// [ErrUnderWay] at once if another call is waiting, [ErrNotNeeded] where the
// server lets everybody in, and [ErrNotSaved] together with the store's reason.
// Every error is a sentence for a person.
//
// The service is found by the server's metadata (2025-11-25, "Authorization
// Server Location"; for older servers 2025-03-26, "Server Metadata Discovery"),
// and the answer is checked by PKCE (S256), state, and issuer (RFC 9207).
func (a *Account) LogIn(ctx context.Context) error {
	select {
	case a.slot <- struct{}{}:
	default:
		return ErrUnderWay
	}
	defer func() { <-a.slot }()
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, a.opts.Limit)
	defer cancel()
	f := &flow{a: a}
	err := f.run(ctx)
	switch {
	case err == nil:
		a.opts.Logger.Info("logged in", "server", originOf(a.url))
		return nil
	case caller.Err() != nil && errors.Is(caller.Err(), context.Canceled):
		return ErrCancelled
	case ctx.Err() != nil:
		return ErrLate
	}
	return err
}

// flow is one run of [Account.LogIn].
type flow struct {
	a        *Account
	resource string  // as the service was asked for
	answered bool    // the browser came back
	failed   error   // what ask said: already a sentence
	made     *record // the login, once there is one
}

func (f *flow) run(ctx context.Context) error {
	c, err := f.challenge(ctx)
	if err != nil {
		return err
	}
	back, err := listen()
	if err != nil {
		return fmt.Errorf("no port on this computer can be opened for the browser's answer: %w", err)
	}
	defer back.close()
	h, err := f.handler(c, back)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.a.url.String(), http.NoBody)
	if err != nil {
		return err
	}
	resp := &http.Response{StatusCode: c.status, Header: c.header, Body: http.NoBody, Request: req}
	if err := h.Authorize(ctx, req, resp); err != nil {
		return f.explain(err)
	}
	if f.made == nil {
		return fmt.Errorf("the login service of %s gave no login", originOf(f.a.url))
	}
	f.a.mu.Lock()
	defer f.a.mu.Unlock()
	f.a.challenge = nil
	if err := f.a.save(ctx, f.made); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	return nil
}

// challenge returns how the server asks for a login: as a session last heard
// it, or as it answers now.
func (f *flow) challenge(ctx context.Context) (*challenge, error) {
	f.a.mu.Lock()
	c := f.a.challenge
	f.a.mu.Unlock()
	if c != nil {
		return c, nil
	}
	status, header, err := f.knock(ctx, http.MethodPost)
	if err == nil && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed) {
		status, header, err = f.knock(ctx, http.MethodGet) // a server of the old SSE transport
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be asked how to log in: %w", originOf(f.a.url), reach(err))
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &challenge{status: http.StatusUnauthorized, header: header}, nil
	case status >= 500:
		return nil, fmt.Errorf("%s answered %d: try again later", originOf(f.a.url), status)
	}
	return nil, ErrNotNeeded
}

// knock makes one request without a token and returns how it was answered.
func (f *flow) knock(ctx context.Context, method string) (int, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(question)
	}
	req, err := http.NewRequestWithContext(ctx, method, f.a.url.String(), body)
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := f.a.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	_ = resp.Body.Close() // a stream would never end
	return resp.StatusCode, http.Header{"Www-Authenticate": resp.Header.Values("WWW-Authenticate")}, nil
}

// handler makes the SDK's handler for this one login.
func (f *flow) handler(c *challenge, back *callback) (*auth.AuthorizationCodeHandler, error) {
	o := f.a.opts
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: back.url,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			got, err := f.ask(ctx, back, args.URL)
			f.failed = err
			return got, err
		},
		RequestRefreshToken: true,
		Client:              f.a.client,
		ScopeFilter:         f.scopes(c),
		NewTokenSource: func(_ context.Context, cfg *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			if !strings.EqualFold(t.Type(), "bearer") {
				return nil, errors.New("not a bearer token")
			}
			f.made = newRecord(f.a.url.String(), f.resource, cfg, t)
			return oauth2.StaticTokenSource(t), nil
		},
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				// The service chooses how we prove who we are: not all know "none".
				ClientName:    o.ClientName,
				RedirectURIs:  []string{back.url},
				GrantTypes:    []string{"authorization_code", "refresh_token"},
				ResponseTypes: []string{"code"},
			},
		},
	}
	if o.ClientID != "" {
		cfg.PreregisteredClient = &oauthex.ClientCredentials{ClientID: o.ClientID}
		if o.ClientSecret != "" {
			cfg.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: o.ClientSecret}
		}
	}
	if o.ClientDocument != "" {
		cfg.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: o.ClientDocument}
	}
	h, err := auth.NewAuthorizationCodeHandler(cfg)
	if err != nil {
		return nil, fmt.Errorf("the login settings of %s cannot be used: %w", originOf(f.a.url), err)
	}
	return h, nil
}

// scopes keeps the rights that the login has when a server wants further ones.
func (f *flow) scopes(c *challenge) func([]string) []string {
	if _, more := c.moreRights(); !more {
		return nil
	}
	f.a.mu.Lock()
	defer f.a.mu.Unlock()
	if f.a.saved == nil {
		return nil
	}
	have := slices.Clone(f.a.saved.Scopes)
	return func(asked []string) []string {
		for _, s := range have {
			if !slices.Contains(asked, s) {
				asked = append(asked, s)
			}
		}
		return asked
	}
}

// ask shows the service's page and waits for the browser to come back.
func (f *flow) ask(ctx context.Context, back *callback, page string) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(page)
	if err != nil || !safeURL(u) {
		return nil, fmt.Errorf("the login page of %s is not at a safe address", originOf(f.a.url))
	}
	f.resource = u.Query().Get("resource")
	if err := f.a.opts.Open(ctx, page); err != nil {
		return nil, fmt.Errorf("the login page could not be opened: %w", err)
	}
	got, err := back.wait(ctx)
	if err != nil {
		return nil, err
	}
	if got.Get("state") != u.Query().Get("state") {
		return nil, ErrState
	}
	f.answered = true
	switch reason := got.Get("error"); {
	case reason == "access_denied":
		return nil, ErrDenied
	case reason != "":
		return nil, fmt.Errorf("the login service refused: %s", plain(reason+" "+got.Get("error_description"), 200))
	case got.Get("code") == "":
		return nil, errors.New("the browser's answer is incomplete: start the login again")
	}
	return &auth.AuthorizationResult{Code: got.Get("code"), State: got.Get("state"), Iss: got.Get("iss")}, nil
}

// explain words what the SDK's handler says. Its own words may hold what
// services sent, secrets among them, once one was spoken to with a secret.
func (f *flow) explain(err error) error {
	server := originOf(f.a.url)
	if f.failed != nil {
		return f.failed
	}
	words := err.Error()
	var token *oauth2.RetrieveError
	var registration *oauthex.ClientRegistrationError
	var network *url.Error
	switch {
	case errors.As(err, &token):
		return fmt.Errorf("the login service of %s did not accept the answer (%s): start the login again", server, orUnclear(plain(token.ErrorCode, 60)))
	case errors.As(err, &registration):
		return fmt.Errorf("the login service of %s does not register this program (%s): enter a client ID from its provider", server, orUnclear(plain(registration.ErrorCode, 60)))
	case errors.As(err, &network):
		return fmt.Errorf("the login at %s failed: %w", server, reach(err))
	case strings.HasPrefix(words, "failed to register client"):
		return fmt.Errorf("the login service of %s does not register this program: enter a client ID from its provider", server)
	case strings.HasPrefix(words, "no configured client registration"):
		return fmt.Errorf("the login service of %s registers no programs by itself: enter a client ID from its provider", server)
	case strings.Contains(words, "issuer") && f.answered, strings.Contains(words, "RFC 9207"):
		return ErrIssuer
	case f.answered:
		return fmt.Errorf("the login service of %s did not complete the login: start it again", server)
	}
	return fmt.Errorf("the login service of %s cannot be used: %s", server, plain(words, 300))
}
