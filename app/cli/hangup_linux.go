package cli

import (
	"context"
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hangUpLook is how often it is looked whether stdout was closed.
const hangUpLook = 500 * time.Millisecond

// hungUp returns when nobody reads out any more, or when ctx ends: a run that
// has nothing to write would not notice otherwise.
func hungUp(ctx context.Context, out io.Writer) {
	f, ok := out.(syscall.Conn)
	if !ok {
		<-ctx.Done()
		return
	}
	raw, err := f.SyscallConn()
	if err != nil {
		<-ctx.Done()
		return
	}
	tick := time.NewTicker(hangUpLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		gone := false
		err := raw.Control(func(fd uintptr) {
			fds := []unix.PollFd{{Fd: int32(fd)}}
			n, err := unix.Poll(fds, 0)
			gone = err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		})
		if gone || err != nil {
			return
		}
	}
}
