package ui

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// again connects the server anew: after a login if it asks for one, else by a
// restart, which also asks for approval again where that is missing.
func (d *serverDetail) again() {
	id, core := d.id, d.w.core
	if d.v.NeedsLogin {
		d.w.do(command{
			forever: true, busy: lang.L("Log in on the page that opens in your browser…"),
			run: func(ctx context.Context) error { return core.LogIn(ctx, id) },
		})
		return
	}
	d.w.do(command{busy: lang.L("Restarting…"), run: func(ctx context.Context) error { return core.RestartServer(ctx, id) }})
}

func (d *serverDetail) toggle() {
	id, on := d.id, !d.v.Enabled
	d.w.do(command{busy: lang.L("One moment…"), run: func(ctx context.Context) error { return d.w.core.SetServerEnabled(ctx, id, on) }})
}

func (d *serverDetail) remove() {
	id, name := d.id, d.v.Name
	d.w.undoable(lang.L("Removed “{{.Name}}”.", map[string]any{"Name": name}),
		func(ctx context.Context) error { return d.w.core.RemoveServer(ctx, id) })
}

// askWhatItSees uses the server's own tools and shows what it said.
func (d *serverDetail) askWhatItSees() {
	id, name := d.id, d.v.Name
	var seen app.Seen
	d.w.do(command{
		busy: lang.L("Asking “{{.Name}}” what it sees…", map[string]any{"Name": name}),
		run: func(ctx context.Context) (err error) {
			seen, err = d.w.core.AskWhatItSees(ctx, id)
			return err
		},
		done: func() {
			if d.id != id {
				return
			}
			d.seen = seenNotice(seen)
			d.showNotice()
		},
	})
}

func seenNotice(s app.Seen) fyne.CanvasObject {
	said := strings.Join(s.Folders, "\n")
	if said == "" {
		said = s.Text
	}
	if said == "" {
		said = lang.L("It names no folder.")
	}
	said += "\n" + lang.L("Read back with its own tool {{.Tool}}.", map[string]any{"Tool": s.Tool})
	if s.Matches {
		return look.Notice(look.Good, look.IconCheck, lang.L("It works in exactly the folders it was told of."), said)
	}
	return look.Notice(look.Warn, look.IconWarning, lang.L("It names other folders than it was told of."), said)
}
