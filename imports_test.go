package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "rootsmanager"

// rooms tells, for each room of the house, which other rooms its code may
// import, and why no others. Imports point one way:
//
//	main → app/ui, app/cli → app → {store, mcpclient, app/monitor} → app/root
//
// A folder without an entry belongs to the nearest room above it; "x/**" means
// x and every folder below it. A new part gets a line of its own.
var rooms = map[string]struct {
	may []string
	why string
}{
	".": {
		[]string{"app", "app/cli", "app/ui/**", "assets"},
		"main only wires: what it would do with other rooms belongs into app/cli or app/ui",
	},
	"assets": {nil, "icons and translations are data; data imports nothing"},
	"app/root": {
		nil, "what a root is must stay pure: no disk format, protocol or window may shape it",
	},
	"app/monitor": {
		[]string{"app/root"}, "it tells whether a root is reachable; what follows from that is app's to decide",
	},
	"app/detect":   {nil, "it reads other people's folders and files, and must not know what becomes of them"},
	"app/aiapps":   {nil, "it reads and edits other programs' files; who may see what is app's to decide"},
	"app/instance": {nil, "it knows a folder and a socket, not what the program does"},
	"store": {
		[]string{"app/root"}, "the store keeps what it is given and holds no policy",
	},
	"mcpclient": {
		[]string{"app/root"}, "sessions ask for roots through a function; who may see what is app's to decide",
	},
	"mcpclient/bench": {
		[]string{"app/root", "mcpclient", "mcpclient/peers", "mcpclient/probe"}, "it measures mcpclient and nothing above it",
	},
	"mcpclient/misbehave": {nil, "it must share no code with what it is there to try"},
	"mcpclient/peers":     {nil, "every room's tests import it, so it imports no room"},
	"app/bench": {
		[]string{"app", "app/monitor", "app/root", "store", "mcpclient/peers", "mcpclient/probe"}, "it measures the engine as a user of it, and the monitor below",
	},
	"app": {
		[]string{"app/root", "app/monitor", "store", "mcpclient", "mcpclient/login"},
		"the core knows no window, no terminal and no demo: screens, command line and tests are equal users of it",
	},
	"app/demo": {[]string{"app", "app/root", "store", "assets"}, "the demo fills a profile as any user of the core would"},
	"app/cli": {
		[]string{"app", "app/aiapps", "app/root", "app/monitor", "app/demo", "app/detect", "app/instance", "store", "mcpclient/probe"},
		"the command line must work where no window can, and main hands it the window as a function",
	},
	"app/ui": {
		[]string{"app", "app/detect", "app/root", "app/monitor", "app/ui/**", "store", "assets"},
		"the window draws snapshots and gives commands; it starts no session and shares no code with the terminal",
	},
	"app/ui/look":   {nil, "the look of things knows colours and spacing, not servers and roots"},
	"app/ui/locale": {nil, "it must run before Fyne's own start, so nothing may start before it"},
	"app/ui/pick":   {nil, "it answers with paths; what becomes of them is the caller's to decide"},
	"app/ui/e2e": {
		[]string{"mcpclient/peers", "app/ui/e2e/**"},
		"it drives the finished program from outside, so it may know nothing from inside",
	},
}

// inTests are rooms that the tests of every room may import besides: real peers,
// and the types that events and snapshots carry.
var inTests = []string{"mcpclient", "mcpclient/misbehave", "mcpclient/peers", "mcpclient/probe"}

// outside tells which rooms own an import from outside this module.
var outside = []struct {
	prefix string
	rooms  []string
	why    string
}{
	{
		"fyne.io/",
		[]string{".", "assets", "app/ui/**"},
		"the core, the command line and the store must run where there is no window",
	},
	{
		"github.com/modelcontextprotocol/go-sdk",
		[]string{"mcpclient/**"},
		"every path by which a server can learn a root goes through one room; types of the SDK elsewhere would open another",
	},
	{
		"github.com/fsnotify/fsnotify",
		[]string{"app/monitor"},
		"watching has limits and surprises that one room deals with",
	},
	{
		"github.com/mattn/go-sqlite3",
		[]string{"store"},
		"one room opens the profile, with one set of settings and one way to commit",
	},
	{
		"github.com/zalando/go-keyring",
		[]string{"store"},
		"a keyring may block for ever; one room puts the deadline",
	},
	{
		"github.com/godbus/dbus",
		[]string{"store", "app/ui/pick", "app/ui/e2e"},
		"the session bus is asked for dialogs and for the keyring, nothing else (e2e locks that keyring)",
	},
	{"github.com/go-ole/go-ole", []string{"app/ui/pick"}, "only the dialogs of Windows need COM"},
	{"github.com/tailscale/hujson", []string{"app/aiapps"}, "the files of AI apps are read in one place"},
	{"github.com/pelletier/go-toml", []string{"app/aiapps"}, "the files of AI apps are read in one place"},
	{"go.yaml.in/yaml", []string{"app/aiapps"}, "the files of AI apps are read in one place"},
	{"github.com/spf13/cobra", []string{"app/cli"}, "the command line is read in one place"},
	{"golang.org/x/term", []string{"app/cli"}, "only the command line talks to a terminal"},
	{"golang.org/x/oauth2", []string{"mcpclient/**"}, "signing in to a server is part of the session with it"},
}

// windowless are rooms under app/ui that must not import Fyne all the same.
var windowless = map[string]string{
	"app/ui/pick":   "the desktop's own dialogs must be testable, and usable, without a window",
	"app/ui/locale": "it must run before Fyne's own start",
	"app/ui/e2e":    "it drives the window from outside and must build without the toolkit",
}

// pure are rooms that import the standard library and these, and no more.
var pure = map[string][]string{
	"app/root":   {"golang.org/x/sys", "golang.org/x/text"},
	"app/aiapps": {"github.com/tailscale/hujson", "github.com/pelletier/go-toml", "go.yaml.in/yaml", "golang.org/x/sys"},
	"app/detect": {"golang.org/x/sys"},
}

// file is one parsed Go file of this module, whatever system it is for.
type file struct {
	name string // path from the top, with slashes
	dir  string // folder, "." at the top
	test bool
	ast  *ast.File
	set  *token.FileSet
}

// goFiles parses every Go file of the module with its comments. Files for other
// systems count too: direction does not depend on where one builds.
func goFiles(t *testing.T) []file {
	t.Helper()
	var files []file
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") ||
				base == "testdata" || base == "build" || base == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasPrefix(base, ".") {
			return nil
		}
		parsed, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		files = append(files, file{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), parsed, set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// covers reports whether one of the patterns means the folder.
func covers(patterns []string, dir string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if tree, ok := strings.CutSuffix(pattern, "/**"); ok {
			return dir == tree || strings.HasPrefix(dir, tree+"/")
		}
		return dir == pattern
	})
}

// room returns the room that a folder belongs to.
func room(dir string) string {
	for {
		if _, ok := rooms[dir]; ok || dir == "." {
			return dir
		}
		dir = path.Dir(dir)
	}
}

func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/")
}

// complaint returns why a file in dir may not import what, or nothing.
func complaint(dir, what string, test bool) string {
	here := room(dir)
	if inside, ok := strings.CutPrefix(what, module+"/"); ok {
		rule := rooms[here]
		same := covers([]string{here + "/**"}, inside) && room(inside) == here
		if same || covers(rule.may, inside) || test && covers(inTests, inside) {
			return ""
		}
		return rule.why
	}
	if why, ok := windowless[here]; ok && within(what, "fyne.io/") {
		return why
	}
	for _, rule := range outside {
		if within(what, rule.prefix) && !covers(rule.rooms, dir) {
			return rule.why
		}
	}
	if also, ok := pure[here]; ok && !test && strings.Contains(strings.SplitN(what, "/", 2)[0], ".") {
		if !slices.ContainsFunc(also, func(prefix string) bool { return within(what, prefix) }) {
			return rooms[here].why
		}
	}
	return ""
}

func TestImportsPointOneWay(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, spec := range f.ast.Imports {
			what, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if why := complaint(f.dir, what, f.test); why != "" {
				t.Errorf("%s imports %s, but: %s", f.set.Position(spec.Pos()), what, why)
			}
		}
	}
}

// The rules themselves: each of these would be a wall broken through, or is a
// door that must stay open.
func TestImportRulesHold(t *testing.T) {
	const fyne, sdk = "fyne.io/fyne/v2", "github.com/modelcontextprotocol/go-sdk/mcp"
	for _, c := range []struct {
		dir, what string
		test, ok  bool
	}{
		{".", "rootsmanager/app/ui", false, true},
		{".", "rootsmanager/store", false, false},
		{"app", "rootsmanager/store", false, true},
		{"app", "rootsmanager/app/ui", false, false},
		{"app", "rootsmanager/app/ui/look", true, false},
		{"app", "rootsmanager/app/cli", false, false},
		{"app", fyne, false, false},
		{"app", sdk, false, false},
		{"app", "rootsmanager/mcpclient/probe", true, true},
		{"app", "rootsmanager/mcpclient/probe", false, false},
		{"app/root", "golang.org/x/text/unicode/norm", false, true},
		{"app/root", "github.com/adrg/xdg", false, false},
		{"app/root", "rootsmanager/store", false, false},
		{"app/monitor", "github.com/fsnotify/fsnotify", false, true},
		{"store", "github.com/fsnotify/fsnotify", false, false},
		{"store", "rootsmanager/app", false, false},
		{"store", "rootsmanager/app/root", false, true},
		{"mcpclient", sdk, false, true},
		{"mcpclient/probe", sdk, false, true},
		{"mcpclient", "rootsmanager/app", false, false},
		{"mcpclient", "rootsmanager/store", false, false},
		{"app/ui", fyne + "/widget", false, true},
		{"app/ui", "rootsmanager/app/ui/look", false, true},
		{"app/ui", "rootsmanager/app/cli", false, false},
		{"app/ui", "rootsmanager/mcpclient", false, false},
		{"app/ui", "rootsmanager/mcpclient", true, true},
		{"app/ui/pick", fyne, false, false},
		{"app/ui/pick", "rootsmanager/app", false, false},
		{"app/ui/look", "rootsmanager/app", false, false},
		{"app/cli", fyne, false, false},
		{"app/cli", "rootsmanager/app/ui", false, false},
		{"app/someday", "rootsmanager/app/ui", false, false},
	} {
		why := complaint(c.dir, c.what, c.test)
		if (why == "") != c.ok {
			t.Errorf("%s importing %s (test: %v): got %q, allowed should be %v", c.dir, c.what, c.test, why, c.ok)
		}
	}
}

// lines returns how long a file is.
func (f file) lines() int { return f.set.File(f.ast.Pos()).LineCount() }

func (f file) String() string { return fmt.Sprintf("%s (%d lines)", f.name, f.lines()) }
