package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxEventHead bounds the lines of one event besides its data, in bytes.
const maxEventHead = 16 << 10

// events screens a server-sent event stream event by event: it passes on the
// messages that the wire lets in, and drops whatever would make the SDK give
// the whole connection up (over-long lines, unknown fields, data that is no
// message, events that are left empty).
type events struct {
	wire  *wire
	body  io.ReadCloser
	lines *lineReader
	ready []byte // screened, not read yet

	// The event being read:
	name    string
	head    []byte // its lines besides data
	data    []byte // its data lines, screened
	dropped bool   // it had data that was dropped

	closed chan struct{}
	once   sync.Once
}

func newEvents(w *wire, body io.ReadCloser, maxMessage int) *events {
	return &events{
		wire: w,
		body: body,
		lines: newLineReader(body, maxMessage, func(n int64) {
			w.note(fmt.Sprintf("skipped a message of %s: the limit is %s", megabytes(n), megabytes(int64(maxMessage))))
		}),
		closed: make(chan struct{}),
	}
}

// Read implements [io.Reader].
func (e *events) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		line, err := e.lines.next(e.closed)
		if err != nil {
			return 0, err
		}
		e.screen(line)
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// Close implements [io.Closer].
func (e *events) Close() error {
	e.once.Do(func() { close(e.closed) })
	return e.body.Close()
}

func (e *events) screen(line []byte) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "": // the end of an event, or a comment
		if len(line) == 0 {
			e.finish()
		}
	case "event":
		e.name = string(value)
		e.header(line)
	case "id", "retry":
		e.header(line)
	case "data":
		e.value(value)
	default:
		e.wire.note("event stream: " + shorten(string(line), stderrLine/2))
	}
}

func (e *events) header(line []byte) {
	if len(e.head)+len(line) < maxEventHead {
		e.head = append(append(e.head, line...), '\n')
	}
}

// finish passes the event on, unless nothing is left of it.
func (e *events) finish() {
	if len(e.data) > 0 || !e.dropped && len(e.head) > 0 {
		e.ready = append(append(e.head, e.data...), '\n')
		e.head = nil // its memory is in use now
	}
	e.name, e.head, e.data, e.dropped = "", e.head[:0], e.data[:0], false
}

// value screens the data of one line. MCP messages have no newlines, so a line
// is a message.
func (e *events) value(value []byte) {
	switch {
	case e.name != "" && e.name != "message": // such as the endpoint event of the old SSE transport
		e.keep(value)
	case len(bytes.TrimSpace(value)) == 0: // it carries an id only
	case value[0] == '[' && e.wire.batches():
		e.batch(value)
	default:
		e.message(value)
	}
}

func (e *events) keep(value []byte) {
	if len(e.data)+len(value) > e.lines.max+maxEventHead {
		e.data, e.dropped = nil, true // no message has so many lines
		return
	}
	e.data = append(e.data, "data: "...)
	e.data = append(e.data, value...)
	e.data = append(e.data, '\n')
}

func (e *events) batch(value []byte) {
	var parts []json.RawMessage
	if json.Unmarshal(value, &parts) != nil {
		e.drop(value)
		return
	}
	for _, p := range parts {
		before := len(e.data)
		e.message(p)
		if len(e.data) > before {
			e.data = append(e.data, '\n') // an event each
		}
	}
}

func (e *events) message(value []byte) {
	value = mend(value)
	msg, err := jsonrpc.DecodeMessage(value)
	if err != nil {
		answer, ok := e.wire.orphan(value)
		if !ok {
			e.drop(value)
			return
		}
		msg = answer
		if value, err = jsonrpc.EncodeMessage(answer); err != nil {
			e.drop(nil) // it was decoded a moment ago, so this does not happen
			return
		}
	}
	if pass, _ := e.wire.in(msg, nil); !pass {
		e.dropped = true
		return
	}
	e.keep(value)
}

func (e *events) drop(value []byte) {
	e.dropped = true
	e.wire.note("event stream: " + shorten(string(value), stderrLine/2))
}
