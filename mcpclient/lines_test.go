package mcpclient

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestLinesAreCutAndLongOnesSkipped(t *testing.T) {
	input := "one\r\n\n" + strings.Repeat("x", 200_000) + "\nfour" + strings.Repeat("y", 100_000-4) + "\n" + strings.Repeat("z", 100_001) + "\nlast\nno newline"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(input),
		"bytes": iotest.OneByteReader(strings.NewReader(input)),
	} {
		t.Run(name, func(t *testing.T) {
			var skipped []int64
			l := newLineReader(r, 100_000, func(n int64) { skipped = append(skipped, n) })
			var got []int
			for {
				line, err := l.next(nil)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, len(line))
			}
			if fmt.Sprint(got) != "[3 0 100000 4]" || fmt.Sprint(skipped) != "[200000 100001]" {
				t.Errorf("lines of %v, skipped %v", got, skipped)
			}
		})
	}
}

func TestStderrKeepsTheLast500Lines(t *testing.T) {
	var tl tail
	for i := range 1234 {
		tl.fromServer(fmt.Sprintf("line %d", i))
	}
	tl.add(strings.Repeat("ü\xff", stderrLine))
	got := tl.all()
	if len(got) != stderrLines || got[0] != "line 735" || got[498] != "line 1233" {
		t.Errorf("%d lines, from %q to %q", len(got), got[0], got[498])
	}
	if last := got[499]; len(last) > stderrLine || !utf8.ValidString(last) || !strings.HasSuffix(last, "…") {
		t.Errorf("the long line has %d bytes, valid: %v", len(last), utf8.ValidString(last))
	}
	for _, l := range []string{"    at Module._compile (node:internal)", "}", "", "Node.js v20.20.2"} {
		tl.fromServer(l)
	}
	if tl.lastWords() != "line 1233" {
		t.Errorf("last words: %q", tl.lastWords())
	}
}

func TestLongStderrLineKeepsItsBeginning(t *testing.T) {
	var got []string
	readStderr(strings.NewReader("begin"+strings.Repeat("x", 100_000)+"\nnext\nunfinished"), func(l string) { got = append(got, l) }, nil)
	if len(got) != 3 || !strings.HasPrefix(got[0], "begin") || len(got[0]) != stderrLine || got[1] != "next" || got[2] != "unfinished" {
		t.Errorf("got %d lines", len(got))
	}
}

func TestExposureIsEncodedOnce(t *testing.T) {
	roots := []Root{{URI: "file:///a", Name: `<"&ü>`}, {URI: "file:///b"}}
	e := Encode(7, roots)
	roots[0].Name = "changed later"
	if want := `{"roots":[{"uri":"file:///a","name":"<\"&ü>"},{"uri":"file:///b"}]}`; string(e.JSON) != want {
		t.Errorf("got  %s\nwant %s", e.JSON, want)
	}
	if e.Generation != 7 || e.Roots[0].Name != `<"&ü>` {
		t.Errorf("%+v", e)
	}
	if got := string(Encode(1, nil).JSON); got != `{"roots":[]}` {
		t.Errorf("no roots: %s", got)
	}
	if got := string(Encode(1, []Root{{URI: "file:///a", Name: "two\nlines\xff"}}).JSON); strings.ContainsAny(got, "\n") || !utf8.ValidString(got) {
		t.Errorf("a name broke the line: %q", got)
	}
}

func TestInputRequestsWithoutParamsAreMended(t *testing.T) {
	for in, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"a":{"method":"roots/list"}},"requestState":"\u0001"}}`:        `{"id":1,"jsonrpc":"2.0","result":{"inputRequests":{"a":{"method":"roots/list","params":{}}},"requestState":"\u0001"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"a":{"method":"roots/list","params":{"_meta":{}}},"b":null}}}`: "",
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\"inputRequests\""}]}}`:                       "",
		`{"inputRequests" broken`: "",
	} {
		if want == "" {
			want = in
		}
		if got := string(mend([]byte(in))); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", in, got, want)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\nid: 5\n\n")
	f.Add("data: [1]\n\n:comment\n\nretry: 10\n\nevent: endpoint\ndata: /x\n\n")
	f.Fuzz(func(t *testing.T, in string) {
		out, err := io.ReadAll(newEvents(newWire(func(string) {}), io.NopCloser(strings.NewReader(in)), 1000))
		if err != nil {
			t.Fatal(err)
		}
		if len(out) > 10*len(in)+100 {
			t.Errorf("%d bytes became %d", len(in), len(out))
		}
		for _, line := range strings.Split(string(out), "\n") {
			field, _, _ := strings.Cut(line, ":")
			switch field {
			case "", "data", "event", "id", "retry":
			default:
				t.Errorf("%q passed", line)
			}
		}
	})
}
