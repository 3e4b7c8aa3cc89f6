//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, not gone, and what this program is about

package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// webServer is an MCP server of the Go SDK over HTTP that knows what it is
// told: it asks for roots after initialize and after every change.
type webServer struct {
	*httptest.Server
	mcp *mcp.Server

	ctx    context.Context // of its questions
	cancel context.CancelFunc

	mu       sync.Mutex
	lists    [][]Root
	errs     []error
	requests []*http.Request
}

// mcpServer makes the SDK's server part.
func (w *webServer) mcpServer() *mcp.Server {
	ask := func(ss *mcp.ServerSession) {
		go func() {
			res, err := ss.ListRoots(w.ctx, nil)
			w.mu.Lock()
			defer w.mu.Unlock()
			if err != nil {
				w.errs = append(w.errs, err)
			} else {
				list := []Root{}
				for _, r := range res.Roots {
					list = append(list, Root{URI: r.URI, Name: r.Name})
				}
				w.lists = append(w.lists, list)
			}
		}()
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, &mcp.ServerOptions{
		InitializedHandler:      func(_ context.Context, r *mcp.InitializedRequest) { ask(r.Session) },
		RootsListChangedHandler: func(_ context.Context, r *mcp.RootsListChangedRequest) { ask(r.Session) },
	})
	mcp.AddTool(s, &mcp.Tool{Name: "see"}, func(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		if req.Params.InputResponses == nil {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"r": &mcp.ListRootsParams{}}, RequestState: "s"}, nil, nil
		}
		data, err := json.Marshal(req.Params.InputResponses["r"])
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: req.Params.RequestState + string(data)}}}, nil, nil
	})
	return s
}

func newWebServer(t *testing.T, transport Transport, opts *mcp.StreamableHTTPOptions, wrap func(http.Handler) http.Handler) *webServer {
	t.Helper()
	w := &webServer{}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.mcp = w.mcpServer()
	get := func(*http.Request) *mcp.Server { return w.mcp }
	var h http.Handler = mcp.NewStreamableHTTPHandler(get, opts)
	if transport == SSE {
		h = mcp.NewSSEHandler(get, nil)
	}
	if wrap != nil {
		h = wrap(h)
	}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.requests = append(w.requests, r.Clone(context.Background()))
		w.mu.Unlock()
		h.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() {
		w.cancel() // the SDK's server waits for its open questions
		for ss := range w.mcp.Sessions() {
			_ = ss.Close() // also of those whose end the server was not told
		}
		w.CloseClientConnections()
		w.Close()
	})
	return w
}

// has waits until the last list the server was given is want.
func (w *webServer) has(t *testing.T, want ...Root) {
	t.Helper()
	until(t, "the server's list", func() []Root {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.lists) == 0 {
			return nil
		}
		return w.lists[len(w.lists)-1]
	}, func(got []Root) bool { return got != nil && cmp.Equal(got, append([]Root{}, want...)) })
}

func (w *webServer) all() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*http.Request(nil), w.requests...)
}

func TestEveryRevisionOverEveryWebTransport(t *testing.T) {
	for _, transport := range []Transport{HTTP, SSE} {
		for _, revision := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
			if transport == SSE && revision == "2026-07-28" {
				continue // that revision knows no SSE transport
			}
			t.Run(string(transport)+" "+revision, func(t *testing.T) {
				w := newWebServer(t, transport, &mcp.StreamableHTTPOptions{Stateless: revision == "2026-07-28"}, nil)
				h := newHost(t, Spec{Transport: transport, URL: w.URL + "/mcp", Revision: revision})
				a, b := Root{URI: "file:///a", Name: "A"}, Root{URI: "file:///b"}
				h.set(b, a)
				s := start(t, h, nil)
				e, at := h.waitKind(0, Connected)
				want := revision
				if want == "" {
					want = preferred
				}
				if e.Revision != want || e.Transport != transport {
					t.Fatalf("connected as %+v", e)
				}
				if want == "2026-07-28" {
					res, err := s.CallTool(within(t), "see", nil)
					if err != nil || res.Text != `s{"roots":[{"uri":"file:///b"},{"name":"A","uri":"file:///a"}]}` {
						t.Errorf("%v %s", err, res.Text)
					}
					return
				}
				_, at = h.waitAnswered(at)
				w.has(t, b, a)
				h.set(a)
				s.Announce()
				_, at = h.waitAnswered(at)
				w.has(t, a)
				h.set()
				s.Announce()
				h.waitAnswered(at)
				w.has(t)
			})
		}
	}
}

func TestStatelessServerOverHTTPIsFoundAutomatically(t *testing.T) {
	w := newWebServer(t, HTTP, &mcp.StreamableHTTPOptions{Stateless: true}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Protocol-Version") != "2026-07-28" {
				rw.Header().Set("Content-Type", "application/json")
				rw.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(rw, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"]}}}`)
				return
			}
			next.ServeHTTP(rw, r)
		})
	})
	h := newHost(t, Spec{Transport: HTTP, URL: w.URL})
	h.set(Root{URI: "file:///a"})
	s := start(t, h, nil)
	if e, _ := h.waitKind(0, Connected); e.Revision != "2026-07-28" || e.CanNotify {
		t.Errorf("connected as %+v", e)
	}
	if res, err := s.CallTool(within(t), "see", nil); err != nil || !strings.Contains(res.Text, "file:///a") {
		t.Errorf("%v %s", err, res.Text)
	}
}

func TestServerThatAnswersInJSONIsToldOverItsStream(t *testing.T) {
	w := newWebServer(t, HTTP, &mcp.StreamableHTTPOptions{JSONResponse: true}, nil)
	h := newHost(t, Spec{Transport: HTTP, URL: w.URL})
	h.set(Root{URI: "file:///a"})
	s := start(t, h, nil)
	h.waitAnswered(0)
	w.has(t, Root{URI: "file:///a"})
	if tools, err := s.Tools(within(t)); err != nil || len(tools) != 1 {
		t.Errorf("%v %v", tools, err)
	}
}

func TestRootsOffOverHTTPReadsAsTheSpecificationSays(t *testing.T) {
	w := newWebServer(t, HTTP, nil, nil)
	h := newHost(t, Spec{Transport: HTTP, URL: w.URL})
	h.rootsErr = ErrRootsOff
	start(t, h, nil)
	var e *jsonrpc.Error
	until(t, "the error", func() error {
		w.mu.Lock()
		defer w.mu.Unlock()
		return errors.Join(w.errs...)
	}, func(err error) bool { return errors.As(err, &e) })
	if e.Code != -32601 || e.Message != "Roots not supported" || string(e.Data) != `{"reason":"Client does not have roots capability"}` {
		t.Errorf("%d %s %s", e.Code, e.Message, e.Data)
	}
}

func TestHeadersGoToTheServerAndSessionIsDeletedOnClose(t *testing.T) {
	w := newWebServer(t, HTTP, nil, nil)
	h := newHost(t, Spec{Transport: HTTP, URL: w.URL, Headers: map[string]string{"authorization": "Bearer abc", "X-Key": "k"}})
	s := start(t, h, nil)
	_, at := h.waitKind(0, Connected)
	h.waitAnswered(at)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	all := w.all()
	for _, r := range all {
		if r.Header.Get("Authorization") != "Bearer abc" || r.Header.Get("X-Key") != "k" {
			t.Errorf("%s %s without the headers: %v", r.Method, r.URL, r.Header)
		}
	}
	if last := all[len(all)-1]; last.Method != http.MethodDelete || last.Header.Get("Mcp-Session-Id") == "" {
		t.Errorf("the last request was %s", last.Method)
	}
}

func TestNothingGoesToAnotherOrigin(t *testing.T) {
	stranger := newWebServer(t, HTTP, nil, nil)
	for name, handler := range map[string]http.HandlerFunc{
		"redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, stranger.URL, http.StatusTemporaryRedirect)
		},
		"permanent redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, stranger.URL, http.StatusPermanentRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWebServer(t, HTTP, nil, func(http.Handler) http.Handler { return handler })
			h := newHost(t, Spec{Transport: HTTP, URL: w.URL, Headers: map[string]string{"X-Key": "secret"}})
			start(t, h, nil)
			e, _ := h.waitKind(0, Disconnected)
			if e.Err == nil || e.Err.Error() != "the server sends us to another address: use that address instead if you trust it" {
				t.Errorf("reported as %v", e.Err)
			}
		})
	}
	t.Run("endpoint event", func(t *testing.T) {
		w := newWebServer(t, SSE, nil, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprintf(rw, "event: endpoint\ndata: %s/steal\n\n", stranger.URL)
				rw.(http.Flusher).Flush()
				<-r.Context().Done()
			})
		})
		h := newHost(t, Spec{Transport: SSE, URL: w.URL, Headers: map[string]string{"X-Key": "secret"}})
		start(t, h, nil)
		e, _ := h.waitKind(0, Disconnected)
		if !errors.Is(e.Err, errForeignOrigin) {
			t.Errorf("reported as %v", e.Err)
		}
	})
	if got := stranger.all(); len(got) != 0 {
		t.Errorf("the stranger got %d requests, such as %s with %v", len(got), got[0].Method, got[0].Header)
	}
}

func TestRedirectWithinTheOriginIsFollowed(t *testing.T) {
	w := newWebServer(t, HTTP, nil, func(next http.Handler) http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/real", next)
		mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "/real", http.StatusTemporaryRedirect)
		})
		return mux
	})
	h := newHost(t, Spec{Transport: HTTP, URL: w.URL + "/old", Headers: map[string]string{"X-Key": "k"}})
	h.set(Root{URI: "file:///a"})
	start(t, h, nil)
	h.waitAnswered(0)
	w.has(t, Root{URI: "file:///a"})
	for _, r := range w.all() {
		if r.Header.Get("X-Key") != "k" {
			t.Errorf("%s %s without the header", r.Method, r.URL)
		}
	}
}

func TestExpiredHTTPSessionIsStartedAgainAtOnce(t *testing.T) {
	var mu sync.Mutex
	expired := map[string]bool{}
	w := newWebServer(t, HTTP, nil, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			gone := expired[r.Header.Get("Mcp-Session-Id")]
			mu.Unlock()
			if gone {
				http.Error(rw, "session not found", http.StatusNotFound)
				return
			}
			next.ServeHTTP(rw, r)
		})
	})
	h := newHost(t, Spec{Transport: HTTP, URL: w.URL})
	h.set(Root{URI: "file:///a"})
	slow := fast
	slow.backoff = time.Hour // only an expiry is retried at once
	s := start(t, h, &Options{timing: slow})
	_, at := h.waitAnswered(0)
	until(t, "a second of health", func() bool {
		return time.Since(h.all()[0].Time) > 1500*time.Millisecond
	}, func(ok bool) bool { return ok })
	mu.Lock()
	for _, r := range w.all() {
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			expired[id] = true
		}
	}
	mu.Unlock()
	h.set(Root{URI: "file:///b"})
	s.Announce()
	e, at := h.waitKind(at, Disconnected)
	if e.Err == nil || !strings.Contains(e.Err.Error(), "the server ended the session") {
		t.Errorf("reported as %v", e.Err)
	}
	_, at = h.waitKind(at, Connected)
	h.waitAnswered(at)
	w.has(t, Root{URI: "file:///b"})
}

func TestServerSideTroubleReadsAsASentence(t *testing.T) {
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", kind)
			rw.WriteHeader(status)
			fmt.Fprint(rw, body)
		}
	}
	serve := func(h http.HandlerFunc) func(t *testing.T) string {
		return func(t *testing.T) string {
			s := httptest.NewServer(h)
			t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
			return s.URL
		}
	}
	for name, c := range map[string]struct {
		url  func(t *testing.T) string
		want string
	}{
		"refused":      {func(t *testing.T) string { return fmt.Sprintf("http://127.0.0.1:%d", freePort(t)) }, "refused the connection: is the server running?"},
		"not found":    {func(*testing.T) string { return "http://no-such-host.invalid/mcp" }, "no-such-host.invalid was not found: check the address and your network"},
		"login":        {serve(answer(401, "text/plain", "no")), "wants you to log in (401 Unauthorized)"},
		"forbidden":    {serve(answer(403, "text/plain", "no")), "wants you to log in (403 Forbidden)"},
		"web page":     {serve(answer(200, "text/html; charset=utf-8", "<html>")), "is not an MCP server at this address: it answered with text/html"},
		"other JSON":   {serve(answer(200, "application/json", `{"hello":"world"}`)), "is not an MCP server at this address"},
		"no such page": {serve(answer(404, "text/html", "<html>")), "is not an MCP server at this address (404 Not Found)"},
		"broken":       {serve(answer(503, "text/html", "<html>")), "answered 503 Service Unavailable: try again later"},
		"unknown certificate": {func(t *testing.T) string {
			s := httptest.NewUnstartedServer(answer(200, "text/html", ""))
			s.Config.ErrorLog = log.New(io.Discard, "", 0) // it would report our refusal
			s.StartTLS()
			t.Cleanup(s.Close)
			return s.URL
		}, "has a certificate that this computer does not trust"},
		"no TLS": {func(t *testing.T) string {
			return strings.Replace(serve(answer(200, "text/html", ""))(t), "http:", "https:", 1)
		}, "does not speak TLS"},
		"silent": {func(t *testing.T) string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			return "http://" + l.Addr().String()
		}, "did not answer within 0.5 s"},
		"breaks off": {serve(func(rw http.ResponseWriter, _ *http.Request) {
			panic(http.ErrAbortHandler)
		}), "cannot be reached"},
		"no URL": {func(*testing.T) string { return "ftp://x/y" }, "is not an http or https URL"},
		"too much": {serve(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(rw, `{"jsonrpc":"2.0","id":1,"result":"`) // the client may be gone
			for range 100 {
				if _, err := io.WriteString(rw, strings.Repeat("x", 1<<20)); err != nil {
					return
				}
			}
		}), "the server sent a message of more than 8.4 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, Spec{Transport: HTTP, URL: c.url(t)})
			quick := fast
			quick.connectWeb = 500 * time.Millisecond
			if name == "too much" || name == "not found" {
				quick.connectWeb = 10 * time.Second
			}
			start(t, h, &Options{timing: quick})
			e, _ := h.waitKind(0, Disconnected)
			if e.Err == nil || !strings.Contains(e.Err.Error(), c.want) {
				t.Errorf("reported as %v", e.Err)
			}
			if e.Retry.IsZero() || e.GaveUp {
				t.Errorf("a server elsewhere is tried again: %+v", e)
			}
		})
	}
}

func TestGarbageInAnEventStreamIsDropped(t *testing.T) {
	w := newWebServer(t, HTTP, nil, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				rw.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(rw, "garbage without a field\n\ndata: {not json\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\"}}\n\n")
				fmt.Fprint(rw, "data: "+strings.Repeat("x", 9<<20)+"\n\nevent: noise\ndata: {\n\n")
				rw.(http.Flusher).Flush()
			}
			next.ServeHTTP(rw, r)
		})
	})
	h := newHost(t, Spec{Transport: HTTP, URL: w.URL})
	h.set(Root{URI: "file:///a"})
	s := start(t, h, nil)
	stderrHas(t, s, "event stream: {not json")
	stderrHas(t, s, "skipped a message of 9.4 MB")
	s.Announce() // the first question came before the stream was through with the garbage
	h.waitAnswered(0)
	w.has(t, Root{URI: "file:///a"})
	if h.count(Connecting) != 1 {
		t.Error(h.story())
	}
}

func TestOriginsAreComparedAsBrowsersDo(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"http://Example.com/x", "HTTP://example.com:80/y?z", true},
		{"https://example.com", "https://example.com:443/", true},
		{"http://example.com", "https://example.com", false},
		{"http://example.com", "http://example.com:8080", false},
		{"http://example.com", "http://example.com.evil.org", false},
		{"http://[::1]:3000", "http://[::1]:3000/a", true},
		{"http://user@example.com", "http://example.com", true},
	} {
		if got := originOf(mustURL(t, c.a)) == originOf(mustURL(t, c.b)); got != c.same {
			t.Errorf("%s and %s: same %v", c.a, c.b, got)
		}
	}
}

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
