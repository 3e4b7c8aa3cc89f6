//go:build e2e

package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rootsmanager/mcpclient/peers"
)

// seenWithin is how soon one process notices what another committed.
const seenWithin = 500 * time.Millisecond

// run starts the engine without a window.
func run(t *testing.T, p *Person, args ...string) (*Program, *Events) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close() // the program has its own
	g := p.Start(out, Binary(t), append([]string{"run", "--json"}, args...)...)
	return g, NewEvents(g, out.Name())
}

// stop ends a program as a service manager does.
func stop(t *testing.T, g *Program) {
	t.Helper()
	children := g.Running("")
	g.Signal(syscall.SIGTERM)
	asked := time.Now()
	if status := g.Wait(); status != 0 {
		t.Errorf("it ended with status %d:\n%s", status, g.Stderr())
	}
	if took := time.Since(asked); took > 3*time.Second {
		t.Errorf("it took %v to end", took)
	}
	Gone(t, children)
}

// A run without a window and the command line share one profile: what one
// commits, the other tells its servers of.
func TestHeadlessRunFollowsTheCommandLine(t *testing.T) {
	p := NewPerson(t)
	first, second := p.Folder("first"), p.Folder("über zwei")
	p.Do("server", "add", "files", "--", peers.Node(t), peers.Filesystem(t))
	p.Do("root", "add", first, "--server", "files")

	g, e := run(t, p, "--data-dir", p.Profile, "--consent", "session")
	if connected := e.Wait("server.connected", Of("files")); connected.Transport != "stdio" {
		t.Errorf("connected over %q", connected.Transport)
	}
	e.Wait("roots.answered", Of("files"), Answered(first))

	change := func(want []string, args ...string) {
		t.Helper()
		p.Do(args...)
		done := time.Now()
		notified := e.Wait("roots.notified", Of("files"))
		if late := notified.Time.Sub(done); late > seenWithin {
			t.Errorf("%v: the server was told %v after the command was done", args, late)
		}
		e.Wait("roots.answered", Of("files"), Answered(want...))
	}
	change([]string{first, second}, "root", "add", second, "--server", "files", "--access", "rw")
	change([]string{second}, "root", "remove", first)

	// A folder that vanishes is taken back by itself, and comes back with it.
	aside := second + " aside"
	if err := os.Rename(second, aside); err != nil {
		t.Fatal(err)
	}
	e.Wait("root.status", func(ev Event) bool { return ev.URI == URI(second) && ev.Status == "missing" })
	e.Wait("roots.answered", Of("files"), Answered())
	if err := os.Rename(aside, second); err != nil {
		t.Fatal(err)
	}
	e.Wait("root.status", func(ev Event) bool { return ev.URI == URI(second) && ev.Status == "reachable" })
	e.Wait("roots.answered", Of("files"), Answered(second))
	stop(t, g)

	if !strings.Contains(g.Stderr(), "this run only") {
		t.Errorf("stderr does not say that everything is allowed for this run only:\n%s", g.Stderr())
	}
}

// Nothing was stored by the run above's way of consent: what nobody approved
// does not start, and the reason and remedy are said.
func TestHeadlessRunWithoutTerminalStartsNothingUnapproved(t *testing.T) {
	p := NewPerson(t)
	server := peers.Filesystem(t)
	p.Do("server", "add", "files", "--", peers.Node(t), server)
	g, e := run(t, p, "--data-dir", p.Profile, "--consent", "session")
	e.Wait("server.connected", Of("files"))
	stop(t, g)

	g, e = run(t, p, "--data-dir", p.Profile)
	err := until(within(t, Patience), func() (bool, error) {
		return strings.Contains(g.Stderr(), "files"), g.alive()
	})
	if err != nil {
		t.Errorf("nothing on stderr tells what files waits for (%v):\n%s", err, g.Stderr())
	}
	e.None("server.connected")
	if started := g.Running(server); len(started) > 0 {
		t.Errorf("these were started without approval: %v", started)
	}
	stop(t, g)
}

// The other server that nobody here wrote, over everything it speaks.
func TestHeadlessRunSpeaksEveryTransport(t *testing.T) {
	node, everything := peers.Node(t), peers.Everything(t)
	for _, c := range []struct{ transport, mode, path string }{
		{"stdio", "stdio", ""},
		{"http", "streamableHttp", "/mcp"},
		{"sse", "sse", "/sse"},
	} {
		t.Run(c.transport, func(t *testing.T) {
			p := NewPerson(t)
			folder := p.Folder("shared with " + c.transport)
			if c.transport == "stdio" {
				p.Do("server", "add", "all", "--", node, everything, c.mode)
			} else {
				address := freeAddress(t)
				_, port, _ := net.SplitHostPort(address)
				t.Setenv("PORT", port)
				p.Start(nil, node, everything, c.mode)
				listening(t, address)
				p.Do("server", "add", "all", "--url", "http://"+address+c.path, "--transport", c.transport)
			}
			p.Do("root", "add", folder, "--server", "all")
			g, e := run(t, p, "--data-dir", p.Profile, "--consent", "session")
			if connected := e.Wait("server.connected", Of("all")); connected.Transport != c.transport {
				t.Errorf("connected over %q", connected.Transport)
			}
			e.Wait("roots.answered", Of("all"), Answered(folder))
			p.Do("root", "remove", folder)
			if c.transport == "stdio" { // ours is restarted, so that it cannot keep what it had
				e.Wait("server.disconnected", Of("all"))
			} else {
				e.Wait("roots.notified", Of("all"))
			}
			e.Wait("roots.answered", Of("all"), Answered())
			stop(t, g)
		})
	}
}

// freeAddress returns an address of this machine that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// listening waits until somebody does.
func listening(t *testing.T, address string) {
	t.Helper()
	err := until(within(t, Patience), func() (bool, error) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return false, nil
		}
		return true, c.Close()
	})
	if err != nil {
		t.Fatal(fmt.Errorf("nobody listens at %s: %w", address, err))
	}
}

// The demo needs nothing but the program itself.
func TestHeadlessDemo(t *testing.T) {
	p := NewPerson(t)
	g, e := run(t, p, "--demo", "--consent", "session")
	e.Wait("server.connected")
	e.Wait("roots.answered")
	stop(t, g)
}
