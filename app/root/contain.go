package root

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// ErrTooManyLinks is returned when a path leads through more than 255 symbolic
// links, which means that they lead round in a circle.
var ErrTooManyLinks = errors.New("the path leads through too many symbolic links; check for links that point at each other")

const maxLinks = 255

// Covers reports whether path is root or lies below it, by the names of their
// components alone ("/home/user" does not cover "/home/user2"; CVE-2025-53110).
// "." and ".." are resolved by name; on Windows upper and lower case are the
// same. Paths that are not full paths cover nothing and are covered by nothing.
//
// Covers does not look at the disk, so it knows nothing of symbolic links: give
// it resolved paths, or use [Reaches].
func Covers(os OS, root, path string) bool {
	r, ok := split(os, root)
	if !ok {
		return false
	}
	p, ok := split(os, path)
	if !ok {
		return false
	}
	r, p = r.clean(), p.clean()
	if len(r.names) > len(p.names) || !sameStart(r, p) {
		return false
	}
	for i, name := range r.names {
		if !sameName(os, name, p.names[i]) {
			return false
		}
	}
	return true
}

func sameStart(a, b volume) bool {
	return a.drive == b.drive && a.host == b.host && fold(a.share) == fold(b.share)
}

func sameName(os OS, a, b string) bool {
	return a == b || os == Windows && fold(a) == fold(b)
}

// Spelling returns a key that is equal for two full paths exactly if each of
// them [Covers] the other. It is for finding duplicates without touching the
// disk; the key is not a path. A path that is not full is its own key.
func Spelling(os OS, path string) string {
	v, ok := split(os, path)
	if !ok {
		return path
	}
	s := v.clean().String()
	if os == Windows {
		return fold(s)
	}
	return s
}

// Resolve returns the full path with every symbolic link followed. Components
// that do not exist are kept as they are, below the deepest ancestor that does,
// so the answer tells where a file would be created; this holds for a link that
// points at something missing as well. It fails with an [*InvalidError] for a
// path that is not full, with [ErrTooManyLinks], or with an [*fs.PathError]
// where a folder may not be looked into.
//
// Resolve reads the disk and can block for as long as a dead mount does.
func Resolve(path string) (string, error) {
	v, ok := split(Native(), path)
	if !ok {
		return "", invalid(Native(), path, ReasonRelative, "")
	}
	done := v
	done.names = nil
	todo := slices.Clone(v.names)
	missing := 0 // trailing names of done that do not exist
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == "." {
			continue
		}
		if name == ".." {
			done.names = done.names[:max(0, len(done.names)-1)]
			missing = max(0, missing-1)
			continue
		}
		done.names = append(done.names, name)
		if missing > 0 {
			missing++
			continue
		}
		target, err := readLink(done.String())
		switch {
		case isAbsent(err):
			missing = 1
			continue
		case err != nil:
			return "", fmt.Errorf("resolving the path: %w", err)
		case target == "":
			continue
		}
		if links++; links > maxLinks {
			return "", ErrTooManyLinks
		}
		done.names = done.names[:len(done.names)-1]
		if t, full := split(Native(), target); full {
			todo = append(t.names, todo...)
			done = t
			done.names = nil
		} else {
			parts := strings.FieldsFunc(target, func(r rune) bool { return r == '/' || r == filepath.Separator })
			if os.IsPathSeparator(target[0]) { // Windows: from the top of the same drive
				done.names = nil
			}
			todo = append(parts, todo...)
		}
	}
	return nativeSpelling(done, missing), nil
}

// readLink returns where path leads if it is a link, and "" if it is not.
func readLink(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	// Junctions of Windows are irregular files that can be read as links.
	if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0 {
		return "", nil
	}
	target, err := os.Readlink(path)
	if err != nil && info.Mode()&fs.ModeSymlink == 0 {
		return "", nil // irregular, and no junction: a thing of its own
	}
	return target, err
}

func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// nativeSpelling turns short names and other cases of Windows into the real
// ones, for the part that exists.
func nativeSpelling(v volume, missing int) string {
	if runtime.GOOS != "windows" {
		return v.String()
	}
	exists := v
	exists.names = v.names[:len(v.names)-missing]
	long, err := filepath.EvalSymlinks(exists.String())
	if err != nil { // gone since, or not allowed: the spelling found so far is right, if not the nicest
		return v.String()
	}
	if l, ok := split(Windows, long); ok {
		l.names = append(slices.Clone(l.names), v.names[len(exists.names):]...)
		return l.String()
	}
	return v.String()
}

// Reaches reports whether path is root or lies below it after both have been
// resolved; see [Resolve] for what happens to missing parts and for errors.
// Between the answer and its use links can change, so look again at use
// (CVE-2025-53109).
func Reaches(root, path string) (bool, error) {
	r, err := Resolve(root)
	if err != nil {
		return false, err
	}
	p, err := Resolve(path)
	if err != nil {
		return false, err
	}
	return Covers(Native(), r, p), nil
}

// Same reports whether two full paths lead to the same file or folder, also
// through links, hard links, mounts or another spelling. Paths that do not
// exist are the same if they resolve to the same path.
func Same(a, b string) (bool, error) {
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(ia, ib), nil
	}
	ra, err := Resolve(a)
	if err != nil {
		return false, err
	}
	rb, err := Resolve(b)
	if err != nil {
		return false, err
	}
	return Spelling(Native(), ra) == Spelling(Native(), rb), nil
}
