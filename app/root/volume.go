package root

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// volume is a full path taken apart: where it starts, and the names below.
type volume struct {
	drive string // Windows: "C:", upper case
	host  string // Windows: server of a share, lower case
	share string
	names []string // no empty ones
}

// split takes a full path apart; false means that it is not a full path.
// "." and ".." are left in names.
func split(os OS, p string) (volume, bool) {
	if os == Unix {
		if !strings.HasPrefix(p, "/") {
			return volume{}, false
		}
		return volume{names: dropEmpty(strings.Split(p, "/"))}, true
	}
	p = strings.ReplaceAll(p, "/", `\`)
	if isDevicePath(p) {
		return volume{}, false
	}
	parts := strings.Split(p, `\`)
	if strings.HasPrefix(p, `\\`) {
		parts = parts[2:]
		if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
			return volume{}, false
		}
		return volume{host: strings.ToLower(parts[0]), share: parts[1], names: dropEmpty(parts[2:])}, true
	}
	if !isDrive(parts[0]) || len(parts) == 1 {
		return volume{}, false
	}
	return volume{drive: strings.ToUpper(parts[0]), names: dropEmpty(parts[1:])}, true
}

// clean resolves "." and ".." by their names alone.
func (v volume) clean() volume {
	names := make([]string, 0, len(v.names))
	for _, name := range v.names {
		switch {
		case name == ".":
		case name == "..":
			names = names[:max(0, len(names)-1)]
		default:
			names = append(names, name)
		}
	}
	v.names = names
	return v
}

// String puts the native path together again.
func (v volume) String() string {
	switch {
	case v.drive != "":
		return v.drive + `\` + strings.Join(v.names, `\`)
	case v.host != "":
		return `\\` + strings.Join(append([]string{v.host, v.share}, v.names...), `\`)
	}
	return "/" + strings.Join(v.names, "/")
}

func isDrive(s string) bool {
	return len(s) == 2 && s[1] == ':' && isAlnum(s[0]) && s[0] > '9'
}

// isDevicePath reports the \\?\ and \\.\ forms, which switch checks off.
func isDevicePath(p string) bool {
	p = strings.ReplaceAll(p, "/", `\`)
	return strings.HasPrefix(p, `\\?`) || strings.HasPrefix(p, `\\.\`) || p == `\\.` || strings.HasPrefix(p, `\??`)
}

// isLocalHost reports names of this computer: a share of it is another
// spelling of a local path.
func isLocalHost(host string) bool {
	return host == "localhost" || host == "127.0.0.1"
}

func isShareHost(host string) bool {
	if len(host) > 253 || strings.Trim(host, ".") == "" {
		return false
	}
	for i := range len(host) {
		if c := host[i]; !isAlnum(c) && strings.IndexByte("-._$", c) < 0 {
			return false
		}
	}
	return true
}

// checkName finds what is wrong with one decoded name, if anything is.
func checkName(os OS, name string) Reason {
	switch {
	case hasControl(name):
		return ReasonControl
	case name == "." || name == "..":
		return ReasonDotSegment
	case os == Windows && (strings.ContainsAny(name, `<>:"|?*`) || strings.TrimRight(name, ". ") != name || isDeviceName(name)):
		return ReasonName
	}
	return ""
}

// isDeviceName reports names that mean a device in every folder of Windows,
// with any extension ("nul.txt").
func isDeviceName(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(base, port); ok && strings.Contains("123456789¹²³", n) && n != "" && len([]rune(n)) == 1 {
			return true
		}
	}
	return false
}

// fold returns the form in which names are compared where case does not count.
// Like NTFS it never turns a letter beyond ASCII into an ASCII one ("ı", "ſ").
// Bytes that are not UTF-8 are kept, so that different names stay different.
func fold(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		u := unicode.ToUpper(r)
		if (r == utf8.RuneError && n == 1) || (r > unicode.MaxASCII && u <= unicode.MaxASCII) {
			b = append(b, s[i:i+n]...)
		} else {
			b = utf8.AppendRune(b, u)
		}
		i += n
	}
	return string(b)
}
