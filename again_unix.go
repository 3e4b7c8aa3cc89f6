//go:build unix

package main

import (
	"os"
	"syscall"
)

// again replaces this process by a fresh start of the program.
func again() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(program, os.Args, os.Environ())
}
