package aiapps

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const ours = "/opt/Roots Manager/roots-manager"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// many is a file with 500 servers, of one of the formats.
func many(format Format) string {
	var b strings.Builder
	switch format {
	case JSON:
		b.WriteString("{\n  // five hundred\n  \"mcpServers\": {\n")
		for i := range 500 {
			fmt.Fprintf(&b, "    \"s%d\": { \"command\": \"npx\", \"args\": [\"-y\", \"p%d\"], }, // nr. %d\n", i, i, i)
		}
		b.WriteString("  },\n}\n")
	case TOML:
		for i := range 500 {
			fmt.Fprintf(&b, "# nr. %d\n[mcp_servers.s%d]\ncommand = 'npx' # it\nargs = [\"-y\", 'p%d']\n\n[mcp_servers.s%d.env]\nA = \"%d\"\n\n", i, i, i, i, i)
		}
	case YAML:
		b.WriteString("extensions:\n")
		for i := range 500 {
			fmt.Fprintf(&b, "  s%d: # nr. %d\n    type: stdio\n    cmd: npx\n    args:\n    - -y # yes\n    - p%d\n\n", i, i, i)
		}
	}
	return b.String()
}

// roundTrips are files, the name of a server in each, and what the app changes
// elsewhere in the file meanwhile.
var roundTrips = []struct {
	name, file, server, old, new string
	content                      string
}{
	{"comments, tabs, CRLF, BOM", ".config/Claude/claude_desktop_config.json", "filesystem", "https://example.com", "https://example.org", claudeDesktop},
	{"Zed", ".config/zed/settings.json", "new", "One Dark", "Ayu", zedSettings},
	{"older Zed", ".config/zed/settings.json", "old", "/src/repo", "/src/other", zedSettings},
	{"a project of Claude Code", ".claude.json", "b", `"numStartups": 12`, `"numStartups": 13`, claudeCode},
	{"TOML", ".codex/config.toml", "docs", `model = "gpt-5"`, "model = \"gpt-6\"\nnew = 1", codexConfig},
	{"TOML, CRLF and BOM", ".codex/config.toml", "docs", `"debug"`, `"info"`, "\xef\xbb\xbf" + strings.ReplaceAll(codexConfig, "\n", "\r\n")},
	{"TOML in one line", ".codex/config.toml", "x", "b = 2", "b = 3", "b = 2\n[mcp_servers]\nx = { command = \"npx\", env = {A = \"1\"} } # x\n"},
	{"TOML without arguments", ".codex/config.toml", "x", "b = 2", "b = 3", "b = 2\n[mcp_servers.x]\n  command = '''npx''' # x\n  cwd = \"/\"\n"},
	{"YAML list", ".continue/config.yaml", "SQLite", "name: Local", "name: Mine", continueConfig},
	{"YAML list, CRLF", ".continue/config.yaml", "SQLite", "name: Local", "name: Mine", strings.ReplaceAll(continueConfig, "\n", "\r\n")},
	{
		"YAML", ".config/goose/config.yaml", "files", "anthropic", "openai",
		"\xef\xbb\xbf" + strings.ReplaceAll(strings.ReplaceAll(gooseConfig, " &files", ""), "  same: *files\n", ""),
	},
	{"YAML, flow", ".config/goose/config.yaml", "x", "a: 1", "a: 2", "a: 1\nextensions:\n  x: {cmd: npx, args: [-y, 'it''s'], timeout: 3} # x\n"},
	{"YAML without arguments", ".continue/config.yaml", "ü", "a: 1", "a: 2", "a: 1\nmcpServers:\n  - command: \"ü x\" # c\n    name: ü\n"},
	{"YAML without arguments, flow", ".config/goose/config.yaml", "x", "a: 1", "a: 2", "a: 1\nextensions: {x: {cmd: npx}}\n"},
	{"JSON without arguments", ".cursor/mcp.json", "x", "/y", "/z", "{\"mcpServers\": {\n\t\"x\": {\n\t\t/* c */ \"command\" : \"npx\" // x\n\t},\n\t\"y\": {\"command\": \"/y\"}}}"},
	{"JSON in one line", ".cursor/mcp.json", "x", "/y", "/z", `{"mcpServers":{"x":{"env":{},"command":"npx"},"y":{"command":"/y"}}}`},
	{"500 entries of JSON", ".cursor/mcp.json", "s250", "p499", "p500", many(JSON)},
	{"500 entries of TOML", ".codex/config.toml", "s250", "'p499'", "'p500'", many(TOML)},
	{"500 entries of YAML", ".config/goose/config.yaml", "s250", "p499", "p500", many(YAML)},
}

func find(t *testing.T, e Env, name string) Entry {
	t.Helper()
	inv := read(t, e)
	for _, b := range inv.Broken {
		t.Fatal(b)
	}
	for _, entry := range inv.Entries {
		if entry.Name == name {
			return entry
		}
	}
	t.Fatalf("no server %q", name)
	return Entry{}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func apply(t *testing.T, edit *Edit) {
	t.Helper()
	if _, err := edit.Apply(t.TempDir(), noon); err != nil {
		t.Fatal(err)
	}
}

func state(t *testing.T, r Record, want State) {
	t.Helper()
	if got, err := Check(r); err != nil || got != want {
		t.Errorf("it is %q, %v; want %q", got, err, want)
	}
}

func TestGivenBackByteForByte(t *testing.T) {
	for _, c := range roundTrips {
		t.Run(c.name, func(t *testing.T) {
			e := home(t, map[string]string{c.file: c.content})
			file := filepath.Join(e.Home, c.file)
			before := read(t, e).Entries
			entry := find(t, e, c.server)
			edit, r, err := Adopt(entry, ours, "id1", entry.AppID)
			if err != nil {
				t.Fatal(err)
			}
			if contents(t, file) != c.content {
				t.Fatal("the file was changed before it was allowed")
			}
			apply(t, edit)
			state(t, r, Managed)
			after := read(t, e).Entries
			if len(after) != len(before) {
				t.Fatalf("%d entries became %d", len(before), len(after))
			}
			for i := range after {
				if after[i].Name != c.server {
					if fmt.Sprint(after[i].run()) != before[i].run() {
						t.Errorf("%s was changed, too", after[i].Name)
					}
					continue
				}
				if after[i].Managed != "id1" || after[i].Binary != ours || fmt.Sprint(after[i].Env) != fmt.Sprint(before[i].Env) {
					t.Errorf("%+v", after[i])
				}
			}
			changed := 0
			diff := edit.Diff()
			for _, l := range strings.SplitAfter(diff, "\n")[2:] {
				if strings.HasPrefix(l, "-") {
					changed++
				}
			}
			if changed == 0 || changed > 7 || !strings.Contains(diff, "roots-manager") {
				t.Errorf("%d lines changed:\n%s", changed, diff)
			}

			back, err := GiveBack(r)
			if err != nil {
				t.Fatal(err)
			}
			if string(back.after) != c.content {
				t.Errorf("given back it is not what it was:\n%s", unified(file, []byte(c.content), back.after))
			}

			// The app changes something else in the file, and we move.
			now := contents(t, file)
			if strings.Count(now, c.old) != 1 {
				t.Fatalf("%q is in the file %d times", c.old, strings.Count(now, c.old))
			}
			write(t, file, strings.Replace(now, c.old, c.new, 1))
			repair, r, err := Repair(r, "/new/place/roots-manager")
			if err != nil {
				t.Fatal(err)
			}
			apply(t, repair)
			state(t, r, Managed)
			if back, err = GiveBack(r); err != nil {
				t.Fatal(err)
			}
			apply(t, back)
			want := strings.Replace(c.content, c.old, c.new, 1)
			if got := contents(t, file); got != want {
				t.Errorf("more changed than the app changed:\n%s", unified(file, []byte(want), []byte(got)))
			}
			state(t, r, Rewritten)
			if _, err := GiveBack(r); !errors.Is(err, ErrRewritten) {
				t.Errorf("given back twice: %v", err)
			}
		})
	}
}

func TestAnAppThatWritesTheFileAnewLosesNothing(t *testing.T) {
	for _, c := range []struct{ name, file, content, anew, want string }{
		{
			"JSON", ".cursor/mcp.json", `{"mcpServers": { "x": { /* my */ "command": "npx" } }}`,
			"{\n  \"mcpServers\": {\n    \"x\": {\n      \"args\": [\n        \"bridge\",\n        \"id\"\n      ],\n      \"command\": \"" + ours + "\",\n      \"disabled\": true\n    }\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"npx\",\n      \"disabled\": true\n    }\n  }\n}",
		},
		{
			"YAML", ".config/goose/config.yaml", "extensions:\n    x:\n        cmd: npx\n        args:\n            - -y # c\n            - p\n",
			"extensions:\n  x:\n    args:\n    - bridge\n    - id\n    cmd: " + ours + "\n",
			"extensions:\n  x:\n    args:\n    - \"-y\"\n    - \"p\"\n    cmd: npx\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := home(t, map[string]string{c.file: c.content})
			file := filepath.Join(e.Home, c.file)
			edit, r, err := Adopt(find(t, e, "x"), ours, "id", "")
			if err != nil {
				t.Fatal(err)
			}
			apply(t, edit)
			write(t, file, c.anew)
			state(t, r, Managed)
			back, err := GiveBack(r)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(back.after); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestWhatBecameOfAnEntryIsNoticed(t *testing.T) {
	e := home(t, map[string]string{".cursor/mcp.json": `{"mcpServers": {"x": {"command": "npx", "args": ["p"]}}}`})
	file := filepath.Join(e.Home, ".cursor/mcp.json")
	edit, r, err := Adopt(find(t, e, "x"), ours, "id", "cursor")
	if err != nil {
		t.Fatal(err)
	}
	state(t, r, Rewritten)
	apply(t, edit)
	managed := contents(t, file)
	for content, want := range map[string]State{
		managed: Managed,
		strings.Replace(managed, "/opt/Roots Manager", "/old", 1): Moved,
		strings.Replace(managed, "bridge", "other", 1):            Rewritten,
		strings.Replace(managed, `"id"`, `"other"`, 1):            Rewritten,
		`{"mcpServers": {"y": {"command": "npx"}}}`:               Dropped,
		`{"mcpServers": {"x": 1}}`:                                Dropped,
		`{"mcpServers": {"x": {"url": "http://h"}}}`:              Rewritten,
		``: Dropped,
	} {
		write(t, file, content)
		state(t, r, want)
	}
	write(t, file, "{")
	if _, err := Check(r); err == nil {
		t.Error("a broken file was not reported")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	state(t, r, Dropped)
}

func TestWhatCannotBeEditedSafelyIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		want                error
	}{
		{"a web address", ".cursor/mcp.json", `{"mcpServers": {"x": {"url": "http://h"}}}`, ErrNoCommand},
		{"the same name twice", ".cursor/mcp.json", `{"mcpServers": {"x": {"command": "a"}, "x": {"command": "b"}}}`, ErrShape},
		{"the same key twice", ".cursor/mcp.json", `{"mcpServers": {"x": {"command": "a", "command": "b"}}}`, ErrShape},
		{"arguments that are no list", ".cursor/mcp.json", `{"mcpServers": {"x": {"command": "a", "args": {}}}}`, ErrShape},
		{"an anchor", ".config/goose/config.yaml", "extensions:\n  x: &x\n    cmd: a\n  y: *x\n", ErrShape},
		{"an alias", ".config/goose/config.yaml", "extensions:\n  y: &x\n    cmd: a\n  x: *x\n", ErrShape},
		{"an anchor in the arguments", ".config/goose/config.yaml", "a: 1\nextensions:\n  x:\n    cmd: a\n    args:\n    - &a b\nb: *a\n", ErrShape},
		{"folded text", ".config/goose/config.yaml", "extensions:\n  x:\n    cmd: >\n      a\n      b\n", ErrShape},
		{"text over two lines", ".config/goose/config.yaml", "extensions:\n  x:\n    cmd: a\n      b\n", ErrShape},
		{"dotted keys without arguments", ".codex/config.toml", "mcp_servers.x.command = \"a\"\n", ErrShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := home(t, map[string]string{c.file: c.content})
			if _, _, err := Adopt(find(t, e, "x"), ours, "id", ""); !errors.Is(err, c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestApplyKeepsModeLinkAndABackup(t *testing.T) {
	const content = `{"mcpServers": {"x": {"command": "npx"}}}`
	e := home(t, map[string]string{"dotfiles/mcp.json": content})
	real, link := filepath.Join(e.Home, "dotfiles/mcp.json"), filepath.Join(e.Home, ".cursor/mcp.json")
	if err := os.Mkdir(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/mcp.json", link); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	entry := find(t, e, "x")
	edit, _, err := Adopt(entry, ours, "id", "")
	if err != nil {
		t.Fatal(err)
	}
	stale, _, err := Adopt(entry, ours, "id2", "")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "backups")
	backup, err := edit.Apply(dir, noon)
	if err != nil {
		t.Fatal(err)
	}
	if contents(t, backup) != content || !strings.HasPrefix(filepath.Base(backup), "20261121-120000-") {
		t.Errorf("backup %s: %q", backup, contents(t, backup))
	}
	if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("backup: %v, %v", info, err)
	}
	if target, err := os.Readlink(link); err != nil || target != "../dotfiles/mcp.json" {
		t.Errorf("the link became %q, %v", target, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode: %v, %v", info, err)
	}
	if names, err := os.ReadDir(filepath.Dir(real)); err != nil || len(names) != 1 {
		t.Errorf("something was left beside the file: %v, %v", names, err)
	}

	// The file is not what the second edit was worked out for.
	now := contents(t, real)
	if _, err := stale.Apply(dir, noon); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if _, _, err := Adopt(entry, ours, "id2", ""); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if err := os.Chmod(real, 0o440); err != nil {
		t.Fatal(err)
	}
	back, _, err := Adopt(find(t, e, "x"), ours, "id2", "")
	if err == nil || back != nil {
		t.Error("what is managed was adopted again")
	}
	if contents(t, real) != now {
		t.Error("a refused edit changed the file")
	}
}

func TestAReadOnlyFileIsNotReplaced(t *testing.T) {
	e := home(t, map[string]string{".cursor/mcp.json": `{"mcpServers": {"x": {"command": "npx"}}}`})
	edit, _, err := Adopt(find(t, e, "x"), ours, "id", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(edit.File, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := edit.Apply(t.TempDir(), noon); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("%v", err)
	}
}

func TestDiffIsExact(t *testing.T) {
	got := unified("f", []byte("1\n2\n3\n4\n5\n6\n7\n8\n9"), []byte("1\n2\n3\n4\nx\ny\n6\n7\n8\n9"))
	if want := "--- f\n+++ f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+x\n+y\n 6\n 7\n 8\n"; got != want {
		t.Errorf("%s", got)
	}
	got = unified("f", []byte("a\n"), []byte("b"))
	if want := "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n+b\n\\ No newline at end of file\n"; got != want {
		t.Errorf("%s", got)
	}
	if got := unified("f", []byte("a\n"), []byte("a\n")); got != "" {
		t.Error(got)
	}
}

func fuzzEditor(f *testing.F, file string) {
	if runtime.GOOS == "windows" {
		f.Skip("the files lie where Linux has them")
	}
	for _, c := range roundTrips {
		if c.file == file && len(c.content) < 4096 {
			f.Add([]byte(c.content))
		}
	}
	env := Env{OS: "linux", Home: f.TempDir()}
	full := filepath.Join(env.Home, file)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if err := os.WriteFile(full, src, 0o600); err != nil {
			t.Fatal(err)
		}
		inv, err := Read(t.Context(), env)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range inv.Entries {
			edit, r, err := Adopt(entry, ours, "id", entry.AppID)
			if err != nil {
				continue
			}
			if err := os.WriteFile(full, edit.after, 0o600); err != nil {
				t.Fatal(err)
			}
			back, err := GiveBack(r)
			if err != nil {
				t.Fatalf("adopted and cannot be given back: %v\n%q\n%q", err, src, edit.after)
			}
			if string(back.after) != string(src) {
				t.Fatalf("%q\nadopted %q\nback    %q", src, edit.after, back.after)
			}
			if err := os.WriteFile(full, src, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzJSONEditor(f *testing.F) { fuzzEditor(f, ".cursor/mcp.json") }

func FuzzTOMLEditor(f *testing.F) { fuzzEditor(f, ".codex/config.toml") }

func FuzzYAMLEditor(f *testing.F) { fuzzEditor(f, ".config/goose/config.yaml") }
