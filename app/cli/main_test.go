package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rootsmanager/mcpclient/probe"
	"rootsmanager/store"
)

// The test binary is also the probe server, so that `run` talks to a real
// server in a process of its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "probe" {
		if err := probe.Run(context.Background(), os.Stdin, os.Stdout, "test"); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// patience bounds every wait; nothing waits for it to pass.
const patience = 30 * time.Second

// safeBuffer may be written and read by several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// shell runs command lines on one profile, without a terminal.
type shell struct {
	t    *testing.T
	dir  string
	ring store.Keyring
}

func newShell(t *testing.T) *shell {
	t.Helper()
	return &shell{t, t.TempDir() + "/profile", store.NewMemoryKeyring()}
}

// do runs one command line and returns its status and output.
func (s *shell) do(args ...string) (status int, out, err string) {
	s.t.Helper()
	var o, e safeBuffer
	status = Execute(s.t.Context(), Config{
		Version: "1.2.3", Store: s.options(), Args: append([]string{"--data-dir", s.dir}, args...),
		In: strings.NewReader(""), Out: &o, Err: &e,
	})
	return status, o.String(), e.String()
}

func (s *shell) options() *store.Options { return &store.Options{Keyring: s.ring} }

// must runs a command line that has to work and returns its output.
func (s *shell) must(args ...string) (out, err string) {
	s.t.Helper()
	status, out, err := s.do(args...)
	if status != Done {
		s.t.Fatalf("%q: status %d\nstdout %s\nstderr %s", args, status, out, err)
	}
	return out, err
}

func contains(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", what, want, text)
		}
	}
}

// noKeyring is a keyring that is not there.
type noKeyring struct{}

var errNoKeyring = errors.New("nobody has the key")

func (noKeyring) Get(string) (string, error) { return "", errNoKeyring }
func (noKeyring) Set(string, string) error   { return errNoKeyring }
func (noKeyring) Delete(string) error        { return errNoKeyring }
