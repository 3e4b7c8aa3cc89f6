package desktop

import (
	"context"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app/ui/look"
	"rootsmanager/assets"
)

// Trouble shows a small window that says why the program cannot start, with a
// button for each way on. It returns the index of the one chosen, -1 if the
// window was closed. It must be called on the main goroutine, instead of [Run].
func Trouble(ctx context.Context, text string, actions []string) (chosen int, err error) {
	a := fyneapp.NewWithID(AppID)
	a.SetIcon(fyne.NewStaticResource("icon.png", assets.Icon))
	a.Settings().SetTheme(look.NewTheme(look.System))
	win := a.NewWindow("Roots Manager")
	win.SetPadded(false)
	chosen = -1

	words := look.NewText(text)
	words.Fit = look.FitWrap
	buttons := []fyne.CanvasObject{look.NewButton(lang.L("Quit"), look.Secondary, a.Quit)}
	for i, action := range actions {
		kind := look.Secondary
		if i == 0 {
			kind = look.Primary
		}
		buttons = append(buttons, look.NewButton(action, kind, func() {
			chosen = i
			a.Quit()
		}))
	}
	title := look.NewTitle(lang.L("Roots Manager cannot open its profile"))
	title.Fit = look.FitWrap
	foot := container.NewBorder(nil, nil, nil, look.Row(look.Gap, buttons...))
	middle := container.NewVScroll(look.Inset(look.GapMedium, look.GapMedium, 0, 12, words))
	page := container.NewBorder(title, foot, nil, nil, middle)
	win.SetContent(look.On(look.ColorBackground, look.Around(24, page)))
	win.Resize(fyne.NewSize(720, 340))
	win.SetMaster()

	done := make(chan struct{})
	ended := make(chan struct{})
	a.Lifecycle().SetOnStarted(func() {
		go func() {
			defer close(ended)
			select {
			case <-ctx.Done():
				fyne.Do(a.Quit)
			case <-done:
			}
		}()
	})
	win.ShowAndRun()
	close(done)
	<-ended
	return chosen, ctx.Err()
}
