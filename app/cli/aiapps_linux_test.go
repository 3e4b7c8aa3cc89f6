package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rootsmanager/store"
)

// secret is what the keyring holds for the only server.
func (s *shell) secret(name string) string {
	s.t.Helper()
	st, err := store.Open(s.t.Context(), s.dir, s.options())
	if err != nil {
		s.t.Fatal(err)
	}
	defer st.Close() //nolint:errcheck // only read
	value, err := st.Secret(s.t.Context(), st.State().Servers[0].ID, name)
	if err != nil {
		s.t.Fatal(err)
	}
	return value
}

// aiHome is a home folder with AI apps in it, and a folder they were given.
func aiHome(t *testing.T) (home, work string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	work = filepath.Join(t.TempDir(), "work")
	for name, content := range map[string]string{
		filepath.Join(work, "a.txt"): "",
		filepath.Join(home, ".cursor/mcp.json"): `{"mcpServers": {
			"files": {"command": "touch", "args": ["` + home + `/started", "` + work + `", "` + work + `/a.txt"],
				"env": {"API_TOKEN": "top-secret-value", "LEVEL": "1"}}, // mine
			"managed": {"command": "/opt/roots-manager", "args": ["bridge", "x1"]},
		}}`,
		filepath.Join(home, ".codex/config.toml"):    "[mcp_servers.files]\ncommand = \"touch\"\nargs = [\"" + home + "/started\"]\n",
		filepath.Join(home, ".gemini/settings.json"): "{\n  \"mcpServers\": oops\n}",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home, work
}

func TestAIAppsAreListedAndNothingIsStarted(t *testing.T) {
	home, work := aiHome(t)
	s := newShell(t)
	out, stderr := s.must("aiapps")
	contains(t, "aiapps", out, "cursor/files", "codex/files", work, "managed here", "files is not the same everywhere", "environment API_TOKEN", "Cursor: •••; Codex: not set")
	contains(t, "stderr", stderr, "Gemini CLI has a file that cannot be understood", "settings.json:2:17: ")
	all, _ := s.must("aiapps", "--json")
	var doc listedAIApps
	decode(t, all, &doc)
	if len(doc.Servers) != 2 || len(doc.Servers[0].Entries) != 2 || len(doc.Files) != 3 || len(doc.Broken) != 1 || doc.Broken[0].Line != 2 {
		t.Errorf("%+v", doc)
	}
	if f := doc.Servers[0].Entries[0].Folders; len(f) != 1 || f[0].Path != work || f[0].From != "argument" {
		t.Errorf("folders: %+v", f)
	}
	if strings.Contains(out+stderr+all, "top-secret-value") {
		t.Error("a secret is shown")
	}
	if _, err := os.Stat(filepath.Join(home, "started")); err == nil {
		t.Error("listing started a server")
	}
	if _, err := os.Stat(s.dir); err == nil {
		t.Error("listing made a profile")
	}
}

func TestImportWithoutATerminalLeavesSecretsOut(t *testing.T) {
	_, work := aiHome(t)
	s := newShell(t)
	out, stderr := s.must("aiapps", "import", "cursor/files", "codex/files", "--json")
	var doc importedServers
	decode(t, out, &doc)
	if len(doc.Servers) != 2 || doc.Servers[0].Name != "files" || doc.Servers[1].Name != "files (Codex)" ||
		doc.Servers[0].Source != "Cursor (~/.cursor/mcp.json)" || len(doc.Servers[0].Roots) != 0 || len(doc.Servers[0].LeftOut) != 1 {
		t.Errorf("%+v", doc)
	}
	contains(t, "stderr", stderr, "Left out", "API_TOKEN", "roots-manager root add "+work, "Not so in Codex")
	list, _ := s.must("server", "list", "--json")
	contains(t, "server list", list, `"on": false`, `"approved": false`)
	if strings.Contains(list, `"on": true`) || strings.Contains(list, `"approved": true`) {
		t.Error("an import arrived on or approved")
	}
	if strings.Contains(out+stderr+list, "top-secret-value") {
		t.Error("a secret is shown")
	}
	status, _, stderr := s.do("aiapps", "import", "cursor/files")
	if status != Failed {
		t.Error("imported twice")
	}
	contains(t, "stderr", stderr, "was imported already")
}

func TestImportAtATerminalAsks(t *testing.T) {
	_, work := aiHome(t)
	s, x := newShell(t), newTerminal(t)
	status, out := x.do(t.Context(), s.options(), "--data-dir", s.dir, "aiapps", "import", "cursor/files")
	x.expect("API_TOKEN=(secret)")
	x.expect("Import it? [y/N]")
	x.enter("y")
	x.expect("keyring? Otherwise it is left out. [y/N]")
	x.enter("y")
	x.expect("Make it a folder you can tick? [y/N]")
	x.enter("y")
	x.status(status, Done)
	contains(t, "import", out.String(), "Imported files: turned off, and not approved", "Assigned "+work)
	if strings.Contains(x.shown.String(), "top-secret-value") {
		t.Error("a secret is shown")
	}
	if value := s.secret("API_TOKEN"); value != "top-secret-value" {
		t.Errorf("the keyring has %q", value)
	}
	roots, _ := s.must("root", "list")
	contains(t, "root list", roots, work, "files (ro, ")
	servers, _ := s.must("server", "list")
	contains(t, "server list", servers, "0 of 1 allowed")

	x = newTerminal(t)
	status, _ = x.do(t.Context(), s.options(), "--data-dir", s.dir, "aiapps", "import", "codex/files")
	x.expect("Import it? [y/N]")
	x.enter("")
	x.status(status, Failed)
	x.expect("files is not imported.")
}

func TestImportRefusesWhatIsNotThere(t *testing.T) {
	aiHome(t)
	s := newShell(t)
	for ref, want := range map[string]string{
		"cursor/fils":    `"cursor/files"`,
		"cursor/managed": "through Roots Manager already",
	} {
		status, _, stderr := s.do("aiapps", "import", ref)
		if status != Failed {
			t.Errorf("%s: status %d", ref, status)
		}
		contains(t, ref, stderr, want)
	}
	for _, args := range [][]string{{"aiapps", "import"}, {"aiapps", "import", "cursor"}, {"aiapps", "lst"}} {
		if status, _, _ := s.do(args...); status != Usage {
			t.Errorf("%q: status %d", args, status)
		}
	}
	status, _, stderr := s.do("aiapps", "--project", filepath.Join(s.dir, "none"))
	if status != Failed {
		t.Errorf("status %d", status)
	}
	contains(t, "project", stderr, "is not a folder")
}
