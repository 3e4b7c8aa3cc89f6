package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxAsked is how many requests of one server may wait for our answer at once.
const maxAsked = 64

// codeRefused stands for -32601 between our middleware and the wire, because
// the SDK rewrites the message and drops the data of an error with that code.
const (
	codeRefused        = -39601
	codeMethodNotFound = jsonrpc.CodeMethodNotFound
	codeTooBusy        = -32000
)

// answerMark begins the result that stands for a ready-encoded answer between
// our middleware and the wire.
const answerMark = `{"roots-manager-answer":`

// answer is one roots/list answer on its way out. sent is called once.
type answer struct {
	exposure *Exposure
	sent     func(error)
}

// wire is what every message of one connection passes, whatever the transport:
// what comes in is screened before the SDK sees it, what goes out gets its
// final form. It is safe for concurrent use.
type wire struct {
	note func(string) // what was dropped; shown with the server's stderr

	heard atomic.Int64 // when the last message came in, Unix ns

	mu       sync.Mutex
	revision string
	calls    map[jsonrpc.ID]string // our requests that wait for an answer, with their method
	asked    map[jsonrpc.ID]*asked // the server's requests that wait for ours
	answers  map[uint64]*answer
	seq      uint64
}

// asked is one request of the server.
type asked struct {
	cancelled bool   // the server no longer wants the answer
	batch     *batch // the batch it came in, if any
}

// batch collects the answers to a JSON-RPC batch, which go out together
// (revision 2025-03-26, "Base Protocol", "Batching").
type batch struct {
	open    int
	answers [][]byte
	sent    []func(error)
}

func newWire(note func(string)) *wire {
	return &wire{
		note:    note,
		calls:   map[jsonrpc.ID]string{},
		asked:   map[jsonrpc.ID]*asked{},
		answers: map[uint64]*answer{},
	}
}

// hold keeps an answer until the SDK writes its placeholder, which is returned.
func (w *wire) hold(a *answer) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq++
	w.answers[w.seq] = a
	return fmt.Appendf(nil, "%s%d}", answerMark, w.seq)
}

// in screens one decoded message. It reports whether the SDK shall see it, and
// what to reply at once where it shall not.
func (w *wire) in(msg jsonrpc.Message, b *batch) (pass bool, reply []byte) {
	w.heard.Store(time.Now().UnixNano())
	w.mu.Lock()
	defer w.mu.Unlock()
	switch m := msg.(type) {
	case *jsonrpc.Response:
		method, ok := w.calls[m.ID]
		if !ok {
			w.note(fmt.Sprintf("dropped an answer to a request that is not open (id %s)", shorten(fmt.Sprint(m.ID.Raw()), 40)))
			return false, nil
		}
		delete(w.calls, m.ID)
		if method == "initialize" && m.Error == nil {
			var r struct {
				ProtocolVersion string `json:"protocolVersion"`
			}
			if json.Unmarshal(m.Result, &r) == nil {
				w.revision = r.ProtocolVersion
			}
		}
		return true, nil
	case *jsonrpc.Request:
		if !m.IsCall() {
			return w.notification(m), nil
		}
		switch {
		case w.asked[m.ID] != nil:
			return false, errorReply(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "Invalid Request: this request ID is already in use")
		case len(w.asked) >= maxAsked:
			return false, errorReply(m.ID, codeTooBusy, "Too many requests at once")
		}
		w.asked[m.ID] = &asked{batch: b}
		if b != nil {
			b.open++
		}
		return true, nil
	}
	return false, nil
}

// notification reports whether the SDK needs to see one. It queues them without
// a bound, so only what has an effect here may pass.
func (w *wire) notification(m *jsonrpc.Request) bool {
	if m.Method != "notifications/cancelled" {
		return false
	}
	var p struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	if err != nil || w.asked[id] == nil || w.asked[id].cancelled {
		return false
	}
	w.asked[id].cancelled = true
	return true
}

// orphan turns an error reply without an id into the answer to the only open
// request, if there is exactly one: servers answer so what they cannot parse.
func (w *wire) orphan(line []byte) (*jsonrpc.Response, bool) {
	var m struct {
		ID    json.RawMessage `json:"id"`
		Error *jsonrpc.Error  `json:"error"`
	}
	if json.Unmarshal(line, &m) != nil || m.Error == nil || (len(m.ID) > 0 && string(m.ID) != "null") {
		return nil, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.calls) != 1 {
		return nil, false
	}
	for id := range w.calls {
		return &jsonrpc.Response{ID: id, Error: m.Error}, true
	}
	return nil, false
}

// batches reports whether the revision spoken has JSON-RPC batches.
func (w *wire) batches() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.revision != "" && w.revision < "2025-06-18"
}

// outgoing is one message in its final form.
type outgoing struct {
	data []byte      // nothing is written when it is nil
	sent func(error) // called when data was written, or failed to be
}

// out gives a message of the SDK its final form.
func (w *wire) out(msg jsonrpc.Message) (outgoing, error) {
	switch m := msg.(type) {
	case *jsonrpc.Request:
		return w.request(m)
	case *jsonrpc.Response:
		return w.response(m)
	}
	return outgoing{}, fmt.Errorf("a message of unknown type %T", msg)
}

func (w *wire) request(m *jsonrpc.Request) (outgoing, error) {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return outgoing{}, err
	}
	w.mu.Lock()
	if m.IsCall() {
		w.calls[m.ID] = m.Method
	} else if m.Method == "notifications/cancelled" {
		var p struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			if id, err := jsonrpc.MakeID(p.RequestID); err == nil {
				delete(w.calls, id)
			}
		}
	}
	w.mu.Unlock()
	return outgoing{data: data, sent: func(error) {}}, nil
}

func (w *wire) response(m *jsonrpc.Response) (outgoing, error) {
	data, sent, err := w.encode(m)
	if err != nil {
		return outgoing{}, err
	}
	w.mu.Lock()
	q := w.asked[m.ID]
	delete(w.asked, m.ID)
	w.mu.Unlock()
	if q == nil {
		return outgoing{data: data, sent: sent}, nil
	}
	if q.cancelled {
		// "SHOULD NOT send a response for the cancelled request" (2025-11-25,
		// "Cancellation", "Behavior Requirements").
		sent(errors.New("the server cancelled its request"))
		data, sent = nil, func(error) {}
	}
	if q.batch == nil {
		return outgoing{data: data, sent: sent}, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return q.batch.add(data, sent), nil
}

func (b *batch) add(data []byte, sent func(error)) outgoing {
	b.open--
	if data != nil {
		b.answers = append(b.answers, data)
		b.sent = append(b.sent, sent)
	}
	if b.open > 0 || len(b.answers) == 0 {
		return outgoing{sent: func(error) {}}
	}
	all := append([]byte{'['}, bytes.Join(b.answers, []byte{','})...)
	return outgoing{data: append(all, ']'), sent: func(err error) {
		for _, f := range b.sent {
			f(err)
		}
	}}
}

// encode writes a response: a held answer from its ready-encoded bytes, our
// private error code as the one it stands for, all else as the SDK has it.
func (w *wire) encode(m *jsonrpc.Response) ([]byte, func(error), error) {
	if bytes.HasPrefix(m.Result, []byte(answerMark)) {
		n, a, err := w.claim(m.Result)
		if err != nil {
			return nil, nil, err
		}
		id, err := json.Marshal(m.ID.Raw())
		if err != nil {
			return nil, nil, err
		}
		data := make([]byte, 0, len(a.exposure.JSON)+len(id)+64)
		data = append(data, `{"jsonrpc":"2.0","id":`...)
		data = append(data, id...)
		data = append(data, `,"result":`...)
		data = append(data, a.exposure.JSON...)
		return append(data, '}'), func(err error) { w.settle(n, err) }, nil
	}
	var e *jsonrpc.Error
	if m.Error != nil && errors.As(m.Error, &e) && e.Code == codeRefused {
		c := *e
		c.Code = codeMethodNotFound
		m = &jsonrpc.Response{ID: m.ID, Error: &c}
	}
	data, err := jsonrpc.EncodeMessage(m)
	return data, func(error) {}, err
}

// claim finds the answer that a placeholder stands for. It stays claimable
// until settle, because a redirected request is made twice.
func (w *wire) claim(mark []byte) (uint64, *answer, error) {
	n, err := strconv.ParseUint(string(bytes.TrimRight(mark[len(answerMark):], "}")), 10, 64)
	if err != nil {
		return 0, nil, fmt.Errorf("a placeholder that was never given out: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.answers[n]
	if a == nil {
		return 0, nil, errors.New("an answer that was already written")
	}
	return n, a, nil
}

// settle reports once how it went with an answer.
func (w *wire) settle(n uint64, err error) {
	w.mu.Lock()
	a := w.answers[n]
	delete(w.answers, n)
	w.mu.Unlock()
	if a != nil {
		a.sent(err)
	}
}

// abandon tells every answer that was never written.
func (w *wire) abandon(err error) {
	w.mu.Lock()
	open := w.answers
	w.answers = map[uint64]*answer{}
	w.mu.Unlock()
	for _, a := range open {
		a.sent(err)
	}
}

func errorReply(id jsonrpc.ID, code int64, message string) []byte {
	data, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", id.Raw(), &jsonrpc.Error{Code: code, Message: message}})
	if err != nil {
		panic(fmt.Sprintf("mcpclient: a JSON-RPC id cannot fail to encode: %v", err))
	}
	return data
}

// mend repairs what the SDK trips over in a result of revision 2026-07-28: an
// input request without params, which the schema leaves optional.
func mend(line []byte) []byte {
	if !bytes.Contains(line, []byte(`"inputRequests"`)) {
		return line
	}
	var msg map[string]json.RawMessage
	var result map[string]json.RawMessage
	var requests map[string]map[string]json.RawMessage
	if json.Unmarshal(line, &msg) != nil || json.Unmarshal(msg["result"], &result) != nil ||
		json.Unmarshal(result["inputRequests"], &requests) != nil {
		return line
	}
	changed := false
	for _, r := range requests {
		if p, ok := r["params"]; r != nil && (!ok || string(p) == "null") {
			r["params"] = json.RawMessage(`{}`)
			changed = true
		}
	}
	if !changed {
		return line
	}
	// Maps of raw messages that were just decoded encode without an error.
	result["inputRequests"], _ = json.Marshal(requests)
	msg["result"], _ = json.Marshal(result)
	out, err := json.Marshal(msg)
	if err != nil {
		return line
	}
	return out
}
