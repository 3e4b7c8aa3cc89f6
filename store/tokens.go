package store

import (
	"context"
	"errors"
)

// loginName is what a server's login is kept as among its secrets. It holds
// the address, so that a login never goes to another one.
func loginName(url string) string { return "\x01login " + url }

// SaveLogin keeps what a login to the server at url came to, in the keyring;
// without one until the process ends.
func (s *Store) SaveLogin(ctx context.Context, server ServerID, url, value string) error {
	_, err := s.Update(ctx, func(tx *Tx) error {
		if !tx.hasServer(server) {
			return refuse(ErrNotFound, "This server is not in the list any more.")
		}
		tx.secrets = append(tx.secrets, stagedSecret{secretName: secretName{server, loginName(url)}, value: value})
		return nil
	})
	return err
}

// Login returns what SaveLogin kept, empty if there is nothing.
func (s *Store) Login(ctx context.Context, server ServerID, url string) (string, error) {
	value, err := s.Secret(ctx, server, loginName(url))
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return value, err
}

// DeleteLogin forgets a login; that there is none is no error.
func (s *Store) DeleteLogin(ctx context.Context, server ServerID, url string) error {
	name := secretName{server, loginName(url)}
	_, err := s.Update(ctx, func(tx *Tx) error {
		return tx.exec("UPDATE secrets SET live = 0 WHERE server = ? AND name = ?", name.server, name.name)
	})
	if err != nil {
		return err
	}
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	delete(s.secrets.values, name)
	return nil
}

func (t *Tx) hasServer(id ServerID) bool {
	for _, v := range t.State().Servers {
		if v.ID == id {
			return true
		}
	}
	return false
}
