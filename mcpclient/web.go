package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Time limits of the parts of an HTTP exchange that a server cannot honestly
// need longer for. An answer may take as long as its request's context lets it.
const (
	dialTimeout = 10 * time.Second
	tlsTimeout  = 10 * time.Second
	idleTimeout = 90 * time.Second
)

// errForeignOrigin says that a server sent us elsewhere.
var errForeignOrigin = errors.New("the server sends us to another address")

// web is the round tripper below the SDK's HTTP transports: every message of a
// connection passes its wire here. It sends nothing, headers or messages, to
// any origin but that of the approved URL, wherever redirects or an SSE
// endpoint event point to.
type web struct {
	wire    *wire
	base    http.RoundTripper
	own     *http.Transport // base, when it is ours to close
	origin  string
	headers http.Header
	max     int
	ctx     context.Context // ends every exchange
	abort   context.CancelFunc

	mu     sync.Mutex
	status int    // of the newest answer
	mime   string // likewise
	err    error  // why the newest request got no answer
}

func newWeb(w *wire, spec Spec, base *http.Client, maxMessage int) (*web, error) {
	u, err := url.Parse(spec.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("the address %q is not an http or https URL", shorten(spec.URL, 200))
	}
	t := &web{wire: w, origin: originOf(u), headers: http.Header{}, max: maxMessage}
	for k, v := range spec.Headers {
		t.headers.Set(k, v)
	}
	if base != nil && base.Transport != nil {
		t.base = base.Transport
	} else {
		t.own = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    tlsTimeout,
			ExpectContinueTimeout:  time.Second,
			IdleConnTimeout:        idleTimeout,
			MaxIdleConnsPerHost:    4,
			MaxResponseHeaderBytes: 1 << 20,
		}
		t.base = t.own
	}
	t.ctx, t.abort = context.WithCancel(context.Background())
	return t, nil
}

// transport returns the SDK's transport of the kind over t.
func (t *web) transport(kind Transport, spec Spec) mcp.Transport {
	client := &http.Client{Transport: t}
	if kind == SSE {
		return &mcp.SSEClientTransport{Endpoint: spec.URL, HTTPClient: client, MaxEventSize: t.max}
	}
	return &mcp.StreamableClientTransport{Endpoint: spec.URL, HTTPClient: client, MaxEventSize: t.max, MaxRetries: 3}
}

// close ends every exchange and lets go of idle connections.
func (t *web) close() {
	t.abort()
	if t.own != nil {
		t.own.CloseIdleConnections()
	}
}

// RoundTrip implements [http.RoundTripper].
func (t *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if o := originOf(req.URL); o != t.origin {
		err := fmt.Errorf("%w: %s instead of %s", errForeignOrigin, shorten(o, 200), t.origin)
		t.record(0, "", err)
		return nil, err
	}
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close() // it was read from memory
		if err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(t.ctx, cancel)
	done := func() { stop(); cancel() }

	sent := func(error) {}
	out := req.Clone(ctx)
	for k, v := range t.headers {
		out.Header[k] = v
	}
	if req.Method == http.MethodPost {
		msg, err := jsonrpc.DecodeMessage(body)
		if err != nil {
			done()
			return nil, fmt.Errorf("a message of ours cannot be read: %w", err)
		}
		o, err := t.wire.out(msg)
		if err != nil {
			done()
			return nil, err
		}
		if o.data == nil { // nothing to say any more, as with a cancelled request
			done()
			return accepted(req), nil
		}
		body, sent = o.data, o.sent
	}
	setBody(out, body)
	resp, err := t.base.RoundTrip(out)
	if err != nil {
		done()
		sent(err)
		t.record(0, "", err)
		return nil, err
	}
	kind := mediaType(resp)
	t.record(resp.StatusCode, kind, nil)
	switch {
	case resp.StatusCode < 300:
		sent(nil)
	case resp.StatusCode >= 400:
		sent(fmt.Errorf("it was refused with %s", resp.Status))
	} // a redirect brings the same message here once more, or ends the connection
	resp.Body = &exchangeBody{ReadCloser: t.screen(resp, kind), done: done}
	return resp, nil
}

func (t *web) record(status int, kind string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status, t.mime, t.err = status, kind, err
}

// last returns how the newest exchange ended.
func (t *web) last() (status int, kind string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status, t.mime, t.err
}

// screen puts the wire between an answer's body and the SDK.
func (t *web) screen(resp *http.Response, kind string) io.ReadCloser {
	body := resp.Body // resp gets another one soon
	switch {
	case kind == "text/event-stream":
		return newEvents(t.wire, body, t.max)
	case kind == "application/json" && resp.StatusCode < 300:
		return &once{from: body, read: func() ([]byte, error) { return t.readJSON(body) }}
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(body, 64<<10), body} // an error page: its beginning will do
}

func (t *web) readJSON(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(t.max)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > t.max {
		return nil, fmt.Errorf("the server sent a message of more than %s", megabytes(int64(t.max)))
	}
	data = mend(data)
	msg, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		if answer, ok := t.wire.orphan(data); ok {
			msg = answer
			if data, err = jsonrpc.EncodeMessage(answer); err != nil {
				return nil, err
			}
		} else {
			return nil, fmt.Errorf("the server's answer is no MCP message: %w", err)
		}
	}
	t.wire.in(msg, nil) // an answer to a POST is passed on in any case: the SDK waits for it
	return data, nil
}

// once is a body that is produced in one piece when it is first read.
type once struct {
	from io.Closer
	read func() ([]byte, error)
	rest io.Reader
}

func (o *once) Read(p []byte) (int, error) {
	if o.rest == nil {
		data, err := o.read()
		if err != nil {
			return 0, err
		}
		o.rest = bytes.NewReader(data)
	}
	return o.rest.Read(p)
}

func (o *once) Close() error { return o.from.Close() }

// exchangeBody is a response body that frees its request's context when it is closed.
type exchangeBody struct {
	io.ReadCloser
	done func()
}

func (b *exchangeBody) Close() error {
	err := b.ReadCloser.Close()
	b.done()
	return err
}

func setBody(req *http.Request, body []byte) {
	req.ContentLength = int64(len(body))
	req.Body, req.GetBody = http.NoBody, nil
	if len(body) > 0 {
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
}

func accepted(req *http.Request) *http.Response {
	return &http.Response{
		Status: "202 Accepted", StatusCode: http.StatusAccepted,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}

func mediaType(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// originOf returns scheme, host and port (RFC 6454, section 4).
func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
