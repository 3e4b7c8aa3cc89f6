package desktop

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/ui"
	"rootsmanager/app/ui/ask"
	"rootsmanager/app/ui/pick"
	"rootsmanager/store"
)

// dialogs are the questions of the window.
type dialogs struct {
	engine  *app.Engine
	picker  *pick.Picker
	program string
}

var _ ui.Dialogs = (*dialogs)(nil)

func (d *dialogs) Approval(win fyne.Window, p app.Prompt, answer func(app.PromptAnswer)) func() {
	return ask.Approval(win, p, answer)
}

func (d *dialogs) Consent(win fyne.Window, p app.Prompt, answer func(app.PromptAnswer)) func() {
	return ask.Consent(win, p, answer)
}

func (d *dialogs) Server(win fyne.Window, spec *app.ServerSpec, submit func(context.Context, app.ServerSpec) error, closed func()) func() {
	opts := ask.AddServerOptions{
		Submit:       submit,
		ChooseFolder: d.chooseFolder,
		Propose:      app.ProposeName,
		BuiltIn:      []string{d.program, "probe"},
		Done:         func(bool) { closed() },
	}
	if spec != nil {
		opts.Edit = &app.ServerView{Server: store.Server{
			Name: spec.Name, Enabled: spec.Enabled, Source: spec.Source, Transport: spec.Transport,
			Command: spec.Command, Args: spec.Args, Dir: spec.Dir, Env: spec.Env, URL: spec.URL, Headers: spec.Headers,
			Revision: spec.Revision, RootsOff: spec.RootsOff, AllowHTTPS: spec.AllowHTTPS,
			Channel: spec.Channel, NoRestart: spec.NoRestart,
		}}
	}
	return ask.AddServer(win, opts)
}

func (d *dialogs) chooseFolder(ctx context.Context) (string, error) {
	paths, err := d.picker.Folders(ctx, lang.L("Working folder"))
	switch {
	case errors.Is(err, pick.ErrCancelled) || err == nil && len(paths) == 0:
		return "", ask.ErrNothing
	case err != nil:
		return "", err
	}
	return paths[0], nil
}

func (d *dialogs) TypePaths(win fyne.Window, typed func([]string), closed func()) func() {
	return ask.TypePaths(win, ask.TypePathsOptions{Inspect: d.engine.InspectRoot, Add: typed, Cancelled: closed})
}

func (d *dialogs) Sensitive(win fyne.Window, checks []app.RootCheck, answer func([]app.RootCheck)) func() {
	return ask.Sensitive(win, checks, answer)
}

// fallback chooses with the toolkit's own dialog where the desktop has none.
type fallback struct{ window func() *ui.Window }

type chosen struct {
	uri fyne.URI
	err error
}

func (f *fallback) ask(ctx context.Context, req pick.Request) ([]string, error) {
	answer := make(chan chosen, 1)
	var dismiss func()
	fyne.DoAndWait(func() {
		f.window().Ask(func(done func()) func() {
			var d dialog.Dialog
			tell := func(uri fyne.URI, err error) {
				answer <- chosen{uri, err}
				done()
			}
			if req.Kind == pick.Folders {
				d = dialog.NewFolderOpen(func(u fyne.ListableURI, err error) {
					if u == nil {
						tell(nil, err)
						return
					}
					tell(u, err)
				}, f.window().Window())
			} else {
				d = dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
					if r == nil {
						tell(nil, err)
						return
					}
					tell(r.URI(), errors.Join(err, r.Close()))
				}, f.window().Window())
			}
			dismiss = d.Hide
			d.Show()
			return d.Hide
		})
	})
	select {
	case <-ctx.Done():
		if dismiss != nil {
			fyne.Do(dismiss)
		}
		return nil, ctx.Err()
	case a := <-answer:
		switch {
		case a.err != nil:
			return nil, a.err
		case a.uri == nil:
			return nil, pick.ErrCancelled
		}
		return []string{a.uri.Path()}, nil
	}
}
