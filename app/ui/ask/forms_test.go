package ask

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// submissions stands for the engine behind the form.
type submissions struct {
	got  []app.ServerSpec
	fail error
}

func (s *submissions) submit(_ context.Context, spec app.ServerSpec) error {
	s.got = append(s.got, spec)
	return s.fail
}

func openForm(t *testing.T, opts AddServerOptions) (fyne.Window, *serverForm, *fakeClock) {
	t.Helper()
	w := window(t, 900, 600)
	clk := newFakeClock()
	return w, newServerForm(w, opts, clk), clk
}

func TestAddServerHandsOnWhatWasTyped(t *testing.T) {
	var s submissions
	var done []bool
	w, f, clk := openForm(t, AddServerOptions{Submit: s.submit, Done: func(added bool) { done = append(done, added) }})
	f.command.SetText(`npx -y @acme/notes --profile "Client work"`)
	f.dir.SetText("/home/user/work")
	f.name.SetText(" notes ")
	row := f.env.add(store.Var{})
	row.name.SetText("NOTES_TOKEN")
	row.value.SetText("s3cret")
	if !row.secret.Checked() || !row.value.Password {
		t.Error("a name with TOKEN in it is not marked as secret by itself")
	}
	f.env.add(store.Var{}) // an empty line says nothing
	w.Canvas().Focus(f.command)
	press(w, fyne.KeyReturn)
	clk.await(t)
	want := []app.ServerSpec{{
		Name: "notes", Command: "npx", Args: []string{"-y", "@acme/notes", "--profile", "Client work"}, Dir: "/home/user/work",
		Env: []store.Var{{Name: "NOTES_TOKEN", Value: "s3cret", Secret: true}}, Transport: store.Stdio, Enabled: true,
	}}
	if diff := cmp.Diff(want, s.got); diff != "" {
		t.Error(diff)
	}
	if !f.closed || !slices.Equal(done, []bool{true}) {
		t.Errorf("closed %v, done %v", f.closed, done)
	}
}

func TestAddServerOfAnAddress(t *testing.T) {
	var s submissions
	_, f, clk := openForm(t, AddServerOptions{Submit: s.submit})
	f.choose(true)
	f.url.SetText("https://mcp.example.com/sse")
	f.transport.SetSelected(1)
	f.headers.add(store.Var{Name: "Authorization", Value: "Bearer x", Secret: true})
	f.submit()
	clk.await(t)
	want := []app.ServerSpec{{URL: "https://mcp.example.com/sse", Transport: store.SSE, Enabled: true, Headers: []store.Var{{Name: "Authorization", Value: "Bearer x", Secret: true}}}}
	if diff := cmp.Diff(want, s.got); diff != "" {
		t.Error(diff)
	}
}

func TestAddServerSaysWhatToDo(t *testing.T) {
	tests := []struct {
		name string
		fill func(*serverForm)
		at   func(*serverForm) *field
		text string
	}{
		{"no command", func(*serverForm) {}, func(f *serverForm) *field { return f.commandField }, "Write the command"},
		{"open quote", func(f *serverForm) { f.command.SetText(`npx "x`) }, func(f *serverForm) *field { return f.commandField }, "closing one"},
		{"relative folder", func(f *serverForm) { f.command.SetText("npx"); f.dir.SetText("work") }, func(f *serverForm) *field { return f.dirField }, "whole path"},
		{"bad variable", func(f *serverForm) { f.command.SetText("npx"); f.env.add(store.Var{Name: "9X"}) }, func(f *serverForm) *field { return f.env.field }, "API_URL"},
		{"value without name", func(f *serverForm) { f.command.SetText("npx"); f.env.add(store.Var{Value: "v"}) }, func(f *serverForm) *field { return f.env.field }, "API_URL"},
		{"variable twice", func(f *serverForm) {
			f.command.SetText("npx")
			f.env.add(store.Var{Name: "X"})
			f.env.add(store.Var{Name: "X"})
		}, func(f *serverForm) *field { return f.env.field }, "twice"},
		{"header twice", func(f *serverForm) {
			f.choose(true)
			f.url.SetText("https://a.example")
			f.headers.add(store.Var{Name: "X-A"})
			f.headers.add(store.Var{Name: "x-a"})
		}, func(f *serverForm) *field { return f.headers.field }, "twice"},
		{"no address", func(f *serverForm) { f.choose(true) }, func(f *serverForm) *field { return f.urlField }, "Write the address"},
		{"no web address", func(f *serverForm) { f.choose(true); f.url.SetText("ftp://x") }, func(f *serverForm) *field { return f.urlField }, "begins with https"},
		{"password in address", func(f *serverForm) { f.choose(true); f.url.SetText("https://u:p@x.example") }, func(f *serverForm) *field { return f.urlField }, "header"},
		{"hidden character in name", func(f *serverForm) { f.command.SetText("npx"); f.name.SetText("a\u202eb") }, func(f *serverForm) *field { return f.nameField }, "visible"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s submissions
			_, f, _ := openForm(t, AddServerOptions{Submit: s.submit})
			tt.fill(f)
			f.submit()
			if at := tt.at(f); !strings.Contains(at.note.Content, tt.text) || !at.note.Visible() {
				t.Errorf("said %q, want %q in it", at.note.Content, tt.text)
			}
			if len(s.got) != 0 || f.closed {
				t.Error("it was handed on all the same")
			}
			if !inside(f.win, f.add) || !inside(f.win, f.cancel) {
				t.Error("the buttons are not to be seen at 900×600")
			}
		})
	}
}

func TestAddServerShowsHowTheCommandIsTakenApart(t *testing.T) {
	_, f, _ := openForm(t, AddServerOptions{Submit: (&submissions{}).submit})
	f.command.SetText(`sh -c "a  b" ''`)
	all := texts(f.chips)
	for _, want := range []string{"1", "sh", "2", "-c", "3", "a  b", "4"} {
		if !slices.Contains(all, want) {
			t.Errorf("%q is not shown in %q", want, all)
		}
	}
	f.command.SetText("ls | wc")
	if !strings.Contains(f.commandField.note.Content, "no shell") {
		t.Errorf("said %q about a pipe", f.commandField.note.Content)
	}
}

func TestAddServerStaysOpenOnFailureAndTellsIt(t *testing.T) {
	s := submissions{fail: errors.New("there is a server called \"x\" already: choose another name")}
	_, f, clk := openForm(t, AddServerOptions{Submit: s.submit})
	f.command.SetText("npx")
	f.submit()
	clk.await(t)
	if f.closed || !strings.HasPrefix(f.status.Content, "There is a server called") || f.add.Disabled() {
		t.Errorf("closed %v, said %q", f.closed, f.status.Content)
	}
}

func TestAddServerCanBeCalledOff(t *testing.T) {
	var done []bool
	w, f, clk := openForm(t, AddServerOptions{
		Submit: func(ctx context.Context, _ app.ServerSpec) error { <-ctx.Done(); return ctx.Err() },
		Done:   func(added bool) { done = append(done, added) },
	})
	f.command.SetText("npx")
	f.submit()
	f.submit() // a second press while it runs does nothing
	if !f.add.Disabled() {
		t.Error("it can be submitted twice")
	}
	press(w, fyne.KeyEscape)
	clk.await(t)
	if f.closed || !strings.Contains(f.status.Content, "Called off") {
		t.Errorf("closed %v, said %q", f.closed, f.status.Content)
	}
	press(w, fyne.KeyEscape)
	if !f.closed || !slices.Equal(done, []bool{false}) {
		t.Errorf("closed %v, done %v", f.closed, done)
	}
}

func TestEscapeLeavesTheFormWhereverTheFocusIs(t *testing.T) {
	for _, remote := range []bool{false, true} {
		open := func() (fyne.Window, *serverForm) {
			w, f, _ := openForm(t, AddServerOptions{Submit: (&submissions{}).submit, BuiltIn: []string{"x"}, ChooseFolder: func(context.Context) (string, error) { return "", ErrNothing }})
			f.choose(remote)
			f.env.add(store.Var{Name: "X"})
			f.headers.add(store.Var{Name: "X"})
			w.Canvas().Focus(f.name)
			return w, f
		}
		w, _ := open()
		n := len(stops(t, w))
		if n < 9 {
			t.Errorf("Tab reaches %d places only", n)
		}
		for i := range n {
			w, f := open()
			for range i {
				w.Canvas().FocusNext()
			}
			at := w.Canvas().Focused()
			press(w, fyne.KeyEscape)
			if !f.closed {
				t.Errorf("Escape on place %d (%T) does not leave", i, at)
			}
		}
	}
}

func TestEditServerKeepsWhatIsNotShown(t *testing.T) {
	was := app.ServerView{}
	was.Name, was.Command, was.Args = "notes", "/opt/my tools/srv", []string{"--x", `a"b`}
	was.Env = []store.Var{{Name: "TOKEN", Secret: true}, {Name: "MODE", Value: "fast"}}
	was.Revision, was.RootsOff, was.Source, was.Transport = "2025-06-18", true, "Cursor", store.Stdio
	var s submissions
	_, f, clk := openForm(t, AddServerOptions{Edit: &was, Submit: s.submit})
	f.submit()
	clk.await(t)
	if diff := cmp.Diff([]app.ServerSpec{was.Spec()}, s.got); diff != "" {
		t.Errorf("saving without a change changes it: %s", diff)
	}

	_, f, _ = openForm(t, AddServerOptions{Edit: &was, Submit: s.submit})
	f.env.rows[0].secret.OnTapped() // no longer secret, but its value is not known
	f.submit()
	if !strings.Contains(f.env.field.note.Content, "anew") {
		t.Errorf("said %q", f.env.field.note.Content)
	}
}

func TestBuiltInServerIsFilledIn(t *testing.T) {
	var s submissions
	_, f, clk := openForm(t, AddServerOptions{Submit: s.submit, BuiltIn: []string{"/opt/my app/roots-manager", "probe"}})
	f.choose(true)
	test.Tap(f.builtIn)
	f.submit()
	clk.await(t)
	if len(s.got) != 1 || s.got[0].Command != "/opt/my app/roots-manager" || !slices.Equal(s.got[0].Args, []string{"probe"}) || s.got[0].Name == "" {
		t.Errorf("got %+v", s.got)
	}
}

func TestWorkingFolderIsChosenOffTheWindow(t *testing.T) {
	answers := []struct {
		path string
		err  error
	}{{"/home/user/x", nil}, {"", ErrNothing}, {"", errors.New("no dialog could be opened")}}
	n := 0
	_, f, clk := openForm(t, AddServerOptions{Submit: (&submissions{}).submit, ChooseFolder: func(context.Context) (string, error) {
		a := answers[n]
		n++
		return a.path, a.err
	}})
	for range answers {
		f.chooseFolder()
		clk.await(t)
	}
	if f.dir.Text != "/home/user/x" || f.dirField.note.Content != "No dialog could be opened." {
		t.Errorf("folder %q, said %q", f.dir.Text, f.dirField.note.Content)
	}
}

func TestTypePathsSaysWhatEachLineIs(t *testing.T) {
	w := window(t, 900, 600)
	clk := newFakeClock()
	asked := map[string]int{}
	var added []string
	f := newPathForm(w, TypePathsOptions{
		Inspect: func(_ context.Context, path string) (app.RootCheck, error) {
			asked[path]++
			switch path {
			case "/blocked":
				return app.RootCheck{Blocked: "part of the system"}, nil
			case "/twice":
				return app.RootCheck{Duplicate: "once"}, nil
			case "bad":
				return app.RootCheck{}, errors.New("write the whole path")
			}
			return app.RootCheck{Kind: root.Folder}, nil
		},
		Add: func(paths []string) { added = paths },
	}, clk, 0)
	if !f.add.Disabled() {
		t.Error("nothing can be added before anything was typed")
	}
	f.text.SetText("/a b\n\n/blocked\n/twice\nbad\n\"/quoted path\"\r\n/a b\n")
	if !f.add.Disabled() {
		t.Error("it can be added before it was looked at")
	}
	clk.await(t)
	all := strings.Join(texts(f.found), "\n")
	for _, want := range []string{"Folder", "Blocked", "part of the system", "There already", "once", "Not usable", "Write the whole path."} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	f.text.SetText(f.text.Text + "/new")
	clk.await(t)
	if asked["/a b"] != 1 || asked["/new"] != 1 {
		t.Errorf("looked at %v, want each once", asked)
	}
	if f.add.Text != "Add 3 places" || !inside(w, f.add) {
		t.Errorf("the button says %q", f.add.Text)
	}
	w.Canvas().Focus(f.text)
	press(w, fyne.KeyReturn) // a new line, not an answer
	if added != nil {
		t.Fatal("Enter in the field adds")
	}
	test.Tap(f.add)
	if diff := cmp.Diff([]string{"/a b", "/quoted path", "/new"}, added); diff != "" {
		t.Error(diff)
	}
}

func TestTypePathsEscapeAddsNothing(t *testing.T) {
	w := window(t, 900, 600)
	cancelled := 0
	newPathForm(w, TypePathsOptions{
		Inspect: func(context.Context, string) (app.RootCheck, error) { return app.RootCheck{}, nil },
		Add:     func([]string) { t.Error("added") }, Cancelled: func() { cancelled++ },
	}, newFakeClock(), 0)
	press(w, fyne.KeyEscape)
	press(w, fyne.KeyEscape)
	if cancelled != 1 || w.Canvas().Overlays().Top() != nil {
		t.Errorf("cancelled %d times", cancelled)
	}
}

func sensitiveItems() []app.RootCheck {
	return []app.RootCheck{{Path: "/home/user", Warning: "It may hold keys."}, {Path: "/etc", Blocked: "It is part of the system. A setting allows it."}, {Path: "/home/user/.ssh", Warning: "Keys."}}
}

func TestSensitivePlacesNeedATickAndTheGuardTime(t *testing.T) {
	w := window(t, 900, 600)
	clk := newFakeClock()
	var got [][]app.RootCheck
	s := newSensitive(w, sensitiveItems(), func(a []app.RootCheck) { got = append(got, a) }, clk)
	if !s.add.Disabled() || len(s.accepted()) != 0 {
		t.Error("something is ticked at first")
	}
	s.ticks[2].OnTapped()
	s.add.Tapped(nil)
	if len(got) != 0 {
		t.Fatal("it does not wait out the guard time")
	}
	clk.pass(guardTime)
	s.add.Tapped(nil)
	if len(got) != 1 || len(got[0]) != 1 || got[0][0].Path != "/home/user/.ssh" {
		t.Errorf("got %v", got)
	}
}

func TestSensitiveEnterAndEscapeLeaveOut(t *testing.T) {
	for _, key := range []fyne.KeyName{fyne.KeyReturn, fyne.KeyEscape} {
		n := len(stopsOfSensitive(t))
		for i := range n {
			w := window(t, 900, 600)
			var got [][]app.RootCheck
			clk := newFakeClock()
			s := newSensitive(w, sensitiveItems(), func(a []app.RootCheck) { got = append(got, a) }, clk)
			s.ticks[0].OnTapped()
			clk.pass(guardTime)
			for range i {
				w.Canvas().FocusNext()
			}
			press(w, key)
			press(w, fyne.KeyEscape)
			if len(got) != 1 || len(got[0]) != 0 {
				t.Errorf("%s on place %d: got %v, want once nothing", key, i, got)
			}
		}
	}
}

func stopsOfSensitive(t *testing.T) []fyne.Focusable {
	w := window(t, 900, 600)
	s := newSensitive(w, sensitiveItems(), func([]app.RootCheck) {}, newFakeClock())
	s.ticks[0].OnTapped()
	return stops(t, w)
}

func TestMessageGoesWithEnterAndEscape(t *testing.T) {
	for _, key := range []fyne.KeyName{fyne.KeyReturn, fyne.KeyEscape} {
		w := window(t, 900, 600)
		m := newMessage(w, "The folder was not added", "The drive is gone.", "Plug it in.", newFakeClock())
		all := texts(m.root)
		for _, want := range []string{"The folder was not added", "The drive is gone.", "Plug it in."} {
			if !slices.Contains(all, want) {
				t.Errorf("%q is not shown in %q", want, all)
			}
		}
		press(w, key)
		if !m.closed {
			t.Errorf("%s does not close it", key)
		}
	}
}

func TestRename(t *testing.T) {
	open := func() (fyne.Window, *rename, *[]string) {
		w := window(t, 900, 600)
		got := &[]string{}
		return w, newRename(w, RenameOptions{Title: "Rename", Label: "Name", Value: "old", Check: func(s string) error {
			if s == "" {
				return errors.New("write a name")
			}
			return nil
		}, Answer: func(s string) { *got = append(*got, s) }}, newFakeClock()), got
	}
	w, r, got := open()
	r.text.SetText("")
	press(w, fyne.KeyReturn)
	if r.closed || r.field.note.Content != "Write a name." {
		t.Errorf("closed %v, said %q", r.closed, r.field.note.Content)
	}
	r.text.SetText(" new ")
	press(w, fyne.KeyReturn)
	if !slices.Equal(*got, []string{"new"}) {
		t.Errorf("got %q", *got)
	}
	w, _, got = open()
	press(w, fyne.KeyReturn)
	if len(*got) != 0 {
		t.Errorf("an unchanged name was answered with %q", *got)
	}
	w, r, got = open()
	r.text.SetText("x")
	press(w, fyne.KeyEscape)
	if len(*got) != 0 || !r.closed {
		t.Errorf("Escape answered %q", *got)
	}
}

func TestMoreSettingsAreFoldedAwayAndKept(t *testing.T) {
	var s submissions
	_, f, clk := openForm(t, AddServerOptions{Submit: s.submit})
	if f.more.box.Visible() {
		t.Error("settings that few need are shown at once")
	}
	f.command.SetText("srv")
	test.Tap(f.more.open)
	if !f.more.box.Visible() || f.more.open.Visible() {
		t.Fatal("they do not unfold")
	}
	f.more.revision.Selected, f.more.answers.Selected, f.more.web.Selected = 5, 1, 1
	f.submit()
	clk.await(t)
	if len(s.got) != 1 || s.got[0].Revision != "2024-11-05" || !s.got[0].RootsOff || !s.got[0].AllowHTTPS {
		t.Fatalf("got %+v", s.got)
	}
	was := app.ServerView{Server: store.Server{Name: "x", Command: "srv", AllowHTTPS: true}}
	if _, f, _ := openForm(t, AddServerOptions{Edit: &was, Submit: s.submit}); !f.more.box.Visible() {
		t.Error("a setting that differs is folded away")
	}
}
