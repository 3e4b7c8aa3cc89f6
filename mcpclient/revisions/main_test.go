package revisions

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// What this test binary is when it is started as another program.
const (
	asServer   = "ROOTS_MANAGER_REVISIONS_SERVER" // the transport to serve
	asRecorder = "ROOTS_MANAGER_REVISIONS_RECORD" // the file to record into
)

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(asRecorder) != "":
		err = record(os.Getenv(asRecorder), os.Args[1:])
	case os.Getenv(asServer) != "":
		err = serveGo(os.Getenv(asServer))
	default:
		goleak.VerifyTestMain(m)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
