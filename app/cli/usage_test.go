package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrongUsageEndsWithTwoAndSaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		line string
		want string
	}{
		{"serv", `did you mean "server"?`},
		{"nonsense", `no command "nonsense"`},
		{"--nonsense", "unknown flag: --nonsense"},
		{"--json", "roots-manager run --json"},
		{"--play x.png", "add --demo"},
		{"--demo", "leave --data-dir out"},
		{"version now", `no argument such as "now"`},
		{"server", "add, list, remove, on, off"},
		{"server lst", `"lst" is not something`},
		{"server add", "give the server a name"},
		{"server add x", "-- COMMAND [ARG]… or --url URL"},
		{"server add x --", "write the command after --"},
		{"server add x y -- npx", `"y" was left over`},
		{"server add x npx -y", "comes after --"},
		{"server add x --url http://h/ -- npx", "not both"},
		{"server add x --transport sse -- npx", "--transport is for --url"},
		{"server add x --url http://h/ --transport stdio", "use http or sse"},
		{"server add x --url http://h/ --env A=1", "are for a command"},
		{"server add x --env A -- npx", "is not NAME=VALUE"},
		{"server remove", "give the name of a server"},
		{"server on a b", "put it in quotes"},
		{"root", "add, list, remove"},
		{"root add", "give a path or a URI"},
		{"root add /x --access w --server a", "use ro (read-only) or rw"},
		{"root add /x --access rw", "name it with --server"},
		{"root add /x --server=", "--server needs the name"},
		{"root remove", "give the path or URI"},
		{"check", "give the path to check"},
		{"approve", "give the name of a server"},
		{"run --consent maybe", "use ask, deny or session"},
		{"run --demo", "leave --data-dir out"},
		{"audit --since never", "use 90m, 24h, 7d"},
		{"audit --verify --server x", "checks the whole log"},
		{"run now", `no argument such as "now"`},
	} {
		t.Run(c.line, func(t *testing.T) {
			s := newShell(t)
			status, out, err := s.do(strings.Fields(c.line)...)
			if status != Usage {
				t.Errorf("status %d, want %d", status, Usage)
			}
			contains(t, "stderr", err, c.want, "\nSee: roots-manager", "--help\n")
			if out != "" {
				t.Errorf("stdout is for data, got %q", out)
			}
			if _, statErr := os.Stat(s.dir); statErr == nil {
				t.Error("a profile was made for a command line that makes no sense")
			}
		})
	}
}

func TestFailuresEndWithOneAndSayWhatToDo(t *testing.T) {
	s := newShell(t)
	dir := t.TempDir()
	s.must("server", "add", "Files", "--", "sh")
	s.must("server", "add", "Web", "--url", "https://example.com/mcp")
	s.must("root", "add", dir)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"unknown server near", []string{"server", "remove", "fles"}, `Did you mean "Files"?`},
		{"unknown server far", []string{"server", "off", "zzzzzzzz"}, `There are: "Files", "Web".`},
		{"taken name", []string{"server", "add", "files", "--", "sh"}, "already"},
		{"no web address", []string{"server", "add", "x", "--url", "ftp://h"}, "https://example.com/mcp"},
		{"bad variable", []string{"server", "add", "x", "--env", "a b=1", "--", "sh"}, "environment variable"},
		{"approve without a terminal", []string{"approve", "FILES"}, "Run this command at a terminal"},
		{"approve what is not there", []string{"approve", "file"}, `Did you mean "Files"?`},
		{"blocked place", []string{"root", "add", "/"}, "cannot be added"},
		{"duplicate", []string{"root", "add", dir}, "already"},
		{"scheme", []string{"root", "add", "ftp://h/x"}, "is not a file URI"},
		{"unknown server of a root", []string{"root", "add", dir, "--server", "Wed"}, `Did you mean "Web"?`},
		{"web address for a server that takes none", []string{"root", "add", "https://h.example/x", "--server", "all"}, "does not accept web addresses"},
		{"unknown root", []string{"root", "remove", dir + "x"}, dir},
		{"name instead of path", []string{"root", "remove", strings.ToUpper(filepath.Base(dir))}, "not its path"},
		{"check of a web address", []string{"check", "https://h.example/x"}, "only paths"},
		{"no window", nil, "roots-manager run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := s.must("root", "list", "--json")
			status, out, err := s.do(c.args...)
			if status != Failed {
				t.Errorf("status %d, want %d", status, Failed)
			}
			contains(t, "stderr", err, c.want)
			if out != "" {
				t.Errorf("stdout is for data, got %q", out)
			}
			if after, _ := s.must("root", "list", "--json"); after != before {
				t.Errorf("it changed the list of folders all the same:\n%s", after)
			}
		})
	}
}

func TestSensitivePlaceIsRefusedWithoutTerminal(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	s := newShell(t)
	status, _, err := s.do("root", "add", home)
	if status != Failed {
		t.Errorf("status %d", status)
	}
	contains(t, "stderr", err, "home folder", "run this command at a terminal")
	if out, _ := s.must("root", "list"); !strings.Contains(out, "no folders yet") {
		t.Errorf("it was added:\n%s", out)
	}
}

func TestServersAndRootsFromTheCommandLine(t *testing.T) {
	s := newShell(t)
	work := t.TempDir()
	folder := filepath.Join(work, "my project")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)

	out, _ := s.must("server", "add", "My Files", "--cwd", "my project", "--env", "A=1=2", "--", "sh", "-c", "exit 0")
	contains(t, "server add", out, "Added My Files: ", `"exit 0"`, `roots-manager approve "My Files"`)
	out, _ = s.must("server", "add", "Web", "--url", "https://example.com/mcp", "--transport", "sse", "--json")
	var added listedServer
	decode(t, out, &added)
	if added.Name != "Web" || added.Transport != "sse" || added.Approved || !added.On {
		t.Errorf("server add --json: %+v", added)
	}

	out, stderr := s.must("root", "add", "my project", "--name", "Project", "--access", "rw", "--server", "my files", "--server", "all")
	contains(t, "root add", out, "Added "+folder, "read and write, to My Files, Web")
	contains(t, "root add", stderr, "waits for your consent")

	var roots listedRoots
	out, _ = s.must("root", "list", "--json")
	decode(t, out, &roots)
	want := listedAssignment{Name: "My Files", Access: "rw", State: "waits for consent"}
	if len(roots.Roots) != 1 || roots.Roots[0].Path != folder || roots.Roots[0].Name != "Project" ||
		roots.Roots[0].Status != "reachable" || len(roots.Roots[0].Servers) != 2 || roots.Roots[0].Servers[0] != want {
		t.Errorf("root list --json: %+v", roots)
	}
	out, _ = s.must("root", "list")
	contains(t, "root list", out, "NAME", "Project", "My Files (rw, waits for consent)")

	var check checked
	out, _ = s.must("check", filepath.Join("my project", "a.txt"), "--json")
	decode(t, out, &check)
	if check.Path != filepath.Join(folder, "a.txt") || len(check.Servers) != 2 || check.Servers[0].Allowed || check.Servers[0].Root != folder {
		t.Errorf("check --json: %+v", check)
	}

	var servers listedServers
	out, _ = s.must("server", "list", "--json")
	decode(t, out, &servers)
	first := servers.Servers[0]
	if first.Cwd != folder || len(first.Env) != 1 || first.Env[0] != "A" || first.Assigned != 1 || first.Allowed != 0 {
		t.Errorf("server list --json: %+v", first)
	}
	if strings.Contains(out, "1=2") {
		t.Error("the value of a variable is listed")
	}
	out, _ = s.must("server", "list")
	contains(t, "server list", out, "0 of 1 allowed", "https://example.com/mcp (sse)")

	out, _ = s.must("server", "off", "WEB")
	contains(t, "server off", out, "Web is off")
	out, _ = s.must("server", "on", "web")
	contains(t, "server on", out, "Web is on. It waits for your approval")
	s.must("server", "remove", "web")
	out, _ = s.must("root", "remove", "my project")
	contains(t, "root remove", out, "Removed "+folder)
	out, _ = s.must("root", "list", "--json")
	contains(t, "root list", out, `"roots": []`)
}

func TestAssigningAgainDoesNotAddTwice(t *testing.T) {
	s := newShell(t)
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	s.must("server", "add", "a", "--", "sh")
	s.must("root", "add", dir)
	for _, path := range []string{dir, link} {
		out, _ := s.must("root", "add", path, "--server", "a", "--json")
		var added addedRoot
		decode(t, out, &added)
		if added.New || added.Consent || len(added.Assigned) != 1 {
			t.Errorf("%s: %+v", path, added)
		}
	}
	var roots listedRoots
	out, _ := s.must("root", "list", "--json")
	decode(t, out, &roots)
	if len(roots.Roots) != 1 || len(roots.Roots[0].Servers) != 1 {
		t.Errorf("%+v", roots)
	}
}

func TestProgramPathsAreTakenFromWhereTheyAreTyped(t *testing.T) {
	work := t.TempDir()
	t.Chdir(work)
	for given, want := range map[string]string{
		"npx":       "npx",
		"./server":  filepath.Join(work, "server"),
		"bin/x":     filepath.Join(work, "bin", "x"),
		"/usr/bin":  "/usr/bin",
		"~/bin/x":   "~/bin/x",
		"~other/xy": filepath.Join(work, "~other", "xy"),
	} {
		if got, err := programPath(given); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", given, got, err, want)
		}
	}
}

func TestVersionIsPrinted(t *testing.T) {
	s := newShell(t)
	out, _ := s.must("version")
	contains(t, "version", out, "roots-manager 1.2.3\n", "go1.")
	var v versions
	out, _ = s.must("version", "--json")
	decode(t, out, &v)
	if v.Version != "1.2.3" || v.OS == "" || v.Arch == "" || v.Go == "" {
		t.Errorf("%+v", v)
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if d.More() {
		t.Fatalf("more than one document: %s", text)
	}
}
