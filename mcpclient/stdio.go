package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is the SDK's transport and connection over the pipes of a child:
// newline-delimited JSON (2025-11-25, "Transports", "stdio"), tolerant of lines
// that are no messages. It owns the goroutines in writers, which end with it,
// and not the process.
type stdio struct {
	wire  *wire
	in    io.WriteCloser // the child's stdin
	out   io.Closer      // the child's stdout
	lines *lineReader

	queue []jsonrpc.Message // read but not delivered; used by Read only

	writers sync.WaitGroup
	writing chan struct{} // holds one token; a channel so that waiting can be given up
	closed  chan struct{}

	mu   sync.Mutex
	over bool // closed is closed
}

func newStdio(w *wire, in io.WriteCloser, out io.ReadCloser, maxMessage int) *stdio {
	return &stdio{
		wire: w,
		in:   in,
		out:  out,
		lines: newLineReader(out, maxMessage, func(n int64) {
			w.note(fmt.Sprintf("skipped a message of %s: the limit is %s", megabytes(n), megabytes(int64(maxMessage))))
		}),
		writing: make(chan struct{}, 1),
		closed:  make(chan struct{}),
	}
}

// Connect implements [mcp.Transport].
func (s *stdio) Connect(context.Context) (mcp.Connection, error) { return s, nil }

// SessionID implements [mcp.Connection].
func (s *stdio) SessionID() string { return "" }

// Read implements [mcp.Connection].
func (s *stdio) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if len(s.queue) > 0 {
			msg := s.queue[0]
			s.queue = s.queue[1:]
			return msg, nil
		}
		line, err := s.lines.next(s.closed)
		if err != nil {
			return nil, io.EOF // the process tells why
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] == '[' {
			s.readBatch(line)
			continue
		}
		s.readOne(line, nil)
	}
}

func (s *stdio) readOne(line []byte, b *batch) {
	msg, err := jsonrpc.DecodeMessage(mend(line))
	if err != nil {
		if answer, ok := s.wire.orphan(line); ok {
			msg = answer
		} else {
			s.wire.note("stdout: " + shorten(string(line), stderrLine/2))
			return
		}
	}
	pass, reply := s.wire.in(msg, b)
	if reply != nil {
		// Written here on purpose: a server that floods us with requests and
		// does not read the refusals is not read from either.
		_ = s.write(context.Background(), reply) // a broken pipe ends Read as well
	}
	if pass {
		s.queue = append(s.queue, msg)
	}
}

func (s *stdio) readBatch(line []byte) {
	var parts []json.RawMessage
	if json.Unmarshal(line, &parts) != nil {
		s.wire.note("stdout: " + shorten(string(line), stderrLine/2))
		return
	}
	if !s.wire.batches() || len(parts) == 0 {
		_ = s.write(context.Background(), errorReply(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "Invalid Request: no batches in this revision"))
		return
	}
	b := &batch{}
	for _, p := range parts {
		s.readOne(p, b)
	}
}

// Write implements [mcp.Connection].
func (s *stdio) Write(ctx context.Context, msg jsonrpc.Message) error {
	o, err := s.wire.out(msg)
	if err != nil {
		return err
	}
	if o.data != nil {
		err = s.write(ctx, o.data)
	}
	o.sent(err)
	return err
}

// write writes one line. It gives up with ctx; a line that was begun is written
// on, or the next one would be unreadable, until the server takes it or the
// connection is closed.
func (s *stdio) write(ctx context.Context, line []byte) error {
	select {
	case s.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return io.ErrClosedPipe
	}
	line = append(line, '\n')
	if ctx.Done() == nil { // an answer: its handler has nothing else to do
		defer func() { <-s.writing }()
		_, err := s.in.Write(line)
		return err
	}
	written := make(chan error, 1)
	if !s.begin() {
		<-s.writing
		return io.ErrClosedPipe
	}
	go func() {
		defer s.writers.Done()
		defer func() { <-s.writing }()
		_, err := s.in.Write(line)
		written <- err
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin reports whether a writer may start; it then counts as one.
func (s *stdio) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	s.writers.Add(1)
	return true
}

// Close implements [mcp.Connection].
func (s *stdio) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		close(s.closed)
		_ = s.in.Close()  // an error means that it is closed already
		_ = s.out.Close() // likewise
	}
	return nil
}
