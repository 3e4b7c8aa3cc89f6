package revisions

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"rootsmanager/mcpclient"
)

// old are the revisions in which a server asks by a request of its own.
var old = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

func TestStoryInEveryRevisionOverEveryTransportToEveryServer(t *testing.T) {
	for _, m := range makers {
		for _, transport := range m.transports {
			for _, revision := range old {
				t.Run(m.name+"/"+string(transport)+"/"+revision, func(t *testing.T) {
					t.Parallel() // most of the time they wait for a server to start or end
					tell(t, m, transport, revision)
				})
			}
		}
	}
}

// tell tells the story: connect, ask, decide, add, remove, revoke the last.
func tell(t *testing.T, m maker, transport mcpclient.Transport, revision string) {
	program, args, env := m.command(t, transport)
	base := realDir(t)
	a, b := uri(t, filepath.Join(base, "first folder")), uri(t, filepath.Join(base, "zweiter #ü"))
	mkdirs(t, base, "first folder", "zweiter #ü")
	opts := &mcpclient.Options{}
	var spec mcpclient.Spec
	var file string
	var web *tap
	if transport == mcpclient.Stdio {
		spec, file = recording(t, program, args, env)
	} else {
		web = &tap{base: &http.Transport{}}
		t.Cleanup(web.base.CloseIdleConnections)
		opts.HTTPClient = &http.Client{Transport: web}
		address := listening(t, program, args, env)
		if strings.Count(address, "/") == 2 { // server-everything tells no path
			address += map[mcpclient.Transport]string{mcpclient.HTTP: "/mcp", mcpclient.SSE: "/sse"}[transport]
		}
		spec = mcpclient.Spec{Transport: transport, URL: address}
	}
	spec.Revision = revision
	p := newPerson(t, spec)
	s, end := start(t, p, opts)

	e, at := p.wait(0, mcpclient.Connected)
	if e.Revision != revision || e.Transport != transport || !e.CanNotify {
		t.Errorf("connected as %+v", e)
	}
	_, at = p.wait(at, mcpclient.Requested)
	if n := p.count(mcpclient.Answered); n != 0 {
		t.Errorf("the server was answered %d times before anybody decided", n)
	}
	if m.asks {
		t.Log("its tool asks too, so it is not called before the decision")
	} else if got := m.believes(t, s); contains(got, base) {
		t.Errorf("before anybody decided the server believes %v", got)
	}
	p.give(a)
	close(p.decided)
	_, at = p.wait(at, mcpclient.Answered)
	until(t, "after the decision", []string{a}, func() []string { return m.believes(t, s) })

	change := func(what string, uris ...string) {
		t.Helper()
		p.give(uris...)
		s.Announce()
		_, told := p.wait(at, mcpclient.Notified)
		_, answered := p.wait(at, mcpclient.Answered)
		at = max(told, answered)
		want := uris
		if m.keeps && len(uris) == 0 {
			want = []string{b}
		}
		until(t, what, want, func() []string { return m.believes(t, s) })
	}
	change("after a folder came", b, a) // the person's order, not the alphabet's
	change("after a folder went", b)
	change("after the last one went")
	if m.keeps { // only a restart takes access away from it
		s.Restart()
		_, at = p.wait(at, mcpclient.Connected)
		p.wait(at, mcpclient.Answered)
		if got := m.believes(t, s); contains(got, base) {
			t.Errorf("after a restart the server believes %v", got)
		}
	}
	end()

	var lines []line
	if web != nil {
		var exchanges []exchange
		lines, exchanges = web.all()
		if transport == mcpclient.HTTP {
			checkHeads(t, exchanges, revision)
		}
	} else {
		var err error
		if lines, err = recorded(file); err != nil {
			t.Fatal(err)
		}
	}
	checkSchema(t, revision, lines)
	if m.golden {
		checkGolden(t, revision, transcript(t, lines, base))
	}
}

func contains(uris []string, base string) bool {
	return strings.Contains(strings.Join(uris, " "), filepath.ToSlash(base))
}

// checkHeads checks what every request of a streamable HTTP connection carries
// (2025-11-25, "Transports", "Session Management" and "Protocol Version
// Header"; the header is new in 2025-06-18).
func checkHeads(t *testing.T, exchanges []exchange, revision string) {
	t.Helper()
	session, gets, deletes := "", 0, 0
	for i, e := range exchanges {
		if i == 0 {
			if e.Sent != "initialize" || e.Header.Get("Mcp-Session-Id") != "" {
				t.Errorf("the first request is %+v", e)
			}
			continue
		}
		if session == "" {
			session = e.Header.Get("Mcp-Session-Id")
		}
		if got := e.Header.Get("Mcp-Session-Id"); got == "" || got != session {
			t.Errorf("%s %s has the session %q, want %q", e.Method, e.Sent, got, session)
		}
		if got := e.Header.Get("Mcp-Protocol-Version"); revision >= "2025-06-18" && got != revision {
			t.Errorf("%s %s has the revision %q, want %q", e.Method, e.Sent, got, revision)
		}
		accept := e.Header.Get("Accept")
		switch e.Method {
		case http.MethodGet:
			gets++
			if !strings.Contains(accept, "text/event-stream") {
				t.Errorf("a GET accepts %q", accept)
			}
		case http.MethodDelete:
			deletes++
		case http.MethodPost:
			if !strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream") {
				t.Errorf("a POST of %s accepts %q", e.Sent, accept)
			}
		}
	}
	if gets == 0 || deletes != 1 {
		t.Errorf("%d GETs and %d DELETEs; want a stream, and one end", gets, deletes)
	}
}
