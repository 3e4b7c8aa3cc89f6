//go:build !linux

package cli

import (
	"context"
	"io"
)

// hungUp waits until ctx ends: a closed stdout is noticed with the next event.
func hungUp(ctx context.Context, _ io.Writer) { <-ctx.Done() }
