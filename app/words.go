package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/mcpclient"
)

// isHidden reports characters that change what a person sees without being
// seen: controls, bidirectional overrides, zero-width and tag characters.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		r == utf8.RuneError || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u115f' || r == '\u3164'
}

// Plain makes text from a server safe to show: hidden characters are written
// as ⟨U+202E⟩, line breaks and tabs become spaces, at most limit characters stay.
func Plain(text string, limit int) string {
	return visible(text, limit, false)
}

func visible(text string, limit int, keepLines bool) string {
	var b strings.Builder
	n := 0
	for i, r := range text {
		if n++; n > limit {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\n' && keepLines:
			b.WriteByte('\n')
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, "⟨%02X⟩", text[i])
		case isHidden(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// sentence turns an error into words for people.
func sentence(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time"
	case errors.Is(err, mcpclient.ErrRootsOff):
		return "roots are switched off for it"
	}
	return Plain(err.Error(), 500)
}

// redact hides the secret values of a server in text that comes from it: some
// print their whole environment when they fail.
func (p *plan) redact(text string) string {
	if p == nil {
		return text
	}
	for _, v := range p.env {
		if v.Secret && len(v.Value) >= 4 { // shorter ones would blot out ordinary words
			text = strings.ReplaceAll(text, v.Value, "•••")
		}
	}
	return text
}

// statusSentence says what is wrong with a root, or that it is back.
func statusSentence(o monitor.Observation) string {
	switch o.Status {
	case monitor.Reachable:
		return "is reachable"
	case monitor.ReadOnly:
		return "is reachable, read-only"
	case monitor.Missing:
		return "is missing – held back until it returns"
	case monitor.NoPermission:
		return "may not be opened by you – held back"
	case monitor.NotAFolder:
		return "is not a folder any more – held back"
	case monitor.ChangedTarget:
		return "leads somewhere else now – held back until you approve it again"
	case monitor.Unreachable:
		return "does not respond – held back until it does"
	default:
		return "has not been looked at yet"
	}
}

func shortDuration(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

func (e *Engine) countFolders(n int) string {
	if n == 1 {
		return "1 folder"
	}
	return fmt.Sprintf("%d folders", n)
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// foldersLocked names the first folders of an exposure.
func (e *Engine) foldersLocked(x *mcpclient.Exposure) string {
	if len(x.Roots) == 0 {
		return "no folders"
	}
	var names []string
	for i, r := range x.Roots {
		if i == 3 {
			names = append(names, fmt.Sprintf("%d more", len(x.Roots)-3))
			break
		}
		name := r.Name
		if name == "" {
			if u, err := root.Parse(r.URI); err == nil {
				name = u.Base()
			}
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
