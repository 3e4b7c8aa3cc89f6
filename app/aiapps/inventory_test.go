package aiapps

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// home is a home folder with configuration files.
func home(t *testing.T, files map[string]string) Env {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the files lie where Linux has them")
	}
	e := Env{OS: "linux", Home: t.TempDir()}
	for name, content := range files {
		write(t, filepath.Join(e.Home, name), content)
	}
	return e
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, e Env) Inventory {
	t.Helper()
	inv, err := Read(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

const claudeDesktop = "\xef\xbb\xbf{\r\n" +
	"\t// the servers of this computer\r\n" +
	"\t\"globalShortcut\": \"Ctrl+Space\",\r\n" +
	"\t\"mcpServers\": {\r\n" +
	"\t\t\"filesystem\": {\r\n" +
	"\t\t\t\"command\": \"npx\",\r\n" +
	"\t\t\t\"args\": [\"-y\", \"@modelcontextprotocol/server-filesystem\", \"/home/ü/Büro\", \"${HOME}/work\"], /* two */\r\n" +
	"\t\t\t\"env\": {\"API_KEY\": \"s3cr3t-value\", \"LEVEL\": 3, \"TOKEN\": \"${env:TOKEN}\"},\r\n" +
	"\t\t},\r\n" +
	"\t\t\"remote\": {\"type\": \"http\", \"url\": \"https://example.com/mcp?token=abc\", \"headers\": {\"Authorization\": \"Bearer abc\"}},\r\n" +
	"\t\t\"noise\": true,\r\n" +
	"\t},\r\n" +
	"}\r\n"

const zedSettings = `// Zed settings
{
  "theme": "One Dark",
  "context_servers": {
    "new": { "source": "custom", "command": "uvx", "args": ["mcp-server-git", "--repository", "/src/repo"] },
    "old": { "command": { "path": "/usr/bin/old-server", "args": ["--root=/data"], "env": { "DATA_DIRS": "/a:/b" } } },
    "builtin": { "settings": {} }
  }
}
`

const codexConfig = `# Codex
model = "gpt-5"

[mcp_servers.docs]
command = "docker" # runs in a container
args = [
  "run", "-i", "--rm",
  "-v", "/home/u/docs:/docs:ro", # what it may see
  "--mount", "type=bind,src=/home/u/more,dst=/more",
  "mcp/docs",
]
cwd = "/home/u"
enabled = false

[mcp_servers.docs.env]
LOG = "debug"

[mcp_servers."with.dot"]
url = "https://example.com/x"
bearer_token_env_var = "X_TOKEN"

[[profiles]]
name = "a"
`

const gooseConfig = `# goose
GOOSE_PROVIDER: anthropic
extensions:
  developer:
    enabled: true
    type: builtin
    name: developer
  files: &files
    enabled: false
    type: stdio
    cmd: npx   # node
    args:
      - -y
      - "@modelcontextprotocol/server-filesystem"
      - /home/u/work
    envs:
      GITHUB_TOKEN: ghp_abcdefghijklmnopqrstuvwxyz0123
    timeout: 300
  same: *files
  web:
    type: streamable_http
    uri: https://example.com/mcp
`

const continueConfig = `name: Local
mcpServers:
  - name: SQLite
    command: uvx
    args: [mcp-server-sqlite, --db-path, /home/u/x.db]
    cwd: /home/u/databases
  - name: Ours
    command: /opt/roots-manager
    args: ["bridge", "abc123", "--app", "continue"]
`

const claudeCode = `{"numStartups": 12, "mcpServers": {"a": {"type": "stdio", "command": "node", "args": ["/opt/s/index.js", "/home/u/a"], "env": {}}},
 "projects": {"/home/u/p": {"allowedTools": [], "mcpServers": {"b": {"command": "python", "args": ["${workspaceFolder}/x.py", "${workspaceFolder}"]}}}}}`

func TestEveryShapeIsRead(t *testing.T) {
	e := home(t, map[string]string{
		".config/Claude/claude_desktop_config.json": claudeDesktop,
		".config/zed/settings.json":                 zedSettings,
		".codex/config.toml":                        codexConfig,
		".config/goose/config.yaml":                 gooseConfig,
		".continue/config.yaml":                     continueConfig,
		".claude.json":                              claudeCode,
		".config/Code/User/mcp.json":                `{"inputs": [], "servers": {"s": {"command": "x", "envFile": "${workspaceFolder}/.env"}}}`,
		".gemini/settings.json":                     `{"mcpServers": {"h": {"httpUrl": "http://localhost:1/mcp", "timeout": 3, "trust": true}, "s": {"url": "http://localhost:2/sse"}}}`,
		".codeium/windsurf/mcp_config.json":         `{"mcpServers": {"w": {"serverUrl": "https://w.example/sse", "disabled": true}}}`,
		".lmstudio/mcp.json":                        ``,
	})
	e.Project = filepath.Join(e.Home, "project")
	write(t, filepath.Join(e.Project, ".mcp.json"), `{"mcpServers": {"p": {"command": "${CMD:-npx}"}}}`)
	inv := read(t, e)
	if len(inv.Broken) > 0 {
		t.Fatal(inv.Broken[0])
	}
	if len(inv.Files) != 11 {
		t.Errorf("%d files: %q", len(inv.Files), inv.Files)
	}
	want := []Entry{
		{
			AppID: "claude-desktop", Key: []string{"mcpServers", "filesystem"}, Line: 5, Column: 3, Name: "filesystem", Command: "npx",
			Args:      []string{"-y", "@modelcontextprotocol/server-filesystem", "/home/ü/Büro", "${HOME}/work"},
			Env:       []Var{{"API_KEY", "s3cr3t-value", true}, {"LEVEL", "3", false}, {"TOKEN", "${env:TOKEN}", false}},
			Variables: []string{"${HOME}", "${env:TOKEN}"},
			Folders:   []Folder{{Path: "/home/ü/Büro", From: Argument, Arg: 2}, {Path: "${HOME}/work", From: Argument, Arg: 3, Unknown: true}},
		},
		{
			AppID: "claude-desktop", Key: []string{"mcpServers", "remote"}, Line: 10, Column: 3, Name: "remote",
			URL: "https://example.com/mcp?token=abc", Transport: "http", Headers: []Var{{"Authorization", "Bearer abc", true}},
		},
		{
			AppID: "claude-code", Key: []string{"mcpServers", "a"}, Line: 1, Column: 36, Name: "a", Command: "node",
			Args:    []string{"/opt/s/index.js", "/home/u/a"},
			Folders: []Folder{{Path: "/home/u/a", From: Argument, Arg: 1}},
		},
		{
			AppID: "claude-code", Key: []string{"projects", "/home/u/p", "mcpServers", "b"}, Line: 2, Column: 64, Name: "b",
			Project: "/home/u/p", Command: "python", Args: []string{"${workspaceFolder}/x.py", "${workspaceFolder}"},
			Variables: []string{"${workspaceFolder}"},
			Folders:   []Folder{{Path: "${workspaceFolder}", From: Argument, Arg: 1, Unknown: true}},
		},
		{AppID: "vscode", Key: []string{"servers", "s"}, Line: 1, Column: 28, Name: "s", Command: "x"},
		{
			AppID: "windsurf", Key: []string{"mcpServers", "w"}, Line: 1, Column: 17, Name: "w", URL: "https://w.example/sse", Disabled: true,
		},
		{
			AppID: "zed", Key: []string{"context_servers", "new"}, Line: 5, Column: 5, Name: "new", Command: "uvx",
			Args:    []string{"mcp-server-git", "--repository", "/src/repo"},
			Folders: []Folder{{Path: "/src/repo", From: Argument, Arg: 2}},
		},
		{
			AppID: "zed", Key: []string{"context_servers", "old"}, Line: 6, Column: 5, Name: "old", Command: "/usr/bin/old-server",
			Args: []string{"--root=/data"}, Env: []Var{{"DATA_DIRS", "/a:/b", false}},
			Folders: []Folder{
				{Path: "/data", From: Argument},
				{Path: "/a", From: Environment, Name: "DATA_DIRS"},
				{Path: "/b", From: Environment, Name: "DATA_DIRS"},
			},
		},
		{
			AppID: "codex", Key: []string{"mcp_servers", "docs"}, Line: 4, Column: 2, Name: "docs", Disabled: true, Command: "docker",
			Args: []string{"run", "-i", "--rm", "-v", "/home/u/docs:/docs:ro", "--mount", "type=bind,src=/home/u/more,dst=/more", "mcp/docs"},
			Dir:  "/home/u", Env: []Var{{"LOG", "debug", false}},
			Folders: []Folder{
				{Path: "/home/u/docs", From: Argument, Arg: 4},
				{Path: "/home/u/more", From: Argument, Arg: 6},
				{Path: "/home/u", From: WorkingFolder},
			},
		},
		{
			AppID: "codex", Key: []string{"mcp_servers", "with.dot"}, Line: 18, Column: 2, Name: "with.dot", URL: "https://example.com/x",
			Headers: []Var{{"Authorization", "Bearer ${X_TOKEN}", false}}, Variables: []string{"${X_TOKEN}"},
		},
		{AppID: "gemini", Key: []string{"mcpServers", "h"}, Line: 1, Column: 17, Name: "h", URL: "http://localhost:1/mcp", Transport: "http"},
		{AppID: "gemini", Key: []string{"mcpServers", "s"}, Line: 1, Column: 90, Name: "s", URL: "http://localhost:2/sse"},
	}
	files := Entry{
		AppID: "goose", Key: []string{"extensions", "files"}, Line: 8, Column: 3, Name: "files", Disabled: true, Command: "npx",
		Args:    []string{"-y", "@modelcontextprotocol/server-filesystem", "/home/u/work"},
		Env:     []Var{{"GITHUB_TOKEN", "ghp_abcdefghijklmnopqrstuvwxyz0123", true}},
		Folders: []Folder{{Path: "/home/u/work", From: Argument, Arg: 2}},
	}
	same := files
	same.Key, same.Line, same.Name = []string{"extensions", "same"}, 19, "same"
	want = append(want, files, same, Entry{
		AppID: "goose", Key: []string{"extensions", "web"}, Line: 20, Column: 3, Name: "web", URL: "https://example.com/mcp", Transport: "http",
	}, Entry{
		AppID: "continue", Key: []string{"mcpServers", "SQLite"}, Line: 3, Column: 5, Name: "SQLite", Command: "uvx",
		Args: []string{"mcp-server-sqlite", "--db-path", "/home/u/x.db"}, Dir: "/home/u/databases",
		Folders: []Folder{{Path: "/home/u/databases", From: WorkingFolder}},
	}, Entry{
		AppID: "continue", Key: []string{"mcpServers", "Ours"}, Line: 7, Column: 5, Name: "Ours", Command: "/opt/roots-manager",
		Args: []string{"bridge", "abc123", "--app", "continue"}, Managed: "abc123", Binary: "/opt/roots-manager",
	}, Entry{
		AppID: "claude-code", Key: []string{"mcpServers", "p"}, Line: 1, Column: 17, Name: "p", Project: e.Project, Command: "${CMD:-npx}",
		Variables: []string{"${CMD:-npx}"},
	})
	if d := cmp.Diff(want, inv.Entries, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Entry{}, "App", "File")); d != "" {
		t.Error(d)
	}
}

func TestBrokenFilesAreNamedWithLineAndColumn(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		line, column        int
	}{
		{"missing colon", ".cursor/mcp.json", "{\n  \"mcpServers\" {}\n}", 2, 16},
		{"after a BOM", ".cursor/mcp.json", "\xef\xbb\xbf{]", 1, 2},
		{"characters are counted, not bytes", ".cursor/mcp.json", "{\"ü\": x}", 1, 7},
		{"ends too early", ".cursor/mcp.json", "{\n\"a\": [1,\n", 3, 1},
		{"not UTF-8", ".cursor/mcp.json", "{\n\"a\": \"\xff\"}", 2, 7},
		{"nested too deeply", ".cursor/mcp.json", strings.Repeat("[", 100_000), 1, 501},
		{"TOML", ".codex/config.toml", "a = 1\nb = = 2\n", 2, 5},
		{"TOML, the same key twice", ".codex/config.toml", "[a]\nb = 1\nb = 2\n", 3, 1},
		{"YAML", ".continue/config.yaml", "a: 1\n\n  b: {x: 'y'\n", 3, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := home(t, map[string]string{c.file: c.content, ".junie/mcp/mcp.json": `{"mcpServers": {"x": {"command": "y"}}}`})
			inv := read(t, e)
			if len(inv.Entries) != 1 || len(inv.Files) != 2 {
				t.Errorf("the other file was not read: %+v", inv)
			}
			if len(inv.Broken) != 1 {
				t.Fatalf("%d broken files", len(inv.Broken))
			}
			b := inv.Broken[0]
			if b.File != filepath.Join(e.Home, c.file) || b.Line != c.line || b.Column != c.column || b.App == "" {
				t.Errorf("%v; want line %d, column %d", b, c.line, c.column)
			}
		})
	}
}

func TestWhatIsNoFileIsReportedNotOpened(t *testing.T) {
	e := home(t, nil)
	if err := os.MkdirAll(filepath.Join(e.Home, ".claude.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if inv := read(t, e); len(inv.Broken) != 1 || inv.Broken[0].Line != 0 {
		t.Errorf("%+v", inv)
	}
}

func TestFingerprintChangesWithTheFiles(t *testing.T) {
	e := home(t, nil)
	empty := e.Fingerprint()
	write(t, filepath.Join(e.Home, ".cursor/mcp.json"), "{}")
	first := e.Fingerprint()
	if first == empty {
		t.Error("a new file is not noticed")
	}
	if e.Fingerprint() != first {
		t.Error("it changes by itself")
	}
	write(t, filepath.Join(e.Home, ".cursor/mcp.json"), "{ }")
	if e.Fingerprint() == first {
		t.Error("a changed file is not noticed")
	}
}
