package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rootsmanager/mcpclient"
)

// How often a connection is made, and a tool called.
const (
	connectTimes = 30
	callTimes    = 500
	callWarmup   = 50
)

// link is how long it takes to connect: from nothing until the server can be
// told, over stdio with the start of the server. The TypeScript client has no
// way to choose a revision.
type link struct {
	Client    string  `json:"client"`
	Transport string  `json:"transport"`
	Revision  string  `json:"revision"`
	MedianMS  float64 `json:"medianMs"`
	P99MS     float64 `json:"p99Ms"`
}

// roundTrip is how long a tool call takes in 2026-07-28, without a question
// and with one for roots.
type roundTrip struct {
	Transport   string  `json:"transport"`
	PlainP50MS  float64 `json:"plainP50Ms"`
	AskingP50MS float64 `json:"askingP50Ms"`
}

// links measures connecting in every revision over every transport.
func links(self string) ([]link, error) {
	var all []link
	for _, transport := range []string{"stdio", "http", "sse", "stateless"} {
		revisions := []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
		switch transport {
		case "stdio":
			revisions = append(revisions, "2026-07-28")
		case "stateless":
			revisions = []string{"2026-07-28"}
		}
		err := serving(self, transport, func(target string) error {
			for _, revision := range revisions {
				var took []time.Duration
				for range connectTimes {
					s, d, err := connectOurs(transport, target, revision)
					if err != nil {
						return fmt.Errorf("connecting over %s in %s: %w", transport, revision, err)
					}
					if err := s.Close(); err != nil {
						return err
					}
					took = append(took, d)
				}
				all = append(all, newLink("Roots Manager", transport, revision, took))
			}
			if transport == "stateless" {
				return nil // that client does not know the revision
			}
			took, err := connectTypeScript(transport, target)
			if took != nil {
				all = append(all, newLink("TypeScript SDK", transport, "2025-11-25", took))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func newLink(client, transport, revision string, took []time.Duration) link {
	slices.Sort(took)
	return link{client, transport, revision, ms(took[len(took)/2]), ms(took[len(took)*99/100])}
}

// serving runs f with the target of a server: the command for stdio, else the
// address of one that runs until f returns.
func serving(self, transport string, f func(target string) error) error {
	if transport == "stdio" {
		return f(self)
	}
	server := exec.Command(self, "-as", "server", transport)
	server.Stderr = os.Stderr
	stdin, err := server.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() {
		_ = stdin.Close()
		_ = server.Wait() // it was told to end
	}()
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the server did not say where it is: %w", err)
	}
	return f(strings.TrimSpace(url))
}

func connectOurs(transport, target, revision string) (*mcpclient.Session, time.Duration, error) {
	h := &host{connected: make(chan struct{}), failed: make(chan error, 1)}
	h.exposure = mcpclient.Encode(1, []mcpclient.Root{{URI: "file:///home/user/projects/one"}})
	switch transport {
	case "stdio":
		h.spec = mcpclient.Spec{Transport: mcpclient.Stdio, Program: target, Args: []string{"-as", "server", "stdio"}, Dir: os.TempDir(), Env: os.Environ()}
	case "sse":
		h.spec = mcpclient.Spec{Transport: mcpclient.SSE, URL: target}
	default:
		h.spec = mcpclient.Spec{Transport: mcpclient.HTTP, URL: target}
	}
	h.spec.Revision = revision
	began := time.Now()
	s := mcpclient.New(h, nil)
	select {
	case <-h.connected:
		return s, time.Since(began), nil
	case err := <-h.failed:
		_ = s.Close()
		return nil, 0, err
	}
}

// connectTypeScript returns nothing where the client is not installed.
func connectTypeScript(transport, target string) ([]time.Duration, error) {
	ts, missing := newTypeScript()
	if missing != nil {
		return nil, nil // it was said at the beginning
	}
	cmd := exec.Command(ts.node, filepath.Join("mcpclient", "bench", "connect.mjs"), ts.modules, strconv.Itoa(connectTimes), transport, target)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the TypeScript client over %s: %w", transport, err)
	}
	var f finding
	if err := json.Unmarshal(out, &f); err != nil {
		return nil, err
	}
	var took []time.Duration
	for _, ns := range f.Took {
		took = append(took, time.Duration(ns))
	}
	return took, nil
}

// roundTrips measures what asking in a result costs.
func roundTrips(self string) ([]roundTrip, error) {
	var all []roundTrip
	for _, transport := range []string{"stdio", "stateless"} {
		err := serving(self, transport, func(target string) error {
			s, _, err := connectOurs(transport, target, "2026-07-28")
			if err != nil {
				return err
			}
			defer s.Close()
			plain, err := callMedian(s, "plain")
			if err != nil {
				return err
			}
			asking, err := callMedian(s, "ask")
			if err != nil {
				return err
			}
			all = append(all, roundTrip{transport, ms(plain), ms(asking)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func callMedian(s *mcpclient.Session, tool string) (time.Duration, error) {
	var took []time.Duration
	for i := range callWarmup + callTimes {
		began := time.Now()
		res, err := s.CallTool(context.Background(), tool, nil)
		d := time.Since(began)
		if err != nil {
			return 0, err
		}
		if res.IsError {
			return 0, errors.New(res.Text)
		}
		if i >= callWarmup {
			took = append(took, d)
		}
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
