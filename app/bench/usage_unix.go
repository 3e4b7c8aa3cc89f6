//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what this process, without its servers, has used.
func processorTime() (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
