package aiapps

import (
	"os"
	"runtime"
	"strings"
)

// Env is the machine as far as this package looks at it. Home is enough on
// Unix; tests set all of it to stand on another system.
type Env struct {
	OS        string // linux, darwin or windows, as runtime.GOOS; empty: this system
	Home      string // the user's home folder
	ConfigDir string // where apps keep settings: ~/.config, ~/Library/Application Support, %APPDATA%; empty: the usual one below Home
	Project   string // a project folder whose files are read as well; empty: none

	// IsFolder reports whether a path is a folder, for telling folders a server
	// was given from other arguments. It must return soon. nil: judged by how
	// the path is spelled, without looking at the disk.
	IsFolder func(path string) bool
}

// System is the environment of this process.
func System() (Env, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Env{}, err
	}
	e := Env{OS: runtime.GOOS, Home: home}
	if dir, err := os.UserConfigDir(); err == nil { // otherwise the usual place below Home
		e.ConfigDir = dir
	}
	return e, nil
}

// join joins path elements by the rules of the environment's system.
func (e Env) join(first string, rest ...string) string {
	sep := "/"
	if e.windows() {
		sep = `\`
	}
	path := strings.TrimRight(first, `/`)
	if e.windows() {
		path = strings.TrimRight(first, `/\`)
	}
	for _, r := range rest {
		path += sep + strings.ReplaceAll(r, "/", sep)
	}
	return path
}

func (e Env) system() string {
	if e.OS == "" {
		return runtime.GOOS
	}
	return e.OS
}

func (e Env) windows() bool { return e.system() == "windows" }

func (e Env) configDir() string {
	switch {
	case e.ConfigDir != "":
		return e.ConfigDir
	case e.windows():
		return e.join(e.Home, "AppData/Roaming")
	case e.system() == "darwin":
		return e.join(e.Home, "Library/Application Support")
	}
	return e.join(e.Home, ".config")
}

// shape says where in a file the servers are, and how one is written.
type shape struct {
	format   Format
	servers  []string // keys down to the servers
	named    bool     // the servers are a list, each with its name inside
	projects bool     // Claude Code: also below projects.<path>
	command  string   // key of the command, when it is not "command"
	env      string   // key of the environment, when it is not "env"
}

// app is one AI app.
type app struct {
	id, name string
	shape    shape
	user     func(e Env) string
	project  string // below a project folder, with slashes; empty: none
}

func inHome(path string) func(Env) string {
	return func(e Env) string { return e.join(e.Home, path) }
}

func inConfig(path string) func(Env) string {
	return func(e Env) string { return e.join(e.configDir(), path) }
}

// inDotConfig is for apps that use ~/.config on macOS, too.
func inDotConfig(path, onWindows string) func(Env) string {
	return func(e Env) string {
		switch e.system() {
		case "windows":
			return e.join(e.configDir(), onWindows)
		case "darwin":
			return e.join(e.Home, ".config", path)
		}
		return e.join(e.configDir(), path)
	}
}

var mcpServers = shape{format: JSON, servers: []string{"mcpServers"}}

// apps are the AI apps this package knows, in the order they are listed.
var apps = []app{
	{"claude-desktop", "Claude Desktop", mcpServers, inConfig("Claude/claude_desktop_config.json"), ""},
	{
		"claude-code", "Claude Code",
		shape{format: JSON, servers: []string{"mcpServers"}, projects: true},
		inHome(".claude.json"), ".mcp.json",
	},
	{"vscode", "VS Code", shape{format: JSON, servers: []string{"servers"}}, inConfig("Code/User/mcp.json"), ".vscode/mcp.json"},
	{"cursor", "Cursor", mcpServers, inHome(".cursor/mcp.json"), ".cursor/mcp.json"},
	{"windsurf", "Windsurf", mcpServers, inHome(".codeium/windsurf/mcp_config.json"), ""},
	{
		"zed", "Zed",
		shape{format: JSON, servers: []string{"context_servers"}},
		inDotConfig("zed/settings.json", "zed/settings.json"), "",
	},
	{"codex", "Codex", shape{format: TOML, servers: []string{"mcp_servers"}}, inHome(".codex/config.toml"), ""},
	{"gemini", "Gemini CLI", mcpServers, inHome(".gemini/settings.json"), ".gemini/settings.json"},
	{
		"goose", "goose",
		shape{format: YAML, servers: []string{"extensions"}, command: "cmd", env: "envs"},
		inDotConfig("goose/config.yaml", "Block/goose/config/config.yaml"), "",
	},
	{"continue", "Continue", shape{format: YAML, servers: []string{"mcpServers"}, named: true}, inHome(".continue/config.yaml"), ""},
	{
		"cline", "Cline", mcpServers,
		inConfig("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"), "",
	},
	{"lmstudio", "LM Studio", mcpServers, inHome(".lmstudio/mcp.json"), ""},
	{"junie", "JetBrains Junie", mcpServers, inHome(".junie/mcp/mcp.json"), ".junie/mcp/mcp.json"},
}

// Place is one configuration file an AI app may have.
type Place struct {
	App     string // "Cursor"
	AppID   string // "cursor": what is typed in commands
	File    string // full path, by the rules of the environment's system
	Format  Format
	Project bool // belongs to the project folder, not to the user

	shape shape
}

// Places lists every file that is looked at, in a fixed order, whether it exists
// or not.
func (e Env) Places() []Place {
	var places []Place
	for _, a := range apps {
		places = append(places, Place{a.name, a.id, a.user(e), a.shape.format, false, a.shape})
	}
	for _, a := range apps {
		if e.Project != "" && a.project != "" {
			s := a.shape
			s.projects = false
			places = append(places, Place{a.name, a.id, e.join(e.Project, a.project), s.format, true, s})
		}
	}
	return places
}
