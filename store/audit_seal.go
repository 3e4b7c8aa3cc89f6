package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The audit log is chained like the ledger, with a key of its own. Writing its
// head to the keyring with every batch would be too slow, so a recent row is
// remembered there at most once in auditAnchorEvery and at Close: cutting off
// entries younger than that, after a crash, is not noticed. Pruning leaves a
// sealed checkpoint in the file. Entries written before the keyring was
// reached are sealed when it is, and the log says so.

// Settings that bound the audit log, as whole numbers.
const (
	SettingAuditEntries = "audit-max-entries" // default 100,000; 1,000 to 1,000,000
	SettingAuditDays    = "audit-max-days"    // default 90; 1 to 3,650
)

const (
	auditEntries     = 100_000
	auditDays        = 90
	auditAnchorEvery = time.Minute
	auditAnchorWait  = time.Second // at Close
	auditPruneEvery  = 1_000       // entries
	auditEpoch       = "audit"
	metaCheckpoint   = "audit checkpoint" // a mark and its authentication
)

// AuditSealedLate is the kind of the entry that says that Count entries before
// it were sealed later than they were written.
const AuditSealedLate = "sealed late"

// auditBody is what is sealed of an entry: every field with its length.
func auditBody(e *AuditEntry, uris string) string {
	var b []byte
	for _, f := range []string{
		strconv.FormatInt(nanos(e.Time), 10), e.Kind, string(e.ServerID), e.Server, e.Subject, e.Text, uris, strconv.Itoa(e.Count), e.Detail,
	} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(f)))
		b = append(b, f...)
	}
	return string(b)
}

// auditEnd is the newest row; sealed tells whether it has a tag.
func auditEnd(ctx context.Context, q querier, c *chain, keys *sealKeys) (end mark, sealed bool, err error) {
	end = mark{epoch: auditEpoch}
	var checkpoint mark
	if keys != nil {
		end.tag = c.begin(auditEpoch)
		var found bool
		if checkpoint, found, err = readCheckpoint(ctx, q, keys); err != nil {
			return end, false, err
		} else if found {
			end = checkpoint
		}
	}
	var seq int64
	var tag []byte
	err = q.QueryRowContext(ctx, "SELECT seq, tag FROM audit ORDER BY seq DESC LIMIT 1").Scan(&seq, &tag)
	if errors.Is(err, sql.ErrNoRows) || err == nil && seq <= end.seq {
		return end, true, nil
	}
	if err != nil {
		return end, false, err
	}
	end.seq = seq
	if len(tag) == len(end.tag) {
		end.tag = sealTag(tag)
		return end, true, nil
	}
	return end, false, nil
}

// readCheckpoint returns the row up to which entries may be missing. One that
// was not sealed with this key does not count.
func readCheckpoint(ctx context.Context, q querier, keys *sealKeys) (mark, bool, error) {
	var text string
	err := q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", metaCheckpoint).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return mark{}, false, nil
	}
	if err != nil {
		return mark{}, false, err
	}
	i := strings.LastIndexByte(text, ' ')
	if i < 0 {
		return mark{}, false, nil
	}
	marks, err := parseMarks(text[:i], 1)
	if err != nil || !hmac.Equal([]byte(text[i+1:]), []byte(checkpointSeal(marks[0], keys))) {
		return mark{}, false, nil
	}
	return marks[0], true, nil
}

func checkpointSeal(m mark, keys *sealKeys) string {
	h := hmac.New(sha256.New, keys.audit)
	h.Write([]byte("checkpoint " + m.String()))
	return hex.EncodeToString(h.Sum(nil))
}

func writeCheckpoint(ctx context.Context, tx *sql.Tx, m mark, keys *sealKeys) error {
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", metaCheckpoint, m.String()+" "+checkpointSeal(m, keys))
	return err
}

// adoptAudit makes the log continue under keys: entries without a tag get one,
// and what was sealed with a key that is gone stays as it is, before a
// checkpoint.
func (s *Store) adoptAudit(ctx context.Context, tx *sql.Tx, keys *sealKeys, isNew bool) (changed bool, err error) {
	if isNew {
		var last sql.NullInt64
		if err := tx.QueryRowContext(ctx, "SELECT MAX(seq) FROM audit WHERE tag <> x''").Scan(&last); err != nil {
			return false, err
		}
		if last.Valid {
			c := newChain(keys.audit)
			at := mark{epoch: auditEpoch, seq: last.Int64, tag: c.next(c.begin(auditEpoch), last.Int64, "sealed with another key")}
			if err := writeCheckpoint(ctx, tx, at, keys); err != nil {
				return false, err
			}
			changed = true
		}
	}
	c := newChain(keys.audit)
	_, sealed, err := auditEnd(ctx, tx, c, keys)
	if err != nil || sealed {
		return changed, err
	}
	_, err = s.sealAuditTail(ctx, tx, c, keys)
	return true, err
}

// sealAuditTail gives tags to the entries at the end that have none, adds an
// entry that says so, and returns the new end.
func (s *Store) sealAuditTail(ctx context.Context, tx *sql.Tx, c *chain, keys *sealKeys) (mark, error) {
	at := mark{epoch: auditEpoch, tag: c.begin(auditEpoch)}
	if checkpoint, found, err := readCheckpoint(ctx, tx, keys); err != nil {
		return at, err
	} else if found {
		at = checkpoint
	}
	var seq int64
	var tag []byte
	err := tx.QueryRowContext(ctx, "SELECT seq, tag FROM audit WHERE tag <> x'' AND seq > ? ORDER BY seq DESC LIMIT 1", at.seq).Scan(&seq, &tag)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return at, err
	case len(tag) == len(at.tag):
		at.seq, at.tag = seq, sealTag(tag)
	}
	type tagged struct {
		seq int64
		tag sealTag
	}
	var tags []tagged
	err = each(ctx, tx, "SELECT "+auditColumns+" FROM audit WHERE seq > ? ORDER BY seq", func(rows *sql.Rows) error {
		e, uris, err := scanAuditRaw(rows)
		if err != nil {
			return err
		}
		at = mark{at.epoch, e.Seq, c.next(at.tag, e.Seq, auditBody(&e, uris))}
		tags = append(tags, tagged{e.Seq, at.tag})
		return nil
	}, at.seq)
	if err != nil {
		return at, err
	}
	for _, one := range tags {
		if _, err := tx.ExecContext(ctx, "UPDATE audit SET tag = ? WHERE seq = ?", one.tag[:], one.seq); err != nil {
			return at, err
		}
	}
	if len(tags) == 0 {
		return at, nil
	}
	return insertAudit(ctx, tx, c, at, []AuditEntry{{
		Time: s.now(), Kind: AuditSealedLate, Count: len(tags),
		Text: "Entries were written while the keyring was away and could not be protected until now.",
	}})
}

// insertAudit appends entries after at. Without a chain they get no tag.
func insertAudit(ctx context.Context, tx *sql.Tx, c *chain, at mark, batch []AuditEntry) (mark, error) {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO audit ("+auditColumns+", tag) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return at, err
	}
	defer insert.Close()
	for i := range batch {
		e := &batch[i]
		uris, err := json.Marshal(e.URIs)
		if err != nil {
			return at, err
		}
		at.seq++
		tag := []byte{}
		if c != nil {
			at.tag = c.next(at.tag, at.seq, auditBody(e, string(uris)))
			tag = at.tag[:]
		}
		_, err = insert.ExecContext(ctx, at.seq, nanos(e.Time), e.Kind, e.ServerID, e.Server, e.Subject, e.Text, string(uris), e.Count, e.Detail, tag)
		if err != nil {
			return at, err
		}
	}
	return at, nil
}

// appendAudit writes a batch.
func (s *Store) appendAudit(batch []AuditEntry) error {
	ctx := context.Background()
	s.mu.Lock() // a change of this process waits shorter here than for the file's lock
	defer s.mu.Unlock()
	tx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	keys := s.ledger.keys
	var c *chain
	if keys != nil {
		c = newChain(keys.audit)
	}
	at, sealed, err := auditEnd(ctx, tx, c, keys)
	if err != nil {
		return err
	}
	if !sealed && c != nil {
		if at, err = s.sealAuditTail(ctx, tx, c, keys); err != nil {
			return err
		}
	}
	if at, err = insertAudit(ctx, tx, c, at, batch); err != nil {
		return err
	}
	a := &s.audit
	pruned := a.sincePrune+len(batch) >= auditPruneEvery || !a.prunedOnce
	if pruned && c != nil {
		if err := s.pruneAudit(ctx, tx, keys, at.seq); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	a.end = at
	if a.sincePrune += len(batch); pruned {
		a.sincePrune, a.prunedOnce = 0, true
	}
	return nil
}

// bound reads a setting that is a whole number within limits.
func (s *Store) bound(key string, otherwise, least, most int) int {
	n, err := strconv.Atoi(s.State().Settings[key])
	if err != nil {
		return otherwise
	}
	return min(max(n, least), most)
}

// pruneAudit removes the oldest entries beyond the bounds and leaves a sealed
// checkpoint.
func (s *Store) pruneAudit(ctx context.Context, tx *sql.Tx, keys *sealKeys, end int64) error {
	upTo := end - int64(s.bound(SettingAuditEntries, auditEntries, 1_000, 1_000_000))
	oldest := s.now().AddDate(0, 0, -s.bound(SettingAuditDays, auditDays, 1, 3_650))
	var aged sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT MAX(seq) FROM audit WHERE time < ?", nanos(oldest)).Scan(&aged); err != nil {
		return err
	}
	upTo = max(upTo, aged.Int64)
	var tag []byte
	err := tx.QueryRowContext(ctx, "SELECT tag FROM audit WHERE seq = ?", upTo).Scan(&tag)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // nothing as old as that
	}
	if err != nil {
		return err
	}
	checkpoint, found, err := readCheckpoint(ctx, tx, keys)
	if err != nil {
		return err
	}
	if len(tag) == sha256.Size && (!found || checkpoint.seq < upTo) {
		if err := writeCheckpoint(ctx, tx, mark{auditEpoch, upTo, sealTag(tag)}, keys); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM audit WHERE seq <= ?", upTo)
	return err
}

// anchorAudit remembers the newest entry in the keyring, now and then.
func (s *Store) anchorAudit(closing bool) {
	a := &s.audit
	s.mu.Lock()
	end, sealing := a.end, s.ledger.sealing
	s.mu.Unlock()
	if !sealing || end.seq == 0 || end == a.anchored || end.epoch == "" {
		return
	}
	now := time.Now() // how often, not when
	if !closing && now.Sub(a.anchoredAt) < auditAnchorEvery {
		return
	}
	ctx := context.Background()
	if closing {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, auditAnchorWait)
		defer cancel()
	}
	if err := s.vault.set(ctx, itemAudit, end.String()); err != nil {
		s.log.Info("audit log is anchored later", "error", err)
		return
	}
	a.anchored, a.anchoredAt = end, now
}

// AuditVerdict is what [Store.VerifyAudit] found.
type AuditVerdict struct {
	OK       bool   // nothing was altered
	Why      string // what was, in a sentence
	Verified int    // entries that are as they were written
	Unsealed int    // newest entries, written while the keyring is away: they can be read but not verified
	Older    int    // entries sealed with a key that is gone: they can be read but not verified
}

// VerifyAudit checks every entry of the audit log against its seal. It needs
// the keyring's key.
func (s *Store) VerifyAudit(ctx context.Context) (AuditVerdict, error) {
	if err := s.Flush(ctx); err != nil {
		return AuditVerdict{}, err
	}
	s.mu.Lock()
	keys := s.ledger.keys
	s.mu.Unlock()
	if keys == nil {
		seal := s.Seal()
		return AuditVerdict{}, fmt.Errorf("the audit log cannot be verified, because %s. %s", seal.Reason, seal.Help)
	}
	// The anchor first: entries that another process adds meanwhile do no harm.
	var anchor mark
	text, err := s.vault.get(ctx, itemAudit, false)
	if err == nil {
		if marks, err := parseMarks(text, 1); err == nil {
			anchor = marks[0]
		}
	} else if !errors.Is(err, ErrNoItem) {
		reason, help := desktopWords(err)
		return AuditVerdict{}, fmt.Errorf("the audit log cannot be verified, because %s. %s", reason, help)
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return AuditVerdict{}, searchError(err)
	}
	defer conn.Close()
	var verdict AuditVerdict
	err = reading(ctx, conn, func() (err error) {
		verdict, err = verifyAudit(ctx, conn, keys, anchor)
		return err
	})
	return verdict, searchError(err)
}

func verifyAudit(ctx context.Context, q querier, keys *sealKeys, anchor mark) (AuditVerdict, error) {
	c := newChain(keys.audit)
	at := mark{epoch: auditEpoch, tag: c.begin(auditEpoch)}
	checkpoint, found, err := readCheckpoint(ctx, q, keys)
	if err != nil {
		return AuditVerdict{}, err
	}
	if found {
		at = checkpoint
	}
	v := AuditVerdict{OK: true}
	fail := func(format string, args ...any) {
		if v.OK {
			v.OK, v.Why = false, fmt.Sprintf(format, args...)
		}
	}
	anchored := anchor.seq <= at.seq
	err = each(ctx, q, "SELECT "+auditColumns+", tag FROM audit ORDER BY seq", func(rows *sql.Rows) error {
		var tag []byte
		e, uris, err := scanAuditRaw(rows, &tag)
		switch {
		case err != nil:
			return err
		case e.Seq <= checkpoint.seq:
			v.Older++
			return nil
		case len(tag) == 0:
			v.Unsealed++
			return nil
		case v.Unsealed > 0:
			fail("Entry %d has lost its seal.", e.Seq-1)
		case e.Seq != at.seq+1:
			fail("Entry %d is missing.", at.seq+1)
		}
		want := c.next(at.tag, e.Seq, auditBody(&e, uris))
		if !hmac.Equal(want[:], tag) {
			fail("Entry %d is not as it was written.", e.Seq)
		}
		at = mark{at.epoch, e.Seq, want}
		if e.Seq == anchor.seq {
			anchored = anchor.tag == want
		}
		if v.OK {
			v.Verified++
		}
		return nil
	})
	if !anchored {
		fail("The newest entries are missing: the keyring remembers entry %d.", anchor.seq)
	}
	return v, err
}
