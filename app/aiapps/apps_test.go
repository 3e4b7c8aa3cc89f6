package aiapps

import (
	"testing"
)

// The path tables of all three systems are tested on each of them.
func TestPlacesOnEverySystem(t *testing.T) {
	for _, c := range []struct {
		env  Env
		want map[string]string // user files by app
	}{
		{
			Env{OS: "linux", Home: "/home/u"},
			map[string]string{
				"claude-desktop": "/home/u/.config/Claude/claude_desktop_config.json",
				"claude-code":    "/home/u/.claude.json",
				"vscode":         "/home/u/.config/Code/User/mcp.json",
				"cursor":         "/home/u/.cursor/mcp.json",
				"windsurf":       "/home/u/.codeium/windsurf/mcp_config.json",
				"zed":            "/home/u/.config/zed/settings.json",
				"codex":          "/home/u/.codex/config.toml",
				"gemini":         "/home/u/.gemini/settings.json",
				"goose":          "/home/u/.config/goose/config.yaml",
				"continue":       "/home/u/.continue/config.yaml",
				"cline":          "/home/u/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
				"lmstudio":       "/home/u/.lmstudio/mcp.json",
				"junie":          "/home/u/.junie/mcp/mcp.json",
			},
		},
		{
			Env{OS: "darwin", Home: "/Users/u/"},
			map[string]string{
				"claude-desktop": "/Users/u/Library/Application Support/Claude/claude_desktop_config.json",
				"claude-code":    "/Users/u/.claude.json",
				"vscode":         "/Users/u/Library/Application Support/Code/User/mcp.json",
				"cursor":         "/Users/u/.cursor/mcp.json",
				"windsurf":       "/Users/u/.codeium/windsurf/mcp_config.json",
				"zed":            "/Users/u/.config/zed/settings.json",
				"codex":          "/Users/u/.codex/config.toml",
				"gemini":         "/Users/u/.gemini/settings.json",
				"goose":          "/Users/u/.config/goose/config.yaml",
				"continue":       "/Users/u/.continue/config.yaml",
				"cline":          "/Users/u/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
				"lmstudio":       "/Users/u/.lmstudio/mcp.json",
				"junie":          "/Users/u/.junie/mcp/mcp.json",
			},
		},
		{
			Env{OS: "windows", Home: `C:\Users\u`, ConfigDir: `C:\Users\u\AppData\Roaming`},
			map[string]string{
				"claude-desktop": `C:\Users\u\AppData\Roaming\Claude\claude_desktop_config.json`,
				"claude-code":    `C:\Users\u\.claude.json`,
				"vscode":         `C:\Users\u\AppData\Roaming\Code\User\mcp.json`,
				"cursor":         `C:\Users\u\.cursor\mcp.json`,
				"windsurf":       `C:\Users\u\.codeium\windsurf\mcp_config.json`,
				"zed":            `C:\Users\u\AppData\Roaming\zed\settings.json`,
				"codex":          `C:\Users\u\.codex\config.toml`,
				"gemini":         `C:\Users\u\.gemini\settings.json`,
				"goose":          `C:\Users\u\AppData\Roaming\Block\goose\config\config.yaml`,
				"continue":       `C:\Users\u\.continue\config.yaml`,
				"cline":          `C:\Users\u\AppData\Roaming\Code\User\globalStorage\saoudrizwan.claude-dev\settings\cline_mcp_settings.json`,
				"lmstudio":       `C:\Users\u\.lmstudio\mcp.json`,
				"junie":          `C:\Users\u\.junie\mcp\mcp.json`,
			},
		},
	} {
		t.Run(c.env.OS, func(t *testing.T) {
			places := c.env.Places()
			if len(places) != len(c.want) {
				t.Errorf("%d places, want %d", len(places), len(c.want))
			}
			for _, p := range places {
				if p.File != c.want[p.AppID] || p.Project {
					t.Errorf("%s: %q, want %q", p.AppID, p.File, c.want[p.AppID])
				}
			}
		})
	}
}

func TestPlacesOfAProject(t *testing.T) {
	for _, c := range []struct {
		env  Env
		want map[string]string
	}{
		{Env{OS: "linux", Home: "/home/u", Project: "/src/x"}, map[string]string{
			"claude-code": "/src/x/.mcp.json", "vscode": "/src/x/.vscode/mcp.json", "cursor": "/src/x/.cursor/mcp.json",
			"gemini": "/src/x/.gemini/settings.json", "junie": "/src/x/.junie/mcp/mcp.json",
		}},
		{Env{OS: "windows", Home: `C:\Users\u`, Project: `D:\x`}, map[string]string{
			"claude-code": `D:\x\.mcp.json`, "vscode": `D:\x\.vscode\mcp.json`, "cursor": `D:\x\.cursor\mcp.json`,
			"gemini": `D:\x\.gemini\settings.json`, "junie": `D:\x\.junie\mcp\mcp.json`,
		}},
	} {
		found := 0
		for _, p := range c.env.Places() {
			if !p.Project {
				continue
			}
			found++
			if p.File != c.want[p.AppID] {
				t.Errorf("%s: %q, want %q", p.AppID, p.File, c.want[p.AppID])
			}
		}
		if found != len(c.want) {
			t.Errorf("%s: %d project files, want %d", c.env.OS, found, len(c.want))
		}
	}
}
