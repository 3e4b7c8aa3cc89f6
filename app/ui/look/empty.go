package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
)

// EmptyState says in the middle of an empty screen what it is for and what to
// do next. Foot may be nil.
func EmptyState(icon IconName, title, text string, foot fyne.CanvasObject, buttons ...fyne.CanvasObject) *fyne.Container {
	head := NewHeading(title)
	head.Fit = FitNone
	head.Align = fyne.TextAlignCenter
	body := NewParagraph(text)
	body.Align = fyne.TextAlignCenter
	parts := []fyne.CanvasObject{
		container.NewCenter(NewIcon(icon, ColorAccent, 40)),
		Inset(GapMedium, 0, 0, 0, head),
		container.NewCenter(Width(500, body)),
	}
	if len(buttons) > 0 {
		parts = append(parts, Inset(GapMedium, 0, 0, 0, container.NewCenter(Row(Gap, buttons...))))
	}
	if foot != nil {
		parts = append(parts, Inset(GapLarge, 0, 0, 0, container.NewCenter(foot)))
	}
	return container.New(layout.NewCenterLayout(), Column(Gap, parts...))
}

// Toast is the dark bar at the foot of the window that says what was done and
// offers to take it back, or what failed and why.
func Toast(tone Tone, icon IconName, text string, actions ...fyne.CanvasObject) *fyne.Container {
	words := NewText(text)
	words.Fit = FitWrap
	words.MaxLines = 4
	row := container.NewBorder(nil, nil, Inset(0, 0, 0, 8, NewIcon(icon, tone.Color(), 16)),
		Row(Gap, actions...), Middle(words))
	line := ColorLine
	if tone != Neutral {
		line = tone.Color()
	}
	return container.NewStack(NewSurface(ColorPanel, line, Radius), Inset(6, 6, 14, 6, row))
}
