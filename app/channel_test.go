package app

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// The test binary is also a server that never asks for roots, and writes down
// how it was started.
func init() {
	if len(os.Args) > 2 && os.Args[1] == "record" {
		os.Exit(record(os.Args[2]))
	}
}

// start is how the recording server was started once.
type start struct {
	Args []string
	Env  []string
	Dir  string
}

func record(file string) int {
	dir, err := os.Getwd()
	if err != nil {
		return 1
	}
	line, err := json.Marshal(start{os.Args[3:], os.Environ(), dir})
	if err != nil {
		return 1
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	if _, err := f.Write(append(line, '\n')); err != nil || f.Close() != nil {
		return 1
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Version string `json:"protocolVersion"`
			} `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := "{}"
		switch m.Method {
		case "initialize":
			result = fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"recorder","version":"1"}}`, m.Params.Version)
		case "tools/list":
			result = `{"tools":[]}`
		}
		if _, err := fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result); err != nil {
			return 1
		}
	}
	return 0
}

// recorder is a server that writes down how it is started.
type recorder struct {
	d    *desk
	id   store.ServerID
	file string
}

func (d *desk) addRecorder(spec ServerSpec) *recorder {
	d.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	r := &recorder{d: d, file: filepath.Join(d.t.TempDir(), "starts")}
	spec.Command, spec.Enabled = exe, true
	spec.Args = append([]string{"record", r.file}, spec.Args...)
	if r.id, err = d.AddServer(d.t.Context(), spec); err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (r *recorder) starts() []start {
	r.d.t.Helper()
	text, err := os.ReadFile(r.file)
	if err != nil && !os.IsNotExist(err) {
		r.d.t.Fatal(err)
	}
	var list []start
	for line := range strings.Lines(string(text)) {
		var s start
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			r.d.t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// current waits until the server runs with n folders and gives how it was
// started last.
func (r *recorder) current(n int) start {
	r.d.t.Helper()
	r.d.until(fmt.Sprintf("it runs with %d folders", n), func(s *Snapshot) bool {
		v := server(s, r.id)
		return v.State == ServerConnected && v.Delivery == DeliveryCurrent && v.Answered == n && v.Exposed == n
	})
	all := r.starts()
	return all[len(all)-1]
}

func (s start) env(name string) string {
	for _, line := range s.Env {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return ""
}

// isNothing checks that a path is an empty folder of nobody's.
func isNothing(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) > 0 || !strings.HasPrefix(filepath.Base(path), "roots-manager-no-folder-") {
		t.Errorf("%q is not the empty folder: %v, %v", path, entries, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the empty folder is not private: %v, %v", info, err)
	}
}

func TestFoldersAreFilledIntoTheCommandOnceForManyTicks(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "zwei $(touch x)")
	r1, r2 := d.addFolder(one), d.addFolder(two)
	rec := d.addRecorder(ServerSpec{Name: "files", Channel: store.ChannelArguments})
	p := d.prompt(rec.id, false)
	if line := p.Approval.CommandLine; line[len(line)-1] != "${roots}" {
		t.Errorf("the question shows %q", line)
	}
	if len(p.Approval.Warnings) == 0 || !strings.Contains(p.Approval.Warnings[0].Title, "put into its command") {
		t.Errorf("the question does not say what is put in: %+v", p.Approval.Warnings)
	}
	d.answerApproval(rec.id, AllowAlways)
	first := rec.current(0)
	if len(first.Args) != 1 {
		t.Fatalf("started with %q", first.Args)
	}
	isNothing(t, first.Args[0])

	if err := d.Assign(t.Context(), []Tick{{Server: rec.id, Root: r2, On: true}}); err != nil {
		t.Fatal(err)
	}
	d.tick(rec.id, r1, true)
	if got := rec.current(2).Args; !slices.Equal(got, []string{one, two}) {
		t.Errorf("started with %q", got)
	}
	if n := len(rec.starts()); n != 2 {
		t.Errorf("two ticks at once led to %d starts, want the first and one more", n)
	}
	if _, err := os.Stat(first.Args[0]); !os.IsNotExist(err) {
		t.Errorf("the empty folder is left over: %v", err)
	}
	s := d.Snapshot()
	if len(s.Prompts) != 0 {
		t.Errorf("a tick asked again: %+v", s.Prompts)
	}
	if !slices.ContainsFunc(s.Activity, func(a Activity) bool { return strings.HasPrefix(a.Text, "is restarted with the new folders") }) {
		t.Errorf("the restart is not announced: %+v", s.Activity)
	}

	d.tick(rec.id, r1, false)
	if got := rec.current(1).Args; !slices.Equal(got, []string{two}) {
		t.Errorf("after taking one back it was started with %q", got)
	}
	d.tick(rec.id, r2, false)
	last := rec.current(0)
	if len(last.Args) != 1 {
		t.Fatalf("after taking the last back it was started with %q", last.Args)
	}
	isNothing(t, last.Args[0])
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(last.Args[0]); !os.IsNotExist(err) {
		t.Errorf("the empty folder outlives the engine: %v", err)
	}
}

func TestFoldersAreFilledIntoVariablesAndNames(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, `quote " back \ ü`)
	r1, r2 := d.addFolder(one), d.addFolder(two)
	rec := d.addRecorder(ServerSpec{
		Name: "env", Channel: store.ChannelEnv, Args: []string{"--main=${root.first}", "--one", "${root:one}", "${HOME}", "${rootfs}"},
		Env: []store.Var{
			{Name: "DIRS", Value: "${roots:pathsep}"},
			{Name: "LIST", Value: "${roots:json}"},
			{Name: "HUSH", Value: "${roots:json}", Secret: true},
		},
	})
	d.answerApproval(rec.id, AllowAlways)
	s := rec.current(0)
	isNothing(t, s.env("DIRS"))
	isNothing(t, s.Args[2]) // it is there, and not ticked
	if s.env("HUSH") != "${roots:json}" {
		t.Errorf("a secret was filled in: %q", s.env("HUSH"))
	}
	if !slices.Equal(s.Args[3:], []string{"${HOME}", "${rootfs}"}) {
		t.Errorf("what is not ours was touched: %q", s.Args)
	}
	if err := d.Assign(t.Context(), []Tick{{Server: rec.id, Root: r1, On: true}, {Server: rec.id, Root: r2, On: true}}); err != nil {
		t.Fatal(err)
	}
	s = rec.current(2)
	if got := s.env("DIRS"); got != one+string(filepath.ListSeparator)+two {
		t.Errorf("DIRS=%s", got)
	}
	var list []string
	if err := json.Unmarshal([]byte(s.env("LIST")), &list); err != nil || !slices.Equal(list, []string{one, two}) {
		t.Errorf("LIST=%s (%v)", s.env("LIST"), err)
	}
	if !slices.Equal(s.Args[:3], []string{"--main=" + one, "--one", one}) {
		t.Errorf("started with %q", s.Args)
	}
}

func TestServerIsStartedInItsFirstFolder(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "work")
	r := d.addFolder(folder)
	rec := d.addRecorder(ServerSpec{Name: "here", Channel: store.ChannelDir})
	if q := d.prompt(rec.id, false).Approval; !strings.Contains(q.Dir, "first folder") || !strings.Contains(q.Warnings[0].Detail, "npx") {
		t.Errorf("the question does not say where it is started: %+v", q)
	}
	d.answerApproval(rec.id, AllowAlways)
	isNothing(t, rec.current(0).Dir)
	d.tick(rec.id, r, true)
	if got := rec.current(1).Dir; got != folder {
		t.Errorf("started in %s", got)
	}
	if err := os.Remove(folder); err != nil { // a folder that vanished is no working folder
		t.Fatal(err)
	}
	isNothing(t, rec.current(0).Dir)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := rec.current(1).Dir; got != folder {
		t.Errorf("started in %s after the folder came back", got)
	}
}

func TestServerThatIsNotToBeRestartedKeepsRunningAndSaysSo(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	r := d.addFolder(filepath.Join(t.TempDir(), "one"))
	rec := d.addRecorder(ServerSpec{Name: "steady", Args: []string{"${roots}"}, NoRestart: true})
	d.answerApproval(rec.id, AllowAlways)
	rec.current(0)
	d.tick(rec.id, r, true)
	d.until("it is shown as older", func(s *Snapshot) bool { return server(s, rec.id).Delivery == DeliveryStale })
	if err := d.RestartServer(t.Context(), rec.id); err != nil {
		t.Fatal(err)
	}
	rec.current(1)
	d.tick(rec.id, r, false)
	d.until("it may still use what was taken back", func(s *Snapshot) bool { return server(s, rec.id).MayKeep })
	if n := len(rec.starts()); n != 2 {
		t.Errorf("it was started %d times, want 2", n)
	}
	// Turning the switch is no change of what runs.
	spec := server(d.Snapshot(), rec.id).Spec()
	spec.NoRestart = false
	if err := d.UpdateServer(t.Context(), rec.id, spec); err != nil {
		t.Fatal(err)
	}
	rec.current(0)
	if n := len(d.Snapshot().Prompts); n != 0 {
		t.Errorf("%d questions about a switch that changes nothing that runs", n)
	}
}

func TestUndecidedFolderIsAskedAboutAndNotFilledIn(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	folder := filepath.Join(t.TempDir(), "one")
	r := d.addFolder(folder)
	rec := d.addRecorder(ServerSpec{Name: "files", Channel: store.ChannelArguments})
	if err := d.AssignOnly(t.Context(), []Tick{{Server: rec.id, Root: r, On: true}}); err != nil {
		t.Fatal(err)
	}
	d.answerApproval(rec.id, AllowAlways)
	p := d.prompt(rec.id, true)
	if !p.Deadline.IsZero() {
		t.Error("the question counts down, and nobody waits")
	}
	isNothing(t, rec.current(0).Args[0])
	if err := d.Answer(t.Context(), p.ID, PromptAnswer{Verdict: AllowAlways, Folders: map[store.RootID]root.Access{r: root.ReadOnly}}); err != nil {
		t.Fatal(err)
	}
	if got := rec.current(1).Args; !slices.Equal(got, []string{folder}) {
		t.Errorf("started with %q", got)
	}
}

func TestMissingNameFailsWithASentenceAndIsTriedWhenItComes(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	rec := d.addRecorder(ServerSpec{Name: "named", Args: []string{"${root:docs}"}})
	d.answerApproval(rec.id, AllowAlways)
	d.until("it failed", func(s *Snapshot) bool {
		v := server(s, rec.id)
		return v.State == ServerFailed && strings.Contains(v.Problem, "names no folder of this workspace")
	})
	folder := filepath.Join(t.TempDir(), "docs")
	d.tick(rec.id, d.addFolder(folder), true)
	if got := rec.current(1).Args; !slices.Equal(got, []string{folder}) {
		t.Errorf("started with %q", got)
	}
}

func TestOnlyOurPlaceholdersWhereTheyBelong(t *testing.T) {
	arg := func(args ...string) store.Server {
		return store.Server{Transport: store.Stdio, Command: "server", Args: args}
	}
	with := func(s store.Server, c store.Channel) store.Server { s.Channel = c; return s }
	script := func(program string, args ...string) store.Server {
		return store.Server{Transport: store.Stdio, Command: program, Args: args}
	}
	env := func(value string) store.Server {
		return store.Server{Transport: store.Stdio, Command: "server", Env: []store.Var{{Name: "DIRS", Value: value}}}
	}
	for name, c := range map[string]struct {
		s     store.Server
		fills bool
		error string
	}{
		"nothing":              {arg("-y"), false, ""},
		"roots":                {arg("${roots}"), true, ""},
		"within":               {arg("--in=${roots}"), false, "argument of its own"},
		"list within":          {arg("--in=${roots:pathsep}", "${roots:json}"), true, ""},
		"unknown list":         {arg("${roots:csv}"), false, "is not known"},
		"unknown one":          {arg("${root.second}"), false, "is not known"},
		"alone":                {arg("${root}"), false, "is not known"},
		"without a name":       {arg("${root: }"), false, "is not known"},
		"not ours":             {arg("${HOME}", "${rootfs}", "$roots", "${roots"), false, ""},
		"left alone":           {with(arg("${root.second}"), store.ChannelRoots), false, ""},
		"program":              {store.Server{Transport: store.Stdio, Command: "${root.first}/run"}, false, "which program runs"},
		"folder":               {store.Server{Transport: store.Stdio, Command: "x", Dir: "${root.first}"}, false, "which program runs"},
		"shell script":         {script("/bin/sh", "-lc", "ls ${root.first}"), false, "part of a script"},
		"after a shell script": {script("/bin/sh", "-c", `ls "$1"`, "sh", "${root.first}"), true, ""},
		"python script":        {script("python3.12", "-c", "${root.first}"), false, "part of a script"},
		"end of a script":      {with(script("sh", "-c"), store.ChannelArguments), false, "part of a script"},
		"batch":                {script("cmd.exe", "/c", "dir", "${root.first}"), false, "part of a script"},
		"variable":             {env("${roots:pathsep}"), true, ""},
		"roots in a variable":  {env("${roots}"), false, "holds one text"},
		"unknown in one":       {env("${roots:}"), false, "is not known"},
		"no variable":          {with(arg("${roots}"), store.ChannelEnv), false, "say which variable"},
		"no placeholder":       {with(arg("x"), store.ChannelArguments), true, ""},
		"web address":          {store.Server{Transport: store.HTTP, URL: "https://example.com", Channel: store.ChannelDir}, false, "has no command"},
		"pigeon":               {with(arg(), "pigeon"), false, "not a way"},
	} {
		t.Run(name, func(t *testing.T) {
			fill, _, err := fillingOf(c.s)
			switch {
			case c.error == "" && err != nil, c.error != "" && (err == nil || !strings.Contains(err.Error(), c.error)):
				t.Errorf("error %v, want %q", err, c.error)
			case (fill != nil) != c.fills:
				t.Errorf("filled in: %v, want %v", fill != nil, c.fills)
			}
		})
	}
}

func TestFolderThatLooksLikeTwoIsNotJoined(t *testing.T) {
	sep := string(filepath.ListSeparator)
	f := &filler{roots: []filledRoot{{path: "/a" + sep + "/etc", label: "a", folder: true}}, nothing: "/nothing"}
	if text, err := f.text("${roots:pathsep}"); err == nil || !strings.Contains(err.Error(), "${roots:json}") {
		t.Errorf("got %q, %v", text, err)
	}
	if text, err := f.text("${roots:json}"); err != nil || text != `["/a`+sep+`/etc"]` {
		t.Errorf("got %q, %v", text, err)
	}
	f.roots = []filledRoot{{path: "/file", label: "${root.first"}}
	if text, err := f.text("${root:${root.first}"); err != nil || text != "/file" {
		t.Errorf("a name that is a placeholder: %q, %v", text, err)
	}
	if f.first() != "/nothing" {
		t.Errorf("a file counts as a folder: %s", f.first())
	}
}

func TestChannelIsPartOfWhatIsApproved(t *testing.T) {
	d := newDesk(t, Options{Prompter: true})
	rec := d.addRecorder(ServerSpec{Name: "files", Args: []string{"${root.first}"}, Channel: store.ChannelRoots})
	d.answerApproval(rec.id, AllowAlways)
	d.until("it runs", func(s *Snapshot) bool { return server(s, rec.id).State == ServerConnected })
	if got := rec.starts()[0].Args; !slices.Equal(got, []string{"${root.first}"}) {
		t.Errorf("told through roots it was started with %q", got)
	}
	spec := server(d.Snapshot(), rec.id).Spec()
	spec.Channel = store.ChannelAuto
	if err := d.UpdateServer(t.Context(), rec.id, spec); err != nil {
		t.Fatal(err)
	}
	q := d.prompt(rec.id, false).Approval
	if len(q.Changes) != 1 || q.Changes[0].Field != "How it is told of folders" {
		t.Errorf("the difference is not shown: %+v", q.Changes)
	}
}
