//go:build unix

package login

import (
	"os/exec"
	"syscall"
)

// detach keeps signals for our group, such as Ctrl+C at a terminal, away from
// the browser.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
