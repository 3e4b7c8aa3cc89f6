package pick

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// revealTime bounds [Reveal] as a whole.
const revealTime = 15 * time.Second

// Reveal shows path in the desktop's file manager, selected in its folder where
// the file manager can do that. It returns once the file manager has taken the
// request, after at most 15 seconds. Errors are sentences.
func Reveal(ctx context.Context, path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q cannot be shown in the file manager: it is no absolute path", path)
	}
	ctx, done := context.WithTimeout(ctx, revealTime)
	defer done()
	info, err := statWithin(ctx, path)
	if err != nil {
		return fmt.Errorf("%s cannot be shown in the file manager: %w", path, err)
	}
	return reveal(ctx, path, info.IsDir())
}

// statWithin keeps a dead network mount from holding up the caller. The stat
// itself cannot be called off; its goroutine ends when the system answers.
func statWithin(ctx context.Context, path string) (os.FileInfo, error) {
	type result struct {
		info os.FileInfo
		err  error
	}
	found := make(chan result, 1)
	go func() {
		info, err := os.Stat(path)
		found <- result{info, err}
	}()
	ctx, done := context.WithTimeout(ctx, 3*time.Second)
	defer done()
	select {
	case r := <-found:
		return r.info, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("it does not answer: %w", ctx.Err())
	}
}
