// Command conformance is the client that the public MCP conformance suite
// drives: its argument is the address of the suite's server, and
// MCP_CONFORMANCE_SCENARIO names what is tried. It has no protocol of its own:
// all that it does goes through packages mcpclient and mcpclient/login, as in
// the app, so what passes here is what ships.
//
// Its promise: exit status 0 if the scenario's story came to its end, 1 with
// the reason on stderr if not. It starts no goroutines; its one session does.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"rootsmanager/mcpclient"
	"rootsmanager/mcpclient/login"
)

// Limits of one scenario.
const (
	storyLimit = 25 * time.Second
	maxLogins  = 3 // a server may ask for more rights once or twice, not for ever
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: conformance URL, with MCP_CONFORMANCE_SCENARIO set; the conformance suite starts it so")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), storyLimit)
	defer cancel()
	if err := run(ctx, os.Getenv("MCP_CONFORMANCE_SCENARIO"), os.Args[1], os.Getenv("MCP_CONFORMANCE_CONTEXT")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// calls are the tools that each scenario wants to be called, and with what.
// Scenarios about logging in call test-tool; the others call none.
var calls = map[string]struct {
	tool string
	args map[string]any
}{
	"tools_call":                          {"add_numbers", map[string]any{"a": 5, "b": 3}},
	"elicitation-sep1034-client-defaults": {"test_client_elicitation_defaults", nil},
	"sse-retry":                           {"test_reconnection", nil},
}

func run(ctx context.Context, scenario, url, settings string) error {
	c := &client{url: url, events: make(chan mcpclient.Event, 64)}
	opts := &mcpclient.Options{ClientVersion: "conformance"}
	call, known := calls[scenario]
	switch {
	case strings.HasPrefix(scenario, "auth/"):
		var known struct {
			ID     string `json:"client_id"`
			Secret string `json:"client_secret"`
		}
		if settings != "" {
			if err := json.Unmarshal([]byte(settings), &known); err != nil {
				return fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
			}
		}
		account, err := login.New(url, "conformance", &memory{}, &login.Options{
			Open:           browser,
			ClientID:       known.ID,
			ClientSecret:   known.Secret,
			ClientDocument: "https://conformance-test.local/client-metadata.json",
		})
		if err != nil {
			return err
		}
		c.account = account
		opts.Login = func(mcpclient.Spec) *login.Account { return account }
		call.tool = "test-tool"
	case scenario == "elicitation-sep1034-client-defaults":
		opts.Elicit = func(context.Context, string, json.RawMessage) (map[string]any, bool) {
			return map[string]any{}, true // everything is left to the defaults
		}
	case scenario != "initialize" && !known:
		return fmt.Errorf("the scenario %q is not known", scenario)
	}
	c.session = mcpclient.New(c, opts)
	defer c.session.Close()
	if err := c.connected(ctx); err != nil {
		return err
	}
	var tools []mcpclient.Tool
	if err := c.allowed(ctx, func() (err error) { tools, err = c.session.Tools(ctx); return err }); err != nil {
		return fmt.Errorf("listing tools: %w", err)
	}
	if call.tool == "" {
		return nil
	}
	err := c.allowed(ctx, func() error { _, err := c.session.CallTool(ctx, call.tool, call.args); return err })
	if err != nil {
		return fmt.Errorf("calling %s, one of %d tools: %w", call.tool, len(tools), err)
	}
	return nil
}

// client is policy as the suite needs it: one server, no roots, and a person
// who logs in wherever it is asked for.
type client struct {
	url     string
	account *login.Account // nil: no login
	session *mcpclient.Session
	events  chan mcpclient.Event
	logins  int
}

// Launch implements [mcpclient.Host].
func (c *client) Launch(context.Context) (mcpclient.Spec, error) {
	return mcpclient.Spec{Transport: mcpclient.HTTP, URL: c.url}, nil
}

// Roots implements [mcpclient.Host].
func (c *client) Roots(context.Context) (*mcpclient.Exposure, error) {
	return mcpclient.Encode(1, nil), nil
}

// Event implements [mcpclient.Host].
func (c *client) Event(e mcpclient.Event) {
	if e.Kind != mcpclient.Connected && e.Kind != mcpclient.Disconnected {
		return
	}
	select {
	case c.events <- e:
	default: // nobody waits for so many
	}
}

// connected waits for the connection, and logs in where the server wants it.
func (c *client) connected(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return errors.New("there was no connection in time")
		case e := <-c.events:
			if e.Kind == mcpclient.Connected {
				return nil
			}
			again, err := c.logIn(ctx, e.Err)
			if err != nil {
				return err
			}
			if again {
				c.session.Restart()
			}
		}
	}
}

// allowed does something again after a login, where it needed one.
func (c *client) allowed(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil {
			return nil
		}
		again, loginErr := c.logIn(ctx, err)
		if loginErr != nil {
			return loginErr
		}
		if !again {
			return err
		}
	}
}

// logIn logs in if that is what cause asks for, and reports whether it did.
func (c *client) logIn(ctx context.Context, cause error) (bool, error) {
	var required *login.RequiredError
	if c.account == nil || !errors.As(cause, &required) {
		return false, nil
	}
	if c.logins++; c.logins > maxLogins {
		return false, fmt.Errorf("after %d logins: %w", maxLogins, required)
	}
	return true, c.account.LogIn(ctx)
}

// browser stands for a person who agrees to everything.
func browser(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the login page ended with %s", resp.Status)
	}
	return nil
}

// memory keeps the login until the program ends.
type memory struct {
	mu    sync.Mutex
	value []byte
}

func (m *memory) Load(context.Context, string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.value, nil
}

func (m *memory) Save(_ context.Context, _ string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.value = value
	return nil
}

func (m *memory) Delete(context.Context, string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.value = nil
	return nil
}
