package detect

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxRecent is how many folders Recent returns at most.
const MaxRecent = 100

// maxWorkspaces bounds how many folders of one editor's storage are read.
const maxWorkspaces = 1000

// Suggestion is a folder that a code editor opened.
type Suggestion struct {
	Path   string    `json:"path"`            // native, absolute; it was there a moment ago
	Editor string    `json:"editor"`          // such as “VS Code” or “GoLand”
	Opened time.Time `json:"opened,omitzero"` // last, as far as the editor tells
}

// ConfigDirs returns where programs of this user keep their settings: Recent
// looks for editors there.
func ConfigDirs() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	var dirs []string
	if dir, err := os.UserConfigDir(); err == nil {
		dirs = append(dirs, dir)
	}
	if runtime.GOOS == "linux" {
		flatpaks, err := os.ReadDir(filepath.Join(home, ".var", "app"))
		if err != nil {
			return dirs // no flatpaks
		}
		for _, f := range flatpaks {
			dirs = append(dirs, filepath.Join(home, ".var", "app", f.Name(), "config"))
		}
	}
	return dirs
}

// Recent returns the local folders that VS Code, its kin, and the editors of
// JetBrains opened lately, the newest first, each once. It only reads. home is
// the user's home folder; configs are as of [ConfigDirs]. It gives up what is
// left, and returns an error, when ctx ends.
func Recent(ctx context.Context, home string, configs []string) ([]Suggestion, error) {
	done := make(chan []Suggestion, 1)
	go func() {
		var all []Suggestion
		for _, config := range configs {
			all = append(all, codeFolders(ctx, config)...)
			all = append(all, jetBrainsFolders(ctx, home, config)...)
		}
		done <- newestFolders(ctx, all)
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case found := <-done:
		return found, ctx.Err()
	}
}

// newestFolders leaves out what is not there any more.
func newestFolders(ctx context.Context, all []Suggestion) []Suggestion {
	slices.SortStableFunc(all, func(a, b Suggestion) int {
		return cmp.Or(b.Opened.Compare(a.Opened), comparePaths(a.Path, b.Path), cmp.Compare(a.Editor, b.Editor))
	})
	known := map[string]bool{}
	var out []Suggestion
	for _, s := range all {
		if ctx.Err() != nil || len(out) == MaxRecent {
			break
		}
		if known[s.Path] || otherComputer(s.Path) {
			continue
		}
		known[s.Path] = true
		if info, err := os.Stat(s.Path); err == nil && info.IsDir() {
			out = append(out, s)
		}
	}
	return out
}

// otherComputer reports whether merely looking at a path would contact one.
func otherComputer(path string) bool {
	return runtime.GOOS == "windows" && len(path) > 1 && os.IsPathSeparator(path[0]) && os.IsPathSeparator(path[1])
}

// codeEditors are the folders of VS Code and its kin.
var codeEditors = []struct{ dir, name string }{
	{"Code", "VS Code"},
	{"Code - Insiders", "VS Code Insiders"},
	{"VSCodium", "VSCodium"},
	{"Code - OSS", "Code – OSS"},
	{"Cursor", "Cursor"},
	{"Windsurf", "Windsurf"},
}

// codeFolders reads what the editors keep as JSON. Their full list is in a
// database that belongs to the running editor; it is left alone.
func codeFolders(ctx context.Context, config string) []Suggestion {
	var out []Suggestion
	for _, editor := range codeEditors {
		user := filepath.Join(config, editor.dir, "User")
		add := func(uri string, at time.Time) {
			path, ok := localPath(uri)
			if !ok {
				return
			}
			if strings.HasSuffix(path, ".code-workspace") {
				path = filepath.Dir(path)
			}
			out = append(out, Suggestion{path, editor.name, at})
		}
		if text, err := readFile(filepath.Join(user, "globalStorage", "storage.json")); err == nil {
			for _, uri := range storageFolders(text) {
				add(uri, time.Time{}) // it does not tell when; the storage below does
			}
		}
		opened, err := os.ReadDir(filepath.Join(user, "workspaceStorage"))
		if err != nil {
			continue // this editor is not here
		}
		for i, dir := range opened {
			if i == maxWorkspaces || ctx.Err() != nil {
				break
			}
			place := filepath.Join(user, "workspaceStorage", dir.Name())
			text, err := readFile(filepath.Join(place, "workspace.json"))
			if err != nil {
				continue
			}
			var doc struct{ Folder, Workspace, Configuration string }
			if json.Unmarshal(text, &doc) != nil {
				continue
			}
			at := later(written(filepath.Join(place, "workspace.json")), written(filepath.Join(place, "state.vscdb")))
			for _, uri := range []string{doc.Folder, doc.Workspace, doc.Configuration} {
				add(uri, at)
			}
		}
	}
	return out
}

// storageFolders collects the folders that storage.json names, in the places
// where the versions of the editor keep them.
func storageFolders(text []byte) []string {
	type window struct {
		Folder    string
		Workspace struct{ ConfigPath string }
	}
	var doc struct {
		WindowsState struct {
			LastActiveWindow window
			OpenedWindows    []window
		}
		BackupWorkspaces struct {
			Folders []struct{ FolderURI string }
		}
		OpenedPathsList struct {
			Entries []struct{ FolderURI string }
		}
		ProfileAssociations struct {
			Workspaces map[string]json.RawMessage
		}
	}
	if json.Unmarshal(text, &doc) != nil {
		return nil
	}
	var out []string
	for _, w := range append(doc.WindowsState.OpenedWindows, doc.WindowsState.LastActiveWindow) {
		out = append(out, w.Folder, w.Workspace.ConfigPath)
	}
	for _, f := range slices.Concat(doc.BackupWorkspaces.Folders, doc.OpenedPathsList.Entries) {
		out = append(out, f.FolderURI)
	}
	for uri := range doc.ProfileAssociations.Workspaces {
		out = append(out, uri)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// localPath turns a file URI into a path of this computer.
func localPath(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" || u.Path == "" {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
		if len(path) < 3 || path[1] != ':' {
			return "", false
		}
	}
	path = filepath.FromSlash(path)
	return filepath.Clean(path), filepath.IsAbs(path)
}

// jetBrainsFolders reads the lists of JetBrains' editors and of Android Studio.
func jetBrainsFolders(ctx context.Context, home, config string) []Suggestion {
	var out []Suggestion
	for _, vendor := range []string{"JetBrains", "Google"} {
		products, err := os.ReadDir(filepath.Join(config, vendor))
		if err != nil {
			continue // none of theirs is here
		}
		for _, product := range products {
			if ctx.Err() != nil {
				return out
			}
			for _, list := range []string{"recentProjects.xml", "recentSolutions.xml"} {
				file := filepath.Join(config, vendor, product.Name(), "options", list)
				text, err := readFile(file)
				if err != nil {
					continue
				}
				found, err := recentProjects(text, home)
				if err != nil {
					continue // being written; the next call reads it
				}
				for _, s := range found {
					s.Editor = productName(product.Name())
					if s.Opened.IsZero() {
						s.Opened = written(file)
					}
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// productName takes the version off: GoLand2026.2.
func productName(dir string) string {
	if at := strings.IndexAny(dir, "0123456789"); at > 0 {
		dir = dir[:at]
	}
	switch dir {
	case "IntelliJIdea":
		return "IntelliJ IDEA"
	case "IdeaIC":
		return "IntelliJ IDEA Community"
	case "PyCharmCE":
		return "PyCharm Community"
	case "AndroidStudio":
		return "Android Studio"
	}
	return cleanName(dir)
}

// recentProjects reads the entries of recentProjects.xml: the path is the key,
// the times are options below it, in milliseconds.
func recentProjects(text []byte, home string) ([]Suggestion, error) {
	d := xml.NewDecoder(strings.NewReader(string(text)))
	var out []Suggestion
	inside := false
	for len(out) < maxWorkspaces {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "entry" {
			inside = false
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attr := map[string]string{}
		for _, a := range start.Attr {
			attr[a.Name.Local] = a.Value
		}
		switch {
		case start.Name.Local == "entry":
			path := filepath.FromSlash(strings.Replace(attr["key"], "$USER_HOME$", home, 1))
			if inside = filepath.IsAbs(path) && !strings.Contains(path, "$"); inside {
				if strings.HasSuffix(path, ".sln") || strings.HasSuffix(path, ".slnx") {
					path = filepath.Dir(path)
				}
				out = append(out, Suggestion{Path: filepath.Clean(path)})
			}
		case inside && start.Name.Local == "option" && (attr["name"] == "projectOpenTimestamp" || attr["name"] == "activationTimestamp"):
			if ms, err := strconv.ParseInt(attr["value"], 10, 64); err == nil && ms > 0 {
				last := &out[len(out)-1]
				last.Opened = later(last.Opened, time.UnixMilli(ms))
			}
		}
	}
	return out, nil
}
