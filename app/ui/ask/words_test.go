package ask

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitWords(t *testing.T) {
	tests := []struct {
		line    string
		windows bool
		want    []string
	}{
		{``, false, nil},
		{`   `, false, nil},
		{`npx -y  @acme/notes`, false, []string{"npx", "-y", "@acme/notes"}},
		{`a "b c" 'd e'`, false, []string{"a", "b c", "d e"}},
		{`a "" ''`, false, []string{"a", "", ""}},
		{`a"b"'c'd`, false, []string{"abcd"}},
		{`a b\ c \"`, false, []string{"a", "b c", `"`}},
		{`"a\"b\\c\$d\e"`, false, []string{`a"b\c$d\e`}},
		{`'a\b"c'`, false, []string{`a\b"c`}},
		{`'it'\''s'`, false, []string{"it's"}},
		{`echo $HOME ~ *.go ; rm -rf / | sh > x & #c`, false, []string{"echo", "$HOME", "~", "*.go", ";", "rm", "-rf", "/", "|", "sh", ">", "x", "&", "#c"}},
		{"a\tb\nc\r\nd", false, []string{"a", "b", "c", "d"}},
		{"'a\nb'", false, []string{"a\nb"}},
		{`ü "日 本"`, false, []string{"ü", "日 本"}},
		{`C:\Tools\srv.exe --dir C:\x\`, true, []string{`C:\Tools\srv.exe`, "--dir", `C:\x\`}},
		{`"C:\Program Files\srv.exe" it's`, true, []string{`C:\Program Files\srv.exe`, "it's"}},
		{`a "say \"hi\"" \"b`, true, []string{"a", `say "hi"`, `"b`}},
	}
	for _, tt := range tests {
		got, err := splitWords(tt.line, tt.windows)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (Windows %v): %s", tt.line, tt.windows, diff)
		}
	}
	for line, want := range map[string]error{`a "b`: errOpenQuote, `a 'b`: errOpenQuote, `a "b\"`: errOpenQuote, `a \`: errEndEscape} {
		if got, err := splitWords(line, false); err != want {
			t.Errorf("%s: got %q, %v; want %v", line, got, err, want)
		}
	}
}

func TestJoinedWordsSplitTheSame(t *testing.T) {
	words := []string{"/usr/bin/x", "", "a b", "it's", `say "hi"`, `back\slash`, `both ' and "`, "$HOME `x` \\$", "tab\tnl\n", "ü日", "#", "--", `end\`}
	got, err := splitWords(joinWords(words, false), false)
	if diff := cmp.Diff(words, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	win := []string{`C:\Program Files\x.exe`, `C:\x`, "", "it's", `say "hi"`, "a b"}
	got, err = splitWords(joinWords(win, true), true)
	if diff := cmp.Diff(win, got); err != nil || diff != "" {
		t.Errorf("Windows: %v %s", err, diff)
	}
}

func FuzzJoinedWordsSplitTheSame(f *testing.F) {
	f.Add("a b", `"'\`, "")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		words := []string{strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, ""), strings.ToValidUTF8(c, "")}
		got, err := splitWords(joinWords(words, false), false)
		if diff := cmp.Diff(words, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", joinWords(words, false), err, diff)
		}
	})
}

func TestVisible(t *testing.T) {
	tests := map[string]string{
		"plain ü 日本 –":        "plain ü 日本 –",
		"a\u202eb":            "a‹U+202E›b",
		"a\u200bb\u2060c":     "a‹U+200B›b‹U+2060›c",
		"a\nb\tc":             "a‹line break›b‹tab›c",
		"\x1b[31mred\x07":     "‹U+001B›[31mred‹U+0007›",
		"no\u00a0break":       "no‹U+00A0›break",
		"\u2066x\u2069\ufeff": "‹U+2066›x‹U+2069›‹U+FEFF›",
		"bad\xff":             "bad‹byte FF›",
		"\u3164fill":          "‹U+3164›fill",
		"real \ufffd":         "real \ufffd",
	}
	for in, want := range tests {
		if got := visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestMisleadingCommandsAreShownArgumentByArgument(t *testing.T) {
	for _, w := range []string{"", "a b", `a"b`, "a'b", "a|b", "$x", "a;b", "a\u202eb", "a\nb", "*", "~/x"} {
		if !misleading([]string{"/bin/x", w}) {
			t.Errorf("%q counts as plain", w)
		}
	}
	if misleading([]string{"/usr/bin/npx", "-y", "@acme/notes-mcp@2.1.0", "--port=80", "ü"}) {
		t.Error("a plain command counts as misleading")
	}
}

func TestBreakLinesLosesNothing(t *testing.T) {
	window(t, 100, 100)
	for _, text := range []string{"", "a", strings.Repeat("ab ", 500), strings.Repeat("日本", 100)} {
		lines := breakLines(text, 200)
		if strings.Join(lines, "") != text {
			t.Errorf("%.20q… comes out as %.40q…", text, lines)
		}
	}
}
