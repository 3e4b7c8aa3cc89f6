package aiapps

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxFile is the largest file that is read, in bytes. Claude Code keeps its
// history in the same file, so it may be large.
const maxFile = 64 << 20

// Inventory is what all AI apps together have configured.
type Inventory struct {
	Entries []Entry      // in the order of [Env.Places], within a file as written
	Files   []string     // the files that exist
	Broken  []*FileError // files that could not be read or understood
}

// Read reads every configuration file there is. A file that is missing is left
// out; one that cannot be understood is in Broken, and the others are read all
// the same. The error is ctx's.
func Read(ctx context.Context, e Env) (Inventory, error) {
	var inv Inventory
	for _, p := range e.Places() {
		if err := ctx.Err(); err != nil {
			return Inventory{}, err
		}
		found, err := e.readPlace(p)
		switch broken := (*FileError)(nil); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case errors.As(err, &broken):
			inv.Broken = append(inv.Broken, broken)
		}
		inv.Files = append(inv.Files, p.File)
		inv.Entries = append(inv.Entries, found...)
	}
	return inv, nil
}

func (e Env) readPlace(p Place) ([]Entry, error) {
	src, err := readFile(p.File)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, &FileError{App: p.App, File: p.File, Err: err}
	}
	top, err := p.parse(src)
	if err != nil {
		return nil, err
	}
	return p.entries(e, src, top), nil
}

// parse reads the file's bytes; errors are *FileError.
func (p Place) parse(src []byte) (*node, error) {
	top, err := parse(p.Format, src)
	var broken *FileError
	if errors.As(err, &broken) {
		broken.App, broken.File = p.App, p.File
	}
	return top, err
}

// readFile reads a regular file of at most maxFile bytes.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would block
		return nil, errors.New("this is not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	src, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(src) > maxFile {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxFile>>20)
	}
	return src, nil
}

// Fingerprint changes when one of the files changes, appears or goes: cheap
// enough to be compared every few seconds, as it only looks at sizes and times.
func (e Env) Fingerprint() string {
	h := sha256.New()
	for _, p := range e.Places() {
		info, err := os.Stat(p.File)
		if err != nil {
			_, _ = fmt.Fprintf(h, "%q -\n", p.File) // a hash does not fail
			continue
		}
		_, _ = fmt.Fprintf(h, "%q %d %d %o\n", p.File, info.Size(), info.ModTime().UnixNano(), info.Mode())
	}
	return hex.EncodeToString(h.Sum(nil))
}
