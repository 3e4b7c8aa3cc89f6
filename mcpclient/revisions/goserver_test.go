package revisions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// state is what the Go server gives a client to keep: nothing in it may change.
var state = " {\"a\":1,  \"ü\":\"<&>\\u0000\"}\n\t" + strings.Repeat("x", 5000) + " "

// serveGo is an MCP server made with the Go SDK, with the same tools as the
// TypeScript ones, and some that ask for what we do not give.
func serveGo(transport string) error {
	server := newGoServer()
	if transport == "stdio" {
		return server.Run(context.Background(), &mcp.StdioTransport{})
	}
	get := func(*http.Request) *mcp.Server { return server }
	var handler http.Handler
	path := "/mcp"
	switch transport {
	case "http":
		handler = mcp.NewStreamableHTTPHandler(get, nil)
	case "stateless":
		handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	case "sse":
		path, handler = "/sse", mcp.NewSSEHandler(get, nil)
	default:
		return fmt.Errorf("no transport %q", transport)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s%s\n", l.Addr(), path)
	go func() { // the end of stdin is the end of the server
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	return http.Serve(l, handler)
}

func newGoServer() *mcp.Server {
	var mu sync.Mutex
	believes := map[*mcp.ServerSession][]string{}
	ask := func(ss *mcp.ServerSession) {
		go func() { // the answer must not wait for this handler
			uris := []string{}
			res, err := ss.ListRoots(context.Background(), nil)
			if err != nil {
				uris = append(uris, err.Error())
			} else {
				uris = append(uris, names(res)...)
			}
			mu.Lock()
			defer mu.Unlock()
			believes[ss] = uris
		}()
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1"}, &mcp.ServerOptions{
		InitializedHandler:      func(_ context.Context, req *mcp.InitializedRequest) { ask(req.Session) },
		RootsListChangedHandler: func(_ context.Context, req *mcp.RootsListChangedRequest) { ask(req.Session) },
	})
	add := func(name string, f func(req *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return f(req) })
	}
	add("list_roots", func(req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		mu.Lock()
		defer mu.Unlock()
		return text(believes[req.Session])
	})
	add("ask_roots", func(req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(req.Params.InputResponses) == 0 {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"one": &mcp.ListRootsParams{}}, RequestState: "state of one"}, nil
		}
		return text(names(req.Params.InputResponses["one"]))
	})
	add("ask_much", func(req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(req.Params.InputResponses) == 0 {
			return &mcp.CallToolResult{
				InputRequests: mcp.InputRequestMap{"a": &mcp.ListRootsParams{}, `b/ü "b"`: &mcp.ListRootsParams{}}, RequestState: state,
			}, nil
		}
		return text(map[string]any{
			"a": names(req.Params.InputResponses["a"]), "b": names(req.Params.InputResponses[`b/ü "b"`]),
			"untouched": req.Params.RequestState == state,
		})
	})
	add("ask_again", func(req *mcp.CallToolRequest) (*mcp.CallToolResult, error) { // never content
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"one": &mcp.ListRootsParams{}}, RequestState: "again"}, nil
	})
	add("ask_form", func(req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(req.Params.InputResponses) == 0 {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{
				"roots": &mcp.ListRootsParams{},
				"form":  &mcp.ElicitParams{Message: "What is your password?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"p":{"type":"string"}}}`)},
			}}, nil
		}
		form, ok := req.Params.InputResponses["form"].(*mcp.ElicitResult)
		if !ok {
			return nil, errors.New("no answer to the form")
		}
		return text(map[string]any{"roots": names(req.Params.InputResponses["roots"]), "form": form.Action})
	})
	add("ask_model", func(req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(req.Params.InputResponses) == 0 {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{
				"roots": &mcp.ListRootsParams{},
				"model": &mcp.CreateMessageWithToolsParams{MaxTokens: 10, Messages: []*mcp.SamplingMessageV2{}},
			}}, nil
		}
		return text("it was answered")
	})
	return server
}

func names(v any) []string {
	res, ok := v.(*mcp.ListRootsResult)
	if !ok {
		return []string{fmt.Sprintf("not roots: %T", v)}
	}
	uris := []string{}
	for _, r := range res.Roots {
		uris = append(uris, r.URI)
	}
	return slices.Clip(uris)
}

func text(v any) (*mcp.CallToolResult, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}, nil
}
