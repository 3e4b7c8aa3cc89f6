//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, not gone, and what this program is about

package probe

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"rootsmanager/app/root"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 20 * time.Second

// client connects an SDK client to a probe; asked counts its questions.
func client(t *testing.T, opts *mcp.ClientOptions, revision string, asked *atomic.Int32) (*mcp.Client, *mcp.ClientSession) {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Run(context.Background(), theirIn, theirOut, "9.9.9") }()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
	c.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "roots/list" {
				asked.Add(1)
			}
			return next(ctx, method, req)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cs, err := c.Connect(ctx, &mcp.IOTransport{Reader: ourIn, Writer: ourOut}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cs.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the probe ended with %v", err)
			}
		case <-time.After(patience):
			t.Error("the probe did not end with its input")
		}
	})
	return c, cs
}

// call calls a tool and decodes what it gives; it returns the error's text.
func call(t *testing.T, cs *mcp.ClientSession, tool string, args map[string]any, out any) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	if res.IsError {
		return res.Content[0].(*mcp.TextContent).Text
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return ""
}

func uri(t *testing.T, path string) string {
	t.Helper()
	u, err := root.FromPath(path)
	if err != nil {
		t.Fatal(err)
	}
	return u.String()
}

func TestRootsAreCachedUntilTheyChange(t *testing.T) {
	var asked atomic.Int32
	c, cs := client(t, nil, "2025-11-25", &asked)
	c.AddRoots(&mcp.Root{URI: "file:///a", Name: "A"})
	want := Roots{Supported: true, Roots: []Entry{{URI: "file:///a", Name: "A"}}}
	var got Roots
	for ctx := t.Context(); !cmp.Equal(got, want) && ctx.Err() == nil; {
		call(t, cs, "list_roots", nil, &got)
	}
	before := asked.Load()
	for range 10 {
		call(t, cs, "list_roots", nil, &got)
	}
	if n := asked.Load(); n != before {
		t.Errorf("asked %d times more, though nothing changed", n-before)
	}
	c.AddRoots(&mcp.Root{URI: "file:///b"})
	deadline := time.Now().Add(patience)
	for asked.Load() == before { // it asks by itself, without a call
		if time.Now().After(deadline) {
			t.Fatal("it did not ask after list_changed")
		}
		if err := cs.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	call(t, cs, "list_roots", nil, &got)
	if len(got.Roots) != 2 {
		t.Errorf("after the change: %+v", got)
	}
}

func TestClientWithoutTheCapabilityIsNotAsked(t *testing.T) {
	var asked atomic.Int32
	_, cs := client(t, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}, "2025-11-25", &asked)
	var got Roots
	call(t, cs, "list_roots", nil, &got)
	if diff := cmp.Diff(Roots{Roots: []Entry{}}, got); diff != "" {
		t.Error(diff)
	}
	var v Verdict
	call(t, cs, "check_path", map[string]any{"path": filepath.Join(t.TempDir(), "x")}, &v)
	if v.Allowed || v.Reason != "there are no roots" {
		t.Errorf("%+v", v)
	}
	if asked.Load() != 0 {
		t.Error("it was asked")
	}
}

func TestStatelessRevisionGetsRootsByInputRequest(t *testing.T) {
	var asked atomic.Int32
	c, cs := client(t, nil, "2026-07-28", &asked)
	if got := cs.InitializeResult().ProtocolVersion; got != "2026-07-28" {
		t.Fatalf("connected at %s", got)
	}
	c.AddRoots(&mcp.Root{URI: "file:///a"})
	var got Roots
	call(t, cs, "list_roots", nil, &got)
	if diff := cmp.Diff(Roots{Supported: true, Roots: []Entry{{URI: "file:///a"}}}, got); diff != "" {
		t.Error(diff)
	}
	if asked.Load() != 0 {
		t.Error("it asked by request, which this revision forbids")
	}
}

func TestPathsAreCheckedAgainstTheBoundaries(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inside, beside := filepath.Join(base, "user"), filepath.Join(base, "user2")
	for _, dir := range []string{inside, beside} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(beside, filepath.Join(inside, "way out")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	var asked atomic.Int32
	c, cs := client(t, nil, "2025-11-25", &asked)
	c.AddRoots(&mcp.Root{URI: "https://example.com/not-a-folder"}, &mcp.Root{URI: uri(t, inside)})
	var got Roots
	for len(got.Roots) != 2 && t.Context().Err() == nil {
		call(t, cs, "list_roots", nil, &got)
	}
	for path, want := range map[string]bool{
		inside:                                true,
		uri(t, inside):                        true,
		filepath.Join(inside, "not there"):    true,
		filepath.Join(inside, "way out", "f"): false,
		beside:                                false,
		base:                                  false,
		inside + "/../user2/x":                false,
	} {
		var v Verdict
		if e := call(t, cs, "check_path", map[string]any{"path": path}, &v); e != "" {
			if want {
				t.Errorf("%s: %s", path, e)
			}
			continue
		}
		if v.Allowed != want || v.Allowed != (v.Root != "") {
			t.Errorf("%s: %+v, want allowed %v", path, v, want)
		}
	}
	var v Verdict
	if e := call(t, cs, "check_path", map[string]any{"path": "relative/path"}, &v); e == "" {
		t.Errorf("a relative path got %+v", v)
	}
}
