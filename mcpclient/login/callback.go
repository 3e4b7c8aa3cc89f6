package login

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"
)

// page is what the person reads when the browser comes back. It shows nothing
// of the address, and loads nothing.
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Roots Manager</title>
<body style="font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:32em;padding:0 1em">
<h1 style="font-size:1.4em">Back to Roots Manager</h1>
<p>Roots Manager has the answer of the login page. Its window says whether the login worked. You can close this tab.</p>
`

// callback listens for the browser's answer (RFC 8252, section 7.3).
type callback struct {
	url    string
	server *http.Server
	got    chan url.Values
	served chan struct{} // closed when the server has ended
}

// listen starts to listen on 127.0.0.1. The port is left to chance, which
// services must allow for this address; the path is not, as it may be registered.
func listen() (*callback, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	host, path := l.Addr().String(), "/callback"
	c := &callback{url: "http://" + host + path, got: make(chan url.Values, 1), served: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host { // a name that was made to point here
			http.Error(w, "wrong host", http.StatusForbidden)
			return
		}
		select {
		case c.got <- r.URL.Query():
		default: // only the first answer counts
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, _ = w.Write([]byte(page)) // a browser that is gone needs no page
	})
	c.server = &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      5 * time.Second,
		MaxHeaderBytes:    32 << 10,
	}
	go func() {
		defer close(c.served)
		_ = c.server.Serve(l) // it ends by close only
	}()
	return c, nil
}

func (c *callback) wait(ctx context.Context) (url.Values, error) {
	select {
	case v := <-c.got:
		return v, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close lets the browser have its page, for a moment, and ends everything.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
	<-c.served
}
