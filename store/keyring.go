package store

import (
	"errors"
	"maps"
	"sync"

	"github.com/zalando/go-keyring"
)

// KeyringService is the name under which the app's items stand in the system's
// keyring.
const KeyringService = "dev.rootsmanager.app"

// ErrNoItem is what a [Keyring] returns for an item it does not hold.
var ErrNoItem = errors.New("the keyring holds no such item")

// Keyring keeps small secrets, under 2,000 bytes each, by account name. Its
// methods may block for as long as a person takes to answer a prompt; the
// store calls one at a time, on a goroutine of its own, with a deadline. Any
// error but [ErrNoItem] means that the keyring is not available.
type Keyring interface {
	Get(account string) (string, error)
	Set(account, value string) error
	Delete(account string) error
}

// prober is a Keyring that can tell, without ever showing a prompt, whether it
// could be used now.
type prober interface {
	Probe() error
}

// The reasons a keyring is not available, apart from the system's own.
var (
	errNoBus        = errors.New("no session bus")
	errNoService    = errors.New("no secret service")
	errNoCollection = errors.New("no default keyring")
	errLocked       = errors.New("the keyring is locked")
	errNoAnswer     = errors.New("the keyring does not answer")
)

// SystemKeyring is the keyring of the desktop: Secret Service, Keychain or
// Credential Manager.
func SystemKeyring() Keyring { return systemKeyring{} }

type systemKeyring struct{}

func (systemKeyring) Get(account string) (string, error) {
	value, err := keyring.Get(KeyringService, account)
	return value, noItem(err)
}

func (systemKeyring) Set(account, value string) error {
	return keyring.Set(KeyringService, account, value)
}

func (systemKeyring) Delete(account string) error {
	return noItem(keyring.Delete(KeyringService, account))
}

func noItem(err error) error {
	if errors.Is(err, keyring.ErrNotFound) {
		return ErrNoItem
	}
	return err
}

// MemoryKeyring is a [Keyring] that is forgotten with the process: for
// throw-away profiles and tests. It is safe for concurrent use.
type MemoryKeyring struct {
	mu    sync.Mutex
	items map[string]string
}

// NewMemoryKeyring returns an empty keyring.
func NewMemoryKeyring() *MemoryKeyring { return &MemoryKeyring{items: map[string]string{}} }

// Get returns an item.
func (k *MemoryKeyring) Get(account string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	value, ok := k.items[account]
	if !ok {
		return "", ErrNoItem
	}
	return value, nil
}

// Set keeps an item.
func (k *MemoryKeyring) Set(account, value string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.items[account] = value
	return nil
}

// Delete removes an item.
func (k *MemoryKeyring) Delete(account string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.items[account]; !ok {
		return ErrNoItem
	}
	delete(k.items, account)
	return nil
}

// Items copies what the keyring holds.
func (k *MemoryKeyring) Items() map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.items)
}
