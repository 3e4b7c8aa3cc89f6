package monitor

import (
	"io/fs"
	"strings"
	"sync"
	"time"
)

// fakeFS is a file system whose calls can be made to hang, for tests that need
// a clock of their own. Every path exists as a folder unless it was removed.
type fakeFS struct {
	mu      sync.Mutex
	gone    map[string]bool
	links   map[string]string
	hangs   map[string]chan struct{} // by prefix, closed to let go
	slow    map[string]time.Duration // by prefix
	blocked map[string]int           // calls in a hang now, by prefix
	most    map[string]int
	entered map[string]int
}

func newFakeFS() *fakeFS {
	return &fakeFS{
		gone: map[string]bool{}, links: map[string]string{}, hangs: map[string]chan struct{}{}, slow: map[string]time.Duration{},
		blocked: map[string]int{}, most: map[string]int{}, entered: map[string]int{},
	}
}

func (f *fakeFS) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeFS) hang(prefix string) (letGo func()) {
	c := make(chan struct{})
	f.set(func() { f.hangs[prefix] = c })
	return sync.OnceFunc(func() {
		f.set(func() { delete(f.hangs, prefix) })
		close(c)
	})
}

func (f *fakeFS) lstat(path string) (entry, error) {
	f.mu.Lock()
	for prefix, c := range f.hangs {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			f.blocked[prefix]++
			f.most[prefix] = max(f.most[prefix], f.blocked[prefix])
			f.mu.Unlock()
			<-c
			f.mu.Lock()
			f.blocked[prefix]--
		}
	}
	for prefix, d := range f.slow {
		if strings.HasPrefix(path, prefix+"/") {
			f.entered[prefix]++
			f.mu.Unlock()
			<-time.After(d) // the fake clock of the bubble
			f.mu.Lock()
		}
	}
	defer f.mu.Unlock()
	if f.gone[path] {
		return entry{}, fs.ErrNotExist
	}
	if f.links[path] != "" {
		return entry{mode: fs.ModeSymlink, ino: 7}, nil
	}
	return entry{mode: fs.ModeDir, ino: 7, birth: 7}, nil
}

func (f *fakeFS) readlink(path string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.links[path], nil
}

func (f *fakeFS) access(string, entry) error          { return nil }
func (f *fakeFS) device(string) uint64                { return 1 }
func (f *fakeFS) names(string, int) ([]string, error) { return nil, nil }

// fakeMounts is a mount table that tests change.
type fakeMounts struct {
	mu     sync.Mutex
	mounts []*mount
	notice chan struct{}
}

func newFakeMounts(mounts ...*mount) *fakeMounts {
	return &fakeMounts{mounts: mounts, notice: make(chan struct{}, 1)}
}

func (f *fakeMounts) set(mounts ...*mount) {
	f.mu.Lock()
	f.mounts = mounts
	f.mu.Unlock()
	f.notice <- struct{}{}
}

func (f *fakeMounts) read() (*mountTable, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return newMountTable(f.mounts), nil
}

func (f *fakeMounts) changes() <-chan struct{} { return f.notice }
func (f *fakeMounts) close()                   {}
