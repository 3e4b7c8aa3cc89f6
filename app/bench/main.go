// Command bench measures the engine at scale, with real servers in processes of
// their own: how long a change, and a folder that vanishes, take to reach every
// server, what 10,000 folders cost, and how both grow.
//
//	go run ./app/bench [-short] [-only tell,disk,roots,curves]
//
// It prints a table and writes it to build/bench as scale.txt and scale.json,
// with a plot in scale.svg. Beside it, in the same run, the client of the
// TypeScript SDK does what it can do: tell 100 servers. The program owns the
// processes it starts and waits for them; its folders are removed at the end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"rootsmanager/mcpclient/probe"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "probe" {
		if err := probe.Run(context.Background(), os.Stdin, os.Stdout, "bench"); err != nil {
			os.Exit(1)
		}
		return
	}
	short := flag.Bool("short", false, "fewer repetitions and no long waits")
	only := flag.String("only", "tell,disk,roots,curves", "the parts to measure, separated by commas")
	flag.Parse()
	if err := run(*short, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// row is one line of the result.
type row struct {
	What    string  `json:"what"`
	Client  string  `json:"client"`
	Servers int     `json:"servers"`
	Roots   int     `json:"roots"`
	P50     float64 `json:"p50"`
	P99     float64 `json:"p99"`
	Samples int     `json:"samples"`
	Unit    string  `json:"unit"`
	Aim     string  `json:"aim,omitempty"`
}

// bench gathers the results of one run.
type bench struct {
	short bool
	self  string // this program, which is also the server
	base  string // for folders and profiles
	rows  []row
}

func (b *bench) rounds(n int) int {
	if b.short {
		return max(3, n/4)
	}
	return n
}

// times adds a line about durations.
func (b *bench) times(what, client string, servers, roots int, aim string, took []time.Duration) {
	slices.Sort(took)
	r := row{What: what, Client: client, Servers: servers, Roots: roots, Samples: len(took), Unit: "ms", Aim: aim}
	if len(took) > 0 {
		r.P50, r.P99 = ms(took[len(took)/2]), ms(took[len(took)*99/100])
	}
	b.add(r)
}

func (b *bench) value(what string, servers, roots int, unit, aim string, v float64) {
	b.add(row{What: what, Client: ours, Servers: servers, Roots: roots, P50: v, P99: v, Samples: 1, Unit: unit, Aim: aim})
}

func (b *bench) add(r row) {
	b.rows = append(b.rows, r)
	fmt.Fprintf(os.Stderr, "%s, %s, %d servers, %d roots: p50 %.1f p99 %.1f %s\n", r.What, r.Client, r.Servers, r.Roots, r.P50, r.P99, r.Unit)
}

const ours = "Roots Manager"

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func run(short bool, parts []string) (err error) {
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("run this from the top of the repository: go run ./app/bench")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	base, err := os.MkdirTemp("", "roots-manager-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(base)) }()
	b := &bench{short: short, self: self, base: base}
	for _, part := range []struct {
		name string
		do   func() error
	}{{"tell", b.tell}, {"disk", b.disk}, {"roots", b.manyRoots}, {"curves", b.curves}} {
		if !slices.Contains(parts, part.name) {
			continue
		}
		if err := part.do(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return b.write()
}

// write keeps the results in build/bench.
func (b *bench) write() error {
	dir := filepath.Join("build", "bench")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tclient\tservers\troots\tp50\tp99\tunit\tsamples\taim")
	for _, r := range b.rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.1f\t%.1f\t%s\t%d\t%s\n", r.What, r.Client, r.Servers, r.Roots, r.P50, r.P99, r.Unit, r.Samples, r.Aim)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Print(text.String())
	data, err := json.MarshalIndent(map[string]any{
		"time": time.Now().UTC().Format(time.RFC3339), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		"cpus": runtime.NumCPU(), "short": b.short, "rows": b.rows,
	}, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "scale.txt"), []byte(text.String()), 0o644),
		os.WriteFile(filepath.Join(dir, "scale.json"), append(data, '\n'), 0o644),
		os.WriteFile(filepath.Join(dir, "scale.svg"), plot(b.rows), 0o644),
	)
}
