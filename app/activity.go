package app

import (
	"context"
	"slices"
	"time"

	"rootsmanager/store"
)

// activityKept is how many entries a snapshot holds; all are in the store.
const activityKept = 500

// ActivityFilter narrows what happened.
type ActivityFilter struct {
	Text   string // in subject, text or URIs, case ignored
	Server string // name
	Kind   string
	Since  time.Time
	Limit  int // default 500
}

func (e *Engine) loadActivity(ctx context.Context) error {
	entries, err := e.store.SearchAudit(ctx, store.AuditFilter{Limit: activityKept})
	if err != nil {
		return err
	}
	for _, entry := range slices.Backward(entries) {
		e.activity = append(e.activity, fromAudit(entry))
	}
	return nil
}

func fromAudit(a store.AuditEntry) Activity {
	return Activity{Time: a.Time, Kind: a.Kind, Server: a.Server, Subject: a.Subject, Text: a.Text, URIs: a.URIs}
}

// recordLocked notes what happened, for the window and for the audit log.
func (e *Engine) recordLocked(a Activity) {
	if a.Time.IsZero() {
		a.Time = time.Now()
	}
	if len(e.activity) >= 2*activityKept {
		e.activity = slices.Clone(e.activity[len(e.activity)-activityKept:])
	}
	e.activity = append(e.activity, a)
	e.log.Debug("activity", "kind", a.Kind, "server", a.Server, "subject", a.Subject, "text", a.Text)
	var id store.ServerID
	for _, s := range e.state.Servers {
		if s.Name == a.Server {
			id = s.ID
		}
	}
	e.store.Audit(store.AuditEntry{
		Time: a.Time, Kind: a.Kind, ServerID: id, Server: a.Server, Subject: a.Subject, Text: a.Text, URIs: a.URIs, Count: len(a.URIs),
	})
	e.touchLocked()
}

// SearchActivity looks through the whole audit log, newest first.
func (e *Engine) SearchActivity(ctx context.Context, f ActivityFilter) ([]Activity, error) {
	if f.Limit <= 0 {
		f.Limit = activityKept
	}
	if err := e.store.Flush(ctx); err != nil {
		return nil, err
	}
	entries, err := e.store.SearchAudit(ctx, store.AuditFilter{Text: f.Text, Server: f.Server, Kind: f.Kind, Since: f.Since, Limit: f.Limit})
	if err != nil {
		return nil, err
	}
	list := make([]Activity, len(entries))
	for i, entry := range entries {
		list[i] = fromAudit(entry)
	}
	return list, nil
}

// Setting reads a setting; empty if it was never set.
func (e *Engine) Setting(key string) string { return e.store.State().Settings[key] }

// SetSetting changes a setting.
func (e *Engine) SetSetting(ctx context.Context, key, value string) error {
	return e.update(ctx, func(tx *store.Tx) error { return tx.SetSetting(key, value) })
}
