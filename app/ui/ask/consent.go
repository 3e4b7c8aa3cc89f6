package ask

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// filterFrom is the number of folders from which a filter is offered.
const filterFrom = 9

// Consent asks which folders a server may be told of. p.Consent must be set.
// Nothing is ticked at first. answer is called once: NotNow, NeverAllow with
// the folders ticked (nil: all asked about), or AllowUntilQuit and AllowAlways
// with at least one folder. The returned function takes the question away
// without an answer.
//
// While p.Deadline is to come, the time left is shown and what happens then.
// The question stays after that: the server is told once it is answered.
func Consent(win fyne.Window, p app.Prompt, answer func(app.PromptAnswer)) (close func()) {
	return newConsent(win, p, answer, systemClock{}).close
}

// consent is the question while it is open.
type consent struct {
	*modal
	prompt app.Prompt
	choice *choice

	list      *folderList
	timeLeft  *look.Text
	untilQuit *button
	allow     *button
	never     *button
}

func newConsent(win fyne.Window, p app.Prompt, answer func(app.PromptAnswer), clk clock) *consent {
	q := p.Consent
	c := &consent{
		modal:  &modal{win: win, clk: clk, width: wide},
		prompt: p, choice: newChoice(q.Folders),
	}
	say := once(c.modal, answer)
	notNow := func() { say(app.PromptAnswer{Verdict: app.NotNow}) }
	c.escape, c.enter = notNow, notNow

	head := []fyne.CanvasObject{heading(
		lang.L("“{{.Name}}” asks which folders it may work in", map[string]any{"Name": visible(p.ServerName)}),
		lang.L("It is told only what you tick. You can take it back at any time."))}
	if p.Note != "" {
		head = append(head, borrowedName(p))
	}
	if len(q.Folders) >= filterFrom {
		head = append(head, c.newFilter())
	}
	c.head = look.Column(look.GapMedium, head...)
	c.list = newFolderList(c)
	c.body = c.list
	c.natural = func(float32) float32 { return c.list.wanted() }

	c.timeLeft = look.NewSmall("")
	c.timeLeft.Fit = look.FitWrap
	c.never = c.button(lang.L("Never"), look.Danger, c.guarded(func() {
		a := app.PromptAnswer{Verdict: app.NeverAllow}
		if c.choice.count() > 0 {
			a.Folders = c.choice.answer()
		}
		say(a)
	}))
	c.never.NoEnter = true
	allowed := func(v app.PromptVerdict) func() {
		return func() {
			if folders := c.choice.answer(); len(folders) > 0 {
				say(app.PromptAnswer{Verdict: v, Folders: folders})
			}
		}
	}
	safe := c.button(lang.L("Not now"), look.Secondary, notNow)
	c.untilQuit = c.allowing(lang.L("Until I quit"), look.Secondary, allowed(app.AllowUntilQuit))
	c.allow = c.allowing("", look.Primary, allowed(app.AllowAlways))
	buttons := look.Stretch(look.Gap, 0, c.timeLeft, c.never, safe, c.untilQuit, c.allow)
	c.foot = look.Column(gap, look.Column(look.Gap, c.who(q)...), buttons)

	c.update()
	c.tick()
	if !p.Deadline.IsZero() {
		c.onClose = append(c.onClose, clk.every(time.Second/4, c.tick))
	}
	c.show(safe)
	return c
}

// who shows what would get the answer.
func (c *consent) who(q *app.ConsentQuestion) []fyne.CanvasObject {
	section, text := lang.L("Runs"), visible(look.Quote(q.CommandLine))
	if q.URL != "" {
		section, text = lang.L("Address"), visible(q.URL)
	}
	return []fyne.CanvasObject{look.NewSection(section), c.codeBox(text, wide-2*padding, 3)}
}

func (c *consent) newFilter() fyne.CanvasObject {
	f := look.NewSearchEntry(lang.L("Filter {{.N}} folders", map[string]any{"N": len(c.choice.folders)}), func(text string) {
		c.choice.setFilter(text)
		c.list.rowsChanged()
		c.relayout()
	})
	f.OnLeave = func() { c.escape() }
	f.OnSubmitted = func(string) { c.enter() }
	return f
}

// update brings the buttons in line with what is ticked.
func (c *consent) update() {
	n := c.choice.count()
	switch n {
	case 0:
		c.allow.SetText(lang.L("Allow"))
	case 1:
		c.allow.SetText(lang.L("Allow 1 folder"))
	default:
		c.allow.SetText(lang.L("Allow {{.N}} folders", map[string]any{"N": n}))
	}
	if n == 0 {
		c.never.SetText(lang.L("Never"))
		c.allow.Disable()
		c.untilQuit.Disable()
	} else {
		c.never.SetText(lang.L("Never these"))
		c.allow.Enable()
		c.untilQuit.Enable()
	}
	c.relayout()
}

// tick shows the time left.
func (c *consent) tick() {
	if c.closed || c.prompt.Deadline.IsZero() {
		return
	}
	left := c.prompt.Deadline.Sub(c.clk.now())
	if left <= 0 {
		c.timeLeft.SetContent(lang.L("Answered for now. It is told as soon as you decide."))
		return
	}
	c.timeLeft.SetContent(lang.L("Answers by itself in {{.Time}} with what is allowed so far", map[string]any{"Time": look.Countdown(left)}))
}
