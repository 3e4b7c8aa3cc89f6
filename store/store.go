// Package store keeps a profile: servers, roots, workspaces, assignments,
// approvals, decisions, settings and the audit log, in one SQLite file that
// several processes may use at once. It holds no policy.
//
// What [Store.Update] reported as done is on disk and survives kill -9. Every
// other process sees it within Options.PollInterval and a few milliseconds.
// Readers get immutable values and never wait for the disk.
//
// Approvals and decisions stand in a ledger that only grows, sealed with a key
// that lives in the system's keyring: see ledger.go for the order of writes.
// While the keyring is away they last until the process ends, except that what
// was taken back or refused stays so. A ledger that was altered outside of the
// app counts for nothing, is kept for inspection, and a new one begins; see
// [Store.Seal]. Secret values of servers live in the keyring only.
//
// [Open] starts the goroutines of a Store: one looks for changes of other
// processes, one makes backups, one looks after the keyring, one writes the
// audit log. [Store.Close] ends them and waits for them. Each call to the
// keyring has a goroutine of its own; one that waits for a person's answer to
// the keyring's prompt may outlive Close.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultPollInterval is how often a Store looks for changes of other processes.
const DefaultPollInterval = 250 * time.Millisecond

// fileName is the profile's database within its folder.
const fileName = "profile.db"

// Options change how a profile is opened. The zero value is right for the app.
type Options struct {
	Logger       *slog.Logger     // nil: nothing is logged. No paths or values above debug
	Now          func() time.Time // nil: time.Now
	PollInterval time.Duration    // 0: DefaultPollInterval
	Keyring      Keyring          // nil: SystemKeyring
	KeyringWait  time.Duration    // how long one call to it may take; 0: DefaultKeyringWait
	KeyringProbe time.Duration    // how often it is looked whether it is there (again); 0: DefaultKeyringProbe

	unsynced bool // tests that end processes, not machines, need not wait for the disk
}

// Store is an open profile. Its methods are safe for concurrent use.
type Store struct {
	dir    string
	path   string
	log    *slog.Logger
	now    func() time.Time
	db     *sql.DB // for reading
	writer *sql.DB // one connection, see begin

	state   atomic.Pointer[State]
	changes chan struct{}

	mu        sync.Mutex // one change at a time; guards what follows
	wrote     time.Time  // when this process took the write lock last
	contended time.Time  // when it last had to wait for another process
	closed    bool
	file      position
	ledger    ledger

	vault    *vault
	seal     atomic.Pointer[SealState]
	poke     chan struct{} // cap 1: look at the keyring now
	heard    chan struct{} // closed when the keyring answered, or failed, for the first time
	hearOnce sync.Once
	asked    chan struct{} // closed when what came of that is published

	promptNext atomic.Bool // the next look may make the keyring show its prompt

	secrets   secretCache
	digestKey atomic.Pointer[[]byte] // nil until the keyring was reached
	random    []byte                 // stands in for it until then

	audit  auditQueue
	backup backupSchedule

	stop context.CancelFunc
	done sync.WaitGroup
}

// position is how much of the file the published state holds.
type position struct {
	version int64 // meta version
	ledger  mark  // last row of the ledger
}

// openWait is how long Open waits for the keyring's first answer, and
// establishWait how long for the ledger then. After that the profile opens
// without its decisions, and they are taken over when they are there.
const (
	openWait      = time.Second
	establishWait = 5 * time.Second
)

// Open opens the profile in the folder dir, making it if there is none. It
// returns *[NewerSchemaError] and *[DamagedError] for files it cannot use.
func Open(ctx context.Context, dir string, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &Store{
		dir: dir, path: filepath.Join(dir, fileName), log: opts.Logger, now: opts.Now,
		changes: make(chan struct{}, 1), poke: make(chan struct{}, 1), heard: make(chan struct{}), asked: make(chan struct{}), random: newKey(),
	}
	s.seal.Store(&SealState{Reason: "the keyring has not answered yet", Help: "Wait a moment; this is noticed by itself."})
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	interval := opts.PollInterval
	if interval <= 0 {
		interval = DefaultPollInterval
	}
	if err := s.openFile(ctx, opts); err != nil {
		return nil, err
	}
	if err := s.load(ctx, opts); err != nil {
		s.closeFile()
		if damaged(err) {
			return nil, setAside(ctx, dir, s.now(), err)
		}
		return nil, fmt.Errorf("the profile cannot be read: %w", explain(err))
	}
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	watch, err := s.db.Conn(ctx)
	if err != nil {
		stop()
		s.closeFile()
		return nil, fmt.Errorf("the profile cannot be read: %w", explain(err))
	}
	s.done.Go(func() { s.watch(background, watch, interval) })
	s.done.Go(func() { s.keepBackups(background) })
	s.done.Go(func() { s.keepSealed(background, opts.KeyringProbe) })
	s.startAudit()
	if s.waitFor(ctx, s.heard, openWait) {
		s.waitFor(ctx, s.asked, establishWait)
	}
	select {
	case <-s.changes: // the caller has not seen any state yet
	default:
	}
	return s, nil
}

func (s *Store) waitFor(ctx context.Context, event <-chan struct{}, atMost time.Duration) bool {
	patience := time.NewTimer(atMost)
	defer patience.Stop()
	select {
	case <-event:
		return true
	case <-patience.C:
	case <-ctx.Done():
	}
	return false
}

// dataSource names a database file for the driver, with the pragmas every
// connection needs.
func dataSource(path, extra string) string {
	slashed := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?_busy_timeout=5000&_foreign_keys=on&" + extra
}

// load reads the profile, all but the ledger, and publishes it.
func (s *Store) load(ctx context.Context, opts *Options) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return reading(ctx, conn, func() error {
		meta, err := readMeta(ctx, conn)
		if err != nil {
			return err
		}
		if meta[metaProfile] == "" {
			return fmt.Errorf("%w: it has no name", errDamage)
		}
		ring, wait := opts.Keyring, opts.KeyringWait
		if ring == nil {
			ring = SystemKeyring()
		}
		if wait <= 0 {
			wait = DefaultKeyringWait
		}
		s.vault = newVault(ring, meta[metaProfile], wait, s.lookAtKeyring)
		st, at, err := s.reload(ctx, conn, emptyState(), position{})
		if err == nil {
			s.state.Store(st)
			s.file = at
		}
		return err
	})
}

// reading runs f in a transaction that only reads. (The driver's own would
// take the write lock.)
func reading(ctx context.Context, conn *sql.Conn, f func() error) error {
	ctx = context.WithoutCancel(ctx)
	if _, err := conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return err
	}
	err := f()
	_, endErr := conn.ExecContext(ctx, "ROLLBACK")
	return errors.Join(err, endErr)
}

// reload reads the tables anew and the rows the ledger got since at.
func (s *Store) reload(ctx context.Context, q querier, from *State, at position) (*State, position, error) {
	st, version, err := loadTables(ctx, q)
	if err != nil {
		return nil, at, err
	}
	st.Approvals, st.Decisions = from.Approvals, from.Decisions
	st.Version = max(version, from.Version)
	d := newDraft(st)
	at.version = version
	if at.ledger, err = s.ledger.catchUp(ctx, q, d, at.ledger); err != nil {
		return nil, at, err
	}
	restrictions, err := readRestrictions(ctx, q)
	if err != nil {
		return nil, at, err
	}
	s.ledger.narrow(d, restrictions)
	return &d.State, at, nil
}

// State is the newest state. It is never nil.
func (s *Store) State() *State { return s.state.Load() }

// Changes tells that State became newer without an Update of this Store:
// another process committed a change. Several changes may be told as one. The
// channel is closed by Close.
func (s *Store) Changes() <-chan struct{} { return s.changes }

func (s *Store) signal() {
	select {
	case s.changes <- struct{}{}:
	default:
	}
}

// Update makes one change: all of it or, if change returns an error, nothing.
// change sees the newest state, also of other processes, and no other change
// comes between. It must not call Update and must not keep the Tx. When Update
// returns without error the change is on disk and State is at least as new as
// the state returned. A change that wrote nothing is not committed.
func (s *Store) Update(ctx context.Context, change func(*Tx) error) (*State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// A half-cancelled commit would leave the caller unsure what is kept, so
	// the context counts only until the transaction begins.
	ctx = context.WithoutCancel(ctx)
	st, err := s.change(ctx, change)
	if _, altered := errors.AsType[*alteration](err); altered {
		// change was not called yet. Find out what happened, and begin anew.
		if err := s.distrust(ctx); err != nil {
			return nil, explain(err)
		}
		st, err = s.change(ctx, change)
	}
	return st, explain(err)
}

// change is one attempt of Update. s.mu is held.
func (s *Store) change(ctx context.Context, change func(*Tx) error) (*State, error) {
	sqlTx, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer sqlTx.Rollback() // does nothing after Commit
	base, at, err := s.newest(ctx, sqlTx)
	if err != nil {
		return nil, err
	}
	if err := s.settleOthers(ctx, at.ledger); err != nil {
		return nil, err
	}
	tx := &Tx{ctx: ctx, sql: sqlTx, draft: newDraft(base), at: at, now: s.now, ledger: &s.ledger, statements: map[string]*sql.Stmt{}}
	defer func() { tx.ended = true }()
	if err := errors.Join(change(tx), tx.err); err != nil {
		return nil, err
	}
	if err := s.storeSecrets(ctx, tx); err != nil {
		return nil, err
	}
	kept, err := s.writeLedger(ctx, tx)
	if err != nil {
		return nil, err
	}
	if !tx.wrote {
		if len(tx.rows) > 0 { // decisions that last until the process ends
			s.ledger.remember(tx.rows)
			tx.draft.Version++
			return s.publish(&tx.draft.State, tx.at), nil
		}
		return s.publish(base, at), nil
	}
	tx.at.version++
	tx.draft.Version = max(tx.at.version, tx.draft.Version+1)
	if err := tx.exec("UPDATE meta SET value = ? WHERE key = ?", tx.at.version, metaVersion); err != nil {
		return nil, err
	}
	if err := sqlTx.Commit(); err != nil {
		return nil, err
	}
	s.secrets.commit(tx)
	if kept {
		s.ledger.forget(tx.rows)
	} else {
		s.ledger.remember(tx.rows)
	}
	st := s.publish(&tx.draft.State, tx.at)
	if kept && len(tx.rows) > 0 {
		s.settleOwn(ctx, tx.at.ledger)
	}
	return st, nil
}

// newest is the state of the file as q sees it: the published one unless
// another process changed it. An *alteration means that the ledger is not a
// continuation of what this process knows.
func (s *Store) newest(ctx context.Context, q querier) (*State, position, error) {
	version, err := readVersion(ctx, q)
	if err != nil {
		return nil, position{}, err
	}
	if version == s.file.version {
		return s.State(), s.file, s.ledger.endsAt(ctx, q, s.file.ledger)
	}
	st, at, err := s.reload(ctx, q, s.State(), s.file)
	if err == nil {
		st.Version = max(st.Version, s.State().Version+1)
	}
	return st, at, err
}

// publish makes st the newest state. s.mu is held.
func (s *Store) publish(st *State, at position) *State {
	s.file = at
	s.state.Store(st)
	return st
}

// watch looks for changes of other processes until ctx ends.
func (s *Store) watch(ctx context.Context, conn *sql.Conn, interval time.Duration) {
	defer conn.Close()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var seen int64
	failing := false
	for {
		var now int64
		err := conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&now)
		if err == nil && now != seen {
			seen = now
			err = s.catchUp(ctx, conn)
		}
		if (err != nil) != failing && ctx.Err() == nil {
			if failing = err != nil; failing {
				s.log.Warn("profile cannot be followed", "error", err)
			} else {
				s.log.Info("profile can be followed again")
			}
		}
		if err != nil {
			seen = 0
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// catchUp takes over what another process committed.
func (s *Store) catchUp(ctx context.Context, conn *sql.Conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := reading(ctx, conn, func() error {
		st, at, err := s.newest(ctx, conn)
		if err == nil && at.version != s.file.version {
			s.publish(st, at)
			s.signal()
		}
		return err
	})
	if _, altered := errors.AsType[*alteration](err); altered {
		return s.distrust(context.WithoutCancel(ctx))
	}
	return err
}

// Close writes what waits to be written and closes the file. Further calls do
// nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	auditErr := s.stopAudit()
	s.stop()
	s.done.Wait()
	close(s.changes)
	return errors.Join(auditErr, s.closeFile())
}
