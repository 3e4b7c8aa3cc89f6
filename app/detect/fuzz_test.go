package detect

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever the files of strangers hold, reading them ends, and the names are
// fit to be shown.
func FuzzReadsAnyText(f *testing.F) {
	for _, text := range []string{
		"", "module \"x", "module\tgo/v2 // y", "[package]\nname='a", "[[", "=", `{"name":{}}`, `{"workspaces":null}`,
		"<project><artifactId>${a}</artifactId>", "<a><entry key='/x'><option name='activationTimestamp' value='9223372036854775807'/>",
		"ref: ", "ref: refs/heads/\u202e", "project(\n", "app: :", "file:///%zz", "[remote \"origin\"]\nurl=", `{"windowsState":{"openedWindows":[{}]}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		toml := tomlNames(text)
		_, node := nodeProject([]byte(text))
		names := []string{
			goName(text), toml.names["package"], node, mavenName([]byte(text)), branchOf(text), repositoryName(text), productName(text),
			firstGroup(cmakeProject, []byte(text)), firstGroup(gradleName, []byte(text)), firstGroup(mixApp, []byte(text)),
		}
		for _, name := range names {
			clean := cleanName(name)
			if !utf8.ValidString(clean) || utf8.RuneCountInString(clean) > nameLimit || strings.ContainsAny(clean, "\x00\n\r\t\u202e\u200b") {
				t.Errorf("%q became %q", name, clean)
			}
		}
		gitFileKind(text)
		for _, uri := range append(storageFolders([]byte(text)), text) {
			if path, ok := localPath(uri); ok && path == "" {
				t.Errorf("%q is no path", uri)
			}
		}
		if found, err := recentProjects([]byte(text), "/home/user"); err == nil && len(found) > maxWorkspaces {
			t.Errorf("%d entries", len(found))
		}
	})
}
