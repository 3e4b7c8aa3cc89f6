package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// damageNote is the file that remembers a damaged profile until the person
// chose how to go on. Without it the next start would silently begin anew.
const damageNote = "damaged.json"

type damageRecord struct {
	SetAside string // file name within the folder
	Cause    string
}

// setAside renames the damaged profile, remembers it and says so.
func setAside(ctx context.Context, dir string, now time.Time, cause error) error {
	name := "profile-damaged-" + now.UTC().Format("2006-01-02T150405.000000000Z") + ".db"
	text, err := json.Marshal(damageRecord{SetAside: name, Cause: cause.Error()})
	if err != nil {
		return err
	}
	// The note comes first: a crash in between leaves the damaged file where it
	// is, and the next Open finds the damage again.
	if err := writeFile(filepath.Join(dir, damageNote), text); err != nil {
		return fmt.Errorf("the profile file is damaged (%w) and cannot be set aside: %w", cause, err)
	}
	for _, suffix := range []string{"-wal", "-shm", ""} {
		err := os.Rename(filepath.Join(dir, fileName+suffix), filepath.Join(dir, name+suffix))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the profile file is damaged (%w) and cannot be set aside: %w", cause, err)
		}
	}
	if err := syncDir(dir); err != nil {
		return fmt.Errorf("the profile file is damaged (%w) and was set aside as %s: %w", cause, name, err)
	}
	return pendingDamage(ctx, dir)
}

// pendingDamage returns *DamagedError if a damaged profile was set aside and
// nobody chose yet how to go on.
func pendingDamage(ctx context.Context, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, damageNote))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var rec damageRecord
	if err := json.Unmarshal(text, &rec); err != nil {
		rec = damageRecord{SetAside: "profile-damaged-….db", Cause: "the note about it cannot be read"}
	}
	if _, err := os.Stat(filepath.Join(dir, fileName)); err == nil {
		// The note was written, the rename did not happen, or somebody put a
		// file there by hand. Whatever it is, opening it will tell.
		return os.Remove(filepath.Join(dir, damageNote))
	}
	damage := &DamagedError{SetAside: filepath.Join(dir, filepath.Base(rec.SetAside)), Cause: rec.Cause}
	backups, err := Backups(dir)
	if err != nil {
		return err
	}
	for _, b := range backups {
		if checkBackup(ctx, b.Path) == nil {
			damage.Backup, damage.BackupTime = b.Path, b.Time
			break
		}
	}
	return damage
}

// RestoreBackup puts a copy of an automatic backup in the place of a profile
// that was set aside. A profile that is in place is refused, so that nothing
// is overwritten. Decisions in it are older than the keyring's record of them
// and count as undecided.
func RestoreBackup(ctx context.Context, dir, backup string) error {
	if err := checkBackup(ctx, backup); err != nil {
		return fmt.Errorf("the backup cannot be used, choose an older one: %w", err)
	}
	place := filepath.Join(dir, fileName)
	if _, err := os.Stat(place); err == nil {
		return refuse(ErrTaken, "There is a profile in %s already. Move it away before restoring a backup.", dir)
	}
	from, err := os.Open(backup)
	if err != nil {
		return fmt.Errorf("the backup cannot be read: %w", err)
	}
	defer from.Close()
	copied := filepath.Join(dir, ".restoring-"+newID(""))
	defer os.Remove(copied) // gone already when all went well
	to, err := os.OpenFile(copied, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("the backup cannot be restored: %w", err)
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Sync(), to.Close()); err != nil {
		return fmt.Errorf("the backup cannot be restored: %w", err)
	}
	if err := os.Rename(copied, place); err != nil {
		return fmt.Errorf("the backup cannot be restored: %w", err)
	}
	return StartFresh(dir)
}

// StartFresh lets the next [Open] go on after a *[DamagedError]: with what is
// in place, which is an empty profile unless a backup was restored. The file
// set aside stays where it is.
func StartFresh(dir string) error {
	if err := os.Remove(filepath.Join(dir, damageNote)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncDir(dir)
}

// checkBackup opens a backup without changing it and looks for damage.
func checkBackup(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite3", dataSource(path, "mode=ro&immutable=1"))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := readVersion(ctx, db); err != nil {
		return err
	}
	return quickCheck(ctx, db)
}

// writeFile writes a small private file so that it is whole or absent.
func writeFile(path string, content []byte) error {
	part := path + ".part-" + newID("")
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, path)
}
