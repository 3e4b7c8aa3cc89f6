// Command bench measures how long a server waits for its roots: the round trip
// of roots/list with 10 and 1,000 roots over stdio and streamable HTTP, for our
// Session and, in the same run, for the client of the TypeScript SDK, against
// the same server. The server holds the stopwatch. Then it measures how long a
// change takes to reach 100 stdio servers at once, how long connecting takes in
// every revision and transport, and what a question in a tool's result costs.
//
//	go run ./mcpclient/bench
//
// It prints a table and writes build/bench/roots-list.json. It owns the
// processes it starts and waits for them.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// rounds is how often each measurement is repeated, the clients taking turns,
// so that a busy moment of the machine hits both.
const rounds = 3

func main() {
	as := flag.String("as", "", "internal: the part this process plays, server or client")
	flag.Parse()
	var err error
	switch *as {
	case "server":
		err = serve(flag.Args())
	case "client":
		err = client(flag.Args())
	case "":
		err = run()
	default:
		err = fmt.Errorf("unknown part %q", *as)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// row is one line of the result.
type row struct {
	Client    string  `json:"client"`
	Transport string  `json:"transport"`
	Roots     int     `json:"roots"`
	Samples   int     `json:"samples"`
	MedianMS  float64 `json:"medianMs"`
	P99MS     float64 `json:"p99Ms"`
	MemoryMB  float64 `json:"memoryMb"` // resident set of the client's process afterwards

	took []time.Duration
}

func run() error {
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("run this from the top of the repository: go run ./mcpclient/bench")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	clients := []contender{ours{self}}
	ts, missing := newTypeScript()
	if missing == nil {
		clients = append(clients, ts)
	} else {
		fmt.Fprintln(os.Stderr, "bench: without the TypeScript client:", missing)
	}
	var rows []*row
	for _, transport := range []string{"stdio", "http"} {
		for _, roots := range []int{10, 1000} {
			var group []*row
			for _, c := range clients {
				group = append(group, &row{Client: c.name(), Transport: transport, Roots: roots})
			}
			for range rounds {
				for i, c := range clients {
					if err := measure(self, c, group[i]); err != nil {
						return fmt.Errorf("%s, %s, %d roots: %w", c.name(), transport, roots, err)
					}
				}
			}
			rows = append(rows, group...)
		}
	}
	for _, r := range rows {
		slices.Sort(r.took)
		r.Samples = len(r.took)
		r.MedianMS = ms(r.took[len(r.took)/2])
		r.P99MS = ms(r.took[len(r.took)*99/100])
	}
	var fans []*fan
	for _, roots := range []int{10, 1000} {
		f, err := fanOut(self, 100, roots)
		if err != nil {
			return fmt.Errorf("100 servers, %d roots: %w", roots, err)
		}
		fans = append(fans, f)
	}
	l, err := links(self)
	if err != nil {
		return err
	}
	trips, err := roundTrips(self)
	if err != nil {
		return fmt.Errorf("calls that ask for roots: %w", err)
	}
	return report(rows, fans, l, trips)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func report(rows []*row, fans []*fan, links []link, trips []roundTrip) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "transport\troots\tclient\tp50 ms\tp99 ms\tmemory MB\tsamples")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%d\t%s\t%.3f\t%.3f\t%.0f\t%d\n", r.Transport, r.Roots, r.Client, r.MedianMS, r.P99MS, r.MemoryMB, r.Samples)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "servers\troots\ttold all: p50 ms\tmax ms\tall have it: p50 ms\tmax ms\tmemory MB")
	for _, f := range fans {
		fmt.Fprintf(w, "%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\n", f.Servers, f.Roots, f.WrittenP50MS, f.WrittenMaxMS, f.CurrentP50MS, f.CurrentMaxMS, f.OurMemoryMB)
	}
	fmt.Fprintln(w, "(these contain the 25 ms in which changes are gathered)")
	fmt.Fprintln(w)
	fmt.Fprintln(w, "connecting over\trevision\tclient\tp50 ms\tp99 ms")
	for _, l := range links {
		fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%.2f\n", l.Transport, l.Revision, l.Client, l.MedianMS, l.P99MS)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "2026-07-28 over\ta call: p50 ms\tthat asks for roots: p50 ms")
	for _, t := range trips {
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\n", t.Transport, t.PlainP50MS, t.AskingP50MS)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	dir := filepath.Join("build", "bench")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(map[string]any{
		"time": time.Now().UTC().Format(time.RFC3339),
		"go":   runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH, "cpus": runtime.NumCPU(),
		"rows": rows, "fanOut": fans, "connect": links, "askingCalls": trips,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "roots-list.json"), append(data, '\n'), 0o644)
}
