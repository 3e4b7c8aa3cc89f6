package detect

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Bounds of one search.
const (
	MaxFolders  = 2_000_000 // folders that are looked into
	MaxProjects = 50_000    // projects that are kept
	MaxDepth    = 128       // folders below the one that is searched

	progressEvery = 100 * time.Millisecond
)

// Options say how to search. All may be left zero.
type Options struct {
	// OtherFilesystems searches what is mounted below the folder as well: other
	// drives and network shares.
	OtherFilesystems bool
	// Progress is told how far the search is, about ten times a second and once
	// at the end. Calls are sequential, on the goroutine that called Find, and
	// may not block: the search would return late.
	Progress func(Progress)
}

// Progress is how far a search is.
type Progress struct {
	Folders  int    // looked into so far
	Projects int    // found so far
	In       string // the folder that was looked into last
}

// Project is a folder that somebody works in.
type Project struct {
	Path    string    `json:"path"`               // native, absolute
	Name    string    `json:"name"`               // from its project file, its remote, or its folder; up to 80 visible characters
	Kinds   []Kind    `json:"kinds"`              // at least one
	Branch  string    `json:"branch,omitempty"`   // checked out; for a detached head the first digits of its commit
	Changed time.Time `json:"changed,omitzero"`   // when the index, or else the newest marker, was written last
	Parent  string    `json:"parent,omitempty"`   // path of the innermost project around it
	Main    string    `json:"mainTree,omitempty"` // of a worktree: path of the repository it belongs to
}

// Is reports whether the project is of a kind.
func (p *Project) Is(k Kind) bool { return slices.Contains(p.Kinds, k) }

// Result is what a search found.
type Result struct {
	Dir        string    `json:"dir"`        // absolute
	Projects   []Project `json:"projects"`   // by path; a parent comes before its children
	Folders    int       `json:"folders"`    // looked into
	Unreadable int       `json:"unreadable"` // folders that could not be looked into
	Elsewhere  int       `json:"elsewhere"`  // folders left out because they are on other file systems
	Partial    bool      `json:"partial"`    // a bound was met: there is more
}

// Find searches a folder for projects, the folder itself included. It does not
// follow symbolic links and does not look into dependencies and caches. When
// ctx ends, it returns its error at once.
func Find(ctx context.Context, dir string, opts *Options) (*Result, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be searched: %w", dir, err)
	}
	s := &search{ctx: ctx, opts: o, top: abs}
	s.more.L = &s.mu
	ended := make(chan error, 1)
	go func() { ended <- s.run() }()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			s.stop()
			return nil, ctx.Err()
		case <-ticker.C:
			if o.Progress != nil {
				o.Progress(s.progress())
			}
		case err := <-ended:
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			if o.Progress != nil {
				o.Progress(s.progress())
			}
			return s.result(), nil
		}
	}
}

// job is one folder to look into.
type job struct {
	path  string
	depth int
}

// search is one call of Find.
type search struct {
	ctx    context.Context
	opts   Options
	top    string
	device device

	mu      sync.Mutex
	more    sync.Cond // jobs came, or there are none left, or the search stopped
	jobs    []job     // the newest is taken first: it keeps the list short
	working int
	stopped bool
	count   Progress
	found   []Project
	unread  int
	foreign int
	partial bool
}

// run looks at everything; it returns an error only for the top folder.
func (s *search) run() error {
	info, err := os.Stat(s.top) // the person named it, so a link is fine
	if err != nil {
		return fmt.Errorf("%s cannot be searched: %w", s.top, reason(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", s.top)
	}
	s.device, _ = deviceOf(info)
	f, err := os.Open(s.top)
	if err != nil {
		return fmt.Errorf("%s cannot be searched: %w", s.top, reason(err))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("%s cannot be searched: %w", s.top, reason(err))
	}
	s.jobs = []job{{s.top, 0}}
	var pool sync.WaitGroup
	for range min(max(runtime.GOMAXPROCS(0)*2, 4), 16) {
		pool.Go(s.work)
	}
	pool.Wait()
	return nil
}

// reason leaves out the path, which the sentence around it names.
func reason(err error) error {
	if p, ok := err.(*fs.PathError); ok { //nolint:errorlint // as os returns it
		return p.Err
	}
	return err
}

func (s *search) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.more.Broadcast()
}

// work looks into folders until there are none left.
func (s *search) work() {
	for {
		s.mu.Lock()
		for len(s.jobs) == 0 && s.working > 0 && !s.stopped {
			s.more.Wait()
		}
		if len(s.jobs) == 0 || s.stopped {
			s.mu.Unlock()
			s.more.Broadcast()
			return
		}
		j := s.jobs[len(s.jobs)-1]
		s.jobs = s.jobs[:len(s.jobs)-1]
		s.working++
		s.mu.Unlock()

		seen := s.look(j)

		s.mu.Lock()
		s.working--
		s.take(j, seen)
		if len(seen.below) > 1 || s.working == 0 {
			s.more.Broadcast()
		}
		s.mu.Unlock()
	}
}

// seen is what one folder held.
type seen struct {
	below      []job
	project    *Project
	unreadable bool
	elsewhere  bool
	deep       bool
}

// take adds what one folder held. The lock is held.
func (s *search) take(j job, o seen) {
	switch {
	case s.stopped:
		return
	case o.unreadable:
		s.unread++
		return
	case o.elsewhere:
		s.foreign++
		return
	}
	s.count.Folders++
	s.count.In = j.path
	if o.project != nil {
		s.found = append(s.found, *o.project)
		s.count.Projects++
	}
	s.partial = s.partial || o.deep
	s.jobs = append(s.jobs, o.below...)
	if s.count.Folders >= MaxFolders || s.count.Projects >= MaxProjects {
		if len(s.jobs) > 0 || s.working > 0 {
			s.partial = true
		}
		s.stopped = true
		s.more.Broadcast()
	}
}

// look reads one folder.
func (s *search) look(j job) seen {
	if j.depth > 0 && !s.opts.OtherFilesystems {
		info, err := os.Lstat(j.path) // before it is opened: that alone would mount what mounts itself
		switch {
		case err != nil:
			return seen{unreadable: true}
		case !info.IsDir():
			return seen{} // it was replaced since its parent was read
		}
		if d, ok := deviceOf(info); ok && d != s.device {
			return seen{elsewhere: true}
		}
	}
	entries, err := readDir(j.path)
	if err != nil {
		return seen{unreadable: true}
	}
	var o seen
	var markers []marker
	for _, e := range entries {
		if e.Name() == cacheTag && j.depth > 0 {
			return seen{}
		}
		if m, ok := markerOf(e); ok {
			markers = append(markers, m)
		}
	}
	if len(markers) > 0 {
		if p := describe(j.path, markers); len(p.Kinds) > 0 {
			o.project = &p
		}
	}
	within := filepath.Base(j.path)
	for _, e := range entries {
		if !e.IsDir() || skip(e.Name(), within, markers) {
			continue
		}
		if j.depth == MaxDepth {
			o.deep = true
			break
		}
		o.below = append(o.below, job{join(j.path, e.Name()), j.depth + 1})
	}
	return o
}

// join is filepath.Join for a clean path and a name without separators.
func join(dir, name string) string {
	if os.IsPathSeparator(dir[len(dir)-1]) {
		return dir + name
	}
	return dir + string(filepath.Separator) + name
}

// readDir lists a folder in the order of the file system.
func readDir(path string) ([]fs.DirEntry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return entries, err
}

func (s *search) progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

func (s *search) result() *Result {
	slices.SortFunc(s.found, func(a, b Project) int { return comparePaths(a.Path, b.Path) })
	nest(s.found)
	return &Result{
		Dir: s.top, Projects: s.found, Folders: s.count.Folders,
		Unreadable: s.unread, Elsewhere: s.foreign, Partial: s.partial,
	}
}

// comparePaths orders by path components, so that everything below a folder
// follows it directly.
func comparePaths(a, b string) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if os.IsPathSeparator(x) {
			return -1
		}
		if os.IsPathSeparator(y) {
			return 1
		}
		return cmp.Compare(x, y)
	}
	return cmp.Compare(len(a), len(b))
}

// nest fills in the parents of sorted projects.
func nest(projects []Project) {
	var around []string
	for i := range projects {
		p := &projects[i]
		for len(around) > 0 && !below(p.Path, around[len(around)-1]) {
			around = around[:len(around)-1]
		}
		if len(around) > 0 {
			p.Parent = around[len(around)-1]
		}
		around = append(around, p.Path)
	}
}

// below reports whether a clean path lies below a folder.
func below(path, dir string) bool {
	if len(path) <= len(dir) || path[:len(dir)] != dir {
		return false
	}
	return os.IsPathSeparator(dir[len(dir)-1]) || os.IsPathSeparator(path[len(dir)])
}
