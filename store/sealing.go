package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// DefaultKeyringProbe is how often it is looked whether the keyring is there.
const DefaultKeyringProbe = 5 * time.Second

// awayError says that the keyring could not be used.
type awayError struct{ err error }

func (e *awayError) Error() string { return "the keyring is not available: " + e.err.Error() }
func (e *awayError) Unwrap() error { return e.err }

// Seal says whether decisions are kept. A change of it is told by
// [Store.Changes].
func (s *Store) Seal() SealState { return *s.seal.Load() }

// LookAtKeyring looks at once whether the keyring is there, and lets it show
// its prompt if it is locked: for a button. It does not wait.
func (s *Store) LookAtKeyring() {
	s.promptNext.Store(true)
	s.lookAtKeyring()
}

func (s *Store) lookAtKeyring() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// keepSealed asks the keyring at the beginning, and looks from time to time
// whether it is gone or there again, until ctx ends. Only the first call may
// make the keyring show its prompt, so that nobody is nagged.
func (s *Store) keepSealed(ctx context.Context, every time.Duration) {
	if every <= 0 {
		every = DefaultKeyringProbe
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	s.promptNext.Store(true)
	for first := true; ; first = false {
		err := s.lookOnce(ctx, s.promptNext.Swap(false))
		if err != nil && !errors.Is(err, ErrClosed) && ctx.Err() == nil {
			s.log.Warn("ledger cannot be read", "error", err)
		}
		if first {
			close(s.asked)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.poke:
		case <-tick.C:
		}
	}
}

func (s *Store) lookOnce(ctx context.Context, prompt bool) error {
	s.mu.Lock()
	sealing := s.ledger.sealing
	s.mu.Unlock()
	if sealing {
		if _, quiet := s.vault.ring.(prober); !quiet {
			return nil
		}
	}
	if sealing || !prompt {
		if err := s.vault.probe(ctx); err != nil {
			s.mu.Lock()
			s.keyringLost(err)
			s.mu.Unlock()
			return nil
		}
	}
	if sealing {
		return nil
	}
	// The key is asked for without any lock: this call may wait for a person.
	text, err := s.vault.get(ctx, itemKey, prompt)
	s.hearOnce.Do(func() { close(s.heard) })
	s.mu.Lock()
	if err != nil && !errors.Is(err, ErrNoItem) {
		s.keyringLost(err)
		s.mu.Unlock()
		return nil
	}
	err = s.establishLocked(ctx, text)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.catchUpWithKeyring(ctx)
}

// keyringLost notes that the keyring cannot be used. What was verified before
// stays; new decisions last until the process ends. s.mu is held.
func (s *Store) keyringLost(err error) {
	if errors.Is(err, context.Canceled) {
		return // Close, not the keyring
	}
	was := s.Seal()
	now := SealState{Tampered: was.Tampered, KeptAt: was.KeptAt}
	now.Reason, now.Help = desktopWords(err)
	s.ledger.sealing = false
	if now != was {
		s.log.Warn("keyring is not available", "reason", now.Reason)
		s.seal.Store(&now)
		s.signal()
	}
}

// establishLocked reads the ledger anew, judges it by what the keyring
// remembers, and publishes what came out. keyText is the key's item, if it was
// read already. When the keyring is away, nothing of the ledger counts that
// was not verified before. s.mu is held.
func (s *Store) establishLocked(ctx context.Context, keyText string) error {
	if s.closed {
		return ErrClosed
	}
	err := s.establish(ctx, keyText)
	away, ok := errors.AsType[*awayError](err)
	if !ok {
		return err
	}
	s.keyringLost(away.err)
	return nil
}

// distrust drops what this process knows of the ledger, because the file is
// not a continuation of it, and then finds out. s.mu is held.
func (s *Store) distrust(ctx context.Context) error {
	s.ledger.chain, s.ledger.sealing, s.ledger.settled = nil, false, mark{}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = reading(ctx, conn, func() error {
		st, at, err := s.reload(ctx, conn, emptyState(), position{})
		if err != nil {
			return err
		}
		s.publish(s.withSession(st), at)
		return nil
	})
	if err != nil {
		return err
	}
	s.signal()
	return s.establishLocked(ctx, "")
}

// withSession lays the decisions of this session over a state just read.
func (s *Store) withSession(st *State) *State {
	d := newDraft(st)
	for _, row := range s.ledger.session {
		d.applyNewer(&row)
	}
	if old := s.State(); old != nil {
		d.Version = max(d.Version, old.Version+1)
	}
	return &d.State
}

func (s *Store) establish(ctx context.Context, keyText string) error {
	tx, err := s.begin(ctx) // holds the file's write lock
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	master, isNew, err := s.masterKey(ctx, keyText)
	if err != nil {
		return err
	}
	head, intent, err := s.readHead(ctx)
	if err != nil {
		return &awayError{err}
	}
	rows, err := readRows(ctx, tx, 0)
	if err != nil {
		return err
	}
	keys := newSealKeys(master)
	fresh := ledger{chain: newChain(keys.ledger), keys: keys, sealing: true, session: s.ledger.session}
	at, judged := fresh.chain.judge(rows, head, intent)
	altered, isAltered := errors.AsType[*alteration](judged)
	changed, beganAnew := false, false
	switch {
	case !isAltered && at != head, // announced and committed by a process that ended then
		isAltered && len(rows) == 0 && (isNew || head == nothing): // nothing was ever sealed with this key
		if isAltered {
			epoch := newID("e_")
			at = mark{epoch: epoch, tag: fresh.chain.begin(epoch)}
		}
		if err := s.vault.set(ctx, itemHead, at.String()); err != nil {
			return &awayError{err}
		}
	case isAltered:
		epoch := newID("e_")
		at = mark{epoch: epoch, tag: fresh.chain.begin(epoch)}
		if err := s.vault.set(ctx, itemIntent, head.String()+" "+at.String()); err != nil {
			return &awayError{err}
		}
		if err := s.beginAnew(ctx, tx, altered.why); err != nil {
			return err
		}
		rows, changed, beganAnew = nil, true, true
		s.log.Warn("ledger was altered", "why", altered.why)
	}
	if shorter := newestRows(rows); shorter != nil {
		if at, rows, err = s.compact(ctx, tx, fresh.chain, at, shorter); err != nil {
			return err
		}
		changed, beganAnew = true, true
	}
	if auditChanged, err := s.adoptAudit(ctx, tx, keys, isNew); err != nil {
		return err
	} else if auditChanged {
		changed = true
	}
	st, version, err := s.tables(ctx, tx)
	if err != nil {
		return err
	}
	if st, err = withLedger(ctx, tx, st, &fresh, rows); err != nil {
		return err
	}
	meta, err := readMeta(ctx, tx)
	if err != nil {
		return err
	}
	if changed {
		if err := tx.Commit(); err != nil {
			return err
		}
	} else if err := tx.Rollback(); err != nil {
		return err
	}
	fresh.settled = at
	s.ledger = fresh
	s.digestKey.Store(&keys.digest)
	s.publish(s.withSession(st), position{version, at})
	if beganAnew {
		s.settleOwn(ctx, at)
	}
	now := SealState{Sealed: s.ledger.sealing}
	if note, found := readAlteredNote(meta); found {
		now.Tampered, now.Reason, now.KeptAt = true, note.Why, note.Table
		now.Help = "Every stored decision counts as undecided and is asked again. The old ones are kept in the profile for inspection."
	}
	if now.Sealed {
		s.seal.Store(&now)
	}
	s.signal()
	return nil
}

// tables is the state without anything of the ledger. What is published is as
// good as the file while the version is the same, and reading 10,000 roots
// again would take its time.
func (s *Store) tables(ctx context.Context, q querier) (*State, int64, error) {
	version, err := readVersion(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	if version != s.file.version {
		return loadTables(ctx, q)
	}
	st := *s.State()
	st.Approvals, st.Decisions = emptyState().Approvals, emptyState().Decisions
	return &st, version, nil
}

// withLedger lays verified rows, and what narrows them, into a state read
// without them.
func withLedger(ctx context.Context, q querier, st *State, l *ledger, rows []sealedRow) (*State, error) {
	d := newDraft(st)
	if err := l.take(d, rows); err != nil {
		return nil, err
	}
	restrictions, err := readRestrictions(ctx, q)
	if err != nil {
		return nil, err
	}
	l.narrow(d, restrictions)
	return &d.State, nil
}

// masterKey returns the key, making one if the keyring holds none. The file's
// write lock is held, so that two processes do not both make one.
func (s *Store) masterKey(ctx context.Context, text string) (key []byte, isNew bool, err error) {
	if text == "" {
		text, err = s.vault.get(ctx, itemKey, false)
		if err != nil && !errors.Is(err, ErrNoItem) {
			return nil, false, &awayError{err}
		}
	}
	if text != "" {
		if key, err := decodeKey(text); err == nil {
			return key, false, nil
		}
		s.log.Warn("key in the keyring cannot be read; a new one is made")
	}
	key = newKey()
	if err := s.vault.set(ctx, itemKey, encodeKey(key)); err != nil {
		return nil, false, &awayError{err}
	}
	return key, true, nil
}

// catchUpWithKeyring seals what had to wait for the keyring: what was taken
// back or refused meanwhile, and secrets. A yes for this session is not sealed
// afterwards: it was given for this session.
func (s *Store) catchUpWithKeyring(ctx context.Context) error {
	before := s.State()
	after, err := s.Update(ctx, func(tx *Tx) error {
		if !s.ledger.sealing {
			return nil
		}
		restrictions, err := readRestrictions(ctx, tx.sql)
		if err != nil {
			return err
		}
		for i := range restrictions {
			tx.appendRestriction(restrictions[i])
		}
		s.secrets.restage(tx)
		return nil
	})
	if err != nil {
		return fmt.Errorf("what waited for the keyring cannot be kept: %w", err)
	}
	if after != before {
		s.signal()
	}
	return s.sweepSecrets(ctx)
}

// Digest identifies content without giving it away: a keyed digest, hex, of
// the parts in their order. Its key comes from the keyring. Until the keyring
// was reached once, a random key of this process stands in: then the digest
// matches none of an earlier run, so that what depends on it is asked again.
// It never fails.
func (s *Store) Digest(parts ...[]byte) (string, error) {
	key := s.random
	if stored := s.digestKey.Load(); stored != nil {
		key = *stored
	}
	mac := hmac.New(sha256.New, key)
	var n [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		mac.Write(n[:])
		mac.Write(part)
	}
	return hex.EncodeToString(mac.Sum(nil)), nil
}
