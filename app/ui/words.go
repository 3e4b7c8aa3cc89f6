package ui

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
)

// mark is a state as a pill shows it.
type mark struct {
	icon look.IconName
	text string
	tone look.Tone
}

func (m mark) pill() *look.Pill { return look.NewPill(m.icon, m.text, m.tone) }

// counted writes a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return lang.L(one)
	}
	return lang.N(many, n, map[string]any{"N": number(n)})
}

func folders(n int) string {
	if n == 0 {
		return lang.L("no folders")
	}
	return counted(n, "1 folder", "{{.N}} folders")
}

// number writes a count with marks between the thousands.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rootMark is the state of a root: shape, word, colour, and since when if
// something is wrong.
func rootMark(v app.RootView, now time.Time) mark {
	since := func(word string) string {
		if v.Since.IsZero() {
			return word
		}
		return lang.L("{{.Word}} since {{.Time}}", map[string]any{"Word": word, "Time": look.ShortClock(v.Since, now)})
	}
	switch v.Status {
	case monitor.Reachable:
		return mark{look.IconDot, kindWord(lang.L("Reachable"), v.Kind), look.Good}
	case monitor.ReadOnly:
		return mark{look.IconHalf, kindWord(lang.L("Read-only"), v.Kind), look.Warn}
	case monitor.NoPermission:
		return mark{look.IconLock, lang.L("No permission"), look.Bad}
	case monitor.Missing:
		return mark{look.IconCross, since(lang.L("Missing")), look.Bad}
	case monitor.NotAFolder:
		return mark{look.IconCross, lang.L("Not a folder now"), look.Bad}
	case monitor.ChangedTarget:
		return mark{look.IconTurn, lang.L("Target changed"), look.Info}
	case monitor.Unreachable:
		return mark{look.IconUnplug, since(lang.L("No answer")), look.Bad}
	}
	return mark{look.IconRing, lang.L("Checking…"), look.Neutral}
}

func kindWord(word string, k root.Kind) string {
	switch k {
	case root.File:
		return word + " · " + lang.L("file")
	case root.HTTPS:
		return word + " · " + lang.L("web")
	}
	return word
}

// rootAdvice says what a state means for the person, and what would mend it.
func rootAdvice(v app.RootView) string {
	switch v.Status {
	case monitor.Missing:
		return lang.L("It is not there any more. Held back from every server until it returns.")
	case monitor.NoPermission:
		return lang.L("You may not open it. Held back until its permissions allow it.")
	case monitor.NotAFolder:
		return lang.L("There is a file where the folder was. Held back until the folder returns.")
	case monitor.ChangedTarget:
		return lang.L("It leads somewhere else now. Held back until you allow the new place.")
	case monitor.Unreachable:
		return lang.L("The drive or network does not respond. Held back until it does.")
	case monitor.ReadOnly:
		return lang.L("Files in it can be read, not changed.")
	}
	return ""
}

func serverTone(v app.ServerView) look.Tone {
	switch v.State {
	case app.ServerConnected:
		if v.MayKeep || v.Delivery == app.DeliveryStale {
			return look.Warn
		}
		return look.Good
	case app.ServerConnecting:
		return look.Info
	case app.ServerWaiting:
		return look.Warn
	case app.ServerFailed:
		return look.Bad
	}
	return look.Neutral
}

// serverLine says in one short line where a server stands.
func serverLine(v app.ServerView) string {
	switch v.State {
	case app.ServerConnected:
		return folders(v.Exposed) + " · " + deliveryShort(v)
	case app.ServerConnecting:
		return lang.L("connecting…")
	case app.ServerWaiting:
		return lang.L("waits for approval")
	case app.ServerFailed:
		if v.Problem == "" {
			return lang.L("failed")
		}
		return lang.L("failed: {{.Why}}", map[string]any{"Why": lowerFirst(v.Problem)})
	}
	return lang.L("off")
}

// serverShort is serverLine for the head of a narrow column.
func serverShort(v app.ServerView) string {
	switch {
	case v.State == app.ServerFailed:
		why := shortProblem(v.Problem)
		if why == "" {
			return lang.L("failed")
		}
		return lang.L("failed: {{.Why}}", map[string]any{"Why": why})
	case v.State == app.ServerConnected && !v.MayKeep && !v.RootsOff && v.Delivery == app.DeliveryNeverAsked:
		return lang.L("never asked")
	case v.State == app.ServerConnected && v.MayKeep:
		return deliveryShort(v)
	case v.State == app.ServerConnected && v.Exposed >= 100: // the word folders has no room
		return number(v.Exposed) + " · " + deliveryShort(v)
	}
	return serverLine(v)
}

// shortProblem finds the word for what is wrong in a longer sentence; empty if
// there is none.
func shortProblem(s string) string {
	s = strings.ToLower(s)
	for _, p := range []struct{ found, word string }{
		{"refused", "refused"},
		{"not found", "not found"},
		{"no such file", "not found"},
		{"cannot be found", "not found"},
		{"permission", "not allowed"},
		{"did not answer", "no answer"},
		{"timed out", "no answer"},
		{"deadline", "no answer"},
		{"stopped", "stopped"},
		{"exited", "stopped"},
		{"ended", "stopped"},
		{"unauthorized", "not allowed"},
	} {
		if strings.Contains(s, p.found) {
			return lang.L(p.word)
		}
	}
	return ""
}

func deliveryShort(v app.ServerView) string {
	if v.RootsOff {
		return lang.L("switched off")
	}
	if v.MayKeep {
		return lang.L("may keep more")
	}
	switch v.Delivery {
	case app.DeliveryCurrent:
		return lang.L("current")
	case app.DeliveryTold:
		return lang.L("told")
	case app.DeliveryStale:
		return lang.L("older list")
	}
	return lang.L("never asked")
}

// stateMark is the pill of a server's connection.
func stateMark(v app.ServerView) mark {
	switch v.State {
	case app.ServerConnected:
		return mark{look.IconDot, lang.L("Connected"), look.Good}
	case app.ServerConnecting:
		return mark{look.IconClock, lang.L("Connecting…"), look.Info}
	case app.ServerWaiting:
		return mark{look.IconHalf, lang.L("Waits for approval"), look.Warn}
	case app.ServerFailed:
		return mark{look.IconCross, lang.L("Failed"), look.Bad}
	}
	return mark{look.IconRing, lang.L("Off"), look.Neutral}
}

// deliveryMark is the pill of how far the current folders got; false if there
// is nothing to say.
func deliveryMark(v app.ServerView) (mark, bool) {
	if v.State != app.ServerConnected {
		return mark{}, false
	}
	switch {
	case v.RootsOff:
		return mark{look.IconForbidden, lang.L("Folders switched off"), look.Neutral}, true
	case v.MayKeep:
		return mark{look.IconWarning, lang.L("May still use what was taken back"), look.Warn}, true
	}
	switch v.Delivery {
	case app.DeliveryCurrent:
		return mark{look.IconCheck, lang.L("Has the current folders"), look.Good}, true
	case app.DeliveryTold:
		if v.Filled {
			return mark{look.IconSend, lang.L("Restarts with the new folders"), look.Info}, true
		}
		return mark{look.IconSend, lang.L("Told, has not asked again yet"), look.Info}, true
	case app.DeliveryStale:
		return mark{look.IconWarning, lang.L("Still has older folders"), look.Warn}, true
	}
	return mark{look.IconRing, lang.L("Never asked for folders"), look.Neutral}, true
}

func accessWord(a root.Access) string {
	if a == root.ReadWrite {
		return lang.L("write")
	}
	return lang.L("read")
}

func accessLong(a root.Access) string {
	if a == root.ReadWrite {
		return lang.L("Read and write")
	}
	return lang.L("Read only")
}

// cellLook is how a cell of the Access grid is drawn.
type cellLook struct {
	tick look.TickState
	word string
	tone look.Tone
}

func cellLookOf(c app.Cell) cellLook {
	switch c.State {
	case app.CellOn:
		return cellLook{look.TickOn, accessWord(c.Access), look.Neutral}
	case app.CellAsks:
		return cellLook{look.TickAsks, lang.L("asks"), look.Warn}
	case app.CellHeld:
		return cellLook{look.TickHeld, lang.L("held back"), look.Bad}
	case app.CellChanged:
		return cellLook{look.TickHeld, lang.L("ask again"), look.Bad}
	case app.CellNever:
		return cellLook{look.TickNever, lang.L("never"), look.Bad}
	case app.CellIdle:
		return cellLook{look.TickIdle, accessWord(c.Access), look.Neutral}
	}
	return cellLook{tick: look.TickOff}
}

// nextTick is what a click on a cell means.
func nextTick(c app.Cell) (on bool, access root.Access) {
	access = c.Access
	if access == "" {
		access = root.ReadOnly
	}
	switch c.State {
	case app.CellOff, app.CellAsks, app.CellNever, app.CellChanged:
		return true, access
	}
	return false, access
}

// kindIcon is the icon of a kind of root.
func kindIcon(k root.Kind) look.IconName {
	switch k {
	case root.File:
		return look.IconFile
	case root.HTTPS:
		return look.IconGlobe
	}
	return look.IconFolder
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) {
		return s // an abbreviation or a name in capitals
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// errorSentence makes an error's text a sentence.
func errorSentence(err error) string { return sentence(err.Error()) }

// joinSentences puts two remarks behind each other; either may be empty.
func joinSentences(a, b string) string {
	return strings.TrimSpace(sentence(a) + " " + sentence(b))
}

// sentence gives words a capital first and a full stop last.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if !strings.ContainsAny(s[len(s)-1:], ".!?…") {
		s += "."
	}
	return s
}

// matches reports whether one of the texts holds the filter, case ignored.
func matches(filter string, texts ...string) bool {
	if filter == "" {
		return true
	}
	for _, t := range texts {
		if strings.Contains(strings.ToLower(t), filter) {
			return true
		}
	}
	return false
}
