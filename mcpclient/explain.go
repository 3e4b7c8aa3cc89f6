package mcpclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rootsmanager/mcpclient/login"
)

// explain turns the failure of an attempt to connect into a sentence that a
// person can act on, and says what else may be tried.
func (c *connection) explain(spec Spec, err error, late bool, limit time.Duration) *failure {
	if errors.Is(err, errForeignOrigin) {
		return &failure{err: fmt.Errorf("%w: use that address instead if you trust it", errForeignOrigin)}
	}
	var required *login.RequiredError
	if errors.As(err, &required) {
		return &failure{err: required} // whatever else went wrong after it
	}
	var reply *jsonrpc.Error
	if !late && isReply(err) && errors.As(err, &reply) {
		return &failure{
			err:  fmt.Errorf("the server refused the connection: %s", shorten(reply.Message, 300)),
			next: hopeRevision,
		}
	}
	if c.web != nil {
		return c.explainWeb(spec, err, late, limit)
	}
	if late {
		return &failure{
			err:  fmt.Errorf("the server did not answer within %s%s", seconds(limit), c.words()),
			next: hopeStateless,
		}
	}
	if c.proc.wait(graceStdin) {
		return &failure{err: c.exitError(), next: hopeStateless}
	}
	return &failure{err: fmt.Errorf("the server closed the connection without an answer%s", c.words()), next: hopeStateless}
}

func (c *connection) explainWeb(spec Spec, err error, late bool, limit time.Duration) *failure {
	host := spec.URL
	if u, parseErr := url.Parse(spec.URL); parseErr == nil {
		host = u.Host
	}
	status, kind, netErr := c.web.last()
	if netErr == nil && status == 0 {
		netErr = err
	}
	var required *login.RequiredError
	switch {
	case errors.As(netErr, &required):
		return &failure{err: required}
	case status == http.StatusUnauthorized && c.login != nil:
		return &failure{err: c.login.Required(login.Expired)}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &failure{err: fmt.Errorf("%s wants you to log in (%d %s): add a valid token to the server's headers", host, status, http.StatusText(status))}
	case late:
		return &failure{err: fmt.Errorf("%s did not answer within %s", host, seconds(limit))}
	case netErr != nil && !errors.Is(netErr, context.Canceled):
		return &failure{err: networkError(host, netErr)}
	case refusedStatus(status):
		return &failure{err: fmt.Errorf("%s is not an MCP server at this address (%d %s)", host, status, http.StatusText(status)), next: hopeSSE}
	case status >= 400:
		return &failure{err: fmt.Errorf("%s answered %d %s: try again later", host, status, http.StatusText(status))}
	case kind != "application/json" && kind != "text/event-stream":
		return &failure{err: fmt.Errorf("%s is not an MCP server at this address: it answered with %s", host, orNothing(kind)), next: hopeSSE}
	}
	return &failure{err: fmt.Errorf("%s is not an MCP server at this address: %s", host, shorten(err.Error(), 300))}
}

func orNothing(kind string) string {
	if kind == "" {
		return "something without a content type"
	}
	return kind
}

// networkError words why nothing came back from host.
func networkError(host string, err error) error {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return fmt.Errorf("%s was not found: check the address and your network", host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%s refused the connection: is the server running?", host)
	case errors.As(err, &unknown):
		return fmt.Errorf("%s has a certificate that this computer does not trust", host)
	case errors.As(err, &name):
		return fmt.Errorf("the certificate of %s was made for another name", host)
	case errors.As(err, &invalid):
		return fmt.Errorf("the certificate of %s is not valid: %s", host, invalid.Error())
	case errors.As(err, &certificate):
		return fmt.Errorf("the certificate of %s cannot be verified: %s", host, shorten(certificate.Err.Error(), 200))
	case errors.As(err, &record):
		return fmt.Errorf("%s does not speak TLS: use http:// instead of https:// if it is on this computer", host)
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%s timed out: check the address and your network", host)
	case errors.Is(err, syscall.ECONNRESET):
		return fmt.Errorf("%s broke the connection off", host)
	}
	return fmt.Errorf("%s cannot be reached: %w", host, err)
}

// endReason says why an established connection ended. err is the SDK's.
func (c *connection) endReason(err error) error {
	if c.proc != nil {
		if c.proc.wait(graceStdin) {
			return c.exitError()
		}
		return fmt.Errorf("the server closed its output%s", c.words())
	}
	if errors.Is(err, mcp.ErrSessionMissing) {
		return errors.New("the server ended the session; it is started again")
	}
	status, _, netErr := c.web.last()
	var required *login.RequiredError
	switch {
	case errors.As(netErr, &required):
		return required
	case netErr != nil && !errors.Is(netErr, context.Canceled):
		return networkError(c.web.origin, netErr)
	case status == http.StatusUnauthorized && c.login != nil:
		return c.login.Required(login.Expired)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("the server wants you to log in (%d %s)", status, http.StatusText(status))
	case err != nil:
		return fmt.Errorf("the connection broke: %s", shorten(err.Error(), 300))
	}
	return errors.New("the server ended the connection")
}

// exitError words how the child ended, with its last stderr line.
func (c *connection) exitError() error {
	c.proc.hear()
	return fmt.Errorf("the server %s%s", c.proc.verdict(), c.words())
}

func (c *connection) words() string {
	if last := c.s.tail.lastWords(); last != "" {
		return fmt.Sprintf(": “%s”", last)
	}
	return ""
}

// callError words the failure of a call that a person asked for.
func (c *connection) callError(ctx context.Context, err error) error {
	switch {
	case c.ctx.Err() != nil:
		return ErrNotConnected
	case ctx.Err() != nil:
		return fmt.Errorf("the server did not answer in time: %w", ctx.Err())
	}
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%g s", d.Seconds()) }
