package login

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Limits of everything an [Account] waits for.
const (
	defaultLimit  = 10 * time.Minute // for a person to log in
	requestLimit  = 30 * time.Second // for one answer of a login service
	storeLimit    = 10 * time.Second // for the keyring
	maxAnswer     = 1 << 20          // bytes of one answer
	refreshPause  = time.Minute      // a token refused so soon after a refresh is not refreshed again
	expiryReserve = 10 * time.Second // a token that ends sooner counts as ended
)

// TokenStore keeps the secrets of accounts, best in the system's keyring. A
// value is JSON of usually one to six KiB. It is called with one key at a time
// by one account.
type TokenStore interface {
	// Load returns what was saved, or nil where there is nothing.
	Load(ctx context.Context, key string) ([]byte, error)
	// Save keeps the value in place of an earlier one.
	Save(ctx context.Context, key string, value []byte) error
	// Delete forgets the value; that there is none is no error.
	Delete(ctx context.Context, key string) error
}

// Options are the optional parts of an [Account]. The zero value of a field
// means its default.
type Options struct {
	// Open shows a web page to the person and returns once that is on its way.
	// Default [SystemBrowser].
	Open func(ctx context.Context, url string) error
	// Transport carries the requests to login services. Default: one with TLS
	// by system roots, limits on each part, and no way from a public server to
	// services on this computer or in its network.
	Transport http.RoundTripper
	// ClientID and ClientSecret are what the person registered with the
	// service, for one that registers nobody by itself. ClientSecret may be
	// empty. Default: dynamic registration (RFC 7591).
	ClientID, ClientSecret string
	// ClientDocument is an https URL that describes this program, used where
	// the service supports it (2025-11-25, "Client ID Metadata Documents").
	ClientDocument string
	// ClientName is what the person reads on the service's page. Default
	// "Roots Manager".
	ClientName string
	// Limit is how long a person may take to log in. Default 10 minutes.
	Limit time.Duration
	// Logger gets what a developer wants to know, never a token.
	Logger *slog.Logger

	now func() time.Time // for tests
}

// Account is the login of one server. All methods are safe for concurrent use.
type Account struct {
	url    *url.URL
	key    string
	store  TokenStore
	opts   Options
	client *http.Client
	slot   chan struct{} // holds a token while LogIn runs

	mu        sync.Mutex // also held while a token is refreshed
	saved     *record    // nil: there is none
	loaded    bool       // saved is what the store has, or newer
	unsaved   bool       // saved could not be saved: the store is behind
	refreshed time.Time  // when a refresh last worked
	challenge *challenge // the newest, from a session
}

// challenge is how a server asked for a login.
type challenge struct {
	status int
	header http.Header
}

// New returns the account of the server at serverURL, whose secrets the store
// keeps under key; opts may be nil. It reads nothing yet. The error is for an
// address that cannot be logged in to: only https is safe, except on this
// computer.
func New(serverURL, key string, store TokenStore, opts *Options) (*Account, error) {
	if key == "" || store == nil {
		panic("login: New needs a key and a store")
	}
	u, err := url.Parse(serverURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("the server's address is not an http or https URL")
	}
	if !safeURL(u) {
		return nil, fmt.Errorf("%s cannot be logged in to: its address must begin with https://", u.Host)
	}
	a := &Account{url: u, key: key, store: store, slot: make(chan struct{}, 1)}
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.Open == nil {
		a.opts.Open = SystemBrowser
	}
	if a.opts.ClientName == "" {
		a.opts.ClientName = "Roots Manager"
	}
	if a.opts.Limit == 0 {
		a.opts.Limit = defaultLimit
	}
	if a.opts.Logger == nil {
		a.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if a.opts.now == nil {
		a.opts.now = time.Now
	}
	a.client = newClient(u, a.opts.Transport)
	return a, nil
}

// URL returns the address of the server that the account is for.
func (a *Account) URL() string { return a.url.String() }

// LoggedIn reports whether there is a login that may work. It reads the store
// when that was not done before.
func (a *Account) LoggedIn(ctx context.Context) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.load(ctx, false); err != nil {
		return false, err
	}
	return a.saved.usable(a.opts.now()), nil
}

// LogOut forgets the login, here and in the store. Servers are not told.
func (a *Account) LogOut(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.saved, a.loaded, a.unsaved, a.challenge = nil, true, false, nil
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	if err := a.store.Delete(ctx, a.key); err != nil {
		return fmt.Errorf("the saved login could not be removed: %w", err)
	}
	return nil
}

// Required makes the error that says that a login is needed.
func (a *Account) Required(reason Reason, scopes ...string) *RequiredError {
	return &RequiredError{Origin: originOf(a.url), Reason: reason, Scopes: scopes}
}

// originOf returns scheme, host and port (RFC 6454, section 4); the port only
// where it is not the scheme's own.
func originOf(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + host
}
