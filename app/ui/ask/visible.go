package ask

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible writes text so that no character hides or moves another: control
// characters, line breaks, characters that change the direction of writing,
// invisible ones, unusual spaces and broken bytes become ‹names›.
func visible(s string) string {
	clean := true
	for i, r := range s {
		if hidden(r) || r == utf8.RuneError && broken(s[i:]) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "‹byte %02X›", s[i])
		case r == '\n':
			b.WriteString("‹line break›")
		case r == '\t':
			b.WriteString("‹tab›")
		case hidden(r):
			fmt.Fprintf(&b, "‹U+%04X›", r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

func broken(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	return size == 1
}

// hidden tells characters that cannot be seen or that change how others are
// seen.
func hidden(r rune) bool {
	switch {
	case r == ' ':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
		return true
	case unicode.IsSpace(r), unicode.Is(unicode.Zs, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF: // variation selectors
		return true
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x2800, r == 0x3164, r == 0xFFA0:
		return true // letters of other scripts that are drawn as nothing
	}
	return false
}

// misleading tells whether a command line written in one line could be read
// as other arguments than it has.
func misleading(words []string) bool {
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \"'`\\$|&;<>()*?[]{}!#~^") || visible(w) != w {
			return true
		}
	}
	return false
}
