package ui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// activityLine is one thing that happened, as a sentence: when, whom it is
// about in bold, what.
type activityLine struct {
	widget.BaseWidget
	when, subject, rest *look.Text
}

func newActivityLine() *activityLine {
	l := &activityLine{when: look.NewSmall(""), subject: look.NewSmall(""), rest: look.NewSmall("")}
	l.subject.Color, l.subject.Style = look.ColorText, fyne.TextStyle{Bold: true}
	l.subject.Fit, l.rest.Fit = look.FitEnd, look.FitEnd
	l.ExtendBaseWidget(l)
	return l
}

func (l *activityLine) set(a app.Activity, now time.Time) {
	l.when.SetContent(look.Clock(a.Time, now))
	subject := a.Subject
	if subject == "" {
		subject = a.Server
	}
	if l.subject.Content != subject {
		l.subject.SetContent(subject)
		defer l.Refresh()
	}
	l.rest.SetContent(a.Text)
}

// CreateRenderer implements fyne.Widget.
func (l *activityLine) CreateRenderer() fyne.WidgetRenderer { return &activityLineRenderer{l} }

type activityLineRenderer struct{ l *activityLine }

// whenWidth holds "14 Nov 12:03".
const whenWidth float32 = 64

func (r *activityLineRenderer) Destroy() {}

func (r *activityLineRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.l.when, r.l.subject, r.l.rest}
}

func (r *activityLineRenderer) MinSize() fyne.Size {
	return fyne.NewSize(200, r.l.when.MinSize().Height)
}

func (r *activityLineRenderer) Layout(s fyne.Size) {
	l := r.l
	x := max(whenWidth, l.when.MinSize().Width+look.Gap)
	place(l.when, 0, 0, x, s.Height)
	subject := min(fyne.MeasureText(l.subject.Content, l.subject.Points, l.subject.Style).Width+1, (s.Width-x)*0.5)
	if l.subject.Content == "" {
		subject = -3
	}
	place(l.subject, x, 0, max(0, subject), s.Height)
	place(l.rest, x+subject+3, 0, s.Width-x-subject-3, s.Height)
}

func (r *activityLineRenderer) Refresh() {
	r.Layout(r.l.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
}
