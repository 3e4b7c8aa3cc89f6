package store

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// auditLine is an entry as exported.
type auditLine struct {
	Seq      int64    `json:"seq"`
	Time     string   `json:"time"` // RFC 3339, UTC
	Kind     string   `json:"kind"`
	ServerID ServerID `json:"serverId,omitempty"`
	Server   string   `json:"server,omitempty"`
	Subject  string   `json:"subject,omitempty"`
	Text     string   `json:"text,omitempty"`
	URIs     []string `json:"uris,omitempty"`
	Count    int      `json:"count,omitempty"`
	Detail   string   `json:"detail,omitempty"`
}

func exported(e AuditEntry) auditLine {
	return auditLine{e.Seq, e.Time.UTC().Format(time.RFC3339Nano), e.Kind, e.ServerID, e.Server, e.Subject, e.Text, e.URIs, e.Count, e.Detail}
}

func exportLimit(f AuditFilter) int {
	if f.Limit > 0 {
		return f.Limit
	}
	return math.MaxInt32
}

// ExportAuditJSON writes the entries that pass the filter as JSON Lines,
// oldest first. A Limit of 0 means all.
func (s *Store) ExportAuditJSON(ctx context.Context, w io.Writer, f AuditFilter) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return s.eachAudit(ctx, f, "ASC", exportLimit(f), func(e AuditEntry) error {
		if err := out.Encode(exported(e)); err != nil {
			return fmt.Errorf("the export cannot be written: %w", err)
		}
		return nil
	})
}

// ExportAuditCSV writes the entries that pass the filter as CSV with a header,
// oldest first; addresses are divided by line breaks. A cell that a
// spreadsheet would take for a formula begins with an apostrophe, because
// servers can choose what stands in some of them. A Limit of 0 means all.
func (s *Store) ExportAuditCSV(ctx context.Context, w io.Writer, f AuditFilter) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"seq", "time", "kind", "server_id", "server", "subject", "text", "uris", "count", "detail"}); err != nil {
		return fmt.Errorf("the export cannot be written: %w", err)
	}
	err := s.eachAudit(ctx, f, "ASC", exportLimit(f), func(e AuditEntry) error {
		l := exported(e)
		row := []string{
			strconv.FormatInt(l.Seq, 10), l.Time, l.Kind, string(l.ServerID), l.Server, l.Subject, l.Text,
			strings.Join(l.URIs, "\n"), strconv.Itoa(l.Count), l.Detail,
		}
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				row[i] = "'" + cell
			}
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("the export cannot be written: %w", err)
		}
		return nil
	})
	out.Flush()
	if err == nil && out.Error() != nil {
		return fmt.Errorf("the export cannot be written: %w", out.Error())
	}
	return err
}
