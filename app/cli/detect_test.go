package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rootsmanager/app/detect"
)

// projectTree is a repository with a package in it, and one more project.
func projectTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"shop/.git/HEAD":             "ref: refs/heads/feature/login\n",
		"shop/.git/config":           "[remote \"origin\"]\n\turl = https://example.com/me/store.git\n",
		"shop/packages/package.json": `{"name": "web\u202e"}`,
		"tool/go.mod":                "module example.com/hammer\n",
		"tool/vendor/x/go.mod":       "module x\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDetectListsProjectsAndAddsNothing(t *testing.T) {
	dir := projectTree(t)
	s := newShell(t)
	out, _ := s.must("detect", dir)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	for i, wants := range [][]string{
		{"NAME", "KIND", "BRANCH", "CHANGED", "PATH"},
		{"store ", " git ", " feature/login ", " 20", dir + "/shop"},
		{"  web ", " node ", dir + "/shop/packages"},
		{"hammer ", " go ", dir + "/tool"},
	} {
		contains(t, "line", lines[i], wants...)
	}
	if _, err := os.Stat(s.dir); err == nil {
		t.Error("a profile was made: finding needs none")
	}

	out, _ = s.must("detect", dir, "--json", "--other-filesystems")
	var doc detect.Result
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Projects) != 3 || doc.Dir != dir || doc.Projects[1].Parent != filepath.Join(dir, "shop") || doc.Projects[0].Changed.IsZero() {
		t.Errorf("%+v", doc)
	}
}

func TestDetectSaysWhatIsWrong(t *testing.T) {
	s := newShell(t)
	dir := t.TempDir()
	out, _ := s.must("detect", dir)
	contains(t, "stdout", out, "There are no projects below "+dir)
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{Usage, "give the folder to search", []string{"detect"}},
		{Usage, "left over", []string{"detect", dir, "x"}},
		{Failed, "no such file", []string{"detect", dir + "/nothing"}},
		{Failed, "only folders of this computer", []string{"detect", "https://example.com/x"}},
	} {
		status, out, err := s.do(c.args...)
		if status != c.status || out != "" {
			t.Errorf("%q: status %d, stdout %q", c.args, status, out)
		}
		contains(t, "stderr", err, c.want)
	}
}

func TestDetectEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs safeBuffer
	status := Execute(ctx, Config{Args: []string{"detect", projectTree(t)}, In: strings.NewReader(""), Out: &out, Err: &errs})
	if status != Failed || out.String() != "" {
		t.Errorf("status %d, stdout %q", status, out.String())
	}
	contains(t, "stderr", errs.String(), "interrupted")
}
