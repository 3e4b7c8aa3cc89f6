package store

import (
	"context"
	"database/sql"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The most a profile holds. They keep a mistake or a script from filling the
// disk; nobody meets them by hand.
const (
	MaxServers    = 1_000
	MaxRoots      = 20_000
	MaxWorkspaces = 200
	MaxApprovals  = 20_000
	MaxSettings   = 1_000

	maxNameBytes    = 200
	maxServerName   = 80 // characters
	maxURIBytes     = 4_096
	maxFieldBytes   = 64 << 10
	maxArgs         = 1_000
	maxVars         = 500
	maxServerBytes  = 512 << 10
	maxSettingBytes = 64 << 10
)

// Tx is one change in the making, see [Store.Update]. Every method writes to
// the file's transaction and to the state that will be published. A method
// that returned an error changed nothing, except where SQLite itself failed:
// then the whole change is given up. A Tx is for one goroutine.
type Tx struct {
	ctx        context.Context
	sql        *sql.Tx
	draft      *draft
	at         position
	now        func() time.Time
	statements map[string]*sql.Stmt
	uris       map[string]RootID // of every root, built when first needed
	rows       []ledgerRow       // for the ledger, in order
	secrets    []stagedSecret    // for the keyring
	ledger     *ledger           // of the Store
	wrote      bool
	ended      bool
	err        error // first failure of SQLite: nothing is committed after it
}

// State is the state as changed so far. It changes with further calls.
func (t *Tx) State() *State { return &t.draft.State }

// usable tells why the change cannot go on, if so.
func (t *Tx) usable() error {
	if t.ended {
		t.err = refuse(ErrClosed, "The change is over; its Tx cannot be used any more.")
	}
	return t.err
}

func (t *Tx) exec(query string, args ...any) error {
	if err := t.usable(); err != nil {
		return err
	}
	statement := t.statements[query]
	if statement == nil {
		if statement, t.err = t.sql.PrepareContext(t.ctx, query); t.err != nil {
			return t.err
		}
		t.statements[query] = statement
	}
	if _, err := statement.ExecContext(t.ctx, args...); err != nil {
		t.err = err
		return err
	}
	t.wrote = true
	return nil
}

// SetSetting keeps a setting; an empty value removes it.
func (t *Tx) SetSetting(key, value string) error {
	if err := checkName("setting", key); err != nil {
		return err
	}
	if len(value) > maxSettingBytes {
		return refuse(ErrInvalid, "The setting “%s” is longer than %d bytes.", key, maxSettingBytes)
	}
	old, had := t.draft.Settings[key]
	if old == value && had == (value != "") {
		return nil
	}
	if value == "" {
		if err := t.exec("DELETE FROM settings WHERE key = ?", key); err != nil {
			return err
		}
		delete(t.draft.settings(), key)
		return nil
	}
	if !had && len(t.draft.Settings) >= MaxSettings {
		return refuse(ErrTooMany, "A profile holds at most %d settings.", MaxSettings)
	}
	if err := t.exec("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", key, value); err != nil {
		return err
	}
	t.draft.settings()[key] = value
	return nil
}

// checkName refuses names that cannot be shown on one line. what says whose
// name it is.
func checkName(what, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return refuse(ErrInvalid, "The name of a %s is empty; give it one.", what)
	case len(name) > maxNameBytes:
		return refuse(ErrInvalid, "The name of a %s is longer than %d bytes; choose a shorter one.", what, maxNameBytes)
	case !utf8.ValidString(name):
		return refuse(ErrInvalid, "The name of a %s is not valid text; type it anew.", what)
	case strings.ContainsFunc(name, unicode.IsControl):
		return refuse(ErrInvalid, "The name of a %s holds a line break or another control character; remove it.", what)
	}
	return nil
}
