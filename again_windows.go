package main

import (
	"os"
	"os/exec"
)

// again starts the program afresh; this process ends after it.
func again() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return exec.Command(program, os.Args[1:]...).Start()
}
