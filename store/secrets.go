package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// stagedSecret is the new value of a secret variable within a change.
type stagedSecret struct {
	secretName
	value string
	kept  bool // in the keyring already
}

type secretName struct {
	server ServerID
	name   string
}

// secretCache holds the values that could not be given to the keyring yet.
// They are in memory only and last until the process ends.
type secretCache struct {
	mu     sync.Mutex
	values map[secretName]string
}

func (c *secretCache) get(name secretName) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, ok := c.values[name]
	return value, ok
}

// commit notes where the values of a committed change are.
func (c *secretCache) commit(tx *Tx) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range tx.secrets {
		if one.kept {
			delete(c.values, one.secretName)
			continue
		}
		if c.values == nil {
			c.values = map[secretName]string{}
		}
		c.values[one.secretName] = one.value
	}
}

// restage takes the values that wait for the keyring into a change.
func (c *secretCache) restage(tx *Tx) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, value := range c.values {
		tx.secrets = append(tx.secrets, stagedSecret{secretName: name, value: value})
	}
}

// stageSecrets takes the values of secret variables out of a server. One
// without a value keeps the value it has.
func (t *Tx) stageSecrets(id ServerID, lists ...[]Var) {
	for _, list := range lists {
		for _, v := range list {
			if v.Secret && v.Value != "" {
				t.secrets = append(t.secrets, stagedSecret{secretName: secretName{id, v.Name}, value: v.Value})
			}
		}
	}
}

// storeSecrets gives staged values to the keyring, each under a new account,
// so that a change that is not committed leaves the old value in force. The
// file only learns the account.
func (s *Store) storeSecrets(ctx context.Context, tx *Tx) error {
	for i := range tx.secrets {
		one := &tx.secrets[i]
		if err := tx.exec("UPDATE secrets SET live = 0 WHERE server = ? AND name = ?", one.server, one.name); err != nil {
			return err
		}
		if !s.ledger.sealing {
			continue
		}
		account := newID("secret/")
		chunks, err := s.vault.putLong(ctx, account, one.value)
		if err != nil {
			s.keyringLost(err)
			continue
		}
		one.kept = true
		if err := tx.exec("INSERT INTO secrets (account, server, name, chunks, live) VALUES (?, ?, ?, ?, 1)", account, one.server, one.name, chunks); err != nil {
			return err
		}
	}
	return nil
}

// Secret returns the value of a server's secret variable or header, for the
// moment it is used. It asks the keyring and takes as long, at most
// Options.KeyringWait for each 1,350 bytes.
func (s *Store) Secret(ctx context.Context, server ServerID, name string) (string, error) {
	if value, ok := s.secrets.get(secretName{server, name}); ok {
		return value, nil
	}
	var account string
	var chunks int
	err := s.db.QueryRowContext(ctx, "SELECT account, chunks FROM secrets WHERE server = ? AND name = ? AND live = 1", server, name).Scan(&account, &chunks)
	if errors.Is(err, sql.ErrNoRows) {
		return "", refuse(ErrNotFound, "No value is kept for “%s”; enter it again.", name)
	}
	if err != nil {
		return "", explain(err)
	}
	value, err := s.vault.getLong(ctx, account, chunks)
	if errors.Is(err, ErrNoItem) {
		return "", refuse(ErrNotFound, "The keyring does not hold the value of “%s” any more; enter it again.", name)
	}
	if err != nil {
		reason, help := desktopWords(err)
		return "", fmt.Errorf("the value of “%s” cannot be read, because %s. %s (%w)", name, reason, help, err)
	}
	return value, nil
}

// sweepSecrets removes values from the keyring that nothing uses any more. It
// runs when the keyring was reached, not when a server is removed: until then
// a removal can be undone.
func (s *Store) sweepSecrets(ctx context.Context) error {
	used := map[secretName]bool{}
	for _, v := range s.State().Servers {
		used[secretName{v.ID, loginName(v.URL)}] = true
		for _, list := range [][]Var{v.Env, v.Headers} {
			for _, one := range list {
				if one.Secret {
					used[secretName{v.ID, one.Name}] = true
				}
			}
		}
	}
	type leftover struct {
		account string
		chunks  int
	}
	var unused []leftover
	err := each(ctx, s.db, "SELECT account, server, name, chunks, live FROM secrets", func(rows *sql.Rows) error {
		var l leftover
		var name secretName
		var live bool
		if err := rows.Scan(&l.account, &name.server, &name.name, &l.chunks, &live); err != nil {
			return err
		}
		if !live || !used[name] {
			unused = append(unused, l)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, l := range unused {
		if err := s.vault.removeLong(ctx, l.account, l.chunks); err != nil {
			return fmt.Errorf("an unused secret cannot be removed from the keyring: %w", err)
		}
		if _, err := s.db.ExecContext(ctx, "DELETE FROM secrets WHERE account = ?", l.account); err != nil {
			return explain(err)
		}
	}
	return nil
}
