package login

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOnlySafeAddressesAreLoggedInTo(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://mcp.example/mcp": true, "http://127.0.0.1:8080/mcp": true, "http://localhost:1": true, "http://[::1]:1/": true,
		"http://mcp.example/mcp": false, "http://127.0.0.1.evil.example/": false, "file:///etc": false, "": false, "https://": false,
	} {
		if _, err := New(address, "k", newMemory(), nil); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestPublicServerCannotPointInward(t *testing.T) {
	reached := false
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer inside.Close()
	a, err := New("https://203.0.113.7/mcp", "k", newMemory(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{inside.URL, "https://10.0.0.1/", "https://169.254.169.254/", "https://[fe80::1]/", "https://localhost/"} {
		resp, err := a.client.Get(address)
		if err == nil {
			_ = resp.Body.Close()
		}
		if !errors.Is(err, errInward) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if resp, err := a.client.Get("http://203.0.113.7/"); !errors.Is(err, errUnsafe) {
		if err == nil {
			_ = resp.Body.Close()
		}
		t.Errorf("without TLS: %v", err)
	}
	if reached {
		t.Error("it was reached")
	}
}

func TestNameThatResolvesInwardIsNotDialled(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if os.Getenv(name) != "" {
			t.Skip("a proxy is set up: it does the dialling")
		}
	}
	inside := httptest.NewServer(http.NotFoundHandler())
	defer inside.Close()
	tr := newTransport("203.0.113.7", false)
	if c, err := tr.DialContext(within(t), "tcp", strings.TrimPrefix(inside.URL, "http://")); !errors.Is(err, errInward) {
		if err == nil {
			_ = c.Close()
		}
		t.Errorf("dialled: %v", err)
	}
}

func TestCallbackTakesOneAnswerUnderItsOwnName(t *testing.T) {
	c, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	get := func(host, address string) (int, http.Header, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(within(t), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, resp.Header, string(body)
	}
	if status, _, _ := get("evil.example", c.url+"?code=evil"); status != http.StatusForbidden {
		t.Errorf("by another name: %d", status)
	}
	if status, _, _ := get("", strings.TrimSuffix(c.url, "callback")+"other"); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
	status, header, body := get("", c.url+"?code=first%3Cscript%3E&state=s")
	if status != http.StatusOK || header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page: %d %v", status, header)
	}
	if strings.Contains(body, "first") {
		t.Error("the page shows the code")
	}
	get("", c.url+"?code=second")
	v, err := c.wait(within(t))
	if err != nil || v.Get("code") != "first<script>" {
		t.Errorf("the answer is %v, %v", v, err)
	}
}

func TestPageIsOneArgument(t *testing.T) {
	page := "https://login.example/?a=b&c=d%20e"
	for system, want := range map[string][]string{
		"linux":   {"xdg-open", page},
		"freebsd": {"xdg-open", page},
		"darwin":  {"/usr/bin/open", page},
		"windows": {"rundll32.exe", "url.dll,FileProtocolHandler", page},
	} {
		if diff := cmp.Diff(want, opener(system, page)); diff != "" {
			t.Errorf("%s: %s", system, diff)
		}
	}
	for _, bad := range []string{"javascript:alert(1)", "file:///etc/passwd", "-x", "", "https:"} {
		if err := SystemBrowser(within(t), bad); err == nil || !strings.Contains(err.Error(), "only web pages") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestBrowserStarterIsWatchedForAMoment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	script := func(name, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := launch(within(t), []string{script("bad", "exit 3")}); err == nil || !strings.Contains(err.Error(), "no browser could be started") {
		t.Errorf("a starter that fails: %v", err)
	}
	if err := launch(within(t), []string{script("good", "exit 0")}); err != nil {
		t.Errorf("a starter that works: %v", err)
	}
	if err := launch(within(t), []string{filepath.Join(dir, "absent")}); err == nil || !strings.Contains(err.Error(), "no browser can be started") {
		t.Errorf("no starter: %v", err)
	}
}
