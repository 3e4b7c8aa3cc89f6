package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is the program's version: linked if that is not empty (the build sets
// it with -ldflags), else what the Go tool recorded, else "devel".
func Version(linked string) string {
	if linked != "" {
		return linked
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return versionFrom(info)
}

func versionFrom(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if revision == "" {
		return "devel"
	}
	return "devel-" + revision + changed
}

// versions is the document of `version --json`.
type versions struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			v := versions{p.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH}
			if p.json {
				return p.document(v)
			}
			return p.tell("roots-manager %s\n%s %s/%s", v.Version, v.Go, v.OS, v.Arch)
		},
	}
}
