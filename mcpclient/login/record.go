package login

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/oauth2"
)

// record is what is saved of a login. It is bound to the server's address: a
// server that moved is another server.
type record struct {
	URL      string    `json:"url"`
	TokenURL string    `json:"tokenUrl"`
	Resource string    `json:"resource"` // RFC 8707
	ClientID string    `json:"clientId"`
	Secret   string    `json:"clientSecret,omitempty"`
	InHeader bool      `json:"secretInHeader,omitempty"` // RFC 6749, section 2.3.1
	Scopes   []string  `json:"scopes,omitempty"`
	Access   string    `json:"accessToken,omitempty"`
	Refresh  string    `json:"refreshToken,omitempty"`
	Expiry   time.Time `json:"expiry,omitzero"`
}

func newRecord(serverURL, resource string, cfg *oauth2.Config, t *oauth2.Token) *record {
	return &record{
		URL:      serverURL,
		TokenURL: cfg.Endpoint.TokenURL,
		Resource: resource,
		ClientID: cfg.ClientID,
		Secret:   cfg.ClientSecret,
		// A service that names no method takes the standard's default.
		InHeader: cfg.ClientSecret != "" && cfg.Endpoint.AuthStyle != oauth2.AuthStyleInParams,
		Scopes:   cfg.Scopes,
		Access:   t.AccessToken,
		Refresh:  t.RefreshToken,
		Expiry:   t.Expiry,
	}
}

// valid reports whether the access token can be sent.
func (r *record) valid(now time.Time) bool {
	return r != nil && r.Access != "" && (r.Expiry.IsZero() || now.Add(expiryReserve).Before(r.Expiry))
}

// usable reports whether a session may get in with it.
func (r *record) usable(now time.Time) bool {
	return r != nil && (r.valid(now) || r.Refresh != "")
}

// load reads the store, once or again. The caller holds mu.
func (a *Account) load(ctx context.Context, again bool) error {
	if a.loaded && !again || a.unsaved {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	data, err := a.store.Load(ctx, a.key)
	if err != nil {
		return fmt.Errorf("the saved login for %s cannot be read: %w", originOf(a.url), err)
	}
	a.saved, a.loaded = nil, true
	if data == nil {
		return nil
	}
	r := new(record)
	if json.Unmarshal(data, r) != nil || r.TokenURL == "" || r.ClientID == "" {
		a.opts.Logger.Warn("a saved login cannot be used", "server", originOf(a.url))
		return nil
	}
	if r.URL == a.url.String() {
		a.saved = r
	}
	return nil
}

// save makes r the login, here and in the store. The caller holds mu.
func (a *Account) save(ctx context.Context, r *record) error {
	a.saved, a.loaded = r, true
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	// A token that was rotated must be kept even if the one who asked has left.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	err = a.store.Save(ctx, a.key, data)
	a.unsaved = err != nil
	return err
}
