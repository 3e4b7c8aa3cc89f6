package detect

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func TestRecentReadsWhatEditorsKeep(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, ".config")
	for _, name := range []string{"old", "window", "stored one", "team", "idea", "sln", "both"} {
		folder(t, filepath.Join(home, name))
	}
	uri := func(name string) string { return fileURI(filepath.Join(home, name)) }
	put(t, config+"/Code/User/globalStorage/storage.json", `{
	 "windowsState": {"lastActiveWindow": {"folder": "`+uri("window")+`"}, "openedWindows": []},
	 "backupWorkspaces": {"folders": [{"folderUri": "vscode-remote://ssh-remote+host/srv"}, {"folderUri": "`+uri("gone")+`"}]},
	 "profileAssociations": {"workspaces": {"`+uri("both")+`": "__default__profile__", "file://server/share": "x"}},
	 "openedPathsList": {"entries": [{"folderUri": "`+uri("old")+`"}]}}`)
	put(t, config+"/VSCodium/User/workspaceStorage/a/workspace.json", `{"folder": "`+uri("stored one")+`"}`)
	put(t, config+"/VSCodium/User/workspaceStorage/b/workspace.json", `{"workspace": "`+uri("team/Team.code-workspace")+`"}`)
	put(t, config+"/VSCodium/User/workspaceStorage/c/workspace.json", `{"folder": `)
	put(t, config+"/JetBrains/GoLand2026.2/options/recentProjects.xml", `<application><component name="RecentProjectsManager">
	 <option name="additionalInfo"><map>
	  <entry key="$USER_HOME$/idea"><value><RecentProjectMetaInfo frameTitle="x"><option name="activationTimestamp" value="1790000000000" /><option name="projectOpenTimestamp" value="1780000000000" /></RecentProjectMetaInfo></value></entry>
	  <entry key="$USER_HOME$/both"><value><RecentProjectMetaInfo><option name="projectOpenTimestamp" value="1770000000000" /></RecentProjectMetaInfo></value></entry>
	  <entry key="$APPLICATION_CONFIG_DIR$/x"><value/></entry>
	 </map></option><option name="lastOpenedProject" value="$USER_HOME$/idea" /></component></application>`)
	put(t, config+"/JetBrains/Rider2026.1/options/recentSolutions.xml", `<a><entry key="$USER_HOME$/sln/My.sln"><option name="projectOpenTimestamp" value="1760000000000"/></entry></a>`)
	put(t, config+"/JetBrains/CLion2026.1/options/recentProjects.xml", `<a><entry key=`)
	at := time.UnixMilli(1750000000000)
	for _, name := range []string{"a", "b"} {
		if err := os.Chtimes(filepath.Join(config, "VSCodium/User/workspaceStorage", name, "workspace.json"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Recent(t.Context(), home, []string{config, filepath.Join(home, "no such folder")})
	if err != nil {
		t.Fatal(err)
	}
	var have [][2]string
	for _, s := range got {
		have = append(have, [2]string{s.Editor, filepath.Base(s.Path)})
	}
	want := [][2]string{
		{"GoLand", "idea"},
		{"GoLand", "both"},
		{"Rider", "sln"},
		{"VSCodium", "stored one"},
		{"VSCodium", "team"},
		{"VS Code", "old"},
		{"VS Code", "window"},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	if !got[0].Opened.Equal(time.UnixMilli(1790000000000)) {
		t.Errorf("opened %v", got[0].Opened)
	}
}

func TestRecentEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Recent(ctx, t.TempDir(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v %v", got, err)
	}
}
