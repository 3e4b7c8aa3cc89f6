package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// healthy is how many good servers work beside each bad one, and rounds how
// many changes each of them is told of before, and again beside it.
const (
	healthy = 20
	rounds  = 12
)

// deliveryLimit is what issue 4 allows between a change and a healthy server
// having it, at the 99th percentile. A machine that is slower than that without
// any bad server is given what it needs then, and half as much again.
const deliveryLimit = 150 * time.Millisecond

// crowd is many probes that get one folder more with every change.
type crowd struct {
	*desk
	servers []store.ServerID
	folders int

	mu    sync.Mutex
	want  int
	since time.Time
	took  []time.Duration
	have  map[store.ServerID]bool
	all   chan struct{}
}

func newCrowd(t *testing.T, servers int) *crowd {
	t.Helper()
	c := &crowd{desk: newDesk(t, Options{ApproveAll: true})}
	for i := range servers {
		c.servers = append(c.servers, c.addProbe(fmt.Sprintf("healthy %d", i), fmt.Sprint(i)))
	}
	cancel := c.Events(func(ev Event) {
		if ev.Kind != EventRootsAnswered || !strings.HasPrefix(ev.Server, "healthy") {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.all != nil && len(ev.Roots) == c.want && !c.have[ev.ServerID] {
			c.have[ev.ServerID] = true
			c.took = append(c.took, ev.Time.Sub(c.since))
			if len(c.have) == servers {
				close(c.all)
				c.all = nil
			}
		}
	})
	t.Cleanup(cancel)
	c.share(c.servers...)
	c.everybodyHas(1)
	return c
}

// share adds a folder for all servers, in one change.
func (c *crowd) share(servers ...store.ServerID) {
	c.t.Helper()
	c.folders++
	r := c.addFolder(filepath.Join(c.t.TempDir(), fmt.Sprint("folder", c.folders)))
	var ticks []Tick
	for _, srv := range servers {
		ticks = append(ticks, Tick{Server: srv, Root: r, On: true, Access: root.ReadOnly})
	}
	all := make(chan struct{})
	c.mu.Lock()
	c.want, c.since, c.all, c.have = c.folders, time.Now(), all, make(map[store.ServerID]bool)
	c.mu.Unlock()
	if err := c.AssignOnly(c.t.Context(), ticks); err != nil {
		c.t.Fatal(err)
	}
	select {
	case <-all:
	case <-time.After(patience):
		c.mu.Lock()
		defer c.mu.Unlock()
		c.t.Fatalf("after %v only %d answers of %d servers came", patience, len(c.have), len(c.servers))
	}
}

func (c *crowd) everybodyHas(n int) {
	c.t.Helper()
	for _, srv := range c.servers {
		c.tells(srv, n)
	}
}

// delivery shares folders, not faster than a server may be told, and gives the
// 99th percentile of what it took until a healthy server had one.
func (c *crowd) delivery(also ...store.ServerID) time.Duration {
	c.t.Helper()
	c.mu.Lock()
	c.took = nil
	c.mu.Unlock()
	pace := time.NewTicker(220 * time.Millisecond)
	defer pace.Stop()
	for range rounds {
		<-pace.C
		c.share(slices.Concat(c.servers, also)...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.took)
	return c.took[len(c.took)*99/100]
}

// addBad adds a server that behaves in one of the ways of package misbehave.
func (d *desk) addBad(behaviour string) store.ServerID {
	d.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	id, err := d.AddServer(d.t.Context(), ServerSpec{Name: behaviour, Command: exe, Args: []string{"misbehave", behaviour}, Enabled: true})
	if err != nil {
		d.t.Fatal(err)
	}
	return id
}

// besideHealthy runs a bad server beside healthy ones, waits until it shows its
// behaviour, and checks that the healthy ones get their folders as before.
func besideHealthy(t *testing.T, behaviour string, shows func(*Snapshot, ServerView) bool) (*crowd, store.ServerID) {
	t.Helper()
	c := newCrowd(t, healthy)
	alone := c.delivery()
	bad := c.addBad(behaviour)
	c.until("the server "+behaviour, func(s *Snapshot) bool { return shows(s, server(s, bad)) })
	limit := max(deliveryLimit, alone*3/2+deliveryLimit/3)
	beside := c.delivery(bad)
	for again := 0; beside > limit && again < 2; again++ {
		// What a bad server does to others lasts; what other programs of the
		// machine do passes.
		beside = min(beside, c.delivery(bad))
	}
	t.Logf("delivery to %d healthy servers, p99 of %d: %v alone, %v beside one that %s",
		healthy, healthy*rounds, alone.Round(time.Millisecond/10), beside.Round(time.Millisecond/10), behaviour)
	if beside > limit {
		t.Errorf("delivery took %v at the 99th percentile, without it %v; the limit is %v", beside, alone, limit)
	}
	return c, bad
}

func isConnected(_ *Snapshot, v ServerView) bool { return v.State == ServerConnected }

func TestServerThatStopsReadingSlowsNoOther(t *testing.T) {
	besideHealthy(t, "never reads stdin again", isConnected)
}

func TestServerThatFloodsStdoutSlowsNoOther(t *testing.T) {
	besideHealthy(t, "floods stdout with notifications", isConnected)
}

func TestServerThatSendsALineOf100MBSlowsNoOther(t *testing.T) {
	c, bad := besideHealthy(t, "sends a line of 100 MB", isConnected)
	c.tells(bad, rounds) // and is well served itself, as all it did was skipped
}

func TestServerThatSendsGarbageSlowsNoOther(t *testing.T) {
	c, bad := besideHealthy(t, "sends garbage", isConnected)
	c.tells(bad, rounds)
}

func TestServerThatAnswersWithWrongIDsSlowsNoOther(t *testing.T) {
	c, bad := besideHealthy(t, "answers with wrong ids", isConnected)
	c.tells(bad, rounds)
}

func TestServerThatAnswersTwiceSlowsNoOther(t *testing.T) {
	c, bad := besideHealthy(t, "answers twice", isConnected)
	c.tells(bad, rounds)
}

func TestServerThatAnswersNothingSlowsNoOther(t *testing.T) {
	c, bad := besideHealthy(t, "answers nothing", func(_ *Snapshot, v ServerView) bool { return v.State == ServerConnecting })
	if v := server(c.Snapshot(), bad); v.State != ServerConnecting {
		t.Errorf("it is %s", v.State)
	}
}

func TestServerThatFallsSilentSlowsNoOther(t *testing.T) {
	c, bad := besideHealthy(t, "answers nothing once connected", isConnected)
	c.until("it counts as stale or never asked", func(s *Snapshot) bool {
		d := server(s, bad).Delivery
		return d == DeliveryNeverAsked || d == DeliveryStale
	})
}

func TestServerThatDiesMidMessageSlowsNoOther(t *testing.T) {
	c, bad := besideHealthy(t, "dies in the middle of a message", func(_ *Snapshot, v ServerView) bool { return len(v.Errors) > 0 })
	if e := server(c.Snapshot(), bad).Errors; !strings.Contains(strings.Join(e, " "), "Segmentation fault") {
		t.Errorf("what it said last is not shown: %q", e)
	}
}

func TestCrashLoopEndsWithTheLastErrorLinesAndSlowsNoOther(t *testing.T) {
	c, bad := besideHealthy(t, "dies after a moment", func(_ *Snapshot, v ServerView) bool { return len(v.Errors) > 0 })
	gaveUp := func(s *Snapshot) bool {
		v := server(s, bad)
		return v.State == ServerFailed && v.RetryAt.IsZero()
	}
	s := c.until("it is not tried again", gaveUp)
	v := server(s, bad)
	if !strings.Contains(v.Problem, "index out of range") {
		t.Errorf("the problem does not tell its last words: %q", v.Problem)
	}
	if lines := strings.Join(c.ServerStderr(bad), "\n"); !strings.Contains(lines, "panic: index out of range [7] with length 7") {
		t.Errorf("its error output is %q", lines)
	}
	starts := len(v.Errors)
	if starts != 5 {
		t.Errorf("it was given up after %d crashes, not 5", starts)
	}
	if err := c.RestartServer(t.Context(), bad); err != nil { // a person may insist
		t.Fatal(err)
	}
	c.until("it is tried once more", func(s *Snapshot) bool { return !gaveUp(s) })
}
