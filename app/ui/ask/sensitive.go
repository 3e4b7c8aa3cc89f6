package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// Sensitive asks for the second yes before sensitive places are added, and
// says of blocked ones which setting allows them. Nothing is ticked at first.
// answer is called once with the places that were ticked; none for "no".
func Sensitive(win fyne.Window, items []app.RootCheck, answer func(accepted []app.RootCheck)) (close func()) {
	return newSensitive(win, items, answer, systemClock{}).close
}

func newSensitive(win fyne.Window, items []app.RootCheck, answer func([]app.RootCheck), clk clock) *sensitive {
	s := &sensitive{modal: &modal{win: win, clk: clk, width: 560}, items: items, answer: answer}
	no := func() { s.say(nil) }
	s.escape, s.enter = no, no
	asked := 0
	rows := make([]fyne.CanvasObject, 0, len(items))
	for _, item := range items {
		if item.Blocked == "" {
			asked++
		}
		rows = append(rows, s.row(item))
	}
	title, lead, noText := lang.L("Add these places all the same?"), lang.L("Whoever is told of such a place may read what lies in it. Tick what you really mean to add."), lang.L("Leave them out")
	if asked == 0 {
		title, lead, noText = lang.L("These places cannot be added"), "", lang.L("Close")
	}
	s.head = heading(title, lead)
	s.scrolled(look.Column(look.Gap, rows...))
	safe := s.button(noText, look.Safe, no)
	s.add = s.allowing("", look.Secondary, func() { s.say(s.accepted()) })
	foot := []fyne.CanvasObject{look.NewSmall(""), safe}
	if asked > 0 {
		foot = append(foot, s.add)
	}
	s.foot = look.Stretch(look.Gap, 0, foot...)
	s.update()
	s.show(safe)
	return s
}

// sensitive is the question while it is open.
type sensitive struct {
	*modal
	items  []app.RootCheck
	ticks  []*tick // one for each item, nil for blocked ones
	answer func([]app.RootCheck)
	add    *button
}

func (s *sensitive) row(item app.RootCheck) fyne.CanvasObject {
	path := look.NewText(visible(item.Path))
	path.Fit, path.Points, path.Style = look.FitMiddle, codeSize, mono
	why, icon, tone := item.Warning, look.IconWarning, look.Warn
	if item.Blocked != "" {
		why, icon, tone = item.Blocked, look.IconForbidden, look.Bad
	}
	detail := look.NewSmall(visible(why))
	detail.Fit = look.FitWrap
	detail.Color = tone.Color()
	var mark fyne.CanvasObject = look.NewIcon(icon, tone.Color(), look.TickSize)
	if item.Blocked == "" {
		t := &tick{m: s.modal}
		t.ExtendBaseWidget(t)
		t.OnTapped = func() {
			state := look.TickOn
			if t.Checked() {
				state = look.TickOff
			}
			t.SetState(state)
			s.update()
		}
		s.ticks = append(s.ticks, t)
		mark = t
	} else {
		s.ticks = append(s.ticks, nil)
		mark = look.Around(3, mark)
	}
	return look.Card(container.NewBorder(nil, nil, look.Inset(0, 0, 0, look.Gap, container.NewVBox(mark)), nil,
		look.Column(4, path, detail)))
}

func (s *sensitive) accepted() []app.RootCheck {
	var out []app.RootCheck
	for i, t := range s.ticks {
		if t != nil && t.Checked() {
			out = append(out, s.items[i])
		}
	}
	return out
}

func (s *sensitive) update() {
	switch n := len(s.accepted()); n {
	case 0:
		s.add.SetText(lang.L("Add all the same"))
		s.add.Disable()
	case 1:
		s.add.SetText(lang.L("Add 1 all the same"))
		s.add.Enable()
	default:
		s.add.SetText(lang.L("Add {{.N}} all the same", map[string]any{"N": n}))
		s.add.Enable()
	}
	s.relayout()
}

func (s *sensitive) say(accepted []app.RootCheck) {
	if s.closed {
		return
	}
	s.close()
	s.answer(accepted)
}
