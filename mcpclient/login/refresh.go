package login

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// grant is a token service's answer (RFC 6749, sections 5.1 and 5.2).
type grant struct {
	Access    string      `json:"access_token"`
	Type      string      `json:"token_type"`
	Refresh   string      `json:"refresh_token"`
	ExpiresIn json.Number `json:"expires_in"`
	Error     string      `json:"error"`
}

// refresh gets a new access token for the saved refresh token and keeps both.
// Where the service no longer takes it, the login is over and the error is a
// [*RequiredError]. Another process may have used the refresh token first, and
// many services let it be used only once: so the store is looked at before and
// after. The caller holds mu.
func (a *Account) refresh(ctx context.Context) error {
	before := a.saved
	if err := a.load(ctx, true); err != nil {
		return err
	}
	if a.saved == nil && before != nil {
		a.opts.Logger.Info("logged out elsewhere", "server", originOf(a.url))
		return a.Required(NotLoggedIn)
	}
	if a.newer(before) {
		return nil
	}
	now := a.opts.now()
	g, err := a.askForToken(ctx, a.saved)
	if err != nil {
		return err
	}
	if g.Error == "invalid_grant" || g.Error == "invalid_client" || g.Error == "unauthorized_client" {
		used := a.saved
		if err := a.load(ctx, true); err != nil {
			return err
		}
		if a.newer(used) {
			return nil
		}
		return a.end(ctx)
	}
	if g.Error != "" || g.Access == "" {
		return fmt.Errorf("the login service of %s did not renew the login (%s): try again later", originOf(a.url), orUnclear(plain(g.Error, 60)))
	}
	r := *a.saved
	r.Access, r.Expiry = g.Access, expiry(now, g.ExpiresIn)
	if g.Refresh != "" {
		r.Refresh = g.Refresh
	}
	a.refreshed = now
	if err := a.save(ctx, &r); err != nil {
		a.opts.Logger.Warn("a renewed login could not be saved", "server", originOf(a.url), "error", err)
	}
	return nil
}

// newer reports whether the store has another login than r, which can be used.
func (a *Account) newer(r *record) bool {
	return r != nil && a.saved.valid(a.opts.now()) && a.saved.Access != r.Access && a.saved.Refresh != r.Refresh
}

// end forgets a login that is over.
func (a *Account) end(ctx context.Context) error {
	a.saved, a.loaded, a.unsaved = nil, true, false
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	if err := a.store.Delete(ctx, a.key); err != nil {
		a.opts.Logger.Warn("an ended login could not be removed", "server", originOf(a.url), "error", err)
	}
	return a.Required(Expired)
}

// askForToken makes one refresh request (RFC 6749, section 6; RFC 8707). Its
// error never contains what was sent or received.
func (a *Account) askForToken(ctx context.Context, r *record) (*grant, error) {
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {r.Refresh}}
	if r.Resource != "" {
		form.Set("resource", r.Resource)
	}
	if !r.InHeader {
		form.Set("client_id", r.ClientID)
		if r.Secret != "" {
			form.Set("client_secret", r.Secret)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, a.Required(Unreadable)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if r.InHeader {
		req.SetBasicAuth(url.QueryEscape(r.ClientID), url.QueryEscape(r.Secret))
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the login for %s could not be renewed: %w", originOf(a.url), reach(err))
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("the login for %s could not be renewed: %w", originOf(a.url), reach(err))
	}
	var g grant
	if json.Unmarshal(data, &g) != nil || (resp.StatusCode != http.StatusOK && g.Error == "") {
		return nil, fmt.Errorf("the login service of %s answered %d without a reason: try again later", originOf(a.url), resp.StatusCode)
	}
	if resp.StatusCode == http.StatusOK && !strings.EqualFold(g.Type, "bearer") {
		return nil, fmt.Errorf("the login service of %s gave a kind of token that cannot be used", originOf(a.url))
	}
	return &g, nil
}

// expiry returns when a token ends; zero where the service does not say.
func expiry(now time.Time, in json.Number) time.Time {
	seconds, err := in.Float64()
	if err != nil || seconds <= 0 || seconds > 10*365*24*3600 {
		return time.Time{}
	}
	return now.Add(time.Duration(seconds * float64(time.Second)))
}

func orUnclear(s string) string {
	if s == "" {
		return "for an unclear reason"
	}
	return s
}
