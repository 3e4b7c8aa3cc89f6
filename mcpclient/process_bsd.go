//go:build unix && !linux

package mcpclient

import "syscall"

// childAttributes puts a child into a group of its own. There is no
// parent-death signal here: after kill -9 of the app the guard ends it.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
