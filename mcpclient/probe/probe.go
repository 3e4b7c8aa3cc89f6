//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, not gone, and what this program is about

// Package probe is a small MCP server that shows what a server makes of roots:
// it asks for them, keeps them per session, drops them when the client says
// that they changed, and tells by two tools what it believes. It is there for
// the demo, for tests and for people who want to see roots work.
//
// Its promise: what it tells is what a well-behaved server would work in; it
// reads no file, and a client without the roots capability gets an empty list
// at once. [Run] owns two goroutines besides the SDK's and waits for them.
package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rootsmanager/app/root"
)

// askLimit is how long the probe waits for its client's answer: a little more
// than the 50 s that Roots Manager gives a person to decide.
const askLimit = 60 * time.Second

// stateless is the first revision in which a server cannot ask, but only return
// what it needs as input requests ("Multi Round-Trip Requests").
const stateless = "2026-07-28"

// Run serves one client on in and out, newline-delimited JSON as on stdio,
// until in ends or ctx does. Closing in or out is left to the caller, except
// that a reader or writer which can be closed is closed when serving ends.
func Run(ctx context.Context, in io.Reader, out io.Writer, version string) error {
	ctx, cancel := context.WithCancel(ctx)
	p := &probe{cache: newCache()}
	server := p.server(version)
	asker := make(chan struct{})
	go func() {
		defer close(asker)
		p.cache.keepFresh(ctx)
	}()
	defer func() {
		cancel()
		<-asker
	}()
	err := server.Run(ctx, &mcp.IOTransport{Reader: readCloser(in), Writer: writeCloser(out)})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

type probe struct {
	cache *cache
}

// Roots is what the tool list_roots gives.
type Roots struct {
	Supported bool    `json:"supported" jsonschema:"whether the client has the roots capability"`
	Roots     []Entry `json:"roots" jsonschema:"the roots as the client sent them, in its order"`
}

// Entry is one root.
type Entry struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// Query is what the tool check_path takes.
type Query struct {
	Path string `json:"path" jsonschema:"the absolute path of a file or folder, or a file:// URI"`
}

// Verdict is what the tool check_path gives.
type Verdict struct {
	Path    string `json:"path" jsonschema:"the path that was checked"`
	Allowed bool   `json:"allowed" jsonschema:"whether the path is a root or lies within one"`
	Root    string `json:"root,omitempty" jsonschema:"the URI of that root"`
	Reason  string `json:"reason" jsonschema:"why, in words"`
}

func (p *probe) server(version string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "roots-manager-probe", Title: "Roots Manager probe", Version: version}, &mcp.ServerOptions{
		Instructions: "Shows which folders this server may work in. Call list_roots, or check_path with a path.",
		InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) {
			p.cache.invalidate(r.Session)
		},
		RootsListChangedHandler: func(_ context.Context, r *mcp.RootsListChangedRequest) {
			p.cache.invalidate(r.Session)
		},
	})
	mcp.AddTool(server, &mcp.Tool{
		Name:        "list_roots",
		Description: "Lists the folders and files that the client allows this server to work in.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, p.listRoots)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "check_path",
		Description: "Tells whether a path lies within the roots. Symbolic links are followed, and no file is opened.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, p.checkPath)
	return server
}

func (p *probe) listRoots(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, Roots, error) {
	roots, more, err := p.roots(ctx, req)
	if err != nil || more != nil {
		return more, Roots{}, err
	}
	out := Roots{Supported: supported(req.Session), Roots: []Entry{}}
	for _, r := range roots {
		out.Roots = append(out.Roots, Entry{URI: r.URI, Name: r.Name})
	}
	return nil, out, nil
}

func (p *probe) checkPath(ctx context.Context, req *mcp.CallToolRequest, q Query) (*mcp.CallToolResult, Verdict, error) {
	path := q.Path
	if uri, err := root.Parse(q.Path); err == nil && !uri.IsHTTPS() {
		path = uri.Path()
	} else if _, err := root.FromPath(q.Path); err != nil {
		return nil, Verdict{}, fmt.Errorf("this is not an absolute path: %w", err)
	}
	roots, more, err := p.roots(ctx, req)
	if err != nil || more != nil {
		return more, Verdict{}, err
	}
	return nil, check(roots, path), nil
}

// check looks for the first root that path lies in.
func check(roots []*mcp.Root, path string) Verdict {
	v := Verdict{Path: path, Reason: "no root covers this path"}
	if len(roots) == 0 {
		v.Reason = "there are no roots"
	}
	for _, r := range roots {
		uri, err := root.Parse(r.URI)
		if err != nil || uri.IsHTTPS() {
			continue
		}
		inside, err := root.Reaches(uri.Path(), path)
		if err != nil {
			v.Reason = fmt.Sprintf("the path cannot be resolved: %v", err)
			continue
		}
		if inside {
			return Verdict{Path: path, Allowed: true, Root: r.URI, Reason: "the path lies within this root"}
		}
	}
	return v
}

// inputKey names the roots among the input requests of a result.
const inputKey = "roots"

// roots returns the roots of the session; from the cache in revisions that
// tell of changes, and by input request, every time, in the one that does not:
// then the result to send back comes first, and the roots with the next call.
func (p *probe) roots(ctx context.Context, req *mcp.CallToolRequest) ([]*mcp.Root, *mcp.CallToolResult, error) {
	if !supported(req.Session) {
		return nil, nil, nil
	}
	if init := req.Session.InitializeParams(); init == nil || init.ProtocolVersion < stateless {
		roots, err := p.cache.get(ctx, req.Session)
		return roots, nil, err
	}
	switch r := req.Params.InputResponses[inputKey].(type) {
	case *mcp.ListRootsResult:
		return r.Roots, nil, nil
	case nil:
		return nil, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{inputKey: &mcp.ListRootsParams{}}}, nil
	default:
		return nil, nil, fmt.Errorf("the client answered the request for roots with %T", r)
	}
}

// supported reports whether the client has the roots capability.
func supported(session *mcp.ServerSession) bool {
	init := session.InitializeParams()
	return init != nil && init.Capabilities != nil && init.Capabilities.RootsV2 != nil
}

func readCloser(r io.Reader) io.ReadCloser {
	if c, ok := r.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(r)
}

func writeCloser(w io.Writer) io.WriteCloser {
	if c, ok := w.(io.WriteCloser); ok {
		return c
	}
	return nopWriteCloser{w}
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
