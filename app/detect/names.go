package detect

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	readLimit = 1 << 20 // bytes of a project file that are read
	nameLimit = 80      // characters of a name
)

// readFile reads the start of an ordinary file. It follows no link and waits
// for no pipe.
func readFile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	f, err := os.OpenFile(path, os.O_RDONLY|neverWait, 0)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, readLimit))
	if closing := f.Close(); err == nil {
		err = closing
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

func firstLine(path string) string {
	text, err := readFile(path)
	if err != nil {
		return "" // without a name of its own
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// cleanName makes a name from a file fit to be shown: no hidden characters, at
// most 80 of the others.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector), r == '\u115f', r == '\u3164':
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > nameLimit {
		name = string(runes[:nameLimit])
	}
	return strings.TrimSpace(name)
}

// readProjectFile returns what a project file makes of its folder, and the name
// in it. No kinds: it is not the file of a project.
func readProjectFile(m marker, file string) ([]Kind, string) {
	kinds := []Kind{m.kind}
	switch m.kind {
	case GoWorkspace, PnpmWorkspace, Ruby:
		return kinds, ""
	case CodeWorkspace, DotNet:
		base := filepath.Base(file)
		return kinds, strings.TrimSuffix(base, filepath.Ext(base))
	}
	text, err := readFile(file)
	if err != nil {
		if m.kind == CMake {
			return nil, "" // it may as well be a part of one
		}
		return kinds, ""
	}
	switch m.kind {
	case Go:
		return kinds, goName(string(text))
	case Node:
		return nodeProject(text)
	case Deno, PHP:
		var doc struct{ Name string }
		if json.Unmarshal(text, &doc) != nil {
			return kinds, ""
		}
		if m.kind == PHP { // vendor/name
			doc.Name = path.Base(doc.Name)
		}
		return kinds, strings.TrimPrefix(doc.Name, ".")
	case Rust:
		doc := tomlNames(string(text))
		if doc.has["workspace"] {
			kinds = []Kind{CargoWorkspace}
			if doc.has["package"] {
				kinds = append(kinds, Rust)
			}
		}
		return kinds, doc.names["package"]
	case Python:
		doc := tomlNames(string(text))
		if doc.names["project"] != "" {
			return kinds, doc.names["project"]
		}
		return kinds, doc.names["tool.poetry"]
	case Maven:
		return kinds, mavenName(text)
	case Gradle:
		for _, settings := range []string{"settings.gradle", "settings.gradle.kts"} {
			if text, err := readFile(filepath.Join(filepath.Dir(file), settings)); err == nil {
				return kinds, firstGroup(gradleName, text)
			}
		}
	case CMake:
		if !cmakeProject.Match(text) {
			return nil, "" // a part of the project above
		}
		return kinds, firstGroup(cmakeProject, text)
	case Elixir:
		return kinds, firstGroup(mixApp, text)
	}
	return kinds, ""
}

var (
	gradleName   = regexp.MustCompile(`(?m)^\s*rootProject\.name\s*=\s*['"]([^'"$]+)['"]`)
	cmakeProject = regexp.MustCompile(`(?im)^[ \t]*project[ \t]*\(\s*["]?([A-Za-z0-9_.+-]*)`)
	mixApp       = regexp.MustCompile(`\bapp:\s*:([A-Za-z0-9_]+)`)
	majorVersion = regexp.MustCompile(`^v[0-9]+$`)
)

func firstGroup(re *regexp.Regexp, text []byte) string {
	if m := re.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}

// goName is the last part of the module path that is not a version.
func goName(text string) string {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module")
		if !ok || rest == "" || !unicode.IsSpace(rune(rest[0])) && rest[0] != '"' {
			continue
		}
		rest, _, _ = strings.Cut(rest, "//")
		module := strings.Trim(strings.TrimSpace(rest), "\"`")
		name := path.Base(module)
		if majorVersion.MatchString(name) {
			name = path.Base(path.Dir(module))
		}
		return strings.TrimPrefix(name, ".")
	}
	return ""
}

// nodeProject leaves out the package.json that only says how the files beside
// it are to be loaded.
func nodeProject(text []byte) ([]Kind, string) {
	var doc struct {
		Name         json.RawMessage
		Workspaces   json.RawMessage
		Scripts      json.RawMessage
		Dependencies json.RawMessage
		Dev          json.RawMessage `json:"devDependencies"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return []Kind{Node}, "" // being edited, perhaps
	}
	if doc.Name == nil && doc.Workspaces == nil && doc.Scripts == nil && doc.Dependencies == nil && doc.Dev == nil {
		return nil, ""
	}
	var name string
	if doc.Name != nil && json.Unmarshal(doc.Name, &name) != nil {
		name = ""
	}
	if doc.Workspaces != nil && string(doc.Workspaces) != "null" {
		return []Kind{NpmWorkspace, Node}, name
	}
	return []Kind{Node}, name
}

// tomlDoc is the little of a TOML file that names a project.
type tomlDoc struct {
	has   map[string]bool   // tables
	names map[string]string // their "name"
}

// tomlNames reads tables and their names, one line at a time; it does not
// follow strings over several lines.
func tomlNames(text string) tomlDoc {
	doc := tomlDoc{map[string]bool{}, map[string]string{}}
	table := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			table, _, _ = strings.Cut(strings.TrimLeft(line, "["), "]")
			table = strings.TrimSpace(table)
			doc.has[table] = true
			if parent, _, ok := strings.Cut(table, "."); ok {
				doc.has[parent] = true
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(key) != "name" || doc.names[table] != "" {
			continue
		}
		value = strings.TrimSpace(value)
		if len(value) < 2 || value[0] != '"' && value[0] != '\'' {
			continue
		}
		if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
			doc.names[table] = value[1 : 1+end]
		}
	}
	return doc
}

// mavenName is the artifactId of the project itself, not of its parent.
func mavenName(text []byte) string {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false
	depth := 0
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth == 2 && t.Name.Local == "artifactId" {
				var id string
				if d.DecodeElement(&id, &t) != nil || strings.Contains(id, "${") {
					return ""
				}
				return strings.TrimSpace(id)
			}
		case xml.EndElement:
			depth--
		}
	}
}
