package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks the file as ours ("RtMg").
const applicationID = 0x52744d67

// checkInterval is how often a large file is checked as a whole at Open; a
// small one is checked every time.
const (
	checkInterval  = 24 * time.Hour
	smallFileBytes = 4 << 20
)

// migration is one numbered step from the schema before.
type migration struct {
	number int
	text   string
}

// migrations lists the embedded steps in order.
func migrations() ([]migration, error) {
	entries, err := fs.ReadDir(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	var all []migration
	for i, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		n, err := strconv.Atoi(number)
		if err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s is out of order", e.Name())
		}
		text, err := fs.ReadFile(migrationFiles, "migrations/"+e.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, migration{n, string(text)})
	}
	return all, nil
}

// openFile opens the database, private to the user, at the newest schema.
func (s *Store) openFile(ctx context.Context, opts *Options) error {
	if err := privateDir(s.dir); err != nil {
		return err
	}
	if err := pendingDamage(ctx, s.dir); err != nil {
		return err
	}
	// SQLite gives -wal and -shm the rights of the file, so the file comes first.
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("the profile file cannot be opened; check that the data folder belongs to you and is writable: %w", err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := privateFile(s.path + suffix); err != nil {
			return fmt.Errorf("the profile file cannot be made private: %w", err)
		}
	}
	// FULL: with NORMAL a power loss may take back a change that was shown as
	// done, and the sealed head would be ahead of the file.
	synchronous := "FULL"
	if opts.unsynced {
		synchronous = "OFF"
	}
	source := dataSource(s.path, "_journal_mode=WAL&_txlock=immediate&_synchronous="+synchronous)
	if s.db, err = sql.Open("sqlite3", source); err != nil {
		return err
	}
	s.db.SetMaxOpenConns(6)
	s.db.SetMaxIdleConns(6)
	if s.writer, err = sql.Open("sqlite3", source); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	err = s.prepareFile(ctx)
	if err == nil {
		// begin has its own way of waiting for the lock.
		_, err = s.writer.ExecContext(ctx, "PRAGMA busy_timeout = 1")
	}
	if err != nil {
		s.closeFile()
		if damaged(err) {
			return setAside(ctx, s.dir, s.now(), err)
		}
		if newer, ok := errors.AsType[*NewerSchemaError](err); ok {
			return newer
		}
		return fmt.Errorf("the profile cannot be opened: %w", explain(err))
	}
	return nil
}

func (s *Store) prepareFile(ctx context.Context) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	var found, id int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found); err != nil {
		return err
	}
	if err := s.db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if found > len(steps) {
		return &NewerSchemaError{Path: s.path, Found: found, Known: len(steps)}
	}
	if found != 0 && id != applicationID {
		return fmt.Errorf("%w: it is not a file of Roots Manager", errDamage)
	}
	if found > 0 && found < len(steps) {
		if err := s.backUp(ctx, s.now()); err != nil {
			return fmt.Errorf("no backup could be made before the profile is brought up to date: %w", err)
		}
	}
	if found < len(steps) {
		if err := s.migrate(ctx, steps); err != nil {
			return err
		}
	}
	return s.checkFile(ctx)
}

// migrate brings the file to the newest schema, in one transaction. Another
// process may have done it meanwhile.
func (s *Store) migrate(ctx context.Context, steps []migration) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var at int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&at); err != nil {
		return err
	}
	if at > len(steps) {
		return &NewerSchemaError{Path: s.path, Found: at, Known: len(steps)}
	}
	fresh := at == 0
	for _, step := range steps[at:] {
		if _, err := tx.ExecContext(ctx, step.text); err != nil {
			return fmt.Errorf("migration %d: %w", step.number, err)
		}
	}
	// Pragmas take no parameters.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", len(steps), applicationID)); err != nil {
		return err
	}
	if fresh {
		first := newID("w_")
		_, err := tx.ExecContext(ctx, `INSERT INTO workspaces (id, name, position) VALUES (?, 'My folders', 0);
			INSERT INTO meta (key, value) VALUES (?, '1'), (?, ?), (?, ?)`,
			first, metaVersion, metaActive, first, metaProfile, newID("p_"))
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// checkFile looks for damage in the whole file, if that is cheap or due.
func (s *Store) checkFile(ctx context.Context) error {
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	meta, err := readMeta(ctx, s.db)
	if err != nil {
		return err
	}
	last, _ := strconv.ParseInt(meta[metaChecked], 10, 64) // none or unreadable: due
	now := s.now()
	due := now.Sub(fromNanos(last)) >= checkInterval || now.Before(fromNanos(last))
	if info.Size() > smallFileBytes && !due {
		return nil
	}
	if err := quickCheck(ctx, s.db); err != nil {
		return err
	}
	if info.Size() <= smallFileBytes {
		return nil
	}
	_, err = s.db.ExecContext(ctx, "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", metaChecked, nanos(now))
	return err
}

func quickCheck(ctx context.Context, q querier) error {
	var verdict string
	if err := q.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", errDamage, verdict)
	}
	return nil
}
