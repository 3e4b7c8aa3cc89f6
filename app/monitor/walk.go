package monitor

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"rootsmanager/app/root"
)

const maxLinks = 40 // as the kernel

var (
	errLinks = errors.New("the symbolic links lead in a circle")
	errStuck = errors.New("the drive or server it is on does not answer")
)

// fileKey names a file as long as it lives.
type fileKey struct {
	device, ino uint64
	birth       int64
	point       string // mount point
}

func (k fileKey) String() string {
	if k.ino == 0 {
		return ""
	}
	return strconv.FormatUint(k.device, 16) + ":" + strconv.FormatUint(k.ino, 16) + ":" + strconv.FormatInt(k.birth, 16) + ":" + k.point
}

func parseFileKey(s string) (fileKey, bool) {
	parts := strings.SplitN(s, ":", 4)
	if len(parts) != 4 {
		return fileKey{}, false
	}
	device, err1 := strconv.ParseUint(parts[0], 16, 64)
	ino, err2 := strconv.ParseUint(parts[1], 16, 64)
	birth, err3 := strconv.ParseInt(parts[2], 16, 64)
	return fileKey{device, ino, birth, parts[3]}, err1 == nil && err2 == nil && err3 == nil && ino != 0
}

// replaced reports whether o, found where k was, is something else that was put
// there by a mount or another drive, and not merely made anew.
func (k fileKey) replaced(o fileKey) bool {
	if k.ino == o.ino && k.birth == o.birth && o.point == k.point {
		return false
	}
	return k.point != o.point || k.device != 0 && o.device != 0 && k.device != o.device
}

// result is what one look at a place found.
type result struct {
	status  Status
	detail  string
	target  string
	file    fileKey
	movedTo string
	at      string   // the path whose folder must be watched: the target, or what is missing
	links   []string // links passed on the way, to be watched as well
	lane    *mount   // the remote file system it is on, if it was looked for elsewhere: nothing was found out
}

// spot is a path walked to.
type spot struct {
	path  string // without links
	entry entry
	on    *mount
	links []string
	err   error
	gone  string // the first thing that does not exist, if that is what err says
}

// walker looks at places one after another and remembers the folders on the
// way, so that many places in one folder cost little more than one each. It is
// for one batch: what it remembers is not looked at again.
type walker struct {
	fs     fileSystem
	table  *mountTable
	stuck  map[string]struct{} // mounts that do not answer
	lane   string              // the mount this batch is for
	free   bool                // this place was sent here from another lane
	onto   func(*mount)        // told before a mount is touched
	dirs   map[string]*spot
	within map[string]map[uint64]string // folders searched for what was moved
	newly  map[uint64]string            // what appeared lately, by file
	links  int
}

// look finds out how a folder or file is. Where it vanished, the file known by
// search is looked for in the folder it was in and at the candidates.
func (w *walker) look(p Place, search fileKey, candidates []string) result {
	w.links = 0
	s := w.reach(p.Path)
	var elsewhere *laneError
	if errors.As(s.err, &elsewhere) {
		return result{lane: elsewhere.to}
	}
	if s.err != nil {
		r := result{at: s.gone, links: s.links}
		r.status, r.detail = classify(s.err)
		if r.at == "" {
			r.at = p.Path
		}
		if r.status == Missing && search.ino != 0 {
			r.movedTo = w.find(s.gone, search, candidates)
		}
		return r
	}
	r := result{target: s.path, at: s.path, links: s.links}
	r.file = fileKey{w.device(s), s.entry.ino, s.entry.birth, s.on.point}
	if r.status, r.detail = changed(p, r); r.status != "" {
		return r
	}
	switch isDir := s.entry.mode.IsDir(); {
	case p.Kind == root.Folder && !isDir:
		r.status, r.detail = NotAFolder, "there is a file now where the folder was"
		return r
	case p.Kind == root.File && isDir:
		r.status, r.detail = ChangedTarget, "there is a folder now where the file was"
		return r
	case p.Kind == root.File && s.entry.mode&fs.ModeType != 0:
		r.status, r.detail = ChangedTarget, "there is no plain file any more"
		return r
	}
	err := w.fs.access(s.path, s.entry)
	switch {
	case err == nil:
		r.status = Reachable
	case errors.Is(err, errReadOnly):
		r.status = ReadOnly
	default:
		r.status, r.detail = classify(err)
	}
	return r
}

func changed(p Place, r result) (Status, string) {
	if p.Target != "" && root.Spelling(root.Native(), p.Target) != root.Spelling(root.Native(), r.target) {
		return ChangedTarget, "it leads to " + r.target + " now"
	}
	if was, ok := parseFileKey(p.FileID); ok && was.replaced(r.file) {
		return ChangedTarget, "another drive or folder is mounted there now"
	}
	return "", ""
}

// classify turns an error of the system into a status and the system's words.
func classify(err error) (Status, string) {
	words := err.Error()
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		words = pathErr.Err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG),
		errors.Is(err, syscall.ELOOP), errors.Is(err, errLinks):
		return Missing, words
	case errors.Is(err, fs.ErrPermission):
		return NoPermission, words
	}
	return Unreachable, words
}

func (w *walker) device(s *spot) uint64 {
	if !s.on.known.Load() {
		s.on.device.Store(w.fs.device(s.path))
		s.on.known.Store(true)
	}
	return s.on.device.Load()
}

// reach walks to a path of a place.
func (w *walker) reach(path string) *spot {
	i := strings.LastIndexByte(path, separator)
	top, rest := splitTop(path)
	if rest == "" {
		return w.top(top)
	}
	if i < len(top) {
		return w.enter(w.dir(top), path[i+1:], path)
	}
	return w.enter(w.dir(path[:i]), path[i+1:], path)
}

// dir walks to a folder and remembers it.
func (w *walker) dir(path string) *spot {
	if s, ok := w.dirs[path]; ok {
		return s
	}
	s := w.reach(path)
	if s.err == nil || !errors.As(s.err, new(*laneError)) {
		w.dirs[path] = s
	}
	return s
}

func (w *walker) top(top string) *spot {
	s := &spot{path: top, on: w.table.of(clean(top))}
	if s.err = w.touch(s.on, nil); s.err == nil {
		s.entry, s.err = w.fs.lstat(top)
		if s.err != nil {
			s.gone = top
		}
	}
	return s
}

// enter goes from a folder to a name in it, through a link if it is one. The
// path as given saves making it anew where no link was passed.
func (w *walker) enter(parent *spot, name, given string) *spot {
	if parent.err != nil {
		return parent
	}
	full := given
	if len(given) != len(parent.path)+1+len(name) || !strings.HasPrefix(given, parent.path) {
		full = join(parent.path, name)
	}
	s := &spot{path: full, on: parent.on, links: parent.links}
	if m, ok := w.table.byPoint[full]; ok {
		s.on = m
	}
	if s.err = w.touch(s.on, parent.links); s.err != nil {
		return s
	}
	if s.entry, s.err = w.fs.lstat(full); s.err != nil {
		s.gone = full
		return s
	}
	if s.entry.mode&fs.ModeSymlink == 0 {
		return s
	}
	return w.follow(parent, s)
}

func (w *walker) follow(parent, link *spot) *spot {
	if w.links++; w.links > maxLinks {
		link.err = errLinks
		return link
	}
	target, err := w.fs.readlink(link.path)
	if err != nil {
		link.err, link.gone = err, link.path
		return link
	}
	at := *parent
	at.links = append(parent.links[:len(parent.links):len(parent.links)], link.path)
	if target == "" {
		link.err = fs.ErrNotExist
		return link
	}
	rest := target
	if isFull(target) {
		var top string
		top, rest = splitTop(target)
		links := at.links
		at = *w.top(top)
		at.links = links
	}
	for name := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '/' || r == separator }) {
		switch name {
		case ".":
			continue
		case "..":
			up := *w.up(at.path)
			up.links = at.links
			at = up
		default:
			at = *w.enter(&at, name, "")
		}
		if at.err != nil {
			break
		}
	}
	return &at
}

// up goes to the folder above a path that has no links in it.
func (w *walker) up(path string) *spot {
	top, rest := splitTop(path)
	i := strings.LastIndexByte(rest, separator)
	if i <= 0 {
		return w.top(top)
	}
	return w.dir(path[:len(path)-len(rest)+i])
}

func isFull(target string) bool {
	return len(target) > 0 && target[0] == separator && separator == '/' || len(target) > 2 && target[1] == ':'
}

func join(dir, name string) string {
	if dir[len(dir)-1] == separator {
		return dir + name
	}
	return dir + string(separator) + name
}

// laneError says that a place has to be looked at in the lane of another mount.
type laneError struct{ to *mount }

func (e *laneError) Error() string { return "it is on " + e.to.point }

// touch says which mount is about to be asked, and refuses those that hang. A
// remote one reached through a link is left to its own lane.
func (w *walker) touch(m *mount, links []string) error {
	if m.key != w.lane {
		if _, ok := w.stuck[m.key]; ok {
			return errStuck
		}
		if m.remote && len(links) > 0 && !w.free {
			return &laneError{m}
		}
	}
	w.onto(m)
	return nil
}

// find looks for a file by its number: at the candidates, then in the folder
// that the missing path was in.
func (w *walker) find(missing string, file fileKey, candidates []string) string {
	if w.newly == nil {
		w.newly = map[uint64]string{}
		for _, path := range candidates {
			w.note(w.newly, path)
		}
	}
	if path := w.newly[file.ino^uint64(file.birth)]; path != "" && path != missing {
		return path
	}
	i := strings.LastIndexByte(missing, separator)
	if i <= 0 {
		return ""
	}
	dir := missing[:i]
	if top, rest := splitTop(missing); strings.IndexByte(rest, separator) < 0 {
		dir = top
	}
	if w.table.of(dir).key != w.lane {
		return ""
	}
	files, ok := w.within[dir]
	if !ok {
		files = map[uint64]string{}
		names, err := w.fs.names(dir, maxSearch)
		if err == nil { // a folder that cannot be listed cannot be searched; nothing is offered then
			for _, name := range names {
				w.note(files, join(dir, name))
			}
		}
		w.within[dir] = files
	}
	return files[file.ino^uint64(file.birth)]
}

// note remembers a path by its file, if the system can tell files apart by more
// than a number, which is given to another file as soon as the first is gone.
// Other mounts are left alone: they may hang, and nothing is renamed to there.
func (w *walker) note(files map[uint64]string, path string) {
	if w.table.of(path).key != w.lane {
		return
	}
	if e, err := w.fs.lstat(path); err == nil && e.birth != 0 {
		files[e.ino^uint64(e.birth)] = path
	}
}

// maxSearch bounds the search for a folder that was moved.
const maxSearch = 4096
