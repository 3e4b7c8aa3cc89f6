package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDamagedProfileIsExplainedInAWindowAndLeadsOn(t *testing.T) {
	s := newShell(t)
	s.must("root", "list")
	file := filepath.Join(s.dir, "profile.db")
	if err := os.WriteFile(file, bytes.Repeat([]byte("no database "), 500), 0o600); err != nil {
		t.Fatal(err)
	}
	var asked []Trouble
	again, shown := 0, 0
	start := func(choose int) int {
		var out, errs bytes.Buffer
		return Execute(t.Context(), Config{
			Version: "test", Store: s.options(), Args: []string{"--data-dir", s.dir}, In: strings.NewReader(""), Out: &out, Err: &errs,
			Window:  func(context.Context, WindowOptions) error { shown++; return nil },
			Trouble: func(_ context.Context, tr Trouble) (int, error) { asked = append(asked, tr); return choose, nil },
			Again:   func() error { again++; return nil },
		})
	}
	if status := start(-1); status != Failed || len(asked) != 1 || shown != 0 || again != 0 {
		t.Fatalf("closing the question: status %d, asked %d, shown %d, again %d", status, len(asked), shown, again)
	}
	if !strings.Contains(asked[0].Text, "damaged") || len(asked[0].Actions) == 0 {
		t.Errorf("the question is %+v", asked[0])
	}
	if status := start(len(asked[0].Actions) - 1); status != Done || again != 1 {
		t.Fatalf("starting empty: status %d, again %d", status, again)
	}
	if status := start(-1); status != Done || shown != 1 || len(asked) != 2 {
		t.Fatalf("afterwards: status %d, shown %d, asked %d", status, shown, len(asked))
	}
	set, err := filepath.Glob(filepath.Join(s.dir, "profile-damaged-*"))
	if err != nil || len(set) != 1 {
		t.Errorf("the damaged file was not kept: %v, %v", set, err)
	}
}
