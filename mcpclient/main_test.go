package mcpclient

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"rootsmanager/mcpclient/misbehave"
	"rootsmanager/mcpclient/probe"
)

// crashMode makes the test binary the parent that is killed, with a server of
// the mode.
const crashMode = "ROOTS_MANAGER_TEST_PARENT"

// serverMode makes the test binary a server instead: the name of a misbehaviour,
// or "probe".
const serverMode = "ROOTS_MANAGER_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(crashMode); mode != "" {
		crashParent(mode)
		return
	}
	switch mode := os.Getenv(serverMode); mode {
	case "":
		goleak.VerifyTestMain(m)
	case "probe":
		if err := probe.Run(context.Background(), os.Stdin, os.Stdout, "1.2.3"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		misbehave.Run(mode)
	}
}
