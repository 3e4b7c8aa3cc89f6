package aiapps

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSecretsAreTold(t *testing.T) {
	for _, c := range []struct {
		name, value string
		secret      bool
	}{
		{"API_KEY", "abc", true},
		{"GITHUB_PERSONAL_ACCESS_TOKEN", "x", true},
		{"githubToken", "x", true},
		{"DB_PASSWORD", "x", true},
		{"Authorization", "Bearer abc", true},
		{"Authorization", "Bearer ${env:TOKEN}", false},
		{"API_KEY", "${input:key}", false},
		{"API_KEY", "${KEY:-sk-default}", true},
		{"X", "ghp_abcdefghijklmnopqrstuvwxyz012345", true},
		{"DATABASE_URL", "postgres://u:pw@h/db", true},
		{"DATABASE_URL", "postgres://h/db", false},
		{"URL", "https://h/x?api_key=x1", true},
		{"KEYBOARD", "de", false},
		{"MONKEY", "x", false},
		{"LOG_LEVEL", "debug", false},
		{"USE_AUTH", "true", false},
		{"PATH", "/usr/bin", false},
	} {
		if got := isSecret(c.name, c.value); got != c.secret {
			t.Errorf("%s=%s: %v", c.name, c.value, got)
		}
	}
	args := []string{"-y", "x", "--api-key", "abc", "--token=def", "--header", "Authorization: Bearer ghi", "sk-0123456789abcdef0123", "--token", "--verbose", "/home/key"}
	e := Entry{Args: args, Secrets: secretArgs(args), URL: "https://u:p@h/x?token=1"}
	want := []string{"-y", "x", "--api-key", Hidden, "--token=" + Hidden, "--header", Hidden, Hidden, "--token", "--verbose", "/home/key"}
	if d := cmp.Diff(want, e.ShownArgs()); d != "" {
		t.Error(d)
	}
	if got := e.ShownURL(); strings.Contains(got, "u:p") || strings.Contains(got, "=1") {
		t.Error(got)
	}
}

func TestFoldersByTheRulesOfWindows(t *testing.T) {
	e := Env{OS: "windows", Home: `C:\Users\u`}
	entry := Entry{
		Command: "docker", Args: []string{"run", "-v", `C:\work:/work`, `D:/data`, `\\server\share\x`, `~\docs`, "/c", "x:y"},
		Env: []Var{{"DIRS", `C:\a;D:\b`, false}, {"PATH", `C:\bin`, false}},
	}
	var got []string
	for _, f := range e.folders(&entry) {
		got = append(got, f.Path)
	}
	if d := cmp.Diff([]string{`C:\work`, "D:/data", `\\server\share\x`, `C:\Users\u\docs`, `C:\a`, `D:\b`}, got); d != "" {
		t.Error(d)
	}
}

func TestTheDiskDecidesWhatIsAFolder(t *testing.T) {
	e := Env{OS: "linux", Home: "/home/u", IsFolder: func(p string) bool { return p == "/data.db" }}
	entry := Entry{Command: "x", Args: []string{"/data.db", "/opt/tool", "${HOME}/unknown"}}
	folders := e.folders(&entry)
	if len(folders) != 2 || folders[0].Path != "/data.db" || !folders[1].Unknown {
		t.Errorf("%+v", folders)
	}
}

func TestTheSameServerOfSeveralAppsIsOneWithDifferences(t *testing.T) {
	fs := Entry{App: "A", File: "a", Name: "files", Command: "npx", Args: []string{"-y", "server-filesystem@1", "/x"}}
	renamed := fs
	renamed.App, renamed.Name = "B", "my-files"
	other := fs
	other.App, other.Name, other.Args = "C", "Files", []string{"-y", "server-filesystem@2", "/x", "/y"}
	other.Env = []Var{{"API_KEY", "s", true}}
	stranger := Entry{App: "D", Name: "files", Command: "/usr/bin/files"}
	second := fs
	second.Name, second.Args = "files2", []string{"-y", "server-filesystem@1", "/z"}

	servers := Merge([]Entry{fs, renamed, other, stranger, second})
	if len(servers) != 3 || len(servers[0].Entries) != 3 || servers[1].Entries[0].App != "D" || servers[2].Name != "files2" {
		t.Fatalf("%+v", servers)
	}
	want := []Difference{
		{"arguments", []string{"-y server-filesystem@1 /x", "-y server-filesystem@1 /x", "-y server-filesystem@2 /x /y"}},
		{"environment API_KEY", []string{"", "", Hidden}},
	}
	if d := cmp.Diff(want, servers[0].Differences); d != "" {
		t.Error(d)
	}
}

func TestPlanOffersRootsAndLeavesOutWhatIsManaged(t *testing.T) {
	mine := Entry{App: "A", File: "f", Name: "ours", Command: "/opt/roots-manager", Args: []string{"bridge", "id"}, Managed: "id"}
	theirs := Entry{
		App: "Cursor", File: "/home/u/.cursor/mcp.json", Name: "fs", Command: "npx", Args: []string{"x", "/w"},
		Env:       []Var{{"TOKEN", "t", true}},
		Folders:   []Folder{{Path: "/w", From: Argument, Arg: 1}, {Path: "$X/y", From: Argument, Unknown: true}, {Path: "/e", From: Environment}},
		Variables: []string{"$X"},
	}
	plan := Plan([]Entry{mine, theirs})
	if len(plan) != 1 {
		t.Fatalf("%+v", plan)
	}
	p := plan[0]
	if p.Source != "Cursor (/home/u/.cursor/mcp.json)" || len(p.Roots) != 1 || p.Roots[0].Path != "/w" || !p.Env[0].Secret || !slices.Equal(p.Variables, []string{"$X"}) {
		t.Errorf("%+v", p)
	}
}

func TestFiveHundredServersAreMerged(t *testing.T) {
	var found []Entry
	for i := range 500 {
		e := Entry{App: "A", Name: fmt.Sprint("s", i), Command: "npx", Args: []string{fmt.Sprint("p", i)}}
		o := e
		o.App = "B"
		found = append(found, e, o)
	}
	if got := len(Merge(found)); got != 500 {
		t.Error(got)
	}
}
