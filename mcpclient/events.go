package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// events screens a server-sent event stream line by line: it passes on the
// messages that the wire lets in, and drops whatever would make the SDK give
// the whole connection up (over-long lines, unknown fields, data that is no
// message).
type events struct {
	wire  *wire
	body  io.ReadCloser
	lines *lineReader
	ready []byte // screened, not read yet
	name  string // of the event being read

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
			e.name = ""
			e.ready = []byte("\n")
		}
	case "event":
		e.name = string(value)
		e.pass(line)
	case "id", "retry":
		e.pass(line)
	case "data":
		e.data(line, value)
	default:
		e.wire.note("event stream: " + shorten(string(line), stderrLine/2))
	}
}

func (e *events) pass(line []byte) { e.ready = append(line, '\n') }

func (e *events) data(line, value []byte) {
	if e.name != "" && e.name != "message" || len(bytes.TrimSpace(value)) == 0 {
		e.pass(line) // such as the endpoint event of the old SSE transport
		return
	}
	if value[0] == '[' && e.wire.batches() {
		e.batch(value)
		return
	}
	e.message(value)
}

func (e *events) batch(value []byte) {
	var parts []json.RawMessage
	if json.Unmarshal(value, &parts) != nil {
		e.wire.note("event stream: " + shorten(string(value), stderrLine/2))
		return
	}
	for _, p := range parts {
		e.message(p)
		if len(e.ready) > 0 {
			e.ready = append(e.ready, '\n') // one event each
		}
	}
}

func (e *events) message(value []byte) {
	value = mend(value)
	msg, err := jsonrpc.DecodeMessage(value)
	if err != nil {
		answer, ok := e.wire.orphan(value)
		if !ok {
			e.wire.note("event stream: " + shorten(string(value), stderrLine/2))
			return
		}
		msg = answer
		if value, err = jsonrpc.EncodeMessage(answer); err != nil {
			return // it was decoded a moment ago
		}
	}
	if pass, _ := e.wire.in(msg, nil); !pass {
		return
	}
	e.ready = append(e.ready, "data: "...)
	e.ready = append(e.ready, value...)
	e.ready = append(e.ready, '\n')
}
