package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Automatic backups are made at most once in backupInterval, after Open and
// after changes; the newest backupsKept stay.
const (
	backupInterval = 24 * time.Hour
	backupsKept    = 5
	backupDir      = "backups"
	backupPrefix   = "profile-"
	backupTime     = "2006-01-02T150405Z"
)

// Backup is one automatic backup.
type Backup struct {
	Path string
	Time time.Time // UTC, to the second
}

// backupSchedule belongs to the goroutine of keepBackups.
type backupSchedule struct {
	known   bool
	last    time.Time // newest backup
	tried   time.Time // last attempt, so that a failing one is not repeated all the time
	version int64     // of the profile when the last backup was made or found
}

// backupRetry is how long a failed backup waits before it is tried again.
const backupRetry = 10 * time.Minute

// Backups lists the automatic backups in the profile folder dir, newest first.
func Backups(dir string) ([]Backup, error) {
	entries, err := os.ReadDir(filepath.Join(dir, backupDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the backups cannot be listed: %w", err)
	}
	var all []Backup
	for _, e := range entries {
		name, isDB := strings.CutSuffix(e.Name(), ".db")
		name, isOurs := strings.CutPrefix(name, backupPrefix)
		when, err := time.Parse(backupTime, name)
		if isDB && isOurs && err == nil {
			all = append(all, Backup{filepath.Join(dir, backupDir, e.Name()), when})
		}
	}
	slices.SortFunc(all, func(a, b Backup) int { return b.Time.Compare(a.Time) })
	return all, nil
}

// How often it is looked whether a backup is due, and how long Close waits for
// one that is being written.
const (
	backupLook  = time.Minute
	backupGrace = time.Second
)

// keepBackups makes the daily backup until ctx ends.
func (s *Store) keepBackups(ctx context.Context) {
	writing, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	grace := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(grace)
		patience := time.NewTimer(backupGrace)
		defer patience.Stop()
		select {
		case <-patience.C:
			giveUp()
		case <-writing.Done():
		}
	})
	defer func() {
		giveUp()
		if !stop() {
			<-grace
		}
	}()
	tick := time.NewTicker(backupLook)
	defer tick.Stop()
	failing := false
	for {
		err := s.backUpIfDue(writing)
		if (err != nil) != failing {
			if failing = err != nil; failing {
				s.log.Warn("backup failed")
				s.log.Debug("backup failed", "error", err) // names the folder
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// backUpIfDue makes a backup if the last one is a day old and something was
// changed since.
func (s *Store) backUpIfDue(ctx context.Context) error {
	b := &s.backup
	now := s.now()
	if !b.known {
		all, err := Backups(s.dir)
		if err != nil {
			return err
		}
		b.known = true
		if len(all) > 0 {
			b.last = all[0].Time
		}
	}
	s.mu.Lock()
	version := s.file.version
	s.mu.Unlock()
	aDayOld := now.Sub(b.last) >= backupInterval || now.Before(b.last)
	untouched := version == b.version || version <= 1
	if !aDayOld || untouched || now.Sub(b.tried).Abs() < backupRetry {
		return nil
	}
	b.tried = now
	if err := s.backUp(ctx, now); err != nil {
		return err
	}
	b.last, b.version = now, version
	return nil
}

// backUp writes a backup and removes those beyond the newest few.
func (s *Store) backUp(ctx context.Context, now time.Time) error {
	dir := filepath.Join(s.dir, backupDir)
	if err := privateDir(dir); err != nil {
		return err
	}
	// VACUUM INTO accepts an empty file and keeps its rights.
	part := filepath.Join(dir, ".part-"+newID(""))
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("the backup cannot be written: %w", err)
	}
	defer os.Remove(part) // gone already when all went well
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return fmt.Errorf("the backup cannot be written: %w", explain(err))
	}
	if err := os.Rename(part, filepath.Join(dir, backupPrefix+now.UTC().Format(backupTime)+".db")); err != nil {
		return fmt.Errorf("the backup cannot be written: %w", err)
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	all, err := Backups(s.dir)
	if err != nil || len(all) <= backupsKept {
		return err
	}
	for _, old := range all[backupsKept:] {
		if err := os.Remove(old.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
