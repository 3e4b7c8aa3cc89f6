package root

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestPathsBecomeURIsAndBack(t *testing.T) {
	tests := []struct {
		os   OS
		path string
		uri  string
		base string
	}{
		{Unix, "/", "file:///", "/"},
		{Unix, "/home/you/project", "file:///home/you/project", "project"},
		{Unix, "/home/you/my project", "file:///home/you/my%20project", "my project"},
		{Unix, "/c#/what?", "file:///c%23/what%3F", "what?"},
		{Unix, "/100%/a%2Fb", "file:///100%25/a%252Fb", "a%2Fb"},
		{Unix, "/c++ proj", "file:///c++%20proj", "c++ proj"},
		{Unix, "/home/you/Büro/資料/🦊", "file:///home/you/B%C3%BCro/%E8%B3%87%E6%96%99/%F0%9F%A6%8A", "🦊"},
		{Unix, "/bytes/\xff\xfe", "file:///bytes/%FF%FE", "\xff\xfe"},
		{Unix, `/back\slash`, "file:///back%5Cslash", `back\slash`},
		{Unix, "/a:b/c@d/~e", "file:///a:b/c@d/~e", "~e"},
		{Unix, "/.../..a/.b", "file:///.../..a/.b", ".b"},
		{Unix, "/C:/x", "file:///C:/x", "x"},
		{Unix, "/[x]{y}|z", "file:///%5Bx%5D%7By%7D%7Cz", "[x]{y}|z"},
		{Windows, `C:\`, "file:///C:/", `C:\`},
		{Windows, `C:\Users\you\project`, "file:///C:/Users/you/project", "project"},
		{Windows, `D:\my #1 100% c++`, "file:///D:/my%20%231%20100%25%20c++", "my #1 100% c++"},
		{Windows, `C:\Büro\資料`, "file:///C:/B%C3%BCro/%E8%B3%87%E6%96%99", "資料"},
		{Windows, `\\server\share`, "file://server/share", `\\server\share`},
		{Windows, `\\server\share\docs\a b`, "file://server/share/docs/a%20b", "a b"},
		{Windows, `\\wsl$\Ubuntu\home`, "file://wsl$/Ubuntu/home", "home"},
	}
	for _, tt := range tests {
		u, err := FromPathFor(tt.os, tt.path)
		if err != nil {
			t.Errorf("FromPathFor(%s, %q): %v", tt.os, tt.path, err)
			continue
		}
		if u.String() != tt.uri || u.Path() != tt.path || u.Base() != tt.base || u.IsHTTPS() || u.IsZero() {
			t.Errorf("FromPathFor(%s, %q) = %q, path %q, base %q; want %q, base %q", tt.os, tt.path, u, u.Path(), u.Base(), tt.uri, tt.base)
		}
		if again, err := ParseFor(tt.os, tt.uri); err != nil || again != u {
			t.Errorf("ParseFor(%s, %q) = %#v, %v; want %#v", tt.os, tt.uri, again, err, u)
		}
		if p, err := url.Parse(tt.uri); err != nil || tt.os == Unix && p.Path != tt.path {
			t.Errorf("net/url reads %q as %q, %v; want %q", tt.uri, p.Path, err, tt.path)
		}
	}
}

func TestSpellingsOfOneRootAreEqual(t *testing.T) {
	tests := []struct {
		os    OS
		given string // a URI, or a path
		want  string
	}{
		{Unix, "file:/home/you", "file:///home/you"},
		{Unix, "FILE:///home/you/", "file:///home/you"},
		{Unix, "file://localhost/home/you", "file:///home/you"},
		{Unix, "file://LocalHost/home//you///", "file:///home/you"},
		{Unix, "file:///home/%79ou", "file:///home/you"},
		{Unix, "file:///b%c3%bcro", "file:///b%C3%BCro"},
		{Unix, "file:///büro/my files", "file:///b%C3%BCro/my%20files"},
		{Unix, "file:///a%5Cb", "file:///a%5Cb"},
		{Unix, "file:////home/you", "file:///home/you"},
		{Unix, "/home//you/", "file:///home/you"},
		{Windows, "file:///c:/Users", "file:///C:/Users"},
		{Windows, "file:///C%3A/Users/", "file:///C:/Users"},
		{Windows, "file:///C:", "file:///C:/"},
		{Windows, "file://localhost/C:/x", "file:///C:/x"},
		{Windows, "file://SERVER/Share/", "file://server/Share"},
		{Windows, "file:////server/share/x", "file://server/share/x"},
		{Windows, `c:/Users\you\`, "file:///C:/Users/you"},
		{Windows, `\\Server\share\`, "file://server/share"},
		{Windows, "//server/share/x", "file://server/share/x"},
		{Unix, "HTTPS://Example.COM", "https://example.com/"},
		{Unix, "https://example.com:443/a", "https://example.com/a"},
		{Unix, "https://example.com:08443/a", "https://example.com:8443/a"},
		{Unix, "https://example.com/%7eyou/%c3%a9/ü x", "https://example.com/~you/%C3%A9/%C3%BC%20x"},
		{Unix, "https://example.com/a%3bb;c//d/", "https://example.com/a%3Bb;c//d/"},
		{Windows, "https://[2001:DB8::1]:8443/docs", "https://[2001:db8::1]:8443/docs"},
	}
	for _, tt := range tests {
		make := ParseFor
		if strings.HasPrefix(tt.given, "/") || strings.HasPrefix(tt.given, `\`) || strings.HasPrefix(tt.given, "c:") {
			make = FromPathFor
		}
		u, err := make(tt.os, tt.given)
		if err != nil || u.String() != tt.want {
			t.Errorf("%s: %q = %q, %v; want %q", tt.os, tt.given, u, err, tt.want)
		}
	}
}

func TestHTTPSRootIsItsOwnPath(t *testing.T) {
	u, err := Parse("https://example.com/docs/")
	if err != nil {
		t.Fatal(err)
	}
	if !u.IsHTTPS() || u.Path() != u.String() || u.Base() != "example.com/docs" {
		t.Errorf("got https %v, path %q, base %q", u.IsHTTPS(), u.Path(), u.Base())
	}
}

// TestBadInputIsRefusedWithWhatToDo names the message for every input that
// issue 2, section 2, lists.
func TestBadInputIsRefusedWithWhatToDo(t *testing.T) {
	const path, uri = true, false
	tests := []struct {
		os     OS
		isPath bool
		given  string
		reason Reason
		says   string // part of the message
	}{
		{Unix, uri, "", ReasonEmpty, "no path was given. Write the full path, for example /home/you/project."},
		{Unix, path, "", ReasonEmpty, "Write the full path, for example /home/you/project."},
		{Windows, path, "", ReasonEmpty, `Write the full path, for example C:\Users\you\project.`},

		{Unix, uri, "http://example.com/", ReasonScheme, "is not a file URI. Write a URI such as file:///home/you/project."},
		{Unix, uri, "ftp://example.com/", ReasonScheme, "is not a file URI"},
		{Unix, uri, "javascript:alert(1)", ReasonScheme, "is not a file URI"},
		{Unix, uri, "/home/you", ReasonScheme, "is not a file URI"},
		{Windows, uri, `C:\Users`, ReasonScheme, "Write a URI such as file:///C:/Users/you/project."},

		{Unix, path, "home/you", ReasonRelative, "“home/you” is not a full path. Write the full path, for example /home/you/project."},
		{Unix, path, "~/project", ReasonRelative, "Write the full path"},
		{Unix, path, "file:///home/you", ReasonRelative, "Write the full path"},
		{Unix, path, `C:\Users`, ReasonRelative, "Write the full path"},
		{Unix, uri, "file:home/you", ReasonRelative, "is not a full path"},
		{Unix, uri, "file://", ReasonRelative, "is not a full path"},
		{Unix, uri, "file://localhost", ReasonRelative, "is not a full path"},
		{Unix, uri, "file://./x", ReasonRelative, "is not a full path"},
		{Windows, path, `Users\you`, ReasonRelative, `Write the full path, for example C:\Users\you\project.`},
		{Windows, path, `C:project`, ReasonRelative, "is not a full path"},
		{Windows, path, `C:`, ReasonRelative, "is not a full path"},
		{Windows, path, `\Users`, ReasonRelative, "is not a full path"},
		{Windows, path, `\\server`, ReasonRelative, "is not a full path"},
		{Windows, path, `\\?\C:\Users`, ReasonRelative, `Write the path without \\?\ or \\.\ in front`},
		{Windows, path, `\\.\C:\Users`, ReasonRelative, `Write the path without \\?\ or \\.\ in front`},
		{Windows, path, `//?/C:/Users`, ReasonRelative, `Write the path without \\?\ or \\.\ in front`},
		{Windows, uri, "file:///Users/you", ReasonRelative, "Start with the drive, for example file:///C:/Users/you/project."},
		{Windows, uri, "file:///", ReasonRelative, "Start with the drive"},

		{Unix, uri, "file:///home/../etc", ReasonDotSegment, "contains “.” or “..” as a folder name. Write the path without “.” and “..”"},
		{Unix, uri, "file:///home/./you", ReasonDotSegment, "Write the path without"},
		{Unix, uri, "file:///home/%2e%2E/etc", ReasonDotSegment, "Write the path without"},
		{Unix, uri, "file:///home/.%2e/etc", ReasonDotSegment, "Write the path without"},
		{Unix, uri, "file:///home/%2e", ReasonDotSegment, "Write the path without"},
		{Unix, path, "/home/you/..", ReasonDotSegment, "Write the path without"},
		{Windows, path, `C:\Users\..\Windows`, ReasonDotSegment, `for example C:\Users\you\project.`},
		{Windows, uri, "file:///C:/%2e%2e/x", ReasonDotSegment, "Write the path without"},
		{Windows, uri, "file://server/../x", ReasonDotSegment, "Write the path without"},
		{Unix, uri, "https://example.com/a/../b", ReasonDotSegment, "Write the path without"},
		{Unix, uri, "https://example.com/a/%2E%2e/b", ReasonDotSegment, "Write the path without"},

		{Unix, uri, "file:///home%2Fyou", ReasonEncodedSeparator, "hides a path separator as %2F or %5C. Write “/” between folder names"},
		{Unix, uri, "file:///home/%2f", ReasonEncodedSeparator, "hides a path separator"},
		{Windows, uri, "file:///C:/a%5Cb", ReasonEncodedSeparator, "hides a path separator"},
		{Windows, uri, "file:///C:%2Fa", ReasonEncodedSeparator, "hides a path separator"},
		{Unix, uri, "https://example.com/a%2fb", ReasonEncodedSeparator, "hides a path separator"},
		{Unix, uri, "https://example.com/a%5cb", ReasonEncodedSeparator, "hides a path separator"},

		{Unix, uri, `file:///home\you`, ReasonBackslash, "contains a backslash. Write “/” between folder names"},
		{Windows, uri, `file:///C:\Users`, ReasonBackslash, "Write “/” between folder names"},
		{Unix, uri, `https://example.com\evil`, ReasonBackslash, "Write “/” between the parts of the address."},

		{Unix, uri, "file:///a%00b", ReasonControl, "contains a control character. Rename the folder"},
		{Unix, uri, "file:///a\x00b", ReasonControl, `“file:///a\x00b” contains a control character`},
		{Unix, uri, "file:///a\nb", ReasonControl, "contains a control character"},
		{Unix, uri, "file:///a%0Ab", ReasonControl, "contains a control character"},
		{Unix, uri, "file:///a%7Fb", ReasonControl, "contains a control character"},
		{Unix, uri, "file:///a%C2%85b", ReasonControl, "contains a control character"},
		{Unix, path, "/a\x00b", ReasonControl, "contains a control character"},
		{Unix, path, "/a\tb", ReasonControl, "contains a control character"},
		{Windows, path, "C:\\a\x1fb", ReasonControl, "contains a control character"},
		{Unix, uri, "https://example.com/%00", ReasonControl, "contains a control character"},

		{Unix, uri, "file:///a?b", ReasonQuery, "starts a query. Remove the “?” and what follows; a “?” that belongs to a file name is written %3F."},
		{Unix, uri, "https://example.com/?token=x", ReasonQuery, "a root is a place, not a search"},
		{Unix, uri, "file:///a#b", ReasonFragment, "starts a fragment. Remove the “#” and what follows; a “#” that belongs to a file name is written %23."},
		{Unix, uri, "https://example.com/#x", ReasonFragment, "Remove the “#” and what follows."},

		{Unix, uri, "file://you@localhost/home", ReasonUserInfo, "contains a user name or password. Remove everything up to the “@”"},
		{Windows, uri, "file://you:pw@server/share", ReasonUserInfo, "Remove everything up to the “@”"},
		{Unix, uri, "https://you:pw@example.com/", ReasonUserInfo, "Remove everything up to the “@”"},
		{Unix, uri, "file://localhost:80/home", ReasonPort, "contains a port that cannot be used. Remove the “:” and the number after the host."},
		{Windows, uri, "file://server:445/share", ReasonPort, "Remove the “:” and the number"},
		{Unix, uri, "https://example.com:0/", ReasonPort, "Write a port from 1 to 65535"},
		{Unix, uri, "https://example.com:65536/", ReasonPort, "Write a port from 1 to 65535"},
		{Unix, uri, "https://example.com:/", ReasonPort, "Write a port from 1 to 65535"},

		{Unix, uri, "file://server/share", ReasonHost, "names a host that cannot be used. Write three slashes and then the full path, for example file:///home/you/project."},
		{Unix, uri, "file://home/you", ReasonHost, "Write three slashes"},
		{Unix, uri, "file://127.0.0.1/x", ReasonHost, "Write three slashes"},
		{Unix, uri, "file://[::1]/x", ReasonHost, "Write three slashes"},
		{Windows, uri, "file://C:/Users", ReasonHost, "for example file:///C:/Users/you/project."},
		{Windows, uri, "file://server", ReasonHost, "Name the share too, for example file://server/share."},
		{Windows, uri, "file://ser%76er/share", ReasonHost, `Write the server's name as in \\server\share`},
		{Windows, path, `\\localhost\C$\Users`, ReasonHost, "Write the path on this computer"},
		{Windows, uri, "file://127.0.0.1/c$/Users", ReasonHost, "Write the path on this computer"},
		{Unix, uri, "https:///docs", ReasonHost, "Write a URI such as https://example.com/docs"},
		{Unix, uri, "https:docs", ReasonHost, "Write a URI such as https://example.com/docs"},
		{Unix, uri, "https://exämple.com/", ReasonHost, "with the host in its ASCII form"},
		{Unix, uri, "https://[fe80::1%25eth0]/", ReasonHost, "with the host in its ASCII form"},
		{Unix, uri, "https://a..b/", ReasonHost, "with the host in its ASCII form"},

		{Unix, uri, "file:///100%", ReasonEscape, "is not followed by two hexadecimal digits. Write a “%” that belongs to a name as %25."},
		{Unix, uri, "file:///a%2", ReasonEscape, "as %25"},
		{Unix, uri, "file:///a%zz", ReasonEscape, "as %25"},
		{Unix, uri, "https://example.com/%g0", ReasonEscape, "as %25"},

		{Unix, uri, "file:///" + strings.Repeat("a", MaxURI), ReasonTooLong, "is longer than 4,096 bytes. Choose a folder with a shorter path."},
		{Unix, path, "/" + strings.Repeat("a", MaxURI), ReasonTooLong, "Choose a folder with a shorter path."},
		{Unix, path, "/" + strings.Repeat("ü", MaxURI/4), ReasonTooLong, "Choose a folder with a shorter path."},
		{Unix, uri, "https://example.com/" + strings.Repeat("ü", MaxURI/4), ReasonTooLong, "is longer than 4,096 bytes"},

		{Windows, path, `C:\a:b`, ReasonName, "contains a name that Windows cannot use as it stands. Leave out"},
		{Windows, path, `C:\what?`, ReasonName, "Leave out"},
		{Windows, uri, "file:///C:/what%3F", ReasonName, "Leave out"},
		{Windows, path, `C:\Windows.`, ReasonName, "let no name end with a dot or a space"},
		{Windows, path, `C:\Windows \x`, ReasonName, "let no name end with a dot or a space"},
		{Windows, path, `C:\nul.txt`, ReasonName, "names such as CON or NUL"},
		{Windows, path, `C:\com1`, ReasonName, "names such as CON or NUL"},
	}
	for _, tt := range tests {
		read := ParseFor
		if tt.isPath {
			read = FromPathFor
		}
		u, err := read(tt.os, tt.given)
		var bad *InvalidError
		if !errors.As(err, &bad) {
			t.Errorf("%s: %.60q = %q, %v; want an InvalidError", tt.os, tt.given, u, err)
			continue
		}
		if bad.Reason != tt.reason {
			t.Errorf("%s: %.60q: reason %q, want %q", tt.os, tt.given, bad.Reason, tt.reason)
		}
		if !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %.60q: message %q, want in it %q", tt.os, tt.given, err, tt.says)
		}
		if !u.IsZero() || len(bad.Input) > 123 || hasControl(err.Error()) {
			t.Errorf("%s: %.60q: got %q, input %q", tt.os, tt.given, u, bad.Input)
		}
	}
}

func TestNamesThatOnlyLookReservedAreAccepted(t *testing.T) {
	for _, path := range []string{`C:\console`, `C:\com10`, `C:\com`, `C:\nullable`, `C:\.git`, `C:\a.b`} {
		if _, err := FromPathFor(Windows, path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

var seeds = []string{
	"file:///home/you/my%20project", "file:///c%23/%3F/100%25", "file:///C:/Users", "file://server/share/x", "file:////server/share/x",
	"file://localhost/a/../b", "file:///%FF%fe", "https://example.com:8443/a%3Bb", "https://[::1]/", "file:///C%3A/x%5Cy", "/home/you", `\\server\share\x`,
	`C:\Users\you`, "/\xff\xfe/ü", "file:///a%00", "https://a.b/%2e%2E",
}

// FuzzParse: what is accepted has one canonical spelling that is read the same
// way again, by us and by net/url, and a path that leads back to it.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, os := range []OS{Unix, Windows} {
			u, err := ParseFor(os, s)
			if err != nil {
				var bad *InvalidError
				if !errors.As(err, &bad) || problems[bad.Reason] == "" && bad.Reason != ReasonEmpty || bad.Help == "" {
					t.Fatalf("%s: %q: no help in %#v", os, s, err)
				}
				continue
			}
			if again, err := ParseFor(os, u.String()); err != nil || again != u {
				t.Fatalf("%s: %q: canonical %q is read as %q, %v", os, s, u, again, err)
			}
			if len(u.String()) > MaxURI || hasControl(u.Path()) {
				t.Fatalf("%s: %q: accepted as %q", os, s, u)
			}
			std, err := url.Parse(u.String())
			if err != nil {
				t.Fatalf("%s: net/url refuses %q: %v", os, u, err)
			}
			if u.IsHTTPS() {
				continue
			}
			if back, err := FromPathFor(os, u.Path()); err != nil || back != u {
				t.Fatalf("%s: %q: path %q leads to %q, %v", os, s, u.Path(), back, err)
			}
			if os == Unix && std.Path != u.Path() {
				t.Fatalf("%q: net/url reads path %q, we read %q", u, std.Path, u.Path())
			}
		}
	})
}

// FuzzFromPath: every full path without control characters and dot segments
// comes back as it was, save for extra separators.
func FuzzFromPath(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, os := range []OS{Unix, Windows} {
			u, err := FromPathFor(os, s)
			if err != nil {
				clean := len(s)*3+len("file://") <= MaxURI && strings.HasPrefix(s, "/") && !hasControl(s) && !strings.Contains(s+"/", "/./") && !strings.Contains(s+"/", "/../")
				if os == Unix && clean {
					t.Fatalf("valid path %q is refused: %v", s, err)
				}
				continue
			}
			if again, err := ParseFor(os, u.String()); err != nil || again != u {
				t.Fatalf("%s: %q: %q is read as %#v, %v", os, s, u, again, err)
			}
			if os == Unix {
				want := s
				for strings.Contains(want, "//") {
					want = strings.ReplaceAll(want, "//", "/")
				}
				if want != "/" {
					want = strings.TrimSuffix(want, "/")
				}
				if u.Path() != want {
					t.Fatalf("%q came back as %q", s, u.Path())
				}
			}
		}
	})
}
