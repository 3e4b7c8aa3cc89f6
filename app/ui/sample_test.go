package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "rootsmanager/app/ui/locale"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rootsmanager/app"
	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// sampleCore is an in-memory core for the tests of the screens: it keeps what
// it was told and publishes snapshots, and decides nothing.
type sampleCore struct {
	mu       sync.Mutex
	snap     app.Snapshot
	cells    map[[2]string]app.Cell
	settings map[string]string
	stderr   []string
	sub      func(*app.Snapshot)
	calls    []string
	ticks    []app.Tick
	answers  map[app.PromptID]app.PromptAnswer
	checks   map[string]app.RootCheck

	decisions []app.DecisionView

	fail error // what the next command returns
}

var _ Core = (*sampleCore)(nil)

var sampleNow = time.Date(2026, 11, 21, 12, 4, 0, 0, time.Local)

type sampleCells map[[2]string]app.Cell

func (c sampleCells) Cell(s store.ServerID, r store.RootID) app.Cell {
	if cell, ok := c[[2]string{string(s), string(r)}]; ok {
		return cell
	}
	return app.Cell{State: app.CellOff}
}

// newSampleCore holds the profile that the drawings show.
func newSampleCore() *sampleCore {
	c := emptySampleCore()
	at := func(h, m, s int) time.Time { return time.Date(2026, 11, 21, h, m, s, 0, time.Local) }
	folder := func(label, path string, status monitor.Status, since time.Time) app.RootView {
		return app.RootView{
			Root:  store.Root{ID: store.RootID(label), URI: "file://" + path, Kind: root.Folder},
			Label: label, Path: path, Short: path, Status: status, Since: since,
		}
	}
	c.snap.Roots = []app.RootView{
		folder("frontend", "~/work/frontend", monitor.Reachable, at(9, 0, 0)),
		folder("backend", "~/work/backend", monitor.Reachable, at(9, 0, 0)),
		folder("design-assets", "~/work/design-assets", monitor.ReadOnly, at(9, 0, 0)),
		folder("Backup drive", "/media/usb/backup", monitor.Missing, at(11, 58, 0)),
		folder("invoices-2026.csv", "~/Documents/invoices-2026.csv", monitor.Reachable, at(9, 0, 0)),
		folder("legacy", "~/work/legacy", monitor.ChangedTarget, at(10, 0, 0)),
	}
	c.snap.Roots[4].Kind = root.File
	c.snap.Roots[5].Target = "/mnt/nas/legacy"
	server := func(name string, state app.ServerState) app.ServerView {
		return app.ServerView{
			Server: store.Server{ID: store.ServerID(name), Name: name, Enabled: state != app.ServerOff, Transport: store.Stdio, Source: "added by you", Command: "npx", Args: []string{name}},
			State:  state, CommandLine: []string{"/usr/bin/npx", "-y", "@acme/" + name},
		}
	}
	fs := server("filesystem", app.ServerConnected)
	fs.CommandLine = []string{"/usr/bin/node", "/home/user/.local/lib/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"}
	fs.Exposed, fs.Assigned, fs.Delivery, fs.Revision = 3, 5, app.DeliveryCurrent, "2025-11-25"
	fs.ToldAt, fs.AskedAt, fs.AskDelay, fs.Answered = at(12, 3, 5), at(12, 3, 5), 3*time.Millisecond, 3
	fs.SelfName, fs.SelfVersion = "secure-filesystem-server", "0.6.3"
	fs.ApprovedAt = time.Date(2026, 11, 14, 10, 0, 0, 0, time.Local)
	git := server("git", app.ServerConnected)
	git.Exposed, git.Assigned, git.Delivery, git.Revision = 2, 2, app.DeliveryTold, "2025-06-18"
	pw := server("playwright", app.ServerConnected)
	pw.Exposed, pw.Assigned, pw.Delivery = 1, 1, app.DeliveryNeverAsked
	notes := server("notes-api", app.ServerWaiting)
	search := server("search", app.ServerFailed)
	search.Transport, search.URL, search.CommandLine = store.HTTP, "http://127.0.0.1:3001/mcp", nil
	search.Problem = "The connection was refused: nothing listens at 127.0.0.1:3001. Start the server, then restart it here"
	search.Errors = []string{"dial tcp 127.0.0.1:3001: connect: connection refused"}
	c.snap.Servers = []app.ServerView{fs, git, pw, notes, search}
	on := func(s, r string, state app.CellState, a root.Access, why string) {
		c.cells[[2]string{s, r}] = app.Cell{State: state, Access: a, Reason: why}
		for i := range c.snap.Roots {
			if string(c.snap.Roots[i].ID) == r {
				c.snap.Roots[i].AssignedTo++
			}
		}
	}
	on("filesystem", "frontend", app.CellOn, root.ReadWrite, "")
	on("filesystem", "backend", app.CellOn, root.ReadWrite, "")
	on("filesystem", "design-assets", app.CellOn, root.ReadOnly, "")
	on("filesystem", "Backup drive", app.CellHeld, root.ReadOnly, "The folder is missing – held back until it returns")
	on("filesystem", "legacy", app.CellChanged, root.ReadOnly, "Leads to /mnt/nas/legacy now; click to allow that")
	on("git", "frontend", app.CellOn, root.ReadOnly, "")
	on("git", "backend", app.CellOn, root.ReadWrite, "")
	on("playwright", "design-assets", app.CellOn, root.ReadOnly, "")
	on("notes-api", "frontend", app.CellAsks, root.ReadOnly, "Waits for your answer; click to allow it")
	on("search", "backend", app.CellIdle, root.ReadOnly, "The server is failed; it is told when it is connected")
	on("playwright", "legacy", app.CellNever, root.ReadOnly, "You refused this for good; click to allow it")
	c.snap.Activity = []app.Activity{
		{Time: at(12, 3, 5), Kind: "asked", Server: "filesystem", Subject: "filesystem", Text: "was told and asked again after 3 ms – frontend, backend, design-assets"},
		{Time: at(11, 58, 41), Kind: "status", Server: "filesystem", Subject: "Backup drive", Text: "is missing – held back from filesystem until it returns"},
		{Time: at(11, 40, 12), Kind: "decided", Server: "git", Subject: "git", Text: "– you allowed backend, read and write"},
		{Time: at(11, 39, 2), Kind: "failed", Server: "search", Subject: "search", Text: "could not be reached: connection refused"},
		{Time: at(11, 38, 0), Kind: "approved", Server: "git", Subject: "git", Text: "may be started: you approved its command"},
	}
	c.snap.Health = app.Health{Sealed: true, SealedText: "Decisions sealed in keyring", Watching: true, WatchText: "Watching 6 folders"}
	c.stderr = []string{"Secure MCP Filesystem Server running on stdio", "Updated allowed directories from MCP roots: 3 valid directories"}
	c.snap.Cells = sampleCells(c.cells)
	return c
}

// emptySampleCore is a first start.
func emptySampleCore() *sampleCore {
	c := &sampleCore{cells: map[[2]string]app.Cell{}, settings: map[string]string{}, answers: map[app.PromptID]app.PromptAnswer{}, checks: map[string]app.RootCheck{}}
	ws := store.Workspace{ID: "w", Name: "Client work"}
	c.snap = app.Snapshot{
		Seq: 1, Workspace: ws, Workspaces: []store.Workspace{ws}, Cells: sampleCells(c.cells),
		Health: app.Health{Sealed: true, SealedText: "Decisions sealed in keyring", Watching: true, WatchText: "Nothing to watch yet"},
	}
	return c
}

// hugeSampleCore holds many folders and servers with a third of the cells on.
func hugeSampleCore(folders, servers int) *sampleCore {
	c := emptySampleCore()
	for i := range folders {
		id := store.RootID(fmt.Sprintf("r%d", i))
		c.snap.Roots = append(c.snap.Roots, app.RootView{
			Root:  store.Root{ID: id, URI: fmt.Sprintf("file:///home/user/work/project-%d", i), Kind: root.Folder},
			Label: fmt.Sprintf("project-%d", i), Short: fmt.Sprintf("~/work/clients/2026/project-%d", i),
			Status: []monitor.Status{monitor.Reachable, monitor.Reachable, monitor.ReadOnly, monitor.Missing}[i%4], Since: sampleNow,
			AssignedTo: 1,
		})
	}
	for i := range servers {
		name := fmt.Sprintf("server-%d", i)
		c.snap.Servers = append(c.snap.Servers, app.ServerView{
			Server: store.Server{ID: store.ServerID(name), Name: name, Enabled: true, Transport: store.Stdio},
			State:  app.ServerConnected, Delivery: app.DeliveryCurrent, Exposed: folders / 3,
		})
	}
	c.snap.Cells = patternCells{}
	return c
}

type patternCells struct{}

func (patternCells) Cell(s store.ServerID, r store.RootID) app.Cell {
	switch (len(s)*7 + int(s[len(s)-1]) + int(r[len(r)-1])*3) % 6 {
	case 0:
		return app.Cell{State: app.CellOn, Access: root.ReadWrite}
	case 1:
		return app.Cell{State: app.CellOn, Access: root.ReadOnly}
	case 2:
		return app.Cell{State: app.CellHeld, Access: root.ReadOnly, Reason: "missing"}
	}
	return app.Cell{State: app.CellOff}
}

func (c *sampleCore) Snapshot() *app.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.snap
	return &s
}

func (c *sampleCore) Subscribe(f func(*app.Snapshot)) func() {
	c.mu.Lock()
	c.sub = f
	c.mu.Unlock()
	f(c.Snapshot())
	return func() { c.mu.Lock(); c.sub = nil; c.mu.Unlock() }
}

// change alters the profile and publishes it.
func (c *sampleCore) change(call string, f func(*app.Snapshot)) error {
	c.mu.Lock()
	c.calls = append(c.calls, call)
	if err := c.fail; err != nil {
		c.fail = nil
		c.mu.Unlock()
		return err
	}
	c.snap.Seq++
	if f != nil {
		f(&c.snap)
	}
	sub := c.sub
	c.mu.Unlock()
	if sub != nil {
		sub(c.Snapshot())
	}
	return nil
}

func (c *sampleCore) AddServer(_ context.Context, s app.ServerSpec) (store.ServerID, error) {
	return store.ServerID(s.Name), c.change("add server "+s.Name, func(x *app.Snapshot) {
		x.Servers = append(slices.Clone(x.Servers), app.ServerView{Server: store.Server{ID: store.ServerID(s.Name), Name: s.Name, Enabled: s.Enabled, Command: s.Command, Args: s.Args}, State: app.ServerWaiting})
	})
}

func (c *sampleCore) UpdateServer(_ context.Context, id store.ServerID, _ app.ServerSpec) error {
	return c.change("update server "+string(id), nil)
}

func (c *sampleCore) RemoveServer(_ context.Context, id store.ServerID) error {
	return c.change("remove server "+string(id), func(x *app.Snapshot) {
		x.Servers = slices.DeleteFunc(slices.Clone(x.Servers), func(v app.ServerView) bool { return v.ID == id })
		x.UndoLabel = "Remove " + string(id)
	})
}

func (c *sampleCore) SetServerEnabled(_ context.Context, id store.ServerID, on bool) error {
	return c.change(fmt.Sprint("enable ", id, on), nil)
}

func (c *sampleCore) RestartServer(_ context.Context, id store.ServerID) error {
	return c.change("restart "+string(id), nil)
}

func (c *sampleCore) LogIn(_ context.Context, id store.ServerID) error {
	return c.change("log in "+string(id), nil)
}

func (c *sampleCore) ServerStderr(store.ServerID) []string { return c.stderr }

func (c *sampleCore) AskWhatItSees(_ context.Context, id store.ServerID) (app.Seen, error) {
	return app.Seen{Tool: "list_allowed_directories", Folders: []string{"/home/user/work/frontend"}, Matches: true}, c.change("see "+string(id), nil)
}

func (c *sampleCore) InspectRoot(_ context.Context, path string) (app.RootCheck, error) {
	if check, ok := c.checks[path]; ok {
		return check, nil
	}
	return app.RootCheck{URI: "file://" + path, Path: path, Kind: root.Folder}, nil
}

func (c *sampleCore) AddRoots(_ context.Context, specs []app.RootSpec) ([]store.RootID, error) {
	return nil, c.change(fmt.Sprint("add roots ", specs), func(x *app.Snapshot) {
		x.Roots = slices.Clone(x.Roots)
		for _, s := range specs {
			x.Roots = append(x.Roots, app.RootView{Root: store.Root{ID: store.RootID(s.Path), Kind: root.Folder}, Label: s.Path, Path: strings.TrimPrefix(s.Path, "file://"), Short: s.Path, Status: monitor.Reachable})
		}
		x.UndoLabel = "Add folders"
	})
}

func (c *sampleCore) RenameRoot(_ context.Context, id store.RootID, name string) error {
	return c.change(fmt.Sprint("rename ", id, " ", name), nil)
}

func (c *sampleCore) MoveRoot(_ context.Context, id store.RootID, to int) error {
	return c.change(fmt.Sprint("move ", id, " ", to), func(x *app.Snapshot) {
		x.Roots = slices.Clone(x.Roots)
		from := slices.IndexFunc(x.Roots, func(v app.RootView) bool { return v.ID == id })
		v := x.Roots[from]
		x.Roots = slices.Insert(slices.Delete(x.Roots, from, from+1), to, v)
	})
}

func (c *sampleCore) RemoveRoots(_ context.Context, ids []store.RootID) error {
	return c.change(fmt.Sprint("remove roots ", ids), func(x *app.Snapshot) {
		x.Roots = slices.DeleteFunc(slices.Clone(x.Roots), func(v app.RootView) bool { return slices.Contains(ids, v.ID) })
		x.UndoLabel = "Remove " + string(ids[0])
	})
}

func (c *sampleCore) RelocateRoot(_ context.Context, id store.RootID, to string) error {
	return c.change(fmt.Sprint("relocate ", id, " ", to), nil)
}

func (c *sampleCore) RetryRoot(id store.RootID) { _ = c.change("retry "+string(id), nil) }

func (c *sampleCore) Assign(_ context.Context, ticks []app.Tick) error {
	return c.change("assign", func(x *app.Snapshot) {
		c.ticks = append(c.ticks, ticks...)
		for _, t := range ticks {
			key := [2]string{string(t.Server), string(t.Root)}
			if t.On {
				c.cells[key] = app.Cell{State: app.CellOn, Access: t.Access}
			} else {
				delete(c.cells, key)
			}
		}
	})
}

func (c *sampleCore) Undo(context.Context) error {
	return c.change("undo", func(x *app.Snapshot) { x.UndoLabel = "" })
}

func (c *sampleCore) Answer(_ context.Context, id app.PromptID, a app.PromptAnswer) error {
	return c.change("answer "+string(id), func(x *app.Snapshot) {
		c.answers[id] = a
		x.Prompts = slices.DeleteFunc(slices.Clone(x.Prompts), func(p app.Prompt) bool { return p.ID == id })
	})
}

func (c *sampleCore) SearchActivity(_ context.Context, f app.ActivityFilter) ([]app.Activity, error) {
	var out []app.Activity
	for _, a := range c.Snapshot().Activity {
		if matches(f.Text, a.Subject, a.Text) && (f.Server == "" || f.Server == a.Server) && (f.Kind == "" || f.Kind == a.Kind) && !a.Time.Before(f.Since) {
			out = append(out, a)
		}
	}
	return out, nil
}

func (c *sampleCore) Decisions() []app.DecisionView { return c.decisions }

func (c *sampleCore) Revoke(_ context.Context, what app.Revocation) (int, error) {
	kept := c.decisions[:0]
	for _, d := range c.decisions {
		if !what.All && (d.Identity != what.Identity || d.URI != what.URI) {
			kept = append(kept, d)
		}
	}
	n := len(c.decisions) - len(kept)
	c.decisions = kept
	return n, c.change(fmt.Sprintf("revoke %+v", what), nil)
}

func (c *sampleCore) RetryKeyring() { _ = c.change("retry keyring", nil) }

func (c *sampleCore) AcknowledgeTampering(context.Context) error {
	return c.change("acknowledge", func(s *app.Snapshot) { s.Health.Sealed, s.Health.Tampered = true, false })
}

func (c *sampleCore) ExportActivity(_ context.Context, w io.Writer, format string) error {
	if c.fail != nil {
		return c.fail
	}
	_, err := io.WriteString(w, "exported as "+format)
	return err
}

func (c *sampleCore) Setting(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings[key]
}

func (c *sampleCore) SetSetting(_ context.Context, key, value string) error {
	return c.change("set "+key+" "+value, func(*app.Snapshot) { c.settings[key] = value })
}

// sampleDialogs notes which dialogs are open and lets a test answer.
type sampleDialogs struct {
	t         *testing.T
	open      int
	most      int
	shown     []string
	answer    func(app.PromptAnswer)
	accept    func([]app.RootCheck)
	closed    func()
	submit    func(context.Context, app.ServerSpec) error
	typed     func([]string)
	dismissed int
}

func (d *sampleDialogs) opened(what string) func() {
	d.open++
	d.most = max(d.most, d.open)
	d.shown = append(d.shown, what)
	return func() { d.open--; d.dismissed++ }
}

func (d *sampleDialogs) Approval(_ fyne.Window, p app.Prompt, answer func(app.PromptAnswer)) func() {
	dismiss := d.opened("approval " + p.ServerName)
	d.answer = func(a app.PromptAnswer) { d.open--; answer(a) }
	return dismiss
}

func (d *sampleDialogs) Consent(_ fyne.Window, p app.Prompt, answer func(app.PromptAnswer)) func() {
	dismiss := d.opened("consent " + p.ServerName)
	d.answer = func(a app.PromptAnswer) { d.open--; answer(a) }
	return dismiss
}

func (d *sampleDialogs) Server(_ fyne.Window, _ *app.ServerSpec, submit func(context.Context, app.ServerSpec) error, closed func()) func() {
	dismiss := d.opened("server")
	d.submit = submit
	d.closed = func() { d.open--; closed() }
	return dismiss
}

func (d *sampleDialogs) TypePaths(_ fyne.Window, typed func([]string), closed func()) func() {
	dismiss := d.opened("type")
	d.typed = func(p []string) { d.open--; typed(p) }
	d.closed = func() { d.open--; closed() }
	return dismiss
}

func (d *sampleDialogs) Sensitive(_ fyne.Window, checks []app.RootCheck, answer func([]app.RootCheck)) func() {
	dismiss := d.opened(fmt.Sprint("sensitive ", len(checks)))
	d.accept = func(c []app.RootCheck) { d.open--; answer(c) }
	return dismiss
}

// samplePicker answers with what it was given.
type samplePicker struct {
	paths []string
	err   error
}

func (p *samplePicker) Folders(context.Context, string) ([]string, error) { return p.paths, p.err }
func (p *samplePicker) Files(context.Context, string) ([]string, error)   { return p.paths, p.err }

func (p *samplePicker) SaveFile(context.Context, string, string) (string, error) {
	if p.err != nil {
		return "", p.err
	}
	return p.paths[0], nil
}

var errSample = errors.New("the disk is full: make room and try again")

// openWindow shows the window over a core with the test driver. Commands run
// at once, on the test's goroutine.
func openWindow(t *testing.T, c *sampleCore, width, height float32) (*Window, *sampleDialogs, *samplePicker) {
	t.Helper()
	a := test.NewTempApp(t)
	d, p := &sampleDialogs{t: t}, &samplePicker{}
	w := New(a, c, Options{Version: "0.1.0", DataDir: "/home/user/.local/share/roots-manager", Dialogs: d, Picker: p, Program: "/usr/bin/roots-manager"})
	w.spawn = func(f func()) { f() }
	w.now = func() time.Time { return sampleNow }
	w.win.Resize(fyne.NewSize(width, height))
	stop := c.Subscribe(w.receive)
	t.Cleanup(func() {
		stop()
		w.close()
		w.wait.Wait()
		w.win.Close()
	})
	return w, d, p
}

// settle lays out again what was wrapped by the first layout, as Fyne does
// with every frame of a real window.
func settle(w *Window) {
	s := w.win.Canvas().Size()
	w.win.Resize(s.AddWidthHeight(1, 1))
	w.win.Resize(s)
}
