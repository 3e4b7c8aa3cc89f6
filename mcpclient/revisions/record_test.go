package revisions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// line is one message on the wire.
type line struct {
	Out bool   `json:"out"` // from us to the server
	Raw string `json:"raw"`
}

// record runs a stdio server and writes down every line that goes either way.
func record(file string, command []string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	var mu sync.Mutex
	pump := func(out bool, from io.Reader, to io.Writer) error {
		lines := bufio.NewReader(from)
		for {
			raw, err := lines.ReadBytes('\n')
			if len(raw) > 0 {
				data, jsonErr := json.Marshal(line{Out: out, Raw: string(raw)})
				mu.Lock()
				_, writeErr := f.Write(append(data, '\n'))
				mu.Unlock()
				_, passErr := to.Write(raw)
				if err := errors.Join(jsonErr, writeErr, passErr); err != nil {
					return err
				}
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	cmd := exec.Command(command[0], command[1:]...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, asRecorder+"=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		if err := pump(true, os.Stdin, stdin); err != nil {
			fmt.Fprintln(os.Stderr, "recording what we send:", err)
		}
		_ = stdin.Close() // the server may have ended already
	}()
	if err := pump(false, stdout, os.Stdout); err != nil {
		return err
	}
	return cmd.Wait()
}

// recorded reads what record wrote.
func recorded(file string) ([]line, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lines []line
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var l line
		if err := dec.Decode(&l); err == io.EOF {
			return lines, nil
		} else if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
}

// exchange is the head of one HTTP request of ours.
type exchange struct {
	Method string
	Header http.Header
	Sent   string // the JSON-RPC method, if it was a message
}

// tap is a round tripper that writes down every message either way.
type tap struct {
	base *http.Transport

	mu        sync.Mutex
	lines     []line
	exchanges []exchange
}

func (t *tap) add(out bool, raw string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line{Out: out, Raw: raw})
}

// RoundTrip implements [http.RoundTripper].
func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	e := exchange{Method: req.Method, Header: req.Header.Clone()}
	if req.Body != nil && req.Body != http.NoBody {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		var m struct{ Method string }
		_ = json.Unmarshal(body, &m) // a batch has none
		e.Sent = m.Method
		t.add(true, string(body))
	}
	t.mu.Lock()
	t.exchanges = append(t.exchanges, e)
	t.mu.Unlock()
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); kind {
	case "application/json":
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return nil, err
		}
		t.add(false, string(body))
		resp.Body = io.NopCloser(bytes.NewReader(body))
	case "text/event-stream":
		resp.Body = &eventTap{ReadCloser: resp.Body, t: t}
	}
	return resp, nil
}

// eventTap writes down the data lines of an event stream before they are read.
type eventTap struct {
	io.ReadCloser
	t    *tap
	rest []byte
}

func (e *eventTap) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	e.rest = append(e.rest, p[:n]...)
	for {
		raw, rest, ok := bytes.Cut(e.rest, []byte("\n"))
		if !ok {
			return n, err
		}
		e.rest = rest
		if data, ok := bytes.CutPrefix(raw, []byte("data: {")); ok {
			e.t.add(false, "{"+string(data))
		}
	}
}

// all returns what was written down.
func (t *tap) all() ([]line, []exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]line(nil), t.lines...), append([]exchange(nil), t.exchanges...)
}
