package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// AuditFilter says which entries are wanted; empty fields do not count.
type AuditFilter struct {
	Text     string // anywhere in subject, text, server name, addresses or detail; case does not count for ASCII
	Kind     string
	ServerID ServerID
	Server   string // name
	URI      string // one of the addresses
	Since    time.Time
	Until    time.Time
	Before   int64 // only entries with a smaller Seq: for the next page
	Limit    int   // 0: 500; at most 100,000
}

const auditColumns = "seq, time, kind, server_id, server, subject, text, uris, count, detail"

// SearchAudit finds entries, newest first. What was handed to Audit just
// before may not be there yet, see [Store.Flush].
func (s *Store) SearchAudit(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
	var found []AuditEntry
	limit := f.Limit
	if limit <= 0 {
		limit = auditPageLen
	}
	err := s.eachAudit(ctx, f, "DESC", min(limit, maxAuditPage), func(e AuditEntry) error {
		found = append(found, e)
		return nil
	})
	return found, err
}

// eachAudit calls f for at most limit entries that pass the filter.
func (s *Store) eachAudit(ctx context.Context, f AuditFilter, order string, limit int, each func(AuditEntry) error) error {
	var where []string
	var args []any
	add := func(on bool, condition string, values ...any) {
		if on {
			where = append(where, condition)
			args = append(args, values...)
		}
	}
	like := func(text string) string {
		return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
	}
	add(f.Text != "", `(subject || ' ' || text || ' ' || server || ' ' || uris || ' ' || detail) LIKE ? ESCAPE '\'`, like(f.Text))
	add(f.Kind != "", "kind = ?", f.Kind)
	add(f.ServerID != "", "server_id = ?", f.ServerID)
	add(f.Server != "", "server = ?", f.Server)
	add(f.URI != "", "EXISTS (SELECT 1 FROM json_each(uris) WHERE json_each.value = ?)", f.URI)
	add(!f.Since.IsZero(), "time >= ?", nanos(f.Since))
	add(!f.Until.IsZero(), "time < ?", nanos(f.Until))
	add(f.Before > 0, "seq < ?", f.Before)
	query := "SELECT " + auditColumns + " FROM audit"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	rows, err := s.db.QueryContext(ctx, query+" ORDER BY seq "+order+" LIMIT ?", append(args, limit)...)
	if err != nil {
		return searchError(err)
	}
	defer rows.Close()
	for rows.Next() {
		e, err := scanAudit(rows)
		if err != nil {
			return searchError(err)
		}
		if err := each(e); err != nil {
			return err
		}
	}
	return searchError(rows.Err())
}

func searchError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("the audit log cannot be read: %w", explain(err))
}

func scanAudit(rows *sql.Rows) (AuditEntry, error) {
	e, uris, err := scanAuditRaw(rows)
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal([]byte(uris), &e.URIs)
}

// scanAuditRaw leaves the addresses as they stand in the file.
func scanAuditRaw(rows *sql.Rows, more ...any) (e AuditEntry, uris string, err error) {
	var when int64
	into := []any{&e.Seq, &when, &e.Kind, &e.ServerID, &e.Server, &e.Subject, &e.Text, &uris, &e.Count, &e.Detail}
	err = rows.Scan(append(into, more...)...)
	e.Time = fromNanos(when)
	return e, uris, err
}
