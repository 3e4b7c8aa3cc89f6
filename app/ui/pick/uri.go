package pick

import (
	"fmt"
	"net/url"
	"os"
	"strings"
)

// pathOfURI turns a file URI of the desktop into a path on Unix. Only percent
// escapes are undone: in the path of a URI "+" is itself (RFC 3986, 3.3), and
// the bytes need not be UTF-8.
func pathOfURI(uri string) (string, error) {
	const scheme = "file:"
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return "", &answerError{fmt.Sprintf("The chosen place (%s) is not a folder or file of this computer: mount it first, or choose another.", shortened(uri))}
	}
	rest := uri[len(scheme):]
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		slash := strings.IndexByte(after, '/')
		if slash < 0 {
			return "", &answerError{fmt.Sprintf("The desktop named a place without a path (%s): choose another.", shortened(uri))}
		}
		if host := after[:slash]; !ownHost(host) {
			return "", &answerError{fmt.Sprintf("The chosen place is on another computer (%s): mount it first, or choose another.", shortened(host))}
		}
		rest = after[slash:]
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return "", fmt.Errorf("the desktop named a place that cannot be read (%s): %w", shortened(uri), err)
	}
	return path, nil
}

// uriOfPath is the file URI of an absolute Unix path, for the file manager.
func uriOfPath(path string) string {
	return "file://" + (&url.URL{Path: path}).EscapedPath()
}

func ownHost(host string) bool {
	if host == "" || strings.EqualFold(host, "localhost") {
		return true
	}
	own, err := os.Hostname()
	return err == nil && strings.EqualFold(host, own)
}

// shortened keeps text that came from outside to a length that fits a sentence.
func shortened(s string) string {
	const most = 120
	r := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}
