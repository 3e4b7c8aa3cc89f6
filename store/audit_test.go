package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAuditIsFoundByEveryFilter(t *testing.T) {
	s := openAt(t, t.TempDir())
	start := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	all := []AuditEntry{
		{Time: start, Kind: "asked", ServerID: "s_a", Server: "alpha", Subject: "alpha", Text: "asked for folders"},
		{Time: start.Add(time.Second), Kind: "answered", ServerID: "s_a", Server: "alpha", Subject: "alpha", Text: "was told 100%", URIs: []string{"file:///x", "file:///y_z"}, Detail: "d"},
		{Time: start.Add(2 * time.Second), Kind: "asked", ServerID: "s_b", Server: "beta", Subject: "beta", Text: "asked"},
	}
	s.Audit(all...)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		filter AuditFilter
		want   []int64
	}{
		"all, newest first":   {AuditFilter{}, []int64{3, 2, 1}},
		"kind":                {AuditFilter{Kind: "asked"}, []int64{3, 1}},
		"server":              {AuditFilter{ServerID: "s_a"}, []int64{2, 1}},
		"server name":         {AuditFilter{Server: "beta"}, []int64{3}},
		"text":                {AuditFilter{Text: "FOLDERS"}, []int64{1}},
		"per cent is literal": {AuditFilter{Text: "100%"}, []int64{2}},
		"underscore too":      {AuditFilter{Text: "d_r"}, nil},
		"address":             {AuditFilter{URI: "file:///x"}, []int64{2}},
		"part of an address":  {AuditFilter{URI: "file:///"}, nil},
		"since":               {AuditFilter{Since: start.Add(time.Second)}, []int64{3, 2}},
		"until":               {AuditFilter{Until: start.Add(time.Second)}, []int64{1}},
		"next page":           {AuditFilter{Before: 3, Limit: 1}, []int64{2}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found, err := s.SearchAudit(t.Context(), tt.filter)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, e := range found {
				got = append(got, e.Seq)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	found, err := s.SearchAudit(t.Context(), AuditFilter{Before: 3, Limit: 1})
	want := all[1]
	want.Seq, want.Count = 2, 2
	if err != nil || !cmp.Equal(found[0], want) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, found[0]))
	}
}

func TestAuditCountsWhatItCouldNotKeep(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	s.mu.Lock() // as if the disk stood still
	const sent = auditQueueLen + 500
	for i := range sent {
		s.Audit(AuditEntry{Kind: "asked", Text: fmt.Sprint(i)})
	}
	s.mu.Unlock()
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := s.SearchAudit(t.Context(), AuditFilter{Kind: "asked", Limit: sent})
	if err != nil {
		t.Fatal(err)
	}
	lost, err := s.SearchAudit(t.Context(), AuditFilter{Kind: AuditLost})
	if err != nil {
		t.Fatal(err)
	}
	missing := 0
	for _, e := range lost {
		missing += e.Count
	}
	if len(kept) != auditQueueLen || missing != 500 {
		t.Errorf("kept %d, said that %d are lost, of %d", len(kept), missing, sent)
	}
}

func TestCloseWritesTheAuditThatWaits(t *testing.T) {
	dir := t.TempDir()
	s, err := openSettled(t.Context(), dir, testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	s.Audit(AuditEntry{Kind: "stopped"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := openAt(t, dir).SearchAudit(t.Context(), AuditFilter{})
	if err != nil || len(found) != 1 || found[0].Kind != "stopped" || found[0].Time.IsZero() {
		t.Errorf("%+v %v", found, err)
	}
}

func TestAuditEntriesAreBounded(t *testing.T) {
	long := string(make([]byte, 100_000))
	e := boundEntry(AuditEntry{Text: long, Detail: long, URIs: make([]string, 5_000)})
	if len(e.Text) > maxAuditText || len(e.Detail) > maxAuditDetail || len(e.URIs) != maxAuditURIs || e.Count != 5_000 {
		t.Errorf("%d %d %d %d", len(e.Text), len(e.Detail), len(e.URIs), e.Count)
	}
	if got := cut("aéé", 5); got != "aéé" {
		t.Errorf("%q", got)
	}
	if got := cut("aééé", 6); got != "aé…" {
		t.Errorf("%q", got)
	}
}
