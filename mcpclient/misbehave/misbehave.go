// Package misbehave is a server for tests that does one thing wrong, or ends in
// one wrong way. A test binary becomes it by calling [Run] before its tests.
//
// Its promise: it speaks JSON-RPC by hand, on purpose without any code that is
// under test, and what it saw it writes to stderr, where the test reads it. It
// is imported by tests only, has no goroutines, and ends with its stdin unless
// the behaviour is not to.
package misbehave

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// evil is a server that does one thing wrong. It speaks JSON-RPC by hand, on
// purpose without the code that is under test.
type evil struct {
	in  *bufio.Reader
	out *bufio.Writer
	n   int
}

// message is what evil reads.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Run plays the server called mode, a name in behaviours, until its stdin ends.
// It exits with 2 if there is no such mode.
func Run(mode string) {
	e := &evil{in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout)}
	play, ok := behaviours[mode]
	if !ok {
		fmt.Fprintln(os.Stderr, "unknown mode", mode)
		os.Exit(2)
	}
	play(e)
}

func (e *evil) read() message {
	line, err := e.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintf(os.Stderr, "unreadable: %s\n", line)
		os.Exit(3)
	}
	return m
}

func (e *evil) say(format string, args ...any) {
	fmt.Fprintf(e.out, format+"\n", args...)
	if err := e.out.Flush(); err != nil {
		os.Exit(4)
	}
}

// expect reads until a message of the method, answering pings.
func (e *evil) expect(method string) message {
	for {
		m := e.read()
		if m.Method == method {
			return m
		}
		if m.Method == "ping" {
			e.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
	}
}

func (e *evil) initialize(revision string) {
	m := e.expect("initialize")
	e.greet(m.ID, revision)
	e.expect("notifications/initialized")
}

func (e *evil) greet(id json.RawMessage, revision string) {
	e.say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"evil","version":"6"}}}`, id, revision)
}

// ask asks for roots and returns the answer to it.
func (e *evil) ask() message {
	e.n++
	id := strconv.Itoa(e.n)
	e.say(`{"jsonrpc":"2.0","id":%s,"method":"roots/list"}`, id)
	return e.answer(id)
}

func (e *evil) answer(id string) message {
	for {
		m := e.read()
		if m.Method == "" && string(m.ID) == id {
			return m
		}
		if m.Method == "" {
			fmt.Fprintf(os.Stderr, "unexpected answer to %s\n", m.ID)
		}
		if m.Method == "ping" {
			e.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
	}
}

// report puts what the server saw where the test reads it.
func report(m message) {
	if m.Error != nil {
		fmt.Fprintf(os.Stderr, "error %s\n", m.Error)
		return
	}
	fmt.Fprintf(os.Stderr, "result %s\n", m.Result)
}

// behave is a good server from here on: it asks at once and after every change,
// and reports the answers.
func (e *evil) behave() {
	report(e.ask())
	for {
		e.expect("notifications/roots/list_changed")
		report(e.ask())
	}
}

// Current is the revision that the servers speak unless they say otherwise.
const Current = "2025-11-25"

// forever waits to be ended. A select without cases would end a program that
// has no other goroutine.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

var behaviours = map[string]func(*evil){
	"never reads stdin again": func(e *evil) {
		e.initialize(Current)
		forever()
	},
	"floods stdout with notifications": func(e *evil) {
		e.initialize(Current)
		for {
			e.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%q}}`, strings.Repeat("x", 1000))
		}
	},
	"floods with questions and reads no answer": func(e *evil) {
		e.initialize(Current)
		for i := 0; ; i++ {
			e.say(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, i)
		}
	},
	"floods stderr": func(e *evil) {
		e.initialize(Current)
		line := strings.Repeat("y", 100_000)
		for {
			fmt.Fprintln(os.Stderr, line)
		}
	},
	"sends a line of 100 MB": func(e *evil) {
		e.initialize(Current)
		e.out.WriteString(`{"jsonrpc":"2.0","method":"x","params":{"data":"`)
		for range 100 {
			e.out.WriteString(strings.Repeat("z", 1<<20))
		}
		e.say(`"}}`)
		e.behave()
	},
	"sends garbage": func(e *evil) {
		e.say("Welcome to my server!")
		m := e.expect("initialize")
		e.say("")
		e.say("{not json")
		e.say("[]")
		e.say("null")
		e.say(`{"level":"info","msg":"a log line that is JSON"}`)
		e.say("\x00\xff\xfe\x1b[31m")
		e.greet(m.ID, Current)
		e.expect("notifications/initialized")
		e.say(`{"jsonrpc":"2.0"}`)
		e.say(`{"jsonrpc":"1.0","id":7,"method":"roots/list"}`)
		e.say(`"a string"`)
		e.behave()
	},
	"answers with wrong ids": func(e *evil) {
		m := e.expect("initialize")
		e.greet(json.RawMessage(`99`), Current)
		e.greet(json.RawMessage(`"1"`), Current)
		e.greet(json.RawMessage(`-1`), Current)
		e.greet(m.ID, Current)
		e.expect("notifications/initialized")
		e.say(`{"jsonrpc":"2.0","id":12345,"result":{}}`)
		e.say(`{"jsonrpc":"2.0","id":null,"result":{}}`)
		e.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		e.behave()
	},
	"answers twice": func(e *evil) {
		m := e.expect("initialize")
		e.greet(m.ID, Current)
		e.greet(m.ID, Current)
		e.greet(m.ID, "2024-11-05")
		e.expect("notifications/initialized")
		e.behave()
	},
	"asks twice with one id": func(e *evil) {
		e.initialize(Current)
		e.say(`{"jsonrpc":"2.0","id":5,"method":"roots/list"}` + "\n" + `{"jsonrpc":"2.0","id":5,"method":"roots/list"}`)
		report(e.answer("null"))
		report(e.answer("5"))
		e.behave()
	},
	"asks with wrong params": func(e *evil) {
		e.initialize(Current)
		e.say(`{"jsonrpc":"2.0","id":"wrong","method":"roots/list","params":[1,2]}`)
		report(e.answer(`"wrong"`))
		e.behave()
	},
	"asks in a batch": func(e *evil) { // allowed in 2025-03-26
		e.initialize("2025-03-26")
		e.say(`[{"jsonrpc":"2.0","id":"a","method":"roots/list"},{"jsonrpc":"2.0","method":"notifications/message","params":{}},{"jsonrpc":"2.0","id":"b","method":"ping"}]`)
		line, err := e.in.ReadBytes('\n')
		if err != nil {
			os.Exit(5)
		}
		fmt.Fprintf(os.Stderr, "batch %s", line)
		e.behave()
	},
	"asks in a batch where there are none": func(e *evil) {
		e.initialize(Current)
		e.say(`[{"jsonrpc":"2.0","id":"a","method":"roots/list"}]`)
		report(e.answer("null"))
		e.behave()
	},
	"cancels its question": func(e *evil) {
		e.initialize(Current)
		e.say(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		e.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"impatient"}}`)
		e.say(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		e.answer(`"p"`)
		fmt.Fprintln(os.Stderr, "cancelled")
		e.n = 1
		e.behave()
	},
	"asks before it is initialized": func(e *evil) {
		m := e.expect("initialize")
		report(e.ask()) // and waits for the answer
		e.greet(m.ID, Current)
		e.expect("notifications/initialized")
		e.behave()
	},
	"answers nothing": func(e *evil) {
		for {
			e.read()
		}
	},
	"answers nothing once connected": func(e *evil) {
		e.initialize(Current)
		for {
			e.read()
		}
	},
	"dies in the middle of a message": func(e *evil) {
		e.initialize(Current)
		e.out.WriteString(`{"jsonrpc":"2.0","id":1,"meth`)
		e.out.Flush()
		fmt.Fprintln(os.Stderr, "Segmentation fault, as if")
		os.Exit(139)
	},
	"dies after a moment": func(e *evil) {
		e.initialize(Current)
		e.ask()
		fmt.Fprintln(os.Stderr, "panic: index out of range [7] with length 7")
		os.Exit(2)
	},
	"crashes at random": func(e *evil) { // once in about ten changes
		e.initialize(Current)
		for {
			e.ask()
			if rand.IntN(10) == 0 {
				os.Exit(1)
			}
			e.expect("notifications/roots/list_changed")
		}
	},
	"exits at once": func(*evil) {
		fmt.Fprintln(os.Stderr, "Error: Cannot find module 'left-pad'")
		os.Exit(1)
	},
	"ignores initialize": func(e *evil) { // it knows 2026-07-28 only
		for {
			if m := e.read(); m.Method == "server/discover" {
				e.discover(m.ID)
			}
		}
	},
	"exits on initialize": func(e *evil) {
		m := e.read()
		if m.Method != "server/discover" {
			os.Exit(1)
		}
		e.discover(m.ID)
		for {
			e.read()
		}
	},
	"refuses initialize without an id": func(e *evil) {
		for {
			m := e.read()
			if m.Method == "server/discover" {
				e.discover(m.ID)
			} else if m.Method == "initialize" {
				e.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`)
			}
		}
	},
	"refuses new revisions": func(e *evil) {
		for {
			m := e.read()
			var p struct{ ProtocolVersion string }
			_ = json.Unmarshal(m.Params, &p)
			switch {
			case m.Method == "initialize" && p.ProtocolVersion == "2024-11-05":
				e.greet(m.ID, "2024-11-05")
				e.expect("notifications/initialized")
				e.behave()
			case m.ID != nil:
				e.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Unsupported protocol version"}}`, m.ID)
			}
		}
	},
	"ignores every polite end": func(e *evil) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		e.initialize(Current)
		forever()
	},
	"leaves a child behind": func(e *evil) {
		// A shell that outlives its parent, holds its pipes and ignores signals.
		c := exec.Command("/bin/sh", "-c", `trap "" TERM HUP INT; echo child $$ >&2; while :; do sleep 1; done`)
		c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := c.Start(); err != nil {
			os.Exit(6)
		}
		e.initialize(Current)
		fmt.Fprintf(os.Stderr, "self %d\n", os.Getpid())
		forever()
	},
	"forgets its stdin": func(e *evil) {
		e.initialize(Current)
		fmt.Fprintf(os.Stderr, "self %d\n", os.Getpid())
		forever()
	},
	"behaves": func(e *evil) {
		e.initialize(Current)
		e.behave()
	},
	"wants input": (*evil).wantInput,
}

func (e *evil) discover(id json.RawMessage) {
	e.say(`{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"modern","version":"26"}}}}`, id)
}

// wantInput is a server of revision 2026-07-28 whose tool needs roots twice, in
// requests without params, and elicitation; it reports what it was given.
func (e *evil) wantInput() {
	for {
		m := e.read()
		switch m.Method {
		case "initialize":
			e.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
		case "server/discover":
			e.discover(m.ID)
		case "notifications/roots/list_changed":
			fmt.Fprintln(os.Stderr, "told, though this revision has no list_changed")
		case "tools/call":
			var p struct {
				Name           string
				InputResponses json.RawMessage
				RequestState   string
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				os.Exit(7)
			}
			switch {
			case p.Name == "sample":
				e.say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"s":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}}}`, m.ID)
			case p.InputResponses == nil:
				e.say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","requestState":"st/ate+=\"quoted\" ü","inputRequests":{"one":{"method":"roots/list"},"two":{"method":"roots/list"},"form":{"method":"elicitation/create","params":{"message":"Your password?","requestedSchema":{"type":"object","properties":{}}}}}}}`, m.ID)
			default:
				text, err := json.Marshal(p.RequestState + "|" + string(p.InputResponses))
				if err != nil {
					os.Exit(8)
				}
				e.say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":%s}]}}`, m.ID, text)
			}
		}
	}
}
