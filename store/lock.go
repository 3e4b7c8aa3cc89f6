package store

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/mattn/go-sqlite3"
)

// SQLite's own waiting for the write lock sleeps up to 100 ms between tries, so
// that a process that writes in a row starves the others. Here a waiting one
// tries every few milliseconds, and one that just wrote lets others go first.
const (
	lockWait   = 15 * time.Second
	lockRetry  = 3 * time.Millisecond // on average half of it
	lockYield  = 4 * time.Millisecond
	lockRecent = 20 * time.Millisecond
)

// begin begins a transaction that holds the write lock of the file. s.mu is
// held.
func (s *Store) begin(ctx context.Context) (*sql.Tx, error) {
	start := time.Now()
	contended := start.Sub(s.contended) < time.Second
	if contended && start.Sub(s.wrote) < lockRecent {
		if err := pause(ctx, lockYield); err != nil {
			return nil, err
		}
	}
	for {
		tx, err := s.writer.BeginTx(ctx, nil)
		if err == nil {
			s.wrote = time.Now()
			return tx, nil
		}
		var sq sqlite3.Error
		if !errors.As(err, &sq) || sq.Code != sqlite3.ErrBusy {
			return nil, err
		}
		s.contended = time.Now()
		if s.contended.Sub(start) > lockWait {
			return nil, err
		}
		if err := pause(ctx, time.Duration(rand.Int64N(int64(lockRetry)))+time.Millisecond/4); err != nil {
			return nil, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Store) closeFile() error {
	return errors.Join(s.writer.Close(), s.db.Close())
}
