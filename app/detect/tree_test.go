package detect

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// put writes a file, with the folders it needs.
func put(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func folder(tb testing.TB, path string) {
	tb.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		tb.Fatal(err)
	}
}

// repository makes what detection reads of one.
func repository(tb testing.TB, dir, branch string) {
	tb.Helper()
	put(tb, dir+"/.git/HEAD", "ref: refs/heads/"+branch+"\n")
	put(tb, dir+"/.git/config", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.com:me/"+filepath.Base(dir)+".git\n")
	folder(tb, dir+"/.git/objects/pack")
}

// mixed is what generate puts into a folder now and then.
var mixed = []struct {
	files []string // name=text; a name that ends in / is a folder
	kinds []Kind
}{
	{[]string{"go.mod=module example.com/a\n"}, []Kind{Go}},
	{[]string{"go.work=go 1.26\n", ".git/HEAD=ref: refs/heads/main\n"}, []Kind{Git, GoWorkspace}},
	{[]string{`package.json={"name":"web"}`}, []Kind{Node}},
	{[]string{`package.json={"type":"module"}`}, nil},
	{[]string{`package.json={"workspaces":["packages/*"]}`, "node_modules/x/package.json={\"name\":\"x\"}"}, []Kind{NpmWorkspace, Node}},
	{[]string{"Cargo.toml=[package]\nname = \"r\"\n", "target/debug/Cargo.toml=[package]\n"}, []Kind{Rust}},
	{[]string{"Cargo.toml=[workspace]\nmembers = []\n"}, []Kind{CargoWorkspace}},
	{[]string{"pyproject.toml=[project]\nname='p'\n", ".venv/lib/pyproject.toml="}, []Kind{Python}},
	{[]string{"CMakeLists.txt=add_library(x)\n"}, nil},
	{[]string{"CMakeLists.txt=  PROJECT (Thing C)\n"}, []Kind{CMake}},
	{[]string{"a.sln=", "b.csproj=", "bin/c.csproj="}, []Kind{DotNet}},
	{[]string{".hg/dirstate=x", ".hg/branch=stable\n"}, []Kind{Mercurial}},
	{[]string{".jj/repo/x=", ".git/HEAD=ref: refs/heads/trunk\n"}, []Kind{Git, Jujutsu}},
	{[]string{".svn/wc.db="}, []Kind{Subversion}},
	{[]string{".git/objects/"}, nil}, // no repository yet
	{[]string{".git=gitdir: ../.git/modules/lib\n"}, []Kind{Submodule}},
	{[]string{".git=gitdir: /somewhere/.git/worktrees/fix\n"}, []Kind{Worktree}},
	{[]string{".git=just text\n"}, nil},
	{[]string{".idea/workspace.xml="}, []Kind{JetBrains}},
	{[]string{"team.code-workspace={}"}, []Kind{CodeWorkspace}},
	{[]string{"pom.xml=<project><artifactId>m</artifactId></project>", "target/x/pom.xml="}, []Kind{Maven}},
	{[]string{"build.gradle.kts=", "build/tmp/pom.xml="}, []Kind{Gradle}},
	{[]string{"mix.exs=def project, do: [app: :shop]\n", "deps/a/mix.exs="}, []Kind{Elixir}},
	{[]string{"composer.json={\"name\":\"acme/shop\"}", "vendor/a/composer.json={}"}, []Kind{PHP}},
	{[]string{"Gemfile=", "deno.json={}"}, []Kind{Deno, Ruby}},
	{[]string{"CACHEDIR.TAG=Signature", "go.mod=module cached\n"}, nil},
	{[]string{"pkg/mod/x/go.mod=module x\n", "mod/go.mod=module kept\n"}, nil},
}

// generate fills dir with a random tree of about the given number of folders;
// it is the same for the same seed.
func generate(tb testing.TB, dir string, folders int, seed uint64) {
	tb.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	dirs := []string{dir}
	for n := 0; n < folders; n++ {
		parent := dirs[len(dirs)-1-rnd.IntN(min(len(dirs), 400))]
		sub := fmt.Sprintf("%s/%s%d", parent, []string{"src", "pkg", "client ", "ü", "."}[rnd.IntN(5)], n)
		if err := os.Mkdir(sub, 0o700); err != nil {
			tb.Fatal(err)
		}
		if strings.Count(sub, "/") < 20 {
			dirs = append(dirs, sub)
		}
		for range rnd.IntN(3) {
			put(tb, fmt.Sprintf("%s/file%d.txt", sub, rnd.IntN(100)), "")
		}
		if rnd.IntN(25) > 0 {
			continue
		}
		what := mixed[rnd.IntN(len(mixed))]
		for _, f := range what.files {
			name, text, _ := strings.Cut(f, "=")
			if strings.HasSuffix(name, "/") {
				folder(tb, sub+"/"+name)
			} else {
				put(tb, sub+"/"+name, text)
			}
		}
	}
}

// reference is a slow, obvious walk: one folder after the other, the rules
// written out once more. It returns the kinds by path, and the folders.
func reference(tb testing.TB, dir string) (map[string]string, int) {
	tb.Helper()
	found, folders := map[string]string{}, 0
	exists := func(path string) bool {
		info, err := os.Lstat(path)
		return err == nil && info.Mode()&fs.ModeSymlink == 0
	}
	text := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		return string(b)
	}
	glob := func(d string, endings ...string) bool {
		entries, err := os.ReadDir(d)
		if err != nil {
			tb.Fatal(err)
		}
		for _, e := range entries {
			for _, ending := range endings {
				if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ending) && e.Name() != ending {
					return true
				}
			}
		}
		return false
	}
	isFolder := func(path string) bool {
		info, err := os.Lstat(path)
		return err == nil && info.IsDir()
	}
	var visit func(d string)
	visit = func(d string) {
		if d != dir && exists(d+"/CACHEDIR.TAG") {
			folders++
			return
		}
		folders++
		var kinds []string
		add := func(is bool, k Kind) {
			if is {
				kinds = append(kinds, string(k))
			}
		}
		gitFile := ""
		if !isFolder(d + "/.git") {
			gitFile = text(d + "/.git")
		}
		pack, cargo := text(d+"/package.json"), text(d+"/Cargo.toml")
		add(isFolder(d+"/.git") && exists(d+"/.git/HEAD"), Git)
		add(strings.HasPrefix(gitFile, "gitdir: ") && strings.Contains(gitFile, "/worktrees/"), Worktree)
		add(strings.HasPrefix(gitFile, "gitdir: ") && strings.Contains(gitFile, "/modules/"), Submodule)
		add(isFolder(d+"/.jj"), Jujutsu)
		add(isFolder(d+"/.hg"), Mercurial)
		add(isFolder(d+"/.svn"), Subversion)
		add(exists(d+"/go.work"), GoWorkspace)
		add(exists(d+"/pnpm-workspace.yaml"), PnpmWorkspace)
		add(strings.Contains(pack, `"workspaces"`), NpmWorkspace)
		add(strings.Contains(cargo, "[workspace]"), CargoWorkspace)
		add(glob(d, ".code-workspace"), CodeWorkspace)
		add(exists(d+"/go.mod"), Go)
		add(strings.Contains(pack, `"name"`) || strings.Contains(pack, `"workspaces"`), Node)
		add(exists(d+"/deno.json"), Deno)
		add(strings.Contains(cargo, "[package]"), Rust)
		add(exists(d+"/pyproject.toml"), Python)
		add(exists(d+"/pom.xml"), Maven)
		add(exists(d+"/build.gradle") || exists(d+"/build.gradle.kts"), Gradle)
		add(glob(d, ".sln", ".csproj"), DotNet)
		add(strings.Contains(strings.ToLower(text(d+"/CMakeLists.txt")), "project"), CMake)
		add(exists(d+"/composer.json"), PHP)
		add(exists(d+"/Gemfile"), Ruby)
		add(exists(d+"/mix.exs"), Elixir)
		add(isFolder(d+"/.idea"), JetBrains)
		if len(kinds) > 0 {
			found[d] = strings.Join(kinds, ", ")
		}
		entries, err := os.ReadDir(d)
		if err != nil {
			tb.Fatal(err)
		}
		for _, e := range entries {
			if !e.IsDir() {
				continue
			}
			switch e.Name() {
			case ".git", ".hg", ".jj", ".svn", ".idea", "node_modules", "vendor", ".venv":
				continue
			case "mod":
				if filepath.Base(d) == "pkg" {
					continue
				}
			case "target":
				if exists(d+"/Cargo.toml") || exists(d+"/pom.xml") {
					continue
				}
			case "bin":
				if glob(d, ".sln", ".csproj") {
					continue
				}
			case "build":
				if exists(d+"/build.gradle") || exists(d+"/build.gradle.kts") {
					continue
				}
			case "deps":
				if exists(d + "/mix.exs") {
					continue
				}
			}
			visit(d + "/" + e.Name())
		}
	}
	visit(dir)
	return found, folders
}

// kindsByPath is a result in the form of the reference.
func kindsByPath(r *Result) map[string]string {
	out := map[string]string{}
	for _, p := range r.Projects {
		names := make([]string, len(p.Kinds))
		for i, k := range p.Kinds {
			names[i] = string(k)
		}
		out[p.Path] = strings.Join(names, ", ")
	}
	return out
}

// links adds what must not be followed: loops, links out, links named as markers.
func links(tb testing.TB, dir string) {
	tb.Helper()
	outside := tb.TempDir()
	put(tb, outside+"/go.mod", "module outside\n")
	folder(tb, dir+"/plain")
	for name, to := range map[string]string{
		"loop": dir, "plain/up": "..", "out": outside, "plain/go.mod": outside + "/go.mod", "gone": "/nowhere/at/all", "self": "self",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			tb.Skipf("links cannot be made here: %v", err)
		}
	}
}

func TestFindsWhatTheReferenceWalkFinds(t *testing.T) {
	for seed := range uint64(4) {
		dir := t.TempDir()
		generate(t, dir, 3000, seed)
		links(t, dir)
		want, folders := reference(t, dir)
		got, err := Find(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) < 50 {
			t.Fatalf("the tree has only %d projects: it proves nothing", len(want))
		}
		have := kindsByPath(got)
		for path, kinds := range want {
			if have[path] != kinds {
				t.Errorf("%s: found %q, want %q", path, have[path], kinds)
			}
		}
		for path, kinds := range have {
			if want[path] == "" {
				t.Errorf("%s: found %q, want nothing", path, kinds)
			}
		}
		if got.Folders != folders {
			t.Errorf("looked into %d folders, want %d", got.Folders, folders)
		}
		if !slices.IsSortedFunc(got.Projects, func(a, b Project) int { return comparePaths(a.Path, b.Path) }) {
			t.Error("the projects are not sorted")
		}
		for _, p := range got.Projects { // parents, the slow way
			parent := ""
			for q := range have {
				if strings.HasPrefix(p.Path, q+"/") && len(q) > len(parent) {
					parent = q
				}
			}
			if p.Parent != parent {
				t.Errorf("%s: parent %q, want %q", p.Path, p.Parent, parent)
			}
		}
	}
}
