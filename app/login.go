package app

import (
	"context"
	"errors"

	"rootsmanager/mcpclient"
	"rootsmanager/mcpclient/login"
	"rootsmanager/store"
)

// logins keeps the logins of one server where its secrets are.
type logins struct {
	store  *store.Store
	server store.ServerID
}

var _ login.TokenStore = logins{}

func (k logins) Load(ctx context.Context, url string) ([]byte, error) {
	value, err := k.store.Login(ctx, k.server, url)
	if err != nil || value == "" {
		return nil, err
	}
	return []byte(value), nil
}

func (k logins) Save(ctx context.Context, url string, value []byte) error {
	return k.store.SaveLogin(ctx, k.server, url, string(value))
}

func (k logins) Delete(ctx context.Context, url string) error {
	return k.store.DeleteLogin(ctx, k.server, url)
}

// sessionOptions are the engine's, with the login of this server.
func (l *link) sessionOptions() *mcpclient.Options {
	o := *l.e.session
	o.Login = l.accountOf
	return &o
}

// accountOf is the login of the server at the address of a spec; nil where
// there can be none.
func (l *link) accountOf(spec mcpclient.Spec) *login.Account {
	l.e.mu.Lock()
	defer l.e.mu.Unlock()
	if l.account == nil || l.account.URL() != spec.URL {
		account, err := login.New(spec.URL, spec.URL, logins{l.e.store, l.id}, &login.Options{Logger: l.e.log, Open: l.e.opts.OpenPage})
		if err != nil {
			l.e.log.Debug("no login for this address", "error", err)
			return nil
		}
		l.account = account
	}
	return l.account
}

// LogIn lets the person log in to a server in their browser, and connects
// again. It returns when that is done, given up (ctx) or refused; the error is
// a sentence.
func (e *Engine) LogIn(ctx context.Context, id store.ServerID) error {
	e.mu.Lock()
	l := e.links[id]
	if l == nil || l.session == nil || l.account == nil {
		e.mu.Unlock()
		return errors.New("this server has not asked for a login: turn it on first")
	}
	account, session, name := l.account, l.session, e.index.servers[id].Name
	e.mu.Unlock()
	if err := account.LogIn(ctx); err != nil && !errors.Is(err, login.ErrNotSaved) {
		return err
	}
	e.mu.Lock()
	e.recordLocked(Activity{Kind: "approved", Server: name, Subject: name, Text: "– you logged in to it"})
	e.mu.Unlock()
	session.Restart()
	return nil
}

// LogOut forgets the login of a server, here and in the keyring.
func (e *Engine) LogOut(ctx context.Context, id store.ServerID) error {
	e.mu.Lock()
	l := e.links[id]
	if l == nil || l.account == nil {
		e.mu.Unlock()
		return errors.New("there is no login to this server")
	}
	account, session := l.account, l.session
	e.mu.Unlock()
	if err := account.LogOut(ctx); err != nil {
		return err
	}
	if session != nil {
		session.Restart()
	}
	return nil
}
