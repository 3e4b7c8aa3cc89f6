package ui

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// standing is the notice above the screens that stays while decisions are not
// sealed or were altered. It can be put away; another reason brings it back.
type standing struct {
	w      *Window
	place  *fyne.Container
	reason string // that is shown, or was put away
}

func newStanding(w *Window) *standing {
	return &standing{w: w, place: container.NewStack()}
}

func (n *standing) content() *fyne.Container { return n.place }

func (n *standing) apply(s *app.Snapshot) {
	h := s.Health
	reason := h.SealedText + "\n" + h.SealedHelp
	if h.Sealed {
		reason = ""
	}
	if reason == n.reason {
		return
	}
	n.reason = reason
	switch {
	case reason == "":
		n.set(nil)
	case h.Tampered:
		n.set(n.bar(look.Bad, look.IconWarning, h.SealedText, h.SealedHelp,
			look.NewButton(lang.L("I have seen it"), look.Secondary, func() {
				n.w.do(command{run: func(ctx context.Context) error { return n.w.core.AcknowledgeTampering(ctx) }})
			})))
	default:
		n.set(n.bar(look.Warn, look.IconLock, h.SealedText, h.SealedHelp,
			look.NewButton(lang.L("Try again"), look.Secondary, n.w.core.RetryKeyring),
			look.NewIconButton(look.IconClose, lang.L("Close"), func() { n.set(nil) })))
	}
}

func (n *standing) bar(tone look.Tone, icon look.IconName, title, detail string, actions ...fyne.CanvasObject) fyne.CanvasObject {
	buttons := container.NewVBox(look.Inset(10, 0, 0, 10, look.Row(look.Gap, actions...)))
	notice := container.NewBorder(nil, nil, nil, buttons, look.Plain(tone, icon, title, detail))
	return look.Column(0, container.NewStack(look.NewSurface(tone.Soft(), "", 0), notice), look.HLine())
}

func (n *standing) set(bar fyne.CanvasObject) {
	n.place.Objects = nil
	if bar != nil {
		n.place.Objects = []fyne.CanvasObject{bar}
	}
	n.place.Refresh()
	if n.w.shell != nil {
		n.w.shell.Refresh()
	}
}

// height is what the notice takes from the screen below it.
func (n *standing) height(width float32) float32 {
	if len(n.place.Objects) == 0 {
		return 0
	}
	n.place.Resize(fyne.NewSize(width, n.place.MinSize().Height)) // wraps its words
	return n.place.MinSize().Height
}
