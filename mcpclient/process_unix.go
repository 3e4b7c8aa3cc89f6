//go:build unix

package mcpclient

import (
	"fmt"
	"os"
	"syscall"
)

// group is a server's process group; its id is that of its leader.
type group struct{ id int }

func newGroup(leader *os.Process) (group, error) {
	tellGuard('+', leader.Pid)
	return group{leader.Pid}, nil
}

// A signal fails only when nobody is left in the group, which is what we want.
func (g group) terminate() { _ = syscall.Kill(-g.id, syscall.SIGTERM) }
func (g group) kill()      { _ = syscall.Kill(-g.id, syscall.SIGKILL) }
func (g group) release()   { tellGuard('-', g.id) }

func exitWords(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("was ended by the signal %q", status.Signal().String())
	}
	return fmt.Sprintf("exited with status %d", state.ExitCode())
}
