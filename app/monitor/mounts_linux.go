package monitor

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// mountInfo reads /proc/self/mountinfo and waits for it to change. The file is
// opened with a plain open: os.Open would register it with the runtime's
// poller, which takes the notices away.
type mountInfo struct {
	poll   int
	wake   [2]int // a pipe; closing the writing end ends the wait
	notice chan struct{}
	done   chan struct{}
}

func systemMounts() (mountSource, error) {
	m := &mountInfo{notice: make(chan struct{}, 1), done: make(chan struct{})}
	var err error
	if m.poll, err = unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("opening the mount table: %w", err)
	}
	if err := unix.Pipe2(m.wake[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("making a pipe: %w", closing(err, m.poll))
	}
	go m.wait()
	return m, nil
}

func closing(err error, fd int) error {
	if cerr := unix.Close(fd); cerr != nil {
		return fmt.Errorf("%w (and closing: %w)", err, cerr)
	}
	return err
}

func (m *mountInfo) wait() {
	defer close(m.done)
	for {
		fds := []unix.PollFd{{Fd: int32(m.poll), Events: unix.POLLPRI}, {Fd: int32(m.wake[0]), Events: unix.POLLIN}}
		if err := retry(func() error { _, err := unix.Poll(fds, -1); return err }); err != nil {
			return // only for bad arguments or lack of memory; the sweep reads the table as well
		}
		if fds[1].Revents != 0 {
			return
		}
		if fds[0].Revents&(unix.POLLPRI|unix.POLLERR) != 0 {
			select {
			case m.notice <- struct{}{}:
			default:
			}
		}
	}
}

func (m *mountInfo) changes() <-chan struct{} { return m.notice }

func (m *mountInfo) close() {
	for _, fd := range []int{m.wake[1]} {
		_ = unix.Close(fd) // wakes the reader; nothing is written, so nothing can be lost
	}
	<-m.done
	_ = unix.Close(m.wake[0])
	_ = unix.Close(m.poll)
}

func (m *mountInfo) read() (*mountTable, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("reading the mount table: %w", err)
	}
	return parseMountInfo(string(data)), nil
}

// parseMountInfo reads proc_pid_mountinfo(5); lines it does not understand are
// left out.
func parseMountInfo(data string) *mountTable {
	var mounts []*mount
	for line := range strings.Lines(data) {
		before, after, ok := strings.Cut(line, " - ")
		fields, more := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 6 || len(more) < 1 {
			continue
		}
		mounts = append(mounts, &mount{
			key:    fields[0] + " " + fields[2] + " " + fields[3],
			point:  unescapeMount(fields[4]),
			remote: isRemote(more[0]),
			state:  fields[5] + " " + strings.TrimSpace(after),
		})
	}
	return newMountTable(mounts)
}

var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func unescapeMount(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return mountEscapes.Replace(s)
}
