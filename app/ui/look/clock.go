package look

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2/lang"
)

// Clock writes a time to the second if it is today ("12:03:05"), else with the
// day ("14 Nov 12:03").
func Clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch {
	case t.IsZero():
		return ""
	case sameDay(t, now):
		return t.Format("15:04:05")
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}

// ShortClock writes a time to the minute if it is today ("11:58"), else the day.
func ShortClock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch {
	case t.IsZero():
		return ""
	case sameDay(t, now):
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}

// Day writes a date: "14 Nov 2026".
func Day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2 Jan 2006")
}

// Lasted writes a short duration as a person would say it: "0.3 ms", "45 ms",
// "1.2 s", "3 min".
func Lasted(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		ms := float64(d) / float64(time.Millisecond)
		if d%time.Millisecond == 0 {
			return fmt.Sprintf("%.0f ms", ms)
		}
		return fmt.Sprintf("%.1f ms", ms)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// Countdown writes the time left as minutes and seconds: "0:42". It is never
// negative.
func Countdown(left time.Duration) string {
	s := max(0, int((left+time.Second/2)/time.Second))
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Ago writes how long ago something was: "just now", "5 min ago", "3 h ago".
func Ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return lang.L("just now")
	case d < time.Hour:
		return lang.L("{{.N}} min ago", map[string]any{"N": int(d.Minutes())})
	case d < 24*time.Hour:
		return lang.L("{{.N}} h ago", map[string]any{"N": int(d.Hours())})
	}
	return ShortClock(t, now)
}

func sameDay(a, b time.Time) bool {
	ay, am, ad := a.Date()
	by, bm, bd := b.Date()
	return ay == by && am == bm && ad == bd
}
