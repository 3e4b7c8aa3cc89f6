package detect

import (
	"io/fs"
	"slices"
	"strings"
)

// Kind is why a folder counts as a project.
type Kind string

// The kinds, in the order in which a project lists them.
const (
	Git            Kind = "git"             // a repository: .git is a folder
	Worktree       Kind = "git worktree"    // .git is a file that names another repository's worktree
	Submodule      Kind = "git submodule"   // .git is a file that names a module of another repository
	Jujutsu        Kind = "jj"              // .jj
	Mercurial      Kind = "hg"              // .hg
	Subversion     Kind = "svn"             // .svn
	GoWorkspace    Kind = "go workspace"    // go.work
	PnpmWorkspace  Kind = "pnpm workspace"  // pnpm-workspace.yaml
	NpmWorkspace   Kind = "npm workspace"   // package.json with "workspaces"
	CargoWorkspace Kind = "cargo workspace" // Cargo.toml with [workspace]
	CodeWorkspace  Kind = "code workspace"  // *.code-workspace
	Go             Kind = "go"              // go.mod
	Node           Kind = "node"            // package.json
	Deno           Kind = "deno"            // deno.json, deno.jsonc
	Rust           Kind = "rust"            // Cargo.toml with [package]
	Python         Kind = "python"          // pyproject.toml
	Maven          Kind = "maven"           // pom.xml
	Gradle         Kind = "gradle"          // build.gradle, build.gradle.kts
	DotNet         Kind = ".net"            // *.sln, *.slnx, *.csproj, *.fsproj, *.vbproj
	CMake          Kind = "cmake"           // CMakeLists.txt with project()
	PHP            Kind = "php"             // composer.json
	Ruby           Kind = "ruby"            // Gemfile
	Elixir         Kind = "elixir"          // mix.exs
	JetBrains      Kind = "jetbrains"       // .idea
)

var order = []Kind{
	Git, Worktree, Submodule, Jujutsu, Mercurial, Subversion,
	GoWorkspace, PnpmWorkspace, NpmWorkspace, CargoWorkspace, CodeWorkspace,
	Go, Node, Deno, Rust, Python, Maven, Gradle, DotNet, CMake, PHP, Ruby, Elixir, JetBrains,
}

// Versioned reports whether the kind is a version control system.
func (k Kind) Versioned() bool {
	return slices.Contains(order[:slices.Index(order, Subversion)+1], k)
}

// Workspace reports whether the kind binds several projects together.
func (k Kind) Workspace() bool {
	at := slices.Index(order, k)
	return at >= slices.Index(order, GoWorkspace) && at <= slices.Index(order, CodeWorkspace)
}

// markerFiles and markerFolders are the names that make a folder a candidate.
var markerFiles = map[string]Kind{
	".git":                Worktree, // or a submodule: its text tells
	"go.work":             GoWorkspace,
	"pnpm-workspace.yaml": PnpmWorkspace,
	"go.mod":              Go,
	"package.json":        Node,
	"deno.json":           Deno,
	"deno.jsonc":          Deno,
	"Cargo.toml":          Rust,
	"pyproject.toml":      Python,
	"pom.xml":             Maven,
	"build.gradle":        Gradle,
	"build.gradle.kts":    Gradle,
	"CMakeLists.txt":      CMake,
	"composer.json":       PHP,
	"Gemfile":             Ruby,
	"mix.exs":             Elixir,
}

var markerFolders = map[string]Kind{
	".git": Git, ".jj": Jujutsu, ".hg": Mercurial, ".svn": Subversion, ".idea": JetBrains,
}

var markerEndings = []struct {
	ending string
	kind   Kind
}{
	{".code-workspace", CodeWorkspace},
	{".sln", DotNet},
	{".slnx", DotNet},
	{".csproj", DotNet},
	{".fsproj", DotNet},
	{".vbproj", DotNet},
}

// marker is an entry that hints at a project.
type marker struct {
	name string
	kind Kind
}

// markerOf returns the kind that an entry hints at, if any. Links do not count.
func markerOf(e fs.DirEntry) (marker, bool) {
	name := e.Name()
	switch {
	case e.IsDir():
		k, ok := markerFolders[name]
		return marker{name, k}, ok
	case !e.Type().IsRegular():
		return marker{}, false
	}
	if k, ok := markerFiles[name]; ok {
		return marker{name, k}, true
	}
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return marker{}, false
	}
	for _, m := range markerEndings {
		if name[dot:] == m.ending {
			return marker{name, m.kind}, true
		}
	}
	return marker{}, false
}

// skipped are folders whose content belongs to tools: dependencies, caches,
// waste baskets, and the inside of version control.
var skipped = map[string]bool{
	".git": true, ".hg": true, ".svn": true, ".jj": true, ".idea": true,
	"node_modules": true, "vendor": true, "bower_components": true, "jspm_packages": true, "Pods": true, "Carthage": true,
	"__pycache__": true, "site-packages": true, ".venv": true, "venv": true, ".tox": true, ".nox": true, ".eggs": true,
	".mypy_cache": true, ".pytest_cache": true, ".ruff_cache": true,
	".cache": true, ".npm": true, ".yarn": true, ".pnpm-store": true, ".parcel-cache": true, ".turbo": true, ".next": true, ".nuxt": true,
	".cargo": true, ".rustup": true, ".gradle": true, ".m2": true, ".ivy2": true, ".nuget": true, ".bundle": true, ".terraform": true,
	".dart_tool": true, ".pub-cache": true, ".Trash": true, "Trash": true, "$RECYCLE.BIN": true, "System Volume Information": true,
	"Caches": true, "DerivedData": true,
}

// skippedBeside are folders that tools fill beside one of their files.
var skippedBeside = map[string][]string{
	"target": {"Cargo.toml", "pom.xml"},
	"deps":   {"mix.exs"},
	"_build": {"mix.exs"},
	"build":  {"build.gradle", "build.gradle.kts"},
	"bin":    {"*.net"},
	"obj":    {"*.net"},
}

// skip reports whether a folder is not searched, given the markers beside it
// and the name of the folder it is in.
func skip(name, within string, beside []marker) bool {
	if skipped[name] || name == "mod" && within == "pkg" { // Go's module cache
		return true
	}
	for _, tool := range skippedBeside[name] {
		for _, m := range beside {
			if m.name == tool || tool == "*.net" && m.kind == DotNet {
				return true
			}
		}
	}
	return false
}

// cacheTag marks a folder as a cache (https://bford.info/cachedir/).
const cacheTag = "CACHEDIR.TAG"
