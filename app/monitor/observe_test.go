package monitor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"rootsmanager/app/root"
)

// counting counts how often something is looked at.
type counting struct {
	native
	looks atomic.Int64
}

func (c *counting) access(path string, e entry) error {
	c.looks.Add(1)
	return c.native.access(path, e)
}

// A hundred servers that ask after one change are a hundred calls of Observe
// about the same roots.
func TestManyQuestionsAboutOnePlaceShareALook(t *testing.T) {
	base := t.TempDir()
	places := make([]Place, 400)
	for i := range places {
		path := filepath.Join(base, fmt.Sprint(i))
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		places[i] = Place{ID: fmt.Sprint(i), Path: path, Kind: root.Folder}
	}
	fs := &counting{}
	m := New(&Options{fs: fs})
	var askers sync.WaitGroup
	for range 100 {
		askers.Go(func() {
			for i, o := range m.Observe(context.Background(), places...) {
				if o.Status != Reachable {
					t.Errorf("place %d is %s", i, o.Status)
				}
			}
		})
	}
	askers.Wait()
	if n := fs.looks.Load(); n >= 100*400/2 {
		t.Errorf("%d looks at 400 places for 100 questions", n)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
