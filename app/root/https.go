package root

import (
	"net/netip"
	"strconv"
	"strings"
)

// parseHTTPS reads what follows "https:". Escapes of the path are kept, only
// spelled alike: unlike in a file name, "%3B" and ";" may differ there.
func parseHTTPS(os OS, s, rest string) (URI, error) {
	const hostHelp = "Write a URI such as https://example.com/docs, with the host in its ASCII form."
	if i := strings.IndexAny(rest, `?#\`); i >= 0 {
		switch rest[i] {
		case '?':
			return URI{}, invalid(os, s, ReasonQuery, "Remove the “?” and what follows; a root is a place, not a search.")
		case '#':
			return URI{}, invalid(os, s, ReasonFragment, "Remove the “#” and what follows.")
		}
		return URI{}, invalid(os, s, ReasonBackslash, "Write “/” between the parts of the address.")
	}
	after, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return URI{}, invalid(os, s, ReasonHost, hostHelp)
	}
	authority, tail := after, "/"
	if i := strings.IndexByte(after, '/'); i >= 0 {
		authority, tail = after[:i], after[i:]
	}
	if strings.Contains(authority, "@") {
		return URI{}, invalid(os, s, ReasonUserInfo, "")
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i+1:]
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return URI{}, invalid(os, s, ReasonPort, "Write a port from 1 to 65535 after the “:”, or leave both out.")
		}
		port = strconv.FormatUint(n, 10)
	}
	host = strings.ToLower(host)
	if !isWebHost(host) {
		return URI{}, invalid(os, s, ReasonHost, hostHelp)
	}
	var b strings.Builder
	b.WriteString("https://" + host)
	if port != "" && port != "443" {
		b.WriteString(":" + port)
	}
	for i, raw := range strings.Split(tail, "/") {
		// An encoded backslash separates for some programs: never accept it here.
		if _, reason := decodeName(Windows, raw); reason != "" {
			return URI{}, invalid(os, s, reason, "")
		}
		if i > 0 {
			b.WriteByte('/')
		}
		respell(&b, raw)
	}
	text := b.String()
	if len(text) > MaxURI {
		return URI{}, invalid(os, s, ReasonTooLong, "")
	}
	return URI{text: text, path: text, https: true}, nil
}

// respell writes a segment with upper-case escapes, without those that are not
// needed (RFC 3986, 6.2.2), and with escapes for what no URI may hold.
func respell(b *strings.Builder, raw string) {
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c == '%' {
			c = byte(hexValue(raw[i+1])<<4 | hexValue(raw[i+2]))
			i += 2
			if isAlnum(c) || strings.IndexByte("-_.~", c) >= 0 {
				b.WriteByte(c)
				continue
			}
		} else if plain(c) || strings.IndexByte("!'()*", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
	}
}

func isWebHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		return closed && err == nil && addr.Is6() && addr.Zone() == ""
	}
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(host, "."), ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !isAlnum(c) && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}
