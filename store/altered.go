package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// alteredNote remembers an altered ledger until a person has seen it.
type alteredNote struct {
	Why   string
	Table string
	Time  time.Time
}

// AcknowledgeTampering says that a person has seen that the ledger had been
// altered. The old ledger stays in its table.
func (s *Store) AcknowledgeTampering(ctx context.Context) error {
	_, err := s.Update(ctx, func(tx *Tx) error { return tx.exec("DELETE FROM meta WHERE key = ?", metaAltered) })
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := *s.seal.Load()
	if now.Tampered {
		now.Tampered, now.KeptAt = false, ""
		if now.Sealed { // otherwise they say why not
			now.Reason, now.Help = "", ""
		}
		s.seal.Store(&now)
		s.signal()
	}
	return nil
}

func readAlteredNote(meta map[string]string) (note alteredNote, found bool) {
	text, found := meta[metaAltered]
	if found && json.Unmarshal([]byte(text), &note) != nil {
		note.Why = "the note about it cannot be read"
	}
	return note, found
}

// beginAnew moves an altered ledger aside, within tx. The caller announces and
// settles the new epoch.
func (s *Store) beginAnew(ctx context.Context, tx *sql.Tx, why string) error {
	now := s.now().UTC()
	table := "ledger_kept_" + now.Format("20060102_150405_000000000")
	note, err := json.Marshal(alteredNote{Why: why, Table: table, Time: now})
	if err != nil {
		return err
	}
	// Names cannot be parameters; this one is made of digits.
	_, err = tx.ExecContext(ctx, fmt.Sprintf(`ALTER TABLE ledger RENAME TO %s;
		CREATE TABLE ledger (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, tag BLOB NOT NULL);
		INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?);
		UPDATE meta SET value = value + 1 WHERE key = ?`, table), metaAltered, string(note), metaVersion)
	return err
}
