package root

import (
	"path"
	"runtime"
	"strings"
)

// OS chooses the rules for paths.
type OS string

// The path rules there are. Unix is used for Linux and macOS alike.
const (
	Unix    OS = "unix"
	Windows OS = "windows"
)

// Native returns the rules of the machine this program runs on.
func Native() OS {
	if runtime.GOOS == "windows" {
		return Windows
	}
	return Unix
}

// URI is the address of a root, parsed once and kept in its canonical
// spelling: two URIs are the same root if they are ==. The zero value is no
// root; see [URI.IsZero].
//
// The canonical spelling has a lower-case scheme and host, an empty host for
// local files, an upper-case drive letter, single slashes, no slash at the end
// of a file path (save for "/" and "C:/"), and percent-escapes, in upper case,
// for everything but letters, digits and "-_.~$&+,/:;=@".
type URI struct {
	text  string // canonical
	path  string // native path, or text for https
	https bool
}

// Parse reads a file or https URI by the rules of this machine; see [ParseFor].
func Parse(s string) (URI, error) { return ParseFor(Native(), s) }

// ParseFor reads a file or https URI (MCP 2025-11-25, "Roots / Data Types";
// RFC 8089). Anything that two programs could read in two ways is refused with
// an [*InvalidError]: another scheme, a relative path, "." and ".." segments,
// encoded separators, control characters, raw backslashes, a query, a fragment,
// user info, a port or a foreign host in a file URI, broken escapes, more than
// [MaxURI] bytes. Raw spaces and raw Unicode are accepted and encoded.
//
// On Windows a file URI names a drive (file:///C:/…) or a share
// (file://server/share/…).
//
// An https URI needs a host in ASCII (a name or an IP address) and may have a
// port. A query is refused as well: a root is a place with things below it,
// and queries are where secrets travel.
func ParseFor(os OS, s string) (URI, error) {
	if s == "" {
		return URI{}, invalid(os, s, ReasonEmpty, "")
	}
	if len(s) > MaxURI {
		return URI{}, invalid(os, s, ReasonTooLong, "")
	}
	if hasControl(s) {
		return URI{}, invalid(os, s, ReasonControl, "")
	}
	scheme, rest, found := strings.Cut(s, ":")
	if !found {
		return URI{}, invalid(os, s, ReasonScheme, "")
	}
	switch strings.ToLower(scheme) {
	case "file":
		return parseFile(os, s, rest)
	case "https":
		return parseHTTPS(os, s, rest)
	}
	return URI{}, invalid(os, s, ReasonScheme, "")
}

// FromPath builds the URI of a full native path; see [FromPathFor].
func FromPath(p string) (URI, error) { return FromPathFor(Native(), p) }

// FromPathFor builds the URI of a full path written by the rules of os. Extra
// and final separators are dropped. "." and ".." are refused and not resolved,
// because after a symbolic link ".." is not what it seems; so are control
// characters and, on Windows, names the system would read as another one. The
// error is an [*InvalidError].
func FromPathFor(os OS, p string) (URI, error) {
	if p == "" {
		return URI{}, invalid(os, p, ReasonEmpty, "")
	}
	if len(p) > MaxURI {
		return URI{}, invalid(os, p, ReasonTooLong, "")
	}
	v, ok := split(os, p)
	if !ok {
		help := ""
		if os == Windows && isDevicePath(p) {
			help = `Write the path without \\?\ or \\.\ in front, for example C:\Users\you\project.`
		}
		return URI{}, invalid(os, p, ReasonRelative, help)
	}
	return build(os, p, v)
}

// String returns the canonical spelling; it is what servers are told.
func (u URI) String() string { return u.text }

// Path returns the native path, decoded. For an https root it is the URI.
func (u URI) Path() string { return u.path }

// IsHTTPS reports whether this is an https root.
func (u URI) IsHTTPS() bool { return u.https }

// IsZero reports whether u names no root at all.
func (u URI) IsZero() bool { return u.text == "" }

// Base returns the last component of the path: the name of the folder or file.
// For "/", a drive or a share it is the whole path, for an https root host and
// path.
func (u URI) Base() string {
	if u.https {
		return strings.TrimSuffix(strings.TrimPrefix(u.text, "https://"), "/")
	}
	if strings.HasPrefix(u.path, "/") {
		return path.Base(u.path)
	}
	if v, ok := split(Windows, u.path); ok && len(v.names) > 0 {
		return v.names[len(v.names)-1]
	}
	return u.path
}

func parseFile(os OS, s, rest string) (URI, error) {
	if i := strings.IndexAny(rest, `?#\`); i >= 0 {
		reason := map[byte]Reason{'?': ReasonQuery, '#': ReasonFragment, '\\': ReasonBackslash}[rest[i]]
		return URI{}, invalid(os, s, reason, "")
	}
	var host string
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		i := strings.IndexByte(after, '/')
		if i < 0 {
			i = len(after)
		}
		host, rest = strings.ToLower(after[:i]), after[i:]
		if err := checkFileHost(os, s, host); err != nil {
			return URI{}, err
		}
		if host == "localhost" {
			host = ""
		}
	}
	if !strings.HasPrefix(rest, "/") && host == "" {
		return URI{}, invalid(os, s, ReasonRelative, "")
	}
	names := make([]string, 0, 8)
	for raw := range strings.SplitSeq(rest, "/") {
		name, reason := decodeName(os, raw)
		if reason != "" {
			return URI{}, invalid(os, s, reason, "")
		}
		names = append(names, name)
	}
	if os == Unix {
		return build(os, s, volume{names: dropEmpty(names)})
	}
	// RFC 8089, appendix E.3.2: file:////server/share is a share as well.
	if host == "" && len(names) > 3 && names[1] == "" && names[2] != "" {
		host, names = strings.ToLower(names[2]), names[3:]
	}
	names = dropEmpty(names)
	if host != "" {
		if len(names) == 0 {
			return URI{}, invalid(os, s, ReasonHost, `Name the share too, for example file://server/share.`)
		}
		return build(os, s, volume{host: host, share: names[0], names: names[1:]})
	}
	if len(names) == 0 || !isDrive(names[0]) {
		return URI{}, invalid(os, s, ReasonRelative, "Start with the drive, for example file:///C:/Users/you/project.")
	}
	return build(os, s, volume{drive: strings.ToUpper(names[0]), names: names[1:]})
}

func checkFileHost(os OS, s, host string) error {
	switch {
	case host == "" || host == "localhost":
		return nil
	case strings.Contains(host, "@"):
		return invalid(os, s, ReasonUserInfo, "")
	case os == Windows && isDrive(host):
		return invalid(os, s, ReasonHost, "")
	case strings.Contains(host, ":") && !strings.HasPrefix(host, "["):
		return invalid(os, s, ReasonPort, "")
	case os == Unix && (host == "." || host == ".." || host == "~"):
		return invalid(os, s, ReasonRelative, "")
	case os == Unix:
		return invalid(os, s, ReasonHost, "")
	}
	return nil
}

// decodeName decodes one segment of a path, once.
func decodeName(os OS, raw string) (string, Reason) {
	name, ok := unescape(raw)
	switch {
	case !ok:
		return "", ReasonEscape
	case hasControl(name):
		return "", ReasonControl
	case strings.Contains(name, "/"), os == Windows && strings.Contains(name, `\`):
		return "", ReasonEncodedSeparator
	case name == "." || name == "..":
		return "", ReasonDotSegment
	}
	return name, ""
}

// build checks the decoded parts and puts the two spellings together.
func build(os OS, input string, v volume) (URI, error) {
	for _, name := range v.names {
		if reason := checkName(os, name); reason != "" {
			return URI{}, invalid(os, input, reason, "")
		}
	}
	if v.host != "" {
		if isLocalHost(v.host) {
			return URI{}, invalid(os, input, ReasonHost, `Write the path on this computer, for example C:\Users\you\project.`)
		}
		if !isShareHost(v.host) {
			return URI{}, invalid(os, input, ReasonHost, `Write the server's name as in \\server\share, with letters, digits, “-”, “.” and “_” only.`)
		}
		if reason := checkName(os, v.share); reason != "" {
			return URI{}, invalid(os, input, reason, "")
		}
	}
	u := URI{path: v.String()}
	var b strings.Builder
	b.WriteString("file://")
	b.WriteString(v.host)
	head := []string{}
	if v.drive != "" {
		head = append(head, v.drive)
	} else if v.host != "" {
		head = append(head, v.share)
	}
	for _, name := range append(head, v.names...) {
		b.WriteByte('/')
		escape(&b, name)
	}
	if len(v.names) == 0 && v.host == "" {
		b.WriteByte('/')
	}
	u.text = b.String()
	if len(u.text) > MaxURI {
		return URI{}, invalid(os, input, ReasonTooLong, "")
	}
	return u, nil
}

func dropEmpty(names []string) []string {
	kept := names[:0]
	for _, name := range names {
		if name != "" {
			kept = append(kept, name)
		}
	}
	return kept
}
