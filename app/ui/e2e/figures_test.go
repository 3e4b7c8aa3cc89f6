//go:build e2e && figures

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"rootsmanager/mcpclient/peers"
)

// How often and how long things are measured.
const (
	starts    = 12
	ticks     = 60
	idleFor   = 10 * time.Second
	tickEvery = 400 * time.Millisecond // slower than a server may be told
)

// figure is one line of the result.
type figure struct {
	What    string  `json:"what"`
	Unit    string  `json:"unit"`
	Samples int     `json:"samples"`
	Median  float64 `json:"median"`
	P99     float64 `json:"p99"`
	Aim     string  `json:"aim,omitempty"`
}

// summary returns the median and the 99th percentile (the largest of fewer than
// 100 samples).
func summary(what, unit, aim string, samples ...float64) figure {
	slices.Sort(samples)
	n := len(samples)
	return figure{what, unit, n, samples[n/2], samples[min(n-1, n*99/100)], aim}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// TestFigures measures the finished program and prints what was measured. It
// fails only when something cannot be measured: whether a figure is good
// depends on the machine.
func TestFigures(t *testing.T) {
	Display(t)
	var figures []figure
	figures = append(figures, startFigures(t)...)
	figures = append(figures, windowFigures(t)...)
	figures = append(figures, engineFigures(t)...)
	info, err := os.Stat(Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	figures = append(figures, summary("binary", "MB", "", float64(info.Size())/1e6))

	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\twhat\tmedian\tp99\tunit\tsamples\taim")
	for _, f := range figures {
		fmt.Fprintf(table, "\t%s\t%.1f\t%.1f\t%s\t%d\t%s\n", f.What, f.Median, f.P99, f.Unit, f.Samples, f.Aim)
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	raw, err := json.MarshalIndent(figures, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(Build(t, "bench"), "window.json"), append(raw, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

// startFigures measures from the start of the process to text on the screen.
func startFigures(t *testing.T) []figure {
	screen, err := OpenScreen()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	colours := func() int {
		// In the middle of the display, where window managers put windows: the
		// upper part of the side bar.
		n, err := screen.Colours(100, 100, 200, 200)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var took []float64
	p := NewPerson(t)
	for range starts {
		if err := until(within(t, Patience), func() (bool, error) { return colours() == 1, nil }); err != nil {
			t.Fatalf("the display is not empty: %v", err)
		}
		g := p.Start(nil, Binary(t), "--data-dir", p.Profile)
		painted := time.Time{}
		for painted.IsZero() {
			if err := g.alive(); err != nil {
				t.Fatal(err)
			}
			if time.Since(g.Started) > Patience {
				t.Fatal("no window was painted")
			}
			if colours() > 8 {
				painted = time.Now()
			}
		}
		took = append(took, milliseconds(painted.Sub(g.Started)))
		w := g.Window("^Roots Manager")
		w.Key("ctrl+q")
		g.Wait()
	}
	return []figure{summary("start to painted window", "ms", "≤ 1000", took...)}
}

// windowFigures measures a tick by keyboard until the server has asked again
// and was answered, then the window at rest.
func windowFigures(t *testing.T) []figure {
	p := NewPerson(t)
	p.Do("server", "add", "files", "--", peers.Node(t), peers.Filesystem(t))
	p.Do("root", "add", p.Folder("one"))
	p.Do("root", "add", p.Folder("two"))
	g, w, e := open(t, p)
	w.Still(unhurried)
	w.Key("Tab", "Tab", "space") // Start and remember
	e.Wait("roots.answered")
	w.Key("alt+1")
	toList(w)
	w.Key("Home", "space") // one folder stays, so that the server is never restarted
	e.Wait("roots.answered")
	w.Key("Down")
	w.Still(200 * time.Millisecond)

	var whole, reread []float64
	pace := time.NewTicker(tickEvery)
	defer pace.Stop()
	for range ticks {
		<-pace.C
		pressed := time.Now()
		w.xdotool("key", "--delay", "0", "space")
		notified := e.Wait("roots.notified")
		answered := e.Wait("roots.answered")
		whole = append(whole, milliseconds(answered.Time.Sub(pressed)))
		reread = append(reread, milliseconds(answered.Time.Sub(notified.Time)))
	}
	w.Still(unhurried)
	figures := []figure{
		summary("folder ticked to server has re-read (server-filesystem)", "ms", "≤ 60 at p50", whole...),
		summary("… of which from told to re-read", "ms", "", reread...),
	}
	figures = append(figures, restFigures(t, g, "with window", "", "")...)
	w.Key("ctrl+q")
	g.Wait()
	return figures
}

// engineFigures measures the engine without a window at rest, with one server
// and 20 folders.
func engineFigures(t *testing.T) []figure {
	p := NewPerson(t)
	p.Do("server", "add", "files", "--", peers.Node(t), peers.Filesystem(t))
	for i := range 20 {
		p.Do("root", "add", p.Folder("folder "+strconv.Itoa(i)), "--server", "files")
	}
	g, e := run(t, p, "--data-dir", p.Profile, "--consent", "session")
	e.Wait("roots.answered", func(ev Event) bool { return len(ev.Roots) == 20 })
	figures := restFigures(t, g, "without window", "≤ 40", "< 1")
	stop(t, g)
	return figures
}

// restFigures measures memory and processor time of a program that nobody uses.
func restFigures(t *testing.T, g *Program, how, memoryAim, idleAim string) []figure {
	var memory, idle []float64
	tick := time.NewTicker(idleFor / 10)
	defer tick.Stop()
	last, since := processor(t, g.PID()), time.Now()
	for range 10 {
		<-tick.C
		now := processor(t, g.PID())
		idle = append(idle, 100*(now-last).Seconds()/time.Since(since).Seconds())
		last, since = now, time.Now()
		memory = append(memory, resident(t, g.PID()))
	}
	return []figure{
		summary("memory "+how, "MB", memoryAim, memory...),
		summary("idle processor "+how, "% of a core", idleAim, idle...),
	}
}

// processor returns the processor time a process has used (proc(5), stat).
func processor(t *testing.T, pid int) time.Duration {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		t.Fatalf("%q has no times: %v %v", raw, err1, err2)
	}
	return time.Duration(user+system) * (time.Second / 100) // USER_HZ is 100 on Linux
}

// resident returns the resident set of a process in MB.
func resident(t *testing.T, pid int) float64 {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			return float64(kb) * 1024 / 1e6
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
