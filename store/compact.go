package store

import (
	"context"
	"database/sql"
	"slices"
)

// compactRows is how long a ledger gets before rows that newer ones replaced
// are put aside, so that opening it stays quick.
const compactRows = 20_000

// newestRows returns the rows of a long ledger that still count, or nil if it
// is short, or if putting the others aside would not save half of it.
func newestRows(rows []sealedRow) []sealedRow {
	if len(rows) <= compactRows {
		return nil
	}
	seen := make(map[rowSubject]bool, len(rows)/2)
	var kept []sealedRow
	for i := len(rows) - 1; i >= 0; i-- {
		row, err := decodeLedgerRow(rows[i].seq, rows[i].body)
		if err != nil {
			return nil // reading them for the state will say so
		}
		if subject := row.subject(); !seen[subject] {
			seen[subject] = true
			if row.kind != rowRemoval {
				kept = append(kept, rows[i])
			}
		}
	}
	if len(kept) > len(rows)/2 {
		return nil
	}
	slices.Reverse(kept)
	return kept
}

// compact begins a new epoch with the rows that still count. The whole old
// ledger stays in the table ledger_archive until the next time. The keyring is
// told first, as with any row; the caller commits tx and settles the mark.
func (s *Store) compact(ctx context.Context, tx *sql.Tx, c *chain, from mark, kept []sealedRow) (mark, []sealedRow, error) {
	at := mark{epoch: newID("e_")}
	at.tag = c.begin(at.epoch)
	sealed := make([]sealedRow, len(kept))
	for i, row := range kept {
		at.seq++
		at.tag = c.next(at.tag, at.seq, row.body)
		sealed[i] = sealedRow{at.seq, row.body, at.tag}
	}
	if err := s.vault.set(ctx, itemIntent, from.String()+" "+at.String()); err != nil {
		return at, nil, &awayError{err}
	}
	_, err := tx.ExecContext(ctx, `DROP TABLE IF EXISTS ledger_archive;
		ALTER TABLE ledger RENAME TO ledger_archive;
		CREATE TABLE ledger (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, tag BLOB NOT NULL);
		UPDATE meta SET value = value + 1 WHERE key = ?`, metaVersion)
	if err != nil {
		return at, nil, err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO ledger (seq, body, tag) VALUES (?, ?, ?)")
	if err != nil {
		return at, nil, err
	}
	defer insert.Close()
	for i := range sealed {
		row := &sealed[i]
		if _, err := insert.ExecContext(ctx, row.seq, row.body, row.tag[:]); err != nil {
			return at, nil, err
		}
	}
	return at, sealed, nil
}
