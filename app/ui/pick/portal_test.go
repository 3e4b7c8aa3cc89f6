//go:build !windows && !darwin

package pick

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
)

const busWithoutServices = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// privateBus starts a session bus for one test and points the environment at
// it.
func privateBus(t *testing.T) *dbus.Conn {
	t.Helper()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		missing(t, "dbus-daemon is not installed")
	}
	// The machine's own configuration would start the machine's own portal, and
	// on a display that one shows a real dialog.
	config := filepath.Join(t.TempDir(), "bus.conf")
	if err := os.WriteFile(config, []byte(busWithoutServices), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config-file="+config, "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// fakePortal is a FileChooser on a real bus. The picker's messages to it are
// real; only the person is missing.
type fakePortal struct {
	conn    *dbus.Conn
	version uint32
	oldPath bool // choose the request's path like portals before 0.9
	refuse  bool // no FileChooser behind the portal
	answer  func(p *fakePortal, to string, handle dbus.ObjectPath)

	closed chan struct{}

	mu   sync.Mutex
	last portalCall
}

// portalCall is what the portal was asked.
type portalCall struct {
	method, parent, title string
	options               map[string]dbus.Variant
}

func (p *fakePortal) asked() portalCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

func (p *fakePortal) Get(_, _ string) (dbus.Variant, *dbus.Error) {
	return dbus.MakeVariant(p.version), nil
}

func (p *fakePortal) OpenFile(from dbus.Sender, parent, title string, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	return p.take("OpenFile", string(from), parent, title, options)
}

func (p *fakePortal) SaveFile(from dbus.Sender, parent, title string, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	return p.take("SaveFile", string(from), parent, title, options)
}

// Close is org.freedesktop.portal.Request.Close.
func (p *fakePortal) Close() *dbus.Error {
	close(p.closed)
	return nil
}

func (p *fakePortal) take(method, from, parent, title string, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	if p.refuse {
		return "", dbus.NewError("org.freedesktop.DBus.Error.UnknownMethod", []any{"no backend"})
	}
	p.mu.Lock()
	p.last = portalCall{method, parent, title, options}
	p.mu.Unlock()
	handle := requestPath(from, options["handle_token"].Value().(string))
	if p.oldPath {
		handle = requestPath(from, "t1234")
	}
	if err := p.conn.Export(p, handle, portalRequest); err != nil {
		return "", dbus.MakeFailedError(err)
	}
	if p.answer != nil {
		// Before the reply, as a portal with a cached answer may.
		p.answer(p, from, handle)
	}
	return handle, nil
}

func (p *fakePortal) respond(to string, handle dbus.ObjectPath, result uint32, values map[string]dbus.Variant) {
	respondFrom(p.conn, to, handle, result, values)
}

func respondFrom(conn *dbus.Conn, to string, handle dbus.ObjectPath, result uint32, values map[string]dbus.Variant) {
	conn.Send(&dbus.Message{
		Type: dbus.TypeSignal,
		Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldInterface:   dbus.MakeVariant(portalRequest),
			dbus.FieldMember:      dbus.MakeVariant("Response"),
			dbus.FieldPath:        dbus.MakeVariant(handle),
			dbus.FieldDestination: dbus.MakeVariant(to),
			dbus.FieldSignature:   dbus.MakeVariant(dbus.SignatureOf(uint32(0), map[string]dbus.Variant{})),
		},
		Body: []any{result, values},
	}, nil)
}

func uris(list ...string) map[string]dbus.Variant {
	return map[string]dbus.Variant{"uris": dbus.MakeVariant(list)}
}

func startPortal(t *testing.T, p *fakePortal) {
	t.Helper()
	p.conn = privateBus(t)
	p.closed = make(chan struct{})
	if p.version == 0 {
		p.version = 4
	}
	if err := p.conn.Export(p, portalPath, portalChooser); err != nil {
		t.Fatal(err)
	}
	if err := p.conn.Export(p, portalPath, "org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	reply, err := p.conn.RequestName(portalName, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("RequestName: %v, %v", reply, err)
	}
}

// onlyPortal is a Picker that has no other dialog to fall to.
func onlyPortal(parent string) *Picker {
	p := New(&Options{Parent: func() string { return parent }})
	p.steps = []step{{"portal", portal}}
	return p
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(done)
	return ctx
}

func TestPortalReturnsOddNamesUnchanged(t *testing.T) {
	names := []string{
		"/home/u/c++ proj", "/home/u/a#b?c%d", "/home/u/100%25", "/home/u/line\nbreak", "/home/u/日本語 ü",
		"/home/u/raw\xff\xfebytes", `/home/u/back\slash "quoted"`, "/",
	}
	for _, oldPath := range []bool{false, true} {
		p := &fakePortal{oldPath: oldPath, answer: func(p *fakePortal, to string, handle dbus.ObjectPath) {
			list := make([]string, len(names))
			for i, name := range names {
				list[i] = uriOfPath(name)
			}
			p.respond(to, handle, portalDone, uris(list...))
		}}
		startPortal(t, p)
		got, err := onlyPortal("x11:1a2b").Folders(deadline(t), "Add folders")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("oldPath %v: %s", oldPath, diff)
		}
		if call := p.asked(); call.method != "OpenFile" || call.title != "Add folders" || call.parent != "x11:1a2b" ||
			call.options["directory"].Value() != true || call.options["multiple"].Value() != true {
			t.Errorf("the portal was asked %+v", call)
		}
	}
}

func TestPortalPlusIsNotASpace(t *testing.T) {
	startPortal(t, &fakePortal{answer: func(p *fakePortal, to string, handle dbus.ObjectPath) {
		p.respond(to, handle, portalDone, uris("file:///home/u/c++%20proj"))
	}})
	got, err := onlyPortal("").Folders(deadline(t), "Add")
	if err != nil || !slices.Equal(got, []string{"/home/u/c++ proj"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestPortalSaveProposesNameAndFolder(t *testing.T) {
	p := &fakePortal{answer: func(p *fakePortal, to string, handle dbus.ObjectPath) {
		p.respond(to, handle, portalDone, uris("file:///home/u/out.json"))
	}}
	startPortal(t, p)
	got, err := onlyPortal("win32:99").SaveFile(deadline(t), "Export", "/home/u/roots.json")
	if err != nil || got != "/home/u/out.json" {
		t.Errorf("got %q, %v", got, err)
	}
	if call := p.asked(); call.method != "SaveFile" || call.parent != "" || call.options["current_name"].Value() != "roots.json" ||
		string(call.options["current_folder"].Value().([]byte)) != "/home/u\x00" {
		t.Errorf("the portal was asked %+v", call)
	}
}

func TestPortalTellsCancelFromFailure(t *testing.T) {
	tests := []struct {
		name   string
		portal *fakePortal
		cancel bool
		text   string
	}{
		{name: "cancelled", cancel: true, portal: &fakePortal{answer: func(p *fakePortal, to string, h dbus.ObjectPath) {
			p.respond(to, h, portalCancelled, map[string]dbus.Variant{})
		}}},
		{name: "ended", text: "result 2", portal: &fakePortal{answer: func(p *fakePortal, to string, h dbus.ObjectPath) {
			p.respond(to, h, 2, map[string]dbus.Variant{})
		}}},
		{name: "without places", text: "names no place", portal: &fakePortal{answer: func(p *fakePortal, to string, h dbus.ObjectPath) {
			p.respond(to, h, portalDone, map[string]dbus.Variant{})
		}}},
		{name: "no backend", text: "cannot show a dialog", portal: &fakePortal{refuse: true}},
		{name: "too old for folders", text: "too old", portal: &fakePortal{version: 2}},
		{name: "crashed", text: "went away", portal: &fakePortal{answer: func(p *fakePortal, _ string, _ dbus.ObjectPath) {
			_, _ = p.conn.ReleaseName(portalName)
		}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			startPortal(t, tt.portal)
			_, err := onlyPortal("").Folders(deadline(t), "Add")
			if got := errors.Is(err, ErrCancelled); got != tt.cancel {
				t.Fatalf("got %v; cancelled should be %v", err, tt.cancel)
			}
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want %q in it", err, tt.text)
			}
		})
	}
}

func TestPortalRefusesPlacesOfOtherComputers(t *testing.T) {
	startPortal(t, &fakePortal{answer: func(p *fakePortal, to string, handle dbus.ObjectPath) {
		p.respond(to, handle, portalDone, uris("smb://nas/share"))
	}})
	p := onlyPortal("")
	next := &answering{paths: []string{"/tmp"}}
	p.steps = append(p.steps, step{"next", next.show})
	_, err := p.Folders(deadline(t), "Add")
	if err == nil || !strings.Contains(err.Error(), "smb://nas/share") || next.asked != 0 {
		t.Errorf("got %v, and the next dialog was shown %d times", err, next.asked)
	}
}

func TestPortalAnswerOfAnotherProgramIsIgnored(t *testing.T) {
	p := &fakePortal{}
	impostors := make(chan *dbus.Conn, 1)
	p.answer = func(p *fakePortal, to string, handle dbus.ObjectPath) {
		respondFrom(<-impostors, to, handle, portalDone, uris("file:///home/u/.ssh"))
		p.respond(to, handle, portalDone, uris("file:///home/u/work"))
	}
	startPortal(t, p)
	impostor, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	impostors <- impostor
	t.Cleanup(func() { _ = impostor.Close() })
	got, err := onlyPortal("").Folders(deadline(t), "Add")
	if err != nil || !slices.Equal(got, []string{"/home/u/work"}) {
		t.Errorf("got %q, %v; want the portal's own answer", got, err)
	}
}

func TestContextClosesThePortalDialog(t *testing.T) {
	shown := make(chan struct{})
	p := &fakePortal{answer: func(*fakePortal, string, dbus.ObjectPath) { close(shown) }}
	startPortal(t, p)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := onlyPortal("").Folders(ctx, "Add")
		ended <- err
	}()
	<-shown
	stop()
	wait := time.After(20 * time.Second)
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	case <-wait:
		t.Fatal("the call outlives its context")
	}
	select {
	case <-p.closed:
	case <-wait:
		t.Error("the request was not closed")
	}
}

func TestWithoutAPortalTheNextDialogIsShown(t *testing.T) {
	privateBus(t)
	p := onlyPortal("")
	p.steps = append(p.steps, step{"next", (&answering{paths: []string{"/tmp"}}).show})
	if got, err := p.Folders(deadline(t), "Add"); err != nil || !slices.Equal(got, []string{"/tmp"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

// fakeFiles is a file manager on the bus.
type fakeFiles struct{ shown chan []string }

func (f *fakeFiles) ShowItems(uris []string, _ string) *dbus.Error {
	f.shown <- uris
	return nil
}

func TestRevealAsksTheFileManager(t *testing.T) {
	conn := privateBus(t)
	files := &fakeFiles{shown: make(chan []string, 1)}
	if err := conn.Export(files, fileManagerPath, fileManagerName); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(fileManagerName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	odd := oddFolder(t)
	if err := Reveal(deadline(t), odd); err != nil {
		t.Fatal(err)
	}
	got := <-files.shown
	if len(got) != 1 {
		t.Fatalf("shown %q", got)
	}
	if path, err := pathOfURI(got[0]); err != nil || path != odd {
		t.Errorf("shown %q (%v), want %q", path, err, odd)
	}
}
