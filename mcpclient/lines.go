package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
)

// lineReader reads lines of at most max bytes. Longer ones are skipped without
// being held in memory and reported to skipped with their length.
type lineReader struct {
	r       *bufio.Reader
	max     int
	skipped func(length int64)
	pace    pace
}

func newLineReader(r io.Reader, limit int, skipped func(int64)) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: limit, skipped: skipped}
}

// next returns the next line without its end, in memory of its own. A last
// line without a newline is not returned: its writer died in the middle of it.
// stop ends a pause that the pace imposes.
func (l *lineReader) next(stop <-chan struct{}) ([]byte, error) {
	var line []byte
	var length int64
	for {
		part, err := l.r.ReadSlice('\n')
		length += int64(len(part))
		if length <= int64(l.max)+1 {
			line = append(line, part...)
		} else {
			line = nil
		}
		switch {
		case err == nil && length > int64(l.max)+1:
			l.skipped(length - 1)
			l.pace.wait(int(min(length, paceBytes)), stop)
			line, length = nil, 0
		case err == nil:
			l.pace.wait(len(line), stop)
			return bytes.TrimRight(line, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
			if length > int64(l.max)+1 {
				l.pace.wait(len(part), stop)
			}
		default:
			return nil, err
		}
	}
}

// The pace at which one server may make us read for long: enough for any honest
// one, and little enough that a flooding one cannot take the processor from the
// others.
const (
	paceWindow = 100 * time.Millisecond
	paceBytes  = 8 << 20
)

// pace slows the reader of a flood down: the writer then blocks on its own pipe.
// Nothing is dropped.
type pace struct {
	flow  flow
	start time.Time
	bytes int
}

func (p *pace) wait(n int, stop <-chan struct{}) {
	now := time.Now()
	rest := p.flow.next(now)
	if p.bytes += n; p.bytes >= paceBytes {
		rest = max(rest, paceWindow-now.Sub(p.start))
		p.start, p.bytes = now.Add(max(rest, 0)), 0
	}
	if rest <= 0 {
		return
	}
	t := time.NewTimer(rest)
	defer t.Stop()
	select {
	case <-t.C:
	case <-stop:
	}
}

// Bounds of what is kept of a server's stderr.
const (
	stderrLines = 500
	stderrLine  = 4 << 10 // bytes
)

// tail keeps the last lines a server wrote to stderr, and what it wrote to
// stdout that was no message.
type tail struct {
	mu    sync.Mutex
	lines []string // a ring once it is full
	first int
	own   string // the newest line that the server wrote to stderr itself
}

func (t *tail) add(line string) {
	line = strings.ToValidUTF8(line, "\uFFFD")
	if len(line) > stderrLine {
		line = strings.ToValidUTF8(line[:stderrLine-len("…")], "") + "…"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) < stderrLines {
		t.lines = append(t.lines, line)
		return
	}
	t.lines[t.first] = line
	t.first = (t.first + 1) % stderrLines
}

// fromServer adds a line of the server's stderr.
func (t *tail) fromServer(line string) {
	t.add(line)
	if line = strings.TrimSpace(line); !tells(line) {
		return
	}
	t.mu.Lock()
	t.own = line
	t.mu.Unlock()
}

// tells reports whether a stderr line says something by itself: the last lines
// of a crash are often a stack, closing brackets and the runtime's name.
func tells(line string) bool {
	return strings.ContainsFunc(line, unicode.IsLetter) &&
		!strings.HasPrefix(line, "at ") && !strings.HasPrefix(line, "Node.js v")
}

// lastWords returns the newest stderr line that tells something, since the last
// call of forget, shortened for an error message.
func (t *tail) lastWords() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return shorten(t.own, 300)
}

func (t *tail) forget() {
	t.mu.Lock()
	t.own = ""
	t.mu.Unlock()
}

func (t *tail) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]string, 0, len(t.lines))
	out = append(out, t.lines[t.first:]...)
	return append(out, t.lines[:t.first]...)
}

// readStderr reads lines until r ends. Lines longer than stderrLine are cut,
// not skipped: their beginning is what helps.
func readStderr(r io.Reader, line func(string), stop <-chan struct{}) {
	br := bufio.NewReaderSize(r, stderrLine)
	var p pace
	cut := false
	for {
		part, err := br.ReadSlice('\n')
		if len(part) > 0 && !cut {
			line(strings.TrimRight(string(part), "\r\n"))
		}
		p.wait(len(part), stop)
		cut = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !cut {
			return
		}
	}
}

// shorten cuts s to at most n bytes, at a character.
func shorten(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// megabytes words a size for people.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
