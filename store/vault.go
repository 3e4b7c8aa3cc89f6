package store

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// DefaultKeyringWait is how long one call to the keyring may take before it
// counts as not available.
const DefaultKeyringWait = 3 * time.Second

// maxItemBytes is the most one item of the keyring holds (Windows takes 2,560).
const maxItemBytes = 2_000

// vault talks to the keyring for one profile: one call at a time, each on a
// goroutine of its own, because a locked keyring's prompt can block for ever.
// A call that is given up ends when the keyring answers at last; until then
// every further call fails at once.
type vault struct {
	ring   Keyring
	prefix string // of every account: the profile's random name
	wait   time.Duration
	freed  func() // a call that was given up has ended: trying again makes sense

	turn  chan struct{} // cap 1: held during a call
	mu    sync.Mutex
	stuck bool // a call was given up and has not ended
}

func newVault(ring Keyring, profile string, wait time.Duration, freed func()) *vault {
	return &vault{ring: ring, prefix: profile + "/", wait: wait, freed: freed, turn: make(chan struct{}, 1)}
}

type vaultAnswer struct {
	value string
	err   error
}

// call runs f within the deadline. Unless prompt is set, a keyring that would
// have to show a prompt first is not asked.
func (v *vault) call(ctx context.Context, prompt bool, f func() (string, error)) (string, error) {
	deadline := time.NewTimer(v.wait)
	defer deadline.Stop()
	v.mu.Lock()
	stuck := v.stuck
	v.mu.Unlock()
	if stuck {
		return "", errNoAnswer
	}
	select {
	case v.turn <- struct{}{}:
	case <-deadline.C:
		return "", errNoAnswer
	case <-ctx.Done():
		return "", ctx.Err()
	}
	answer := make(chan vaultAnswer, 1)
	var ended, givenUp bool // guarded by v.mu
	go func() {
		value, err := v.ask(prompt, f)
		answer <- vaultAnswer{value, err}
		v.mu.Lock()
		ended = true
		late := givenUp
		if late {
			v.stuck = false
		}
		v.mu.Unlock()
		<-v.turn
		if late {
			v.freed()
		}
	}()
	var err error
	select {
	case a := <-answer:
		return a.value, a.err
	case <-deadline.C:
		err = errNoAnswer
	case <-ctx.Done():
		err = ctx.Err()
	}
	v.mu.Lock()
	if !ended {
		givenUp, v.stuck = true, true
	}
	v.mu.Unlock()
	return "", err
}

// ask turns a panic into an error: go-keyring dereferences nil when the bus
// goes away while it waits for a prompt.
func (v *vault) ask(prompt bool, f func() (string, error)) (value string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the keyring call failed: %v", r)
		}
	}()
	if p, ok := v.ring.(prober); ok {
		if err := p.Probe(); err != nil && !(prompt && errors.Is(err, errLocked)) {
			return "", err
		}
	}
	return f()
}

func (v *vault) get(ctx context.Context, account string, prompt bool) (string, error) {
	return v.call(ctx, prompt, func() (string, error) { return v.ring.Get(v.prefix + account) })
}

func (v *vault) set(ctx context.Context, account, value string) error {
	if len(value) > maxItemBytes {
		return fmt.Errorf("an item of %d bytes does not fit the keyring", len(value))
	}
	_, err := v.call(ctx, false, func() (string, error) { return "", v.ring.Set(v.prefix+account, value) })
	return err
}

// remove deletes an item; none is fine.
func (v *vault) remove(ctx context.Context, account string) error {
	_, err := v.call(ctx, false, func() (string, error) { return "", v.ring.Delete(v.prefix + account) })
	if errors.Is(err, ErrNoItem) {
		return nil
	}
	return err
}

// probe tells whether the keyring could be used, without a prompt. A keyring
// that cannot tell is asked for an item instead.
func (v *vault) probe(ctx context.Context) error {
	_, err := v.call(ctx, false, func() (string, error) {
		if _, ok := v.ring.(prober); ok {
			return "", nil // asked before already
		}
		return v.ring.Get(v.prefix + itemKey)
	})
	if errors.Is(err, ErrNoItem) {
		return nil
	}
	return err
}

// chunkBytes of a long value become one item; base64 makes them a third longer.
const chunkBytes = 1_350

// putLong keeps a value of any length under account/0, account/1, …
func (v *vault) putLong(ctx context.Context, account, value string) (chunks int, err error) {
	for chunks == 0 || len(value) > 0 {
		n := min(len(value), chunkBytes)
		if err := v.set(ctx, account+"/"+strconv.Itoa(chunks), base64.StdEncoding.EncodeToString([]byte(value[:n]))); err != nil {
			return chunks, err
		}
		value = value[n:]
		chunks++
	}
	return chunks, nil
}

func (v *vault) getLong(ctx context.Context, account string, chunks int) (string, error) {
	var b strings.Builder
	for i := range chunks {
		text, err := v.get(ctx, account+"/"+strconv.Itoa(i), false)
		if err != nil {
			return "", err
		}
		part, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return "", fmt.Errorf("an item of the keyring cannot be read: %w", err)
		}
		b.Write(part)
	}
	return b.String(), nil
}

func (v *vault) removeLong(ctx context.Context, account string, chunks int) error {
	for i := range chunks {
		if err := v.remove(ctx, account+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

func newKey() []byte {
	key := make([]byte, 32)
	rand.Read(key) // never fails: crypto/rand ends the process instead
	return key
}
