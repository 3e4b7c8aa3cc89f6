package locale

import (
	"os"
	"testing"
)

func TestOnlyLocalesFyneCannotReadAreReplaced(t *testing.T) {
	for _, c := range []struct {
		lang, language string
		set            bool
		want           string
	}{
		{"C.UTF-8", "", true, "en"},
		{"C", "", true, "en"},
		{"POSIX", "", true, "en"},
		{"", "", true, "en"},
		{"de_DE.UTF-8", "", false, ""},
		{"C.UTF-8", "fr", false, "fr"},
		{"Cymraeg", "", false, ""},
	} {
		t.Setenv("LC_ALL", "")
		t.Setenv("LC_MESSAGES", "")
		t.Setenv("LANG", c.lang)
		t.Setenv(Variable, c.language)
		if got := set(); got != c.set || os.Getenv(Variable) != c.want {
			t.Errorf("LANG=%q LANGUAGE=%q: set %v, LANGUAGE is now %q; want %v and %q", c.lang, c.language, got, os.Getenv(Variable), c.set, c.want)
		}
	}
}
