package login

import (
	"net/http"
)

// Transport returns a round tripper over base that does the same as
// [Account.Handler] for a transport of the SDK that knows no handler: it adds
// the token to requests to the account's server, and sends a request that was
// refused once more where a newer token could be had. Where only a person can
// help, it fails with a [*RequiredError].
func (a *Account) Transport(base http.RoundTripper) http.RoundTripper {
	return &bearer{a, base}
}

type bearer struct {
	a    *Account
	base http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	if originOf(req.URL) != originOf(b.a.url) {
		return b.base.RoundTrip(req)
	}
	sent, resp, err := b.send(req)
	if err != nil || (resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden) {
		return resp, err
	}
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return resp, nil // it cannot be sent again
		}
		body, err := req.GetBody()
		if err != nil {
			_ = resp.Body.Close()
			return nil, err
		}
		req = req.Clone(req.Context())
		req.Body = body
	}
	if err := (handler{b.a}).Authorize(req.Context(), sent, resp); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	_, resp, err = b.send(req)
	return resp, err
}

// send sends a copy of req with the token, if there is one.
func (b *bearer) send(req *http.Request) (*http.Request, *http.Response, error) {
	access, err := b.a.access(req.Context())
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, nil, err
	}
	out := req.Clone(req.Context())
	if access != "" {
		out.Header.Set("Authorization", "Bearer "+access)
	}
	resp, err := b.base.RoundTrip(out)
	return out, resp, err
}
