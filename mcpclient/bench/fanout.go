package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"rootsmanager/mcpclient"
)

// changes is how often a change is announced to all servers. They are spaced so
// that the limit of five notifications a second does not bite.
const (
	changes     = 20
	changePause = 220 * time.Millisecond
)

// fan is how long one change takes to reach many servers at once.
type fan struct {
	Servers int `json:"servers"`
	Roots   int `json:"roots"`
	// WrittenMS is the time from the change until list_changed was written to
	// every server, and CurrentMS until every server has the new list. Both
	// contain the window in which changes are gathered.
	WindowMS     float64 `json:"windowMs"`
	WrittenP50MS float64 `json:"writtenP50Ms"`
	WrittenMaxMS float64 `json:"writtenMaxMs"`
	CurrentP50MS float64 `json:"currentP50Ms"`
	CurrentMaxMS float64 `json:"currentMaxMs"`
	OurMemoryMB  float64 `json:"memoryMb"` // of the process with all sessions
}

// member is one of many servers.
type member struct {
	all      *crowd
	spec     mcpclient.Spec
	session  *mcpclient.Session
	notified bool
	current  bool
}

// crowd is all of them. It counts who was told and who has the new list.
type crowd struct {
	mu       sync.Mutex
	changed  *sync.Cond
	exposure *mcpclient.Exposure
	members  []*member
	problem  error

	began            time.Time
	written, current time.Duration // of the slowest, since began
	told, have       int
}

func (m *member) Launch(context.Context) (mcpclient.Spec, error) { return m.spec, nil }

func (m *member) Roots(context.Context) (*mcpclient.Exposure, error) {
	m.all.mu.Lock()
	defer m.all.mu.Unlock()
	return m.all.exposure, nil
}

func (m *member) Event(e mcpclient.Event) {
	c := m.all
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Kind {
	case mcpclient.Notified:
		if !m.notified {
			m.notified = true
			c.told++
			c.written = time.Since(c.began)
		}
	case mcpclient.Answered:
		if !m.current && e.Exposure != nil && e.Exposure.Generation == c.exposure.Generation {
			m.current = true
			c.have++
			c.current = time.Since(c.began)
		}
	case mcpclient.Disconnected:
		if e.Err != nil {
			c.problem = e.Err
		}
	default:
		return
	}
	c.changed.Broadcast()
}

// round announces one change and waits until everybody has it.
func (c *crowd) round(exposure *mcpclient.Exposure, first bool) error {
	c.mu.Lock()
	c.exposure, c.told, c.have = exposure, 0, 0
	for _, m := range c.members {
		m.notified, m.current = false, false
	}
	c.began = time.Now()
	c.mu.Unlock()
	for _, m := range c.members {
		m.session.Announce() // ignored by those that are not connected yet
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.problem == nil && (c.have < len(c.members) || !first && c.told < len(c.members)) {
		c.changed.Wait()
	}
	return c.problem
}

// fanOut measures one change for many stdio servers. They ask at once and after
// every change.
func fanOut(self string, servers, roots int) (*fan, error) {
	c := &crowd{exposure: mcpclient.Encode(0, nil)}
	c.changed = sync.NewCond(&c.mu)
	spec := mcpclient.Spec{Transport: mcpclient.Stdio, Program: self, Args: []string{"-as", "server", "eager"}, Dir: os.TempDir(), Env: []string{}}
	for range servers {
		c.members = append(c.members, &member{all: c, spec: spec})
	}
	for _, m := range c.members {
		m.session = mcpclient.New(m, nil)
	}
	defer func() {
		var wg sync.WaitGroup
		for _, m := range c.members {
			wg.Go(func() { _ = m.session.Close() }) // the measurement is over
		}
		wg.Wait()
	}()
	generation := uint64(1)
	next := func() *mcpclient.Exposure {
		generation++
		list := make([]mcpclient.Root, roots)
		for i := range list {
			list[i] = mcpclient.Root{URI: fmt.Sprintf("file:///home/user/projects/%d/project-%d", generation, i)}
		}
		return mcpclient.Encode(generation, list)
	}
	if err := c.round(next(), true); err != nil {
		return nil, err
	}
	pause := time.NewTicker(changePause)
	defer pause.Stop()
	var written, current []time.Duration
	for range changes {
		<-pause.C
		if err := c.round(next(), false); err != nil {
			return nil, err
		}
		written = append(written, c.written)
		current = append(current, c.current)
	}
	slices.Sort(written)
	slices.Sort(current)
	memory, err := residentMB()
	if err != nil {
		return nil, err
	}
	if len(written) == 0 {
		return nil, errors.New("nothing was measured")
	}
	return &fan{
		Servers: servers, Roots: roots, WindowMS: 25,
		WrittenP50MS: ms(written[len(written)/2]), WrittenMaxMS: ms(written[len(written)-1]),
		CurrentP50MS: ms(current[len(current)/2]), CurrentMaxMS: ms(current[len(current)-1]),
		OurMemoryMB: memory,
	}, nil
}
