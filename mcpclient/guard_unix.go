//go:build unix

package mcpclient

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// guardScript reads "+ID" and "-ID" lines, and kills the process groups that
// are left when its input ends. It is deaf to the signals of a terminal.
const guardScript = `trap "" HUP INT TERM
groups=
while read -r line; do
	id=${line#?}
	case $line in
	+*) groups="$groups $id" ;;
	-*) left=
		for g in $groups; do
			[ "$g" = "$id" ] || left="$left $g"
		done
		groups=$left ;;
	esac
done
for g in $groups; do kill -KILL -"$g" 2>/dev/null; done
exit 0`

// guard is a shell that outlives a kill -9 of the app for the moment it takes
// to kill what the servers started: the parent-death signal reaches a server,
// but not its children, and exists on Linux only. It lives from the first
// session to the end of the last one.
var guard struct {
	mu    sync.Mutex
	users int
	cmd   *exec.Cmd
	in    *os.File
}

func acquireGuard() error {
	guard.mu.Lock()
	defer guard.mu.Unlock()
	guard.users++
	if guard.users > 1 {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("no pipe for the guard could be made: %w", err)
	}
	defer r.Close()
	cmd := &exec.Cmd{
		Path:        "/bin/sh",
		Args:        []string{"roots-manager-guard", "-c", guardScript},
		Dir:         "/", // no drive is kept busy by it
		Env:         []string{},
		Stdin:       r,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		_ = w.Close() // nobody reads it
		return fmt.Errorf("the guard could not be started: %w", err)
	}
	guard.cmd, guard.in = cmd, w
	return nil
}

func releaseGuard() {
	guard.mu.Lock()
	defer guard.mu.Unlock()
	guard.users--
	if guard.users > 0 || guard.cmd == nil {
		return
	}
	if guard.in != nil {
		_ = guard.in.Close() // that ends it
	}
	_ = guard.cmd.Wait() // nothing is left to kill, so how it ended does not matter
	guard.cmd, guard.in = nil, nil
}

// tellGuard tells the guard of a process group. A guard that does not listen
// costs a second at most, once: it is let go.
func tellGuard(sign byte, id int) {
	guard.mu.Lock()
	defer guard.mu.Unlock()
	if guard.in == nil {
		return
	}
	line := fmt.Appendf(nil, "%c%d\n", sign, id)
	_ = guard.in.SetWriteDeadline(time.Now().Add(time.Second)) // without one the write is still made
	if _, err := guard.in.Write(line); err != nil {
		_ = guard.in.Close()
		guard.in = nil
	}
}
