package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// maxRedirects is how many redirects of a metadata request are followed.
const maxRedirects = 3

var (
	errUnsafe   = errors.New("the address is neither https nor on this computer")
	errInward   = errors.New("a public server points to an address in your own network")
	errRedirect = errors.New("the login service sends us to another address")
)

// newClient returns the client for all requests to the login services of the
// server at u. Only requests for metadata follow redirects: what carries a
// secret goes where it was meant to go or nowhere.
func newClient(u *url.URL, base http.RoundTripper) *http.Client {
	inward := isInwardLiteral(u.Hostname())
	if base == nil {
		base = newTransport(u.Hostname(), inward)
	}
	return &http.Client{
		Transport: &guard{base: base, inward: inward},
		Timeout:   requestLimit,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if via[0].Method != http.MethodGet || len(via) > maxRedirects {
				return errRedirect
			}
			return nil
		},
	}
}

// guard lets pass what is safe to ask, and bounds the answers.
type guard struct {
	base   http.RoundTripper
	inward bool
}

// RoundTrip implements [http.RoundTripper].
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if !safeURL(req.URL) {
		return nil, errUnsafe
	}
	if !g.inward && isInwardLiteral(req.URL.Hostname()) {
		return nil, errInward
	}
	resp, err := g.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}

// newTransport returns a transport that reaches public addresses only, whatever
// a name resolves to, unless it goes through a proxy or the server itself is
// within this computer or its network.
func newTransport(server string, inward bool) *http.Transport {
	d := &net.Dialer{Timeout: 10 * time.Second}
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  requestLimit,
		MaxResponseHeaderBytes: 256 << 10,
		DisableKeepAlives:      true, // a login is rare; nothing shall linger
	}
	outward := *d
	outward.Control = func(_, address string, _ syscall.RawConn) error {
		if at, err := netip.ParseAddrPort(address); err != nil || isInward(at.Addr()) {
			return errInward
		}
		return nil
	}
	proxied := func() bool {
		u, err := t.Proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "proxy-check.invalid"}})
		return err == nil && u != nil
	}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if inward || proxied() || resolvesInward(ctx, server) {
			return d.DialContext(ctx, network, address)
		}
		return outward.DialContext(ctx, network, address)
	}
	return t
}

// safeURL reports whether secrets may go to u: by https, or within this computer.
func safeURL(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// isInwardLiteral reports whether host says by itself that it is in this
// computer or its network.
func isInwardLiteral(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && isInward(ip) || isLoopback(host)
}

// resolvesInward reports whether the name stands for an address in this
// computer's network: then its login service may be there too.
func resolvesInward(ctx context.Context, host string) bool {
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(ips, isInward)
}

func isInward(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast()
}

// reach words why a login service did not answer, without the address and what
// was sent.
func reach(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return ErrCancelled
	case errors.Is(err, errUnsafe), errors.Is(err, errInward), errors.Is(err, errRedirect):
		return err
	case errors.As(err, &dns):
		return errors.New("the login service was not found: check your network")
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("the login service refused the connection: try again later")
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("the login service did not answer in time: try again later")
	}
	return fmt.Errorf("the login service cannot be reached (%s)", plain(err.Error(), 200))
}
