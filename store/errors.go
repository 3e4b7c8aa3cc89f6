package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/mattn/go-sqlite3"
)

// What an [Error] can be about; compare with [errors.Is].
var (
	ErrNotFound  = errors.New("not found")
	ErrTaken     = errors.New("taken already")
	ErrInvalid   = errors.New("not valid")
	ErrTooMany   = errors.New("too many")
	ErrClosed    = errors.New("the profile is closed")
	ErrCorrupted = errors.New("the profile file is damaged; quit and start again, then the newest backup is offered")
)

// errDamage is damage this package found itself.
var errDamage = errors.New("its content makes no sense")

// Error says in a sentence why a change was refused. Kind is the
// reason: one of the sentinel errors of this package.
type Error struct {
	Text string
	Kind error
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the kind of reason.
func (e *Error) Unwrap() error { return e.Kind }

func refuse(kind error, format string, args ...any) error {
	return &Error{Text: fmt.Sprintf(format, args...), Kind: kind}
}

// NewerSchemaError is returned by [Open] for a profile that a newer version of
// the app wrote. The file is left as it is.
type NewerSchemaError struct {
	Path  string
	Found int // schema of the file
	Known int // newest schema this version can read
}

func (e *NewerSchemaError) Error() string {
	return fmt.Sprintf("The profile %s was written by a newer version of Roots Manager (schema %d, this version knows %d). "+
		"Install the newer version, or start this one with another folder: --data-dir DIR.", e.Path, e.Found, e.Known)
}

// DamagedError is returned by [Open] for a file that cannot be read any more.
// The file was renamed, not deleted. [RestoreBackup] or [StartFresh] go on
// from here; until one of them ran, Open keeps returning this error.
type DamagedError struct {
	SetAside   string    // where the damaged file is now
	Backup     string    // newest readable automatic backup, empty if there is none
	BackupTime time.Time // when the backup was made
	Cause      string    // what SQLite said
}

func (e *DamagedError) Error() string {
	text := fmt.Sprintf("The profile file is damaged (%s). It was set aside as %s.", e.Cause, e.SetAside)
	if e.Backup == "" {
		return text + " There is no backup; start with an empty profile."
	}
	return text + fmt.Sprintf(" Restore the backup of %s, or start with an empty profile.", e.BackupTime.Local().Format("2 January 2006, 15:04"))
}

// damaged tells whether SQLite reported that the file itself is broken.
func damaged(err error) bool {
	var sq sqlite3.Error
	if errors.As(err, &sq) {
		return sq.Code == sqlite3.ErrCorrupt || sq.Code == sqlite3.ErrNotADB
	}
	return errors.Is(err, errDamage) || errors.Is(err, errLedgerRow)
}

// explain turns what SQLite says into a sentence a person can act on.
func explain(err error) error {
	var sq sqlite3.Error
	switch {
	case err == nil:
		return nil
	case damaged(err):
		return fmt.Errorf("%w: %w", ErrCorrupted, err)
	case !errors.As(err, &sq):
		return err
	case sq.Code == sqlite3.ErrBusy || sq.Code == sqlite3.ErrLocked:
		return fmt.Errorf("another Roots Manager is busy writing the profile; try again in a moment: %w", err)
	case sq.Code == sqlite3.ErrFull:
		return fmt.Errorf("the disk is full, so the change was not kept; free some space and try again: %w", err)
	case sq.Code == sqlite3.ErrReadonly || sq.Code == sqlite3.ErrPerm || sq.Code == sqlite3.ErrCantOpen:
		return fmt.Errorf("the profile file cannot be written; check that the data folder belongs to you and is writable: %w", err)
	case sq.Code == sqlite3.ErrIoErr:
		return fmt.Errorf("the disk reported an error, so the change was not kept; check the disk: %w", err)
	}
	return err
}
