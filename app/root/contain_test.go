package root

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCoversComparesComponents(t *testing.T) {
	tests := []struct {
		os         OS
		root, path string
		want       bool
	}{
		{Unix, "/home/user", "/home/user", true},
		{Unix, "/home/user", "/home/user/", true},
		{Unix, "/home/user/", "/home/user/a/b", true},
		{Unix, "/home/user", "/home/user2", false},
		{Unix, "/home/user", "/home/user2/a", false},
		{Unix, "/home/user2", "/home/user", false},
		{Unix, "/home/user", "/home", false},
		{Unix, "/home/user", "/", false},
		{Unix, "/", "/etc", true},
		{Unix, "/home/user", "/home/user/../other", false},
		{Unix, "/home/user", "/home/other/../user/a", true},
		{Unix, "/home//user", "/home/./user/a", true},
		{Unix, "/home/user", "/home/USER", false},
		{Unix, "/home/user", "home/user/a", false},
		{Unix, "", "", false},
		{Unix, "/a", "/../../a/b", true},
		{Unix, "/\xff", "/\xfe", false},
		{Windows, `C:\Users\you`, `c:\users\YOU\x`, true},
		{Windows, `C:\Users\you`, `C:/Users/you/x`, true},
		{Windows, `C:\Users\you`, `C:\Users\you2`, false},
		{Windows, `C:\Users\you`, `D:\Users\you`, false},
		{Windows, `C:\`, `C:\x`, true},
		{Windows, `C:\`, `C:x`, false},
		{Windows, `C:\Büro`, `C:\BÜRO\x`, true},
		{Windows, `C:\ı`, `C:\I`, false},
		{Windows, "C:\\\xff", "C:\\\xfe", false},
		{Windows, `\\Server\Share`, `\\server\share\x`, true},
		{Windows, `\\server\share`, `\\server\share2`, false},
		{Windows, `\\server\share`, `C:\share`, false},
		{Windows, `C:\a`, `C:\a\..\b`, false},
		{Windows, `C:\a`, `\\?\C:\a\b`, false},
	}
	for _, tt := range tests {
		if got := Covers(tt.os, tt.root, tt.path); got != tt.want {
			t.Errorf("Covers(%s, %q, %q) = %v, want %v", tt.os, tt.root, tt.path, got, tt.want)
		}
	}
}

func TestSpellingIsEqualExactlyForTheSamePlace(t *testing.T) {
	tests := []struct {
		os   OS
		a, b string
		want bool
	}{
		{Unix, "/a/b", "/a//b/", true},
		{Unix, "/a/b", "/a/c/../b", true},
		{Unix, "/a/b", "/a/B", false},
		{Windows, `C:\A\b`, `c:/a/B/`, true},
		{Windows, `\\S\share\x`, `\\s\SHARE\X`, true},
		{Windows, `C:\a`, `D:\a`, false},
		{Unix, "a", "a/", false}, // no full paths: nothing is known of them
	}
	for _, tt := range tests {
		if got := Spelling(tt.os, tt.a) == Spelling(tt.os, tt.b); got != tt.want {
			t.Errorf("%s: %q and %q: %v, want %v", tt.os, tt.a, tt.b, got, tt.want)
		}
	}
}

// FuzzCovers compares containment with an independent definition, and checks
// what must hold for every pair.
func FuzzCovers(f *testing.F) {
	f.Add("/home/user", "/home/user2")
	f.Add("/home/user", "/home/user/../x")
	f.Add(`C:\Users`, `c:\users\x`)
	f.Add(`\\s\h`, `\\S\H\x`)
	f.Add("/", "/")
	f.Fuzz(func(t *testing.T, root, p string) {
		if want := coversByPrefix(root, p); Covers(Unix, root, p) != want {
			t.Fatalf("Covers(unix, %q, %q) = %v", root, p, !want)
		}
		for _, os := range []OS{Unix, Windows} {
			both := Covers(os, root, p) && Covers(os, p, root)
			if _, full := split(os, p); full && both != (Spelling(os, root) == Spelling(os, p)) {
				t.Fatalf("%s: %q and %q: covering %v, spelling %q and %q", os, root, p, both, Spelling(os, root), Spelling(os, p))
			}
			if _, full := split(os, root); full {
				if !Covers(os, root, root) || !Covers(os, root, root+"/child") || Covers(os, root+"/child", root) {
					t.Fatalf("%s: %q and its child", os, root)
				}
				if !strings.HasSuffix(root, "/") && !strings.HasSuffix(root, `\`) && !strings.HasSuffix(root, ".") && Covers(os, root, root+"2") {
					t.Fatalf("%s: %q covers its longer sibling", os, root)
				}
			}
		}
	})
}

func coversByPrefix(root, p string) bool {
	if !path.IsAbs(root) || !path.IsAbs(p) {
		return false
	}
	root, p = path.Clean(root), path.Clean(p)
	return root == "/" || p == root || strings.HasPrefix(p, root+"/")
}

// tree makes folders ("a/"), files ("f") and links ("l -> target") in a
// resolved temporary folder and returns it.
func tree(t *testing.T, entries ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name, target, isLink := strings.Cut(entry, " -> ")
		full := filepath.Join(dir, name)
		switch {
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "$", dir), full)
			if err != nil && runtime.GOOS == "windows" {
				t.Skip("links need a privilege here:", err)
			}
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(full, 0o700)
		default:
			err = os.WriteFile(full, []byte("x"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestResolveFollowsLinksAndKeepsMissingLeaves(t *testing.T) {
	dir := tree(t, "real/sub/", "file", "abs -> $/real", "rel -> real/sub", "up -> real/sub/../..",
		"chain -> rel", "dangling -> $/gone/further", "deep/", "deep/link -> ../abs", "tofile -> file")
	tests := []struct{ path, want string }{
		{"real", "real"},
		{"real/sub/", "real/sub"},
		{"abs/sub", "real/sub"},
		{"rel", "real/sub"},
		{"chain/x/y", "real/sub/x/y"},
		{"up/file", "file"},
		{"deep/link/sub", "real/sub"},
		{"missing", "missing"},
		{"missing/a/b", "missing/a/b"},
		{"abs/missing/a", "real/missing/a"},
		{"missing/../abs/sub", "real/sub"},
		{"missing/a/../../abs", "real"},
		{"rel/..", "real"}, // after the link, not beside it
		{"rel/../../file", "file"},
		{"dangling", "gone/further"},
		{"dangling/x", "gone/further/x"},
		{"tofile", "file"},
		{"file/below", "file/below"},
		{"real/./sub//", "real/sub"},
	}
	for _, tt := range tests {
		got, err := Resolve(dir + "/" + tt.path)
		if want := filepath.Join(dir, tt.want); err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", tt.path, got, err, want)
		}
	}
}

func TestResolveStopsAtCircles(t *testing.T) {
	dir := tree(t, "a -> b", "b -> a", "self -> self/x")
	for _, name := range []string{"a", "b/x", "self"} {
		if got, err := Resolve(filepath.Join(dir, name)); !errors.Is(err, ErrTooManyLinks) {
			t.Errorf("Resolve(%q) = %q, %v; want ErrTooManyLinks", name, got, err)
		}
	}
}

func TestResolveRefusesRelativePaths(t *testing.T) {
	var bad *InvalidError
	if _, err := Resolve("a/b"); !errors.As(err, &bad) || bad.Reason != ReasonRelative {
		t.Errorf("got %v", err)
	}
	if _, err := Reaches("a", "/b"); !errors.As(err, &bad) {
		t.Errorf("got %v", err)
	}
	if _, err := Reaches("/b", "a"); !errors.As(err, &bad) {
		t.Errorf("got %v", err)
	}
}

func TestResolveSaysWhereItMayNotLook(t *testing.T) {
	long := "/" + strings.Repeat("a", 300)
	if runtime.GOOS == "windows" {
		t.Skip("the limits of Windows are others")
	}
	var pathErr *fs.PathError
	if _, err := Resolve(long); !errors.As(err, &pathErr) {
		t.Errorf("a name no file can have: got %v, want an fs.PathError", err)
	}
}

func TestReachesSeesThroughLinks(t *testing.T) {
	dir := tree(t, "project/src/", "secret/", "project/escape -> $/secret", "project/inside -> src",
		"alias -> project", "project/new -> $/secret/not-yet", "project2/")
	tests := []struct {
		root, path string
		want       bool
	}{
		{"project", "project/src", true},
		{"project", "project/inside", true},
		{"project", "project/escape", false},
		{"project", "project/escape/file", false},
		{"project", "project/new", false},
		{"project", "project/missing/file", true},
		{"project", "alias/src", true},
		{"alias", "project/src", true},
		{"alias", "alias/escape", false},
		{"project", "project2", false},
		{"project", "project/../secret", false},
	}
	for _, tt := range tests {
		got, err := Reaches(dir+"/"+tt.root, dir+"/"+tt.path)
		if err != nil || got != tt.want {
			t.Errorf("Reaches(%q, %q) = %v, %v; want %v", tt.root, tt.path, got, err, tt.want)
		}
	}
}

func TestSameFindsOtherSpellings(t *testing.T) {
	dir := tree(t, "a/", "b/", "link -> a", "file", "dangling -> $/gone")
	if err := os.Link(filepath.Join(dir, "file"), filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		a, b string
		want bool
	}{
		{"a", "a/", true},
		{"a", "link", true},
		{"a", "b", false},
		{"file", "hard", true},
		{"gone", "gone/", true},
		{"gone", "dangling", true},
		{"gone", "a", false},
		{"gone", "gone2", false},
	}
	for _, tt := range tests {
		got, err := Same(dir+"/"+tt.a, dir+"/"+tt.b)
		if err != nil || got != tt.want {
			t.Errorf("Same(%q, %q) = %v, %v; want %v", tt.a, tt.b, got, err, tt.want)
		}
	}
}
