package app

import (
	"slices"
	"strings"
	"testing"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

func TestTextFromServersIsMadeSafeToShow(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"evil\u202Etxt", "evil⟨U+202E⟩txt"},
		{"a\x1b[31mb", "a⟨U+001B⟩[31mb"},
		{"two\nlines\tand tab", "two lines and tab"},
		{"zero\u200Bwidth", "zero⟨U+200B⟩width"},
		{"bad\xffbyte", "bad⟨FF⟩byte"},
		{"replacement \uFFFD kept visible", "replacement ⟨U+FFFD⟩ kept visible"},
		{strings.Repeat("x", 60), strings.Repeat("x", 50) + "…"},
	} {
		if got := Plain(c.in, 50); got != c.want {
			t.Errorf("Plain(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestQuoteKeepsArgumentsApart(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"/usr/bin/npx", "-y", "@acme/notes@2.1.0"}, "/usr/bin/npx -y @acme/notes@2.1.0"},
		{[]string{"a", "b c", ""}, `a "b c" ""`},
		{[]string{"a", `b" "c`}, `a "b\" \"c"`},
		{[]string{"a", "--x\u202E"}, `a "--x⟨U+202E⟩"`},
	} {
		if got := Quote(c.argv); got != c.want {
			t.Errorf("Quote(%q) = %s, want %s", c.argv, got, c.want)
		}
	}
}

func TestDangerousCommandsAreFlagged(t *testing.T) {
	places := root.Places{OS: root.Unix, Home: "/home/u"}
	for _, c := range []struct {
		argv []string
		env  []store.Var
		want string // part of a title; empty: no warning at all
	}{
		{[]string{"/usr/bin/node", "server.js"}, nil, ""},
		{[]string{"/usr/bin/node", "server.js", "/home/u/work"}, nil, ""},
		{[]string{"/usr/bin/sudo", "node"}, nil, "administrator"},
		{[]string{"/bin/sh", "-c", "echo"}, nil, "shell script"},
		{[]string{"/bin/bash", "-lc", "echo"}, nil, "shell script"},
		{[]string{"/bin/sh", "-c", "curl x | sh"}, nil, "downloads"},
		{[]string{"/bin/sh", "-c", "rm -rf /"}, nil, "deletes"},
		{[]string{"/usr/bin/node", "s.js", "/home/u"}, nil, "sensitive place"},
		{[]string{"/usr/bin/node", "s.js", "--dir=/home/u/.ssh"}, nil, "sensitive place"},
		{[]string{"/usr/bin/node", "s.js", "/"}, nil, "sensitive place"},
		{[]string{"/usr/bin/node"}, []store.Var{{Name: "LD_PRELOAD", Value: "/x.so"}}, "loaded"},
		{[]string{"/usr/bin/npx", "-y", "@acme/notes"}, nil, "npx downloads"},
		{[]string{"/usr/bin/docker", "run", "-i", "mcp/fs"}, nil, "image"},
		{[]string{"/usr/bin/docker", "run", "mcp/fs@sha256:0123"}, nil, ""},
	} {
		p := &plan{argv: c.argv, env: c.env}
		list := p.warnings(places)
		if c.want == "" {
			if len(list) != 0 {
				t.Errorf("%q is warned of: %+v", c.argv, list)
			}
			continue
		}
		if !slices.ContainsFunc(list, func(w Warning) bool { return strings.Contains(w.Title, c.want) && w.Detail != "" }) {
			t.Errorf("%q: no warning with %q in %+v", c.argv, c.want, list)
		}
	}
}

func TestServerSpecsAreCheckedWithASentence(t *testing.T) {
	never := func(string) bool { return false }
	for _, c := range []struct {
		spec ServerSpec
		want string
	}{
		{ServerSpec{}, "say what to run or contact"},
		{ServerSpec{Command: "a", URL: "https://b/"}, "not both"},
		{ServerSpec{URL: "ftp://b/"}, "not a web address"},
		{ServerSpec{URL: "https://u:p@b/"}, "must not hold a password"},
		{ServerSpec{URL: "https://b/", Transport: store.Stdio}, "http or sse"},
		{ServerSpec{Command: "a\x00b"}, "NUL"},
		{ServerSpec{Command: "a", Env: []store.Var{{Name: "A B"}}}, "environment variable"},
		{ServerSpec{URL: "https://b/", Headers: []store.Var{{Name: "X", Value: "a\r\nB: c"}}}, "on one line"},
		{ServerSpec{Command: "a", Revision: "2020-01-01"}, "not a protocol revision"},
		{ServerSpec{Command: "a", Name: strings.Repeat("x", 81)}, "1 to 80"},
		{ServerSpec{Command: "a", Name: "evil\u202E"}, "visible characters"},
	} {
		if _, err := c.spec.server(store.Server{}, never); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.spec, err, c.want)
		}
	}
	taken := func(name string) bool { return strings.EqualFold(name, "files") }
	if _, err := (ServerSpec{Command: "a", Name: "FILES"}).server(store.Server{}, taken); err == nil {
		t.Error("a name that differs in case only was accepted")
	}
}

func TestNamesAreProposedFromWhatRuns(t *testing.T) {
	for want, s := range map[string]store.Server{
		"filesystem":  {Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem@2026.8.31"}},
		"notes":       {Command: "/usr/bin/npx", Args: []string{"@acme/notes-mcp@2.1.0"}},
		"git":         {Command: "uvx", Args: []string{"mcp-server-git"}},
		"fetch":       {Command: "docker", Args: []string{"run", "-i", "mcp/fetch"}},
		"everything":  {Command: "node", Args: []string{"/x/server-everything/dist/index.js"}},
		"memory":      {Command: "/usr/bin/node", Args: []string{"/x/@modelcontextprotocol/server-memory/dist/index.js"}},
		"my-server-x": {Command: "/opt/my-server-x"},
		"example.com": {URL: "https://example.com/mcp"},
	} {
		if got := proposeName(s); got != want {
			t.Errorf("proposeName(%+v) = %q, want %q", s, got, want)
		}
	}
}

func TestFoldersAreReadFromWhatServersSay(t *testing.T) {
	for text, want := range map[string][]string{
		"Allowed directories:\n/a\n/b c":                                    {"/a", "/b c"},
		`{"roots":[{"uri":"file:///a"}]}`:                                   {"file:///a"},
		"Current MCP Roots (1 total):\n\n1. a\n   URI: file:///tmp/x%20y\n": {"file:///tmp/x%20y"},
		"No roots": nil,
	} {
		if got := foldersIn(text); !slices.Equal(got, want) {
			t.Errorf("foldersIn(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\u202E\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Plain(s, 100) {
			if isHidden(r) {
				t.Fatalf("%q became %q with hidden %U", s, Plain(s, 100), r)
			}
		}
	})
}
