package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
)

// How a decision is sealed, under the file's write lock so that processes take
// turns:
//
//  1. the keyring's item "intent" gets the mark of the newest row and the mark
//     of the row to come,
//  2. the row is committed to the file,
//  3. the keyring's item "head" gets the mark of that row.
//
// A process that ends between two steps leaves a file that ends at the head or
// at the announced row; both are right. Anything else was not done by this app.
// An intent counts only if it begins at the head, so a late one does no harm.

// ledger is what a Store knows of the sealed ledger; guarded by Store.mu.
type ledger struct {
	chain   *chain                   // nil: the keyring was not reached yet, the ledger cannot be read
	keys    *sealKeys                // as chain
	sealing bool                     // new rows are sealed; otherwise they last until the process ends
	settled mark                     // the head as the keyring is known to hold it
	session map[rowSubject]ledgerRow // decisions that last until the process ends
}

func (l *ledger) readable() bool { return l.chain != nil }

// readRows reads the rows after seq.
func readRows(ctx context.Context, q querier, after int64) ([]sealedRow, error) {
	var all []sealedRow
	var tag sql.RawBytes
	err := each(ctx, q, "SELECT seq, body, tag FROM ledger WHERE seq > ? ORDER BY seq", func(rows *sql.Rows) error {
		var r sealedRow
		if err := rows.Scan(&r.seq, &r.body, &tag); err != nil {
			return err
		}
		if len(tag) == len(r.tag) {
			r.tag = sealTag(tag)
		}
		all = append(all, r)
		return nil
	}, after)
	return all, err
}

// endsAt checks that the file's ledger ends where this process knows.
func (l *ledger) endsAt(ctx context.Context, q querier, at mark) error {
	if !l.readable() {
		return nil
	}
	var seq int64
	var tag []byte
	err := q.QueryRowContext(ctx, "SELECT seq, tag FROM ledger ORDER BY seq DESC LIMIT 1").Scan(&seq, &tag)
	if errors.Is(err, sql.ErrNoRows) && at.seq == 0 {
		return nil
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if seq != at.seq || !bytes.Equal(tag, at.tag[:]) {
		return &alteration{"the end of the ledger was changed"}
	}
	return nil
}

// catchUp takes rows that another process appended after at into the draft.
func (l *ledger) catchUp(ctx context.Context, q querier, d *draft, at mark) (mark, error) {
	if !l.readable() {
		return at, nil
	}
	after := max(at.seq-1, 0) // the known row once more: it must still be there
	rows, err := readRows(ctx, q, after)
	if err != nil {
		return at, err
	}
	if at.seq > 0 {
		if len(rows) == 0 || rows[0].seq != at.seq || rows[0].tag != at.tag {
			return at, &alteration{"the end of the ledger was changed"}
		}
		rows = rows[1:]
	}
	end, err := l.chain.follow(at, rows)
	if err != nil {
		return at, err
	}
	return end, l.take(d, rows)
}

// take applies verified rows. One that is newer than a decision of this
// session takes its place.
func (l *ledger) take(d *draft, rows []sealedRow) error {
	for _, r := range rows {
		row, err := decodeLedgerRow(r.seq, r.body)
		if err != nil {
			return err
		}
		if mine, ok := l.session[row.subject()]; ok && mine.time().After(row.time()) {
			continue
		}
		delete(l.session, row.subject())
		d.apply(&row)
	}
	return nil
}

// narrow applies restrictions. A sealed row removes the restriction about the
// same thing, so one that is there is newer than the ledger, whatever the
// clock said; only a newer decision of this session stands in front of it.
func (l *ledger) narrow(d *draft, restrictions []ledgerRow) {
	for i := range restrictions {
		row := &restrictions[i]
		if mine, ok := l.session[row.subject()]; !ok || !mine.time().After(row.time()) {
			d.apply(row)
		}
	}
}

// remember keeps decisions until the process ends.
func (l *ledger) remember(rows []ledgerRow) {
	if l.session == nil {
		l.session = map[rowSubject]ledgerRow{}
	}
	for _, row := range rows {
		l.session[row.subject()] = row
	}
}

// forget drops decisions of this session that rows of the ledger replace.
func (l *ledger) forget(rows []ledgerRow) {
	for i := range rows {
		if mine, ok := l.session[rows[i].subject()]; ok && !mine.time().After(rows[i].time()) {
			delete(l.session, rows[i].subject())
		}
	}
}

// writeLedger writes the rows of a change: sealed, and true is returned, or,
// while that is not possible, only those that narrow what is disclosed.
func (s *Store) writeLedger(ctx context.Context, tx *Tx) (kept bool, err error) {
	if len(tx.rows) == 0 {
		return true, nil
	}
	if s.ledger.sealing {
		bodies := make([]string, len(tx.rows))
		tags := make([]sealTag, len(tx.rows))
		next := tx.at.ledger
		for i := range tx.rows {
			bodies[i] = tx.rows[i].encode()
			next.seq++
			next.tag = s.ledger.chain.next(next.tag, next.seq, bodies[i])
			tags[i] = next.tag
		}
		if err := s.vault.set(ctx, itemIntent, tx.at.ledger.String()+" "+next.String()); err != nil {
			s.keyringLost(err)
		} else {
			for i := range tx.rows {
				seq := tx.at.ledger.seq + int64(i) + 1
				if err := tx.exec("INSERT INTO ledger (seq, body, tag) VALUES (?, ?, ?)", seq, bodies[i], tags[i][:]); err != nil {
					return false, err
				}
				subject := tx.rows[i].subject()
				if err := tx.exec("DELETE FROM restrictions WHERE identity = ? AND uri = ?", subject.identity, subject.uri); err != nil {
					return false, err
				}
			}
			tx.at.ledger = next
			return true, nil
		}
	}
	for i := range tx.rows {
		// A yes that lasts until the process ends lifts nothing that is to last.
		if row := &tx.rows[i]; row.narrows() {
			subject := row.subject()
			err := tx.exec("INSERT OR REPLACE INTO restrictions (identity, uri, body) VALUES (?, ?, ?)", subject.identity, subject.uri, row.encode())
			if err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// readRestrictions reads what was taken back or refused while the keyring was
// away. A row that would widen anything is not one of ours and does not count.
func readRestrictions(ctx context.Context, q querier) ([]ledgerRow, error) {
	var all []ledgerRow
	err := each(ctx, q, "SELECT body FROM restrictions", func(rows *sql.Rows) error {
		var body string
		if err := rows.Scan(&body); err != nil {
			return err
		}
		if row, err := decodeLedgerRow(0, body); err == nil && row.narrows() {
			all = append(all, row)
		}
		return nil
	})
	return all, err
}

// settleOwn records in the keyring that the file ends at the row this process
// just committed. Under the file's lock: another process may be a step ahead.
func (s *Store) settleOwn(ctx context.Context, at mark) {
	tx, err := s.begin(ctx)
	if err == nil {
		defer tx.Rollback()
		if err = s.ledger.endsAt(ctx, tx, at); err == nil {
			if err = s.vault.set(ctx, itemHead, at.String()); err == nil {
				s.ledger.settled = at
				return
			}
			s.keyringLost(err)
			return
		}
	}
	// Not lost: the announced row is in the file, and the next change or the
	// next start settles it.
	s.log.Info("ledger head is settled later", "error", err)
}

// settleOthers makes sure, before a row is announced, that the keyring's head
// is where the file ends, after another process wrote to it.
func (s *Store) settleOthers(ctx context.Context, at mark) error {
	if !s.ledger.sealing || s.ledger.settled == at {
		return nil
	}
	head, intent, err := s.readHead(ctx)
	if err != nil {
		s.keyringLost(err)
		return nil
	}
	if at != head {
		if len(intent) != 2 || intent[0] != head || intent[1] != at {
			return &alteration{"the end of the ledger is not what the keyring remembers"}
		}
		if err := s.vault.set(ctx, itemHead, at.String()); err != nil {
			s.keyringLost(err)
			return nil
		}
	}
	s.ledger.settled = at
	return nil
}

func (s *Store) readHead(ctx context.Context) (head mark, intent []mark, err error) {
	head = nothing
	text, err := s.vault.get(ctx, itemHead, false)
	if err != nil && !errors.Is(err, ErrNoItem) {
		return head, nil, err
	}
	if err == nil {
		// One that cannot be read counts as none: then the ledger is not known.
		if marks, err := parseMarks(text, 1); err == nil {
			head = marks[0]
		}
	}
	text, err = s.vault.get(ctx, itemIntent, false)
	if errors.Is(err, ErrNoItem) {
		return head, nil, nil
	}
	if err != nil {
		return head, nil, err
	}
	intent, parseErr := parseMarks(text, 2)
	if parseErr != nil {
		intent = nil // as if none had been announced
	}
	return head, intent, nil
}
