package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// AuditEntry is one thing that happened.
type AuditEntry struct {
	Seq      int64     // assigned by the store
	Time     time.Time // zero: when it was handed to Audit
	Kind     string    // told, asked, answered, decided, approved, started, stopped, failed, status, changed; AuditLost
	ServerID ServerID  // empty where no server is meant
	Server   string    // its name at that time
	Subject  string    // what the sentence is about
	Text     string    // the rest of the sentence
	URIs     []string  // what was sent or decided about; the first 1,000
	Count    int       // how many there were
	Detail   string    // for experts; never a secret
}

// AuditLost is the kind of the entry that says how many others could not be
// kept because they came faster than the disk takes them: see Count.
const AuditLost = "lost"

const (
	auditQueueLen  = 8_192
	auditBatchLen  = 1_000
	auditGather    = 100 * time.Millisecond // entries that come within it are written together
	maxAuditURIs   = 1_000
	maxAuditText   = 4_096
	maxAuditDetail = 16 << 10
	auditPageLen   = 500
	maxAuditPage   = 100_000
)

// auditQueue is what waits to be written.
type auditQueue struct {
	mu      sync.Mutex
	waiting []AuditEntry
	lost    int
	closed  bool
	wake    chan struct{}   // cap 1: something waits
	flush   chan chan error // somebody wants it written at once
	quit    chan struct{}   // closed by Close
	ended   chan error      // last result of the writer

	end        mark // newest entry written by this process; guarded by Store.mu
	sincePrune int  // as end
	prunedOnce bool // as end
	anchored   mark // as the keyring holds it; the writer's own
	anchoredAt time.Time
}

func (s *Store) startAudit() {
	a := &s.audit
	a.wake, a.flush, a.quit, a.ended = make(chan struct{}, 1), make(chan chan error), make(chan struct{}), make(chan error, 1)
	go func() { a.ended <- s.writeAudit() }()
}

func (s *Store) stopAudit() error {
	a := &s.audit
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	close(a.quit)
	return <-a.ended
}

// Audit hands entries to the audit log. It never waits for the disk. What
// comes faster than the disk takes it (8,192 entries wait at most) is counted,
// and the count is logged as an entry of the kind [AuditLost].
func (s *Store) Audit(entries ...AuditEntry) {
	a := &s.audit
	a.mu.Lock()
	for _, e := range entries {
		if a.closed || len(a.waiting) >= auditQueueLen {
			a.lost++
			continue
		}
		if e.Time.IsZero() {
			e.Time = s.now()
		}
		a.waiting = append(a.waiting, boundEntry(e))
	}
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func boundEntry(e AuditEntry) AuditEntry {
	e.Count = max(e.Count, len(e.URIs))
	e.URIs = append([]string(nil), e.URIs[:min(len(e.URIs), maxAuditURIs)]...)
	for _, f := range []*string{&e.Kind, &e.Server, &e.Subject, &e.Text} {
		*f = cut(*f, maxAuditText)
	}
	e.Detail = cut(e.Detail, maxAuditDetail)
	return e
}

// cut shortens text to at most n bytes of whole characters.
func cut(text string, n int) string {
	if len(text) > n {
		text = text[:n-len("…")]
		text = strings.ToValidUTF8(text, "") + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Flush waits until everything handed to Audit before is on disk.
func (s *Store) Flush(ctx context.Context) error {
	reply := make(chan error, 1)
	select {
	case s.audit.flush <- reply:
	case <-s.audit.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeAudit writes what waits until Close, then what is left.
func (s *Store) writeAudit() error {
	a := &s.audit
	gather := time.NewTimer(auditGather)
	gather.Stop()
	armed, failing := false, false
	for {
		select {
		case <-a.wake:
			if !armed {
				armed = true
				gather.Reset(auditGather)
			}
		case <-gather.C:
			err := s.drainAudit()
			s.anchorAudit(false)
			if armed = err != nil; armed {
				gather.Reset(20 * auditGather)
			}
			if (err != nil) != failing {
				if failing = err != nil; failing {
					s.log.Warn("audit log cannot be written", "error", err)
				} else {
					s.log.Info("audit log can be written again")
				}
			}
		case reply := <-a.flush:
			reply <- s.drainAudit()
		case <-a.quit:
			gather.Stop()
			err := s.drainAudit()
			s.anchorAudit(true)
			return err
		}
	}
}

// drainAudit writes everything that waits. What could not be written waits on.
func (s *Store) drainAudit() error {
	a := &s.audit
	for {
		a.mu.Lock()
		batch, lost := a.waiting[:min(len(a.waiting), auditBatchLen)], a.lost
		a.mu.Unlock()
		if len(batch) == 0 && lost == 0 {
			return nil
		}
		if lost > 0 {
			batch = append(batch[:len(batch):len(batch)], AuditEntry{
				Time: s.now(), Kind: AuditLost, Count: lost,
				Text: "Entries came faster than they could be written; these are missing.",
			})
		}
		if err := s.appendAudit(batch); err != nil {
			return fmt.Errorf("the audit log cannot be written: %w", explain(err))
		}
		written := len(batch)
		a.mu.Lock()
		if lost > 0 {
			a.lost -= lost
			written--
		}
		if a.waiting = a.waiting[written:]; len(a.waiting) == 0 {
			a.waiting = nil
		}
		a.mu.Unlock()
	}
}
