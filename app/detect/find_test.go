package detect

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// find searches and returns the projects by path below dir.
func find(t *testing.T, dir string, opts *Options) (map[string]Project, *Result) {
	t.Helper()
	r, err := Find(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Project{}
	for _, p := range r.Projects {
		rel, err := filepath.Rel(dir, p.Path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(rel)] = p
	}
	return out, r
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{
		"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false",
	}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// Real git makes a repository, a worktree inside and one outside of it, a
// submodule, a detached head and a separate git folder.
func TestReadsWhatGitMakes(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("REQUIRE_PEERS") != "" {
			t.Fatal(err)
		}
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	folder(t, dir+"/lib")
	git(t, dir+"/lib", "init", "-b", "trunk")
	git(t, dir+"/lib", "commit", "--allow-empty", "-m", "x")
	folder(t, dir+"/app")
	git(t, dir+"/app", "init", "-b", "feature/login")
	put(t, dir+"/app/README", "hello")
	git(t, dir+"/app", "add", ".")
	git(t, dir+"/app", "commit", "-m", "x")
	git(t, dir+"/app", "remote", "add", "fork", "https://example.com/you/fork.git")
	git(t, dir+"/app", "remote", "add", "origin", "https://example.com/me/shop.git/")
	git(t, dir+"/app", "submodule", "add", dir+"/lib", "third/lib")
	git(t, dir+"/app", "worktree", "add", "-b", "hotfix", dir+"/fix")
	git(t, dir+"/app", "worktree", "add", "--detach", dir+"/app/inner")
	git(t, dir, "init", "-b", "main", "--separate-git-dir", dir+"/elsewhere", dir+"/apart")

	got, _ := find(t, dir, nil)
	type short struct {
		kind                 Kind
		name, branch, parent string
		main                 string
	}
	have := map[string]short{}
	for path, p := range got {
		rel := func(s string) string { return strings.TrimPrefix(s, dir+"/") }
		s := short{p.Kinds[0], p.Name, p.Branch, rel(p.Parent), rel(p.Main)}
		if path == "app/inner" {
			if len(s.branch) != 7 {
				t.Errorf("detached at %q", s.branch)
			}
			s.branch = "detached"
		}
		have[path] = s
		if time.Since(p.Changed) > time.Hour || time.Until(p.Changed) > time.Minute {
			t.Errorf("%s changed %v", path, p.Changed)
		}
	}
	want := map[string]short{
		"lib":           {Git, "lib", "trunk", "", ""},
		"app":           {Git, "shop", "feature/login", "", ""},
		"app/third/lib": {Submodule, "lib", "trunk", "app", ""},
		"app/inner":     {Worktree, "shop", "detached", "app", "app"},
		"fix":           {Worktree, "shop", "hotfix", "", "app"},
		"apart":         {Git, "apart", "main", "", ""},
	}
	if diff := cmp.Diff(want, have, cmp.AllowUnexported(short{})); diff != "" {
		t.Error(diff)
	}
}

func TestNamesComeFromProjectFilesThenRemotes(t *testing.T) {
	for what, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"go":              {map[string]string{"go.mod": "// hello\nmodule example.com/me/shop/v2 // x\n"}, "shop"},
		"go quoted":       {map[string]string{"go.mod": "module \"example.com/q\"\n"}, "q"},
		"npm":             {map[string]string{"package.json": `{"name":"@acme/web"}`}, "@acme/web"},
		"npm not a name":  {map[string]string{"package.json": `{"name":7}`}, "x"},
		"cargo":           {map[string]string{"Cargo.toml": "[dependencies]\nname = \"no\"\n[package]\nversion = \"1\"\nname = \"crab\" # c\n"}, "crab"},
		"python":          {map[string]string{"pyproject.toml": "[build-system]\n[project]\nname='snake'\n"}, "snake"},
		"poetry":          {map[string]string{"pyproject.toml": "[tool.poetry]\nname = \"verse\"\n"}, "verse"},
		"maven":           {map[string]string{"pom.xml": "<project><parent><artifactId>up</artifactId></parent><artifactId> bean </artifactId></project>"}, "bean"},
		"gradle":          {map[string]string{"build.gradle": "", "settings.gradle": "rootProject.name = 'groovy'\n"}, "groovy"},
		"solution":        {map[string]string{"A.csproj": "", "Big Shop.sln": ""}, "Big Shop"},
		"cmake":           {map[string]string{"CMakeLists.txt": "cmake_minimum_required(VERSION 3)\nproject(\n  Engine CXX)\n"}, "Engine"},
		"php":             {map[string]string{"composer.json": `{"name":"acme/store"}`}, "store"},
		"elixir":          {map[string]string{"mix.exs": "[\n app: :potion,\n]"}, "potion"},
		"deno":            {map[string]string{"deno.jsonc": "// no JSON\n{}"}, "x"},
		"code workspace":  {map[string]string{"Team.code-workspace": "{}"}, "Team"},
		"idea":            {map[string]string{".idea/.name": "Idea\n"}, "Idea"},
		"remote":          {map[string]string{".git/HEAD": "x", ".git/config": "[remote \"up\"]\n\tURL = C:\\repos\\thing.git\n"}, "thing"},
		"file first":      {map[string]string{".git/HEAD": "x", ".git/config": "[remote \"origin\"]\nurl=a:b/c\n", "go.mod": "module m\n"}, "m"},
		"hidden":          {map[string]string{"package.json": "{\"name\":\"a\\u202eb\\u0000c\\nd\"}"}, "abc d"},
		"only hidden":     {map[string]string{"package.json": "{\"name\":\"\\u200b\"}"}, "x"},
		"long":            {map[string]string{"package.json": `{"name":"` + strings.Repeat("ü", 500) + `"}`}, strings.Repeat("ü", 80)},
		"broken":          {map[string]string{"package.json": `{"name":`, "pom.xml": "<a", "Cargo.toml": "[", "pyproject.toml": "=\n[[["}, "x"},
		"byte order mark": {map[string]string{"package.json": "\ufeff{\"name\":\"bom\"}"}, "bom"},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			put(t, dir+"/x/"+name, text)
		}
		got, _ := find(t, dir, nil)
		if len(got) != 1 || got["x"].Name != c.want {
			t.Errorf("%s: %+v, want the name %q", what, got, c.want)
		}
	}
}

func TestChangedIsTheIndexOrElseTheNewestMarker(t *testing.T) {
	dir := t.TempDir()
	day := func(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }
	repository(t, dir+"/repo", "main")
	put(t, dir+"/repo/.git/index", "x")
	put(t, dir+"/repo/go.mod", "module m")
	put(t, dir+"/bare/go.mod", "module m")
	put(t, dir+"/bare/package.json", `{"name":"x"}`)
	for name, at := range map[string]time.Time{
		"repo/.git/index": day(3), "repo/.git/HEAD": day(9), "repo/go.mod": day(20), "bare/go.mod": day(4), "bare/package.json": day(2),
	} {
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := find(t, dir, nil)
	if !got["repo"].Changed.Equal(day(3)) || !got["bare"].Changed.Equal(day(4)) {
		t.Errorf("repo %v, bare %v", got["repo"].Changed, got["bare"].Changed)
	}
}

// A marker that is a pipe, a device or a link must neither hang nor be read.
func TestOddMarkersAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	repository(t, dir+"/repo", "main")
	if err := os.Remove(dir + "/repo/.git/config"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", dir+"/repo/.git/config"); err != nil {
		t.Skipf("links cannot be made here: %v", err)
	}
	put(t, dir+"/far/.git", "gitdir: "+strings.Repeat("../", 40)+"dev/zero\n")
	folder(t, dir+"/link")
	if err := os.Symlink(dir+"/repo/.git", dir+"/link/.git"); err != nil {
		t.Fatal(err)
	}
	if mkfifo, err := exec.LookPath("mkfifo"); err == nil {
		folder(t, dir+"/pipe/.git")
		for _, name := range []string{dir + "/pipe/.git/HEAD", dir + "/pipe/package.json"} {
			if err := exec.CommandContext(t.Context(), mkfifo, name).Run(); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, _ := find(t, dir, nil)
	if len(got) != 2 || got["repo"].Branch != "main" || got["far"].Name != "far" {
		t.Errorf("%+v", got)
	}
}

func TestOtherFileSystemsAreLeftOutUnlessAsked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/shm inside /dev")
	}
	dev, err := os.Stat("/dev")
	if err != nil {
		t.Skip(err)
	}
	shm, err := os.Stat("/dev/shm")
	if err != nil {
		t.Skip(err)
	}
	a, _ := deviceOf(dev)
	if b, _ := deviceOf(shm); a == b {
		t.Skip("/dev/shm is no file system of its own here")
	}
	dir, err := os.MkdirTemp("/dev/shm", "detect")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	put(t, dir+"/go.mod", "module m\n")
	got, r := find(t, "/dev", nil)
	if len(got) != 0 || r.Elsewhere == 0 {
		t.Errorf("found %v, %d left out", got, r.Elsewhere)
	}
	got, r = find(t, "/dev", &Options{OtherFilesystems: true})
	if _, ok := got["shm/"+filepath.Base(dir)]; !ok || r.Elsewhere != 0 {
		t.Errorf("found %v, %d left out", got, r.Elsewhere)
	}
}

func TestUnreadableFoldersAreCountedNotFatal(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := t.TempDir()
	put(t, dir+"/open/go.mod", "module m\n")
	folder(t, dir+"/shut")
	if err := os.Chmod(dir+"/shut", 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir+"/shut", 0o700) })
	got, r := find(t, dir, nil)
	if len(got) != 1 || r.Unreadable != 1 {
		t.Errorf("found %v, %d unreadable", got, r.Unreadable)
	}
}

func TestWhatCannotBeSearchedIsSaid(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/file", "")
	for _, path := range []string{dir + "/nothing", dir + "/file"} {
		_, err := Find(t.Context(), path, nil)
		if err == nil || !strings.Contains(err.Error(), path) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestVeryDeepTreesEnd(t *testing.T) {
	dir := t.TempDir()
	deep := dir + strings.Repeat("/d", MaxDepth+5)
	put(t, deep+"/go.mod", "module deep\n")
	put(t, dir+"/d/go.mod", "module near\n")
	got, r := find(t, dir, nil)
	if len(got) != 1 || !r.Partial || r.Folders != MaxDepth+1 {
		t.Errorf("found %v in %d folders, partial %v", got, r.Folders, r.Partial)
	}
}

func TestProgressCountsUpAndEndsWithTheResult(t *testing.T) {
	dir := t.TempDir()
	generate(t, dir, 2000, 7)
	var all []Progress
	_, r := find(t, dir, &Options{Progress: func(p Progress) { all = append(all, p) }}) // the race detector sees other goroutines
	if len(all) == 0 {
		t.Fatal("no progress")
	}
	for i := 1; i < len(all); i++ {
		if all[i].Folders < all[i-1].Folders || all[i].Projects < all[i-1].Projects {
			t.Errorf("%+v after %+v", all[i], all[i-1])
		}
	}
	if last := all[len(all)-1]; last.Folders != r.Folders || last.Projects != len(r.Projects) {
		t.Errorf("ended with %+v, result has %d folders and %d projects", last, r.Folders, len(r.Projects))
	}
}

// Cancelling in the middle returns at once, and nothing goes on: goleak sees it.
func TestCancellingEndsTheSearch(t *testing.T) {
	dir := t.TempDir()
	generate(t, dir, 3000, 3)
	ctx, cancel := context.WithCancel(t.Context())
	s := 0
	done := make(chan error, 1)
	go func() {
		for { // until the cancelling meets a search that is under way
			if _, err := Find(ctx, dir, nil); err != nil {
				done <- err
				return
			}
			if s++; s == 1 {
				cancel()
			}
		}
	}()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it goes on 30 s after it was cancelled")
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, dir, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
