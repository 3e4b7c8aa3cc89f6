package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// patience is how long any one step may take before the run fails.
const patience = 2 * time.Minute

// pace is the least time between two changes: a server is told five times a
// second at most.
const pace = 220 * time.Millisecond

// field is an engine with connected servers and some folders.
type field struct {
	*app.Engine
	ctx     context.Context
	dir     string
	servers []store.ServerID
	roots   []store.RootID
	paths   []string

	mu       sync.Mutex
	began    time.Time
	want     int // roots in the answer that is waited for
	notified map[store.ServerID]time.Duration
	answered map[store.ServerID]time.Duration
	change   *sync.Cond
}

// newField starts servers, which are all told of the same first folders.
func (b *bench) newField(servers, roots, shared int) (*field, error) {
	dir, err := os.MkdirTemp(b.base, "field-")
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	e, err := app.Open(ctx, &app.Options{
		DataDir: filepath.Join(dir, "profile"), ApproveAll: true, Store: &store.Options{Keyring: store.NewMemoryKeyring()},
	})
	if err != nil {
		return nil, err
	}
	f := &field{Engine: e, ctx: ctx, dir: dir, want: -1}
	f.change = sync.NewCond(&f.mu)
	f.Events(f.see)
	if err := f.fill(b.self, servers, roots, shared); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return f, nil
}

func (f *field) fill(self string, servers, roots, shared int) error {
	specs := make([]app.RootSpec, roots)
	for i := range specs {
		specs[i].Path = filepath.Join(f.dir, fmt.Sprintf("parent %d", i%100), fmt.Sprintf("folder %d", i))
		f.paths = append(f.paths, specs[i].Path)
		if err := os.MkdirAll(specs[i].Path, 0o700); err != nil {
			return err
		}
	}
	var err error
	if roots > 0 {
		if f.roots, err = f.AddRoots(f.ctx, specs); err != nil {
			return err
		}
	}
	for i := range servers {
		id, err := f.AddServer(f.ctx, app.ServerSpec{Name: fmt.Sprintf("server %d", i), Command: self, Args: []string{"probe", fmt.Sprint(i)}, Enabled: true})
		if err != nil {
			return err
		}
		f.servers = append(f.servers, id)
	}
	f.Start()
	if err := f.share(f.roots[:shared], true); err != nil {
		return err
	}
	return f.settled(shared)
}

// share ticks or unticks roots for all servers, in one change.
func (f *field) share(roots []store.RootID, on bool) error {
	ticks := make([]app.Tick, 0, len(f.servers)*len(roots))
	for _, srv := range f.servers {
		for _, r := range roots {
			ticks = append(ticks, app.Tick{Server: srv, Root: r, On: on, Access: root.ReadOnly})
		}
	}
	return f.AssignOnly(f.ctx, ticks)
}

// settled waits until all is seen and every server has n roots.
func (f *field) settled(n int) error {
	done := make(chan struct{})
	var once sync.Once
	cancel := f.Subscribe(func(s *app.Snapshot) {
		for _, r := range s.Roots {
			if !r.Status.Usable() {
				return
			}
		}
		for _, v := range s.Servers {
			if v.Delivery != app.DeliveryCurrent || v.Answered != n {
				return
			}
		}
		once.Do(func() { close(done) })
	})
	defer cancel()
	select {
	case <-done:
		return nil
	case <-time.After(patience):
		return errors.New("the servers did not settle")
	}
}

// see notes when servers were told and when they have the new list.
func (f *field) see(ev app.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.want < 0 {
		return
	}
	took := ev.Time.Sub(f.began)
	switch {
	case took < 0:
	case ev.Kind == app.EventRootsNotified:
		if _, ok := f.notified[ev.ServerID]; !ok {
			f.notified[ev.ServerID] = took
		}
	case ev.Kind == app.EventRootsAnswered && len(ev.Roots) == f.want:
		f.answered[ev.ServerID] = took
	default:
		return
	}
	f.change.Broadcast()
}

// reach makes a change, after which every server has want roots, and tells how
// long it took until each was told and until each had them.
func (f *field) reach(want int, change func() error) (notified, answered []time.Duration, err error) {
	f.mu.Lock()
	f.want, f.notified, f.answered = want, map[store.ServerID]time.Duration{}, map[store.ServerID]time.Duration{}
	f.began = time.Now()
	f.mu.Unlock()
	if err := change(); err != nil {
		return nil, nil, err
	}
	late := false
	limit := time.AfterFunc(patience, func() {
		f.mu.Lock()
		late = true
		f.mu.Unlock()
		f.change.Broadcast()
	})
	defer limit.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for (len(f.notified) < len(f.servers) || len(f.answered) < len(f.servers)) && !late {
		f.change.Wait()
	}
	if late {
		return nil, nil, fmt.Errorf("only %d of %d servers got the change", len(f.answered), len(f.servers))
	}
	for _, d := range f.notified {
		notified = append(notified, d)
	}
	for _, d := range f.answered {
		answered = append(answered, d)
	}
	f.want = -1
	return notified, answered, nil
}
