package revisions

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rootsmanager/mcpclient"
	"rootsmanager/mcpclient/peers"
)

// stateless is the revision in which a server asks in its results.
const stateless = "2026-07-28"

// much is what the tool ask_much tells.
type much struct {
	A, B      []string
	Untouched bool
}

// modernSession connects to a server in the stateless revision. wire returns
// what was recorded, once the session has ended.
func modernSession(t *testing.T, m maker, transport mcpclient.Transport) (p *person, s *mcpclient.Session, wire func() []line) {
	t.Helper()
	program, args, env := m.command(t, transport)
	if m.name == "go" && transport == mcpclient.HTTP { // the Go SDK needs to be told
		env = []string{asServer + "=stateless"}
	}
	opts := &mcpclient.Options{}
	if transport == mcpclient.Stdio {
		spec, file := recording(t, program, args, env)
		spec.Revision = stateless
		p = newPerson(t, spec)
		s, end := start(t, p, opts)
		return p, s, func() []line {
			end()
			lines, err := recorded(file)
			if err != nil {
				t.Fatal(err)
			}
			return lines
		}
	}
	web := &tap{base: &http.Transport{}}
	t.Cleanup(web.base.CloseIdleConnections)
	opts.HTTPClient = &http.Client{Transport: web}
	p = newPerson(t, mcpclient.Spec{Transport: transport, URL: listening(t, program, args, env), Revision: stateless})
	s, end := start(t, p, opts)
	return p, s, func() []line {
		end()
		lines, exchanges := web.all()
		checkModernHeads(t, exchanges)
		return lines
	}
}

// checkModernHeads checks what every request carries (2026-07-28, "Transports",
// "Streamable HTTP": no sessions, and headers that repeat the message).
func checkModernHeads(t *testing.T, exchanges []exchange) {
	t.Helper()
	for _, e := range exchanges {
		if e.Method != http.MethodPost || e.Header.Get("Mcp-Session-Id") != "" ||
			e.Header.Get("Mcp-Protocol-Version") != stateless || e.Header.Get("Mcp-Method") != e.Sent {
			t.Errorf("%s of %s with %v", e.Method, e.Sent, e.Header)
		}
	}
}

func TestStoryInTheStatelessRevision(t *testing.T) {
	for _, m := range makers {
		if m.name != "go" && m.name != "typescript-2" {
			continue // the others do not know the revision
		}
		for _, transport := range all[:2] {
			t.Run(m.name+"/"+string(transport), func(t *testing.T) { tellInRounds(t, m, transport) })
		}
	}
}

func tellInRounds(t *testing.T, m maker, transport mcpclient.Transport) {
	p, s, wire := modernSession(t, m, transport)
	base := realDir(t)
	a, b := uri(t, filepath.Join(base, "first folder")), uri(t, filepath.Join(base, "zweiter #ü"))
	e, at := p.wait(0, mcpclient.Connected)
	if e.Revision != stateless || e.CanNotify {
		t.Errorf("connected as %+v", e)
	}
	first := make(chan string, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		res, err := s.CallTool(ctx, "ask_roots", nil)
		if err != nil {
			first <- err.Error()
			return
		}
		first <- res.Text
	}()
	_, at = p.wait(at, mcpclient.Requested)
	select {
	case text := <-first:
		t.Errorf("before anybody decided the server has %s", text)
	default:
	}
	p.give(a)
	close(p.decided)
	if got := parse[[]string](t, <-first); !slices.Equal(got, []string{a}) {
		t.Errorf("after the decision the server has %v", got)
	}
	p.wait(at, mcpclient.Answered)
	change := func(what string, uris ...string) {
		t.Helper()
		p.give(uris...)
		s.Announce() // of which this revision knows nothing
		if got := parse[[]string](t, call(t, s, "ask_roots")); !slices.Equal(got, uris) {
			t.Errorf("%s the server has %v, want %v", what, got, uris)
		}
	}
	change("after a folder came", b, a)
	got := parse[much](t, call(t, s, "ask_much"))
	if !slices.Equal(got.A, []string{b, a}) || !slices.Equal(got.B, got.A) {
		t.Errorf("two questions in one result are answered with %v and %v", got.A, got.B)
	}
	if !got.Untouched {
		t.Error("the server's state came back altered")
	}
	change("after a folder went", b)
	change("after the last one went")
	if n := p.count(mcpclient.Notified); n != 0 {
		t.Errorf("the server was told %d times in a revision that has no such message", n)
	}
	lines := wire()
	checkSchema(t, stateless, lines)
	checkGolden(t, stateless, transcript(t, lines, base))
}

func TestOtherInputIsRefusedWithoutDisclosure(t *testing.T) {
	for _, transport := range all[:2] {
		t.Run(string(transport), func(t *testing.T) {
			p, s, wire := modernSession(t, makers[0], transport)
			secret := uri(t, filepath.Join(realDir(t), "secret"))
			p.give(secret)
			close(p.decided)
			p.wait(0, mcpclient.Connected)
			fails := func(tool, want string) {
				t.Helper()
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				res, err := s.CallTool(ctx, tool, nil)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v %v, want an error with %q", tool, res, err, want)
				}
			}
			form := parse[struct {
				Roots []string
				Form  string
			}](t, call(t, s, "ask_form"))
			if form.Form != "decline" || !slices.Equal(form.Roots, []string{secret}) {
				t.Errorf("a form beside roots is answered with %+v", form)
			}
			fails("ask_model", "language model")
			p.refuse(mcpclient.ErrRootsOff)
			fails("ask_roots", mcpclient.ErrRootsOff.Error())
			p.refuse(nil)
			fails("ask_again", "more input")
			lines := wire()
			checkSchema(t, stateless, lines)
			answered := map[string]int{}
			for _, l := range lines {
				if !l.Out {
					continue
				}
				m := parse[struct {
					Params struct {
						Name           string
						InputResponses map[string]any
					}
				}](t, l.Raw)
				if m.Params.InputResponses != nil {
					answered[m.Params.Name]++
				}
			}
			if answered["ask_model"] != 0 || answered["ask_roots"] != 0 {
				t.Errorf("questions that were refused got answers: %v", answered)
			}
			if n := answered["ask_again"]; n == 0 || n > 10 {
				t.Errorf("a server that never has enough was answered %d times", n)
			}
		})
	}
}

func TestAutomaticChoiceOfTheRevision(t *testing.T) {
	ts2 := func(transport, setup string) func(*testing.T) (string, []string, []string) {
		return func(t *testing.T) (string, []string, []string) {
			args := []string{script(t, "ts2.mjs"), modern(t), transport}
			if setup != "" {
				args = append(args, setup)
			}
			return peers.Node(t), args, nil
		}
	}
	for _, tc := range []struct {
		name      string
		transport mcpclient.Transport
		command   func(*testing.T) (string, []string, []string)
		want      string
	}{
		// Where a server speaks both eras, the one in which it can be told.
		{"typescript-2, both eras", mcpclient.Stdio, ts2("stdio", ""), "2025-11-25"},
		{"typescript-2, both eras with sessions", mcpclient.HTTP, ts2("http", ""), "2025-11-25"},
		{"go, both eras", mcpclient.Stdio, func(t *testing.T) (string, []string, []string) { return goCommand(t, "stdio") }, "2025-11-25"},
		// Where it speaks only the new one, that.
		{"typescript-2, new only", mcpclient.Stdio, ts2("stdio", "modern"), stateless},
		{"typescript-2, new only over HTTP", mcpclient.HTTP, ts2("http", "modern"), stateless},
		// Where it has no sessions, it could never ask in the old one.
		{"typescript-2, without sessions", mcpclient.HTTP, ts2("http", "default"), stateless},
		{"go, without sessions", mcpclient.HTTP, func(t *testing.T) (string, []string, []string) { return goCommand(t, "stateless") }, stateless},
	} {
		t.Run(tc.name, func(t *testing.T) {
			program, args, env := tc.command(t)
			spec := mcpclient.Spec{Transport: tc.transport, Program: program, Args: args, Dir: t.TempDir(), Env: environment(env)}
			if tc.transport == mcpclient.HTTP {
				spec = mcpclient.Spec{Transport: tc.transport, URL: listening(t, program, args, env)}
			}
			p := newPerson(t, spec)
			folder := uri(t, filepath.Join(realDir(t), "a"))
			p.give(folder)
			close(p.decided)
			s, _ := start(t, p, &mcpclient.Options{})
			e, at := p.wait(0, mcpclient.Connected)
			if e.Revision != tc.want || e.CanNotify != (tc.want != stateless) {
				t.Errorf("connected at %s, want %s", e.Revision, tc.want)
			}
			if n := p.count(mcpclient.Connected) + p.count(mcpclient.Disconnected); n != 1 {
				t.Errorf("the search for a revision was reported: %s", p.story())
			}
			if tc.want != stateless {
				p.wait(at, mcpclient.Answered)
			} else if got := parse[[]string](t, call(t, s, "ask_roots")); !slices.Equal(got, []string{folder}) {
				t.Errorf("the server has %v", got)
			}
		})
	}
}
