package look_test

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rootsmanager/app/ui/look"
)

func TestClockNamesTheDayOnlyWhenItIsNotToday(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 3, 5, 0, time.Local)
	for _, c := range []struct {
		t           time.Time
		clock, rest string
	}{
		{now, "12:03:05", "12:03"},
		{now.AddDate(0, 0, -7), "14 Nov 12:03", "14 Nov"},
		{now.AddDate(-1, 0, 0), "21 Nov 2025", "21 Nov 2025"},
		{time.Time{}, "", ""},
	} {
		if got := look.Clock(c.t, now); got != c.clock {
			t.Errorf("Clock(%v) = %q, want %q", c.t, got, c.clock)
		}
		if got := look.ShortClock(c.t, now); got != c.rest {
			t.Errorf("ShortClock(%v) = %q, want %q", c.t, got, c.rest)
		}
	}
}

func TestLastedUsesOneUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		300 * time.Microsecond: "0.3 ms", 3 * time.Millisecond: "3 ms", 45 * time.Millisecond: "45 ms",
		1200 * time.Millisecond: "1.2 s", 3 * time.Minute: "3 min", 5 * time.Hour: "5 h",
	} {
		if got := look.Lasted(d); got != want {
			t.Errorf("Lasted(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCountdownIsNeverNegative(t *testing.T) {
	for d, want := range map[time.Duration]string{42 * time.Second: "0:42", 70 * time.Second: "1:10", -5 * time.Second: "0:00"} {
		if got := look.Countdown(d); got != want {
			t.Errorf("Countdown(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestQuoteKeepsWordsApart(t *testing.T) {
	got := look.Quote([]string{"/usr/bin/npx", "-y", "@acme/notes-mcp@2.1.0", "--profile", "Client work", "", `say "hi"`, "it's $HOME", "a\\b", "Grüße"})
	want := `/usr/bin/npx -y @acme/notes-mcp@2.1.0 --profile "Client work" "" 'say "hi"' 'it'\''s $HOME' 'a\b' Grüße`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEllipsisFitsAndKeepsTheEndOfPaths(t *testing.T) {
	test.NewTempApp(t)
	path := "/home/user/work/clients/2026/a-rather-long-name/frontend"
	width := fyne.MeasureText(path, look.SmallSize, fyne.TextStyle{}).Width
	short := look.EllipsisMiddle(path, width/2, look.SmallSize, fyne.TextStyle{})
	if got := fyne.MeasureText(short, look.SmallSize, fyne.TextStyle{}).Width; got > width/2 {
		t.Errorf("%q is %v wide, room is %v", short, got, width/2)
	}
	if !strings.HasSuffix(short, "frontend") || !strings.Contains(short, "…") || !strings.HasPrefix(short, "/home") {
		t.Errorf("the ends of the path are lost: %q", short)
	}
	if got := look.EllipsisMiddle(path, width+1, look.SmallSize, fyne.TextStyle{}); got != path {
		t.Errorf("cut although there is room: %q", got)
	}
	if got := look.EllipsisEnd("Grüße", 1, look.SmallSize, fyne.TextStyle{}); got != "…" {
		t.Errorf("no room should leave the ellipsis, got %q", got)
	}
}

func TestButtonKeys(t *testing.T) {
	test.NewTempApp(t)
	pressed := 0
	b := look.NewButton("Start and remember", look.Secondary, func() { pressed++ })
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if pressed != 2 {
		t.Errorf("Enter and Space pressed it %d times, want 2", pressed)
	}
	b.NoEnter = true
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnter})
	if pressed != 2 {
		t.Error("Enter pressed a button that must not be pressed by accident")
	}
	b.Disable()
	test.Tap(b)
	if pressed != 2 {
		t.Error("a disabled button was pressed")
	}
}

func TestCheckTogglesWithSpace(t *testing.T) {
	test.NewTempApp(t)
	var told []bool
	c := look.NewCheck("Remember", false, func(on bool) { told = append(told, on) })
	c.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	test.Tap(c)
	if len(told) != 2 || !told[0] || told[1] || c.Checked() {
		t.Errorf("told %v, checked %v", told, c.Checked())
	}
}
