//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, not gone, and what this program is about

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// task is what a client asks the server to measure.
type task struct {
	Warmup int `json:"warmup"`
	Times  int `json:"times"`
	Roots  int `json:"roots"` // how many every answer must have
}

// timings is what the server measured, in nanoseconds.
type timings struct {
	Took []int64 `json:"took"`
}

// serve is the server: on stdio, or on a free port of this computer, which it
// prints.
func serve(args []string) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "plain"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, func(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		if req.Params.InputResponses == nil {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"roots": &mcp.ListRootsParams{}}, RequestState: "state"}, nil, nil
		}
		return &mcp.CallToolResult{}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "measure", Description: "Asks for roots again and again."}, stopwatch)
	if len(args) != 1 {
		return errors.New("the server needs its transport")
	}
	switch args[0] {
	case "stdio":
		return server.Run(context.Background(), &mcp.StdioTransport{})
	case "eager":
		return eager().Run(context.Background(), &mcp.StdioTransport{})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	get := func(*http.Request) *mcp.Server { return server }
	var handler http.Handler
	switch args[0] {
	case "http":
		handler = mcp.NewStreamableHTTPHandler(get, nil)
	case "stateless": // which 2026-07-28 needs
		handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	case "sse":
		handler = mcp.NewSSEHandler(get, nil)
	default:
		return fmt.Errorf("no transport %q", args[0])
	}
	go func() { // the end of stdin is the end of the run
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	return http.Serve(l, handler)
}

// eager is a server that asks for roots at once and after every change.
func eager() *mcp.Server {
	ask := func(ss *mcp.ServerSession) {
		go func() {
			if _, err := ss.ListRoots(context.Background(), nil); err != nil {
				fmt.Fprintln(os.Stderr, "asking for roots:", err)
			}
		}()
	}
	return mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, &mcp.ServerOptions{
		InitializedHandler:      func(_ context.Context, r *mcp.InitializedRequest) { ask(r.Session) },
		RootsListChangedHandler: func(_ context.Context, r *mcp.RootsListChangedRequest) { ask(r.Session) },
	})
}

func stopwatch(ctx context.Context, req *mcp.CallToolRequest, t task) (*mcp.CallToolResult, timings, error) {
	out := timings{Took: make([]int64, 0, t.Times)}
	for i := range t.Warmup + t.Times {
		began := time.Now()
		res, err := req.Session.ListRoots(ctx, nil)
		took := time.Since(began)
		if err != nil {
			return nil, out, err
		}
		if len(res.Roots) != t.Roots {
			return nil, out, fmt.Errorf("%d roots instead of %d", len(res.Roots), t.Roots)
		}
		if i >= t.Warmup {
			out.Took = append(out.Took, took.Nanoseconds())
		}
	}
	return nil, out, nil
}
