package pick

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// missing skips a test whose peer is not on this machine, or fails it where
// every peer has to be there.
func missing(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("REQUIRE_PEERS") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
