package root

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxURI is the longest URI that is accepted, in bytes, as given and in its
// canonical spelling.
const MaxURI = 4096

// Reason says why a path or URI cannot be a root.
type Reason string

// The reasons of an [InvalidError].
const (
	ReasonEmpty            Reason = "empty"
	ReasonTooLong          Reason = "too long"          // more than MaxURI bytes
	ReasonScheme           Reason = "scheme"            // neither file nor https
	ReasonRelative         Reason = "relative"          // not a full path
	ReasonDotSegment       Reason = "dot segment"       // "." or "..", raw or percent-encoded
	ReasonEncodedSeparator Reason = "encoded separator" // %2F, or %5C where the backslash separates
	ReasonBackslash        Reason = "backslash"         // a raw backslash in a URI; programs disagree on its meaning
	ReasonControl          Reason = "control character" // NUL or another control character, raw or percent-encoded
	ReasonQuery            Reason = "query"
	ReasonFragment         Reason = "fragment"
	ReasonUserInfo         Reason = "user info"
	ReasonPort             Reason = "port" // a port in a file URI, or one that is no number from 1 to 65535
	ReasonHost             Reason = "host" // foreign (Unix), missing (https) or malformed
	ReasonEscape           Reason = "escape"
	ReasonName             Reason = "name" // a file name Windows does not allow, or reads as another one
)

// InvalidError says that a path or URI cannot be a root, and what to do about
// it. Find it with [errors.As].
type InvalidError struct {
	Input  string // what was given, at most 120 bytes of it, control characters made visible
	Reason Reason
	Help   string // what to do, a full sentence
}

// Error tells what is wrong and what to do.
func (e *InvalidError) Error() string {
	if e.Reason == ReasonEmpty {
		return "no path was given. " + e.Help
	}
	return fmt.Sprintf("“%s” %s. %s", e.Input, problems[e.Reason], e.Help)
}

// problems completes the sentence that begins with the input.
var problems = map[Reason]string{
	ReasonTooLong:          "is longer than 4,096 bytes",
	ReasonScheme:           "is not a file URI",
	ReasonRelative:         "is not a full path",
	ReasonDotSegment:       "contains “.” or “..” as a folder name",
	ReasonEncodedSeparator: "hides a path separator as %2F or %5C",
	ReasonBackslash:        "contains a backslash",
	ReasonControl:          "contains a control character",
	ReasonQuery:            "contains “?”, which starts a query",
	ReasonFragment:         "contains “#”, which starts a fragment",
	ReasonUserInfo:         "contains a user name or password",
	ReasonPort:             "contains a port that cannot be used",
	ReasonHost:             "names a host that cannot be used",
	ReasonEscape:           "contains a “%” that is not followed by two hexadecimal digits",
	ReasonName:             "contains a name that Windows cannot use as it stands",
}

// invalid builds the error for one input; an empty help means the usual one.
func invalid(os OS, input string, reason Reason, help string) error {
	if help == "" {
		help = usualHelp(os, reason)
	}
	return &InvalidError{Input: visible(input), Reason: reason, Help: help}
}

func usualHelp(os OS, reason Reason) string {
	example, exampleURI := "/home/you/project", "file:///home/you/project"
	if os == Windows {
		example, exampleURI = `C:\Users\you\project`, "file:///C:/Users/you/project"
	}
	switch reason {
	case ReasonTooLong:
		return "Choose a folder with a shorter path."
	case ReasonScheme:
		return "Write a URI such as " + exampleURI + "."
	case ReasonDotSegment:
		return "Write the path without “.” and “..”, for example " + example + "."
	case ReasonEncodedSeparator:
		return "Write “/” between folder names, for example " + exampleURI + "."
	case ReasonBackslash:
		return "Write “/” between folder names; a backslash that belongs to a name is written %5C."
	case ReasonControl:
		return "Rename the folder so that its name has only visible characters, or check what was pasted."
	case ReasonQuery:
		return "Remove the “?” and what follows; a “?” that belongs to a file name is written %3F."
	case ReasonFragment:
		return "Remove the “#” and what follows; a “#” that belongs to a file name is written %23."
	case ReasonUserInfo:
		return "Remove everything up to the “@”; a root is sent to servers as it stands."
	case ReasonPort:
		return "Remove the “:” and the number after the host."
	case ReasonHost:
		return "Write three slashes and then the full path, for example " + exampleURI + "."
	case ReasonEscape:
		return "Write a “%” that belongs to a name as %25."
	case ReasonName:
		return `Leave out < > : " | ? * and names such as CON or NUL, and let no name end with a dot or a space.`
	default:
		return "Write the full path, for example " + example + "."
	}
}

// visible caps s and spells out what a screen would hide.
func visible(s string) string {
	const most = 120
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		part := s[i : i+n]
		if !unicode.IsPrint(r) || (r == utf8.RuneError && n == 1) {
			part = ""
			for _, c := range []byte(s[i : i+n]) {
				part += fmt.Sprintf(`\x%02x`, c)
			}
		}
		if b.Len()+len(part) > most-len("…") {
			return b.String() + "…"
		}
		b.WriteString(part)
		i += n
	}
	return b.String()
}

// hasControl reports whether s holds a control character. Bytes that are not
// UTF-8 are none: file names may hold them.
func hasControl(s string) bool {
	return strings.IndexFunc(s, unicode.IsControl) >= 0
}
