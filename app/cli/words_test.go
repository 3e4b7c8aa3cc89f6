package cli

import (
	"runtime/debug"
	"strings"
	"testing"

	"rootsmanager/app"
	"rootsmanager/store"
)

func TestSuggestionsAreNear(t *testing.T) {
	names := []string{"Files", "everything", "web"}
	for given, want := range map[string]string{
		"fils":     `Did you mean "Files"?`,
		"EVERY":    `Did you mean "everything"?`,
		"my files": `Did you mean "Files"?`,
		"wbe":      `There are: "Files", "everything", "web".`,
		"quux":     `There are: "Files", "everything", "web".`,
	} {
		if got := suggest(given, names); got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
	many := strings.Split(strings.Repeat("abcdefgh ", 10)+"x", " ")
	if got := suggest("1234", many); !strings.Contains(got, "and 3 more") {
		t.Error(got)
	}
}

func TestDistanceCountsLetters(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"é", "e", 1}} {
		if got := distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestAnswersAreReadStrictly(t *testing.T) {
	approval := app.Prompt{Approval: &app.ApprovalQuestion{}}
	consent := app.Prompt{Consent: &app.ConsentQuestion{Folders: []app.ConsentFolder{
		{Root: "a", Assigned: true}, {Root: "other"}, {Root: "b", Assigned: true},
	}}}
	for _, c := range []struct {
		name    string
		q       app.Prompt
		line    string
		verdict app.PromptVerdict // empty: not an answer
		chosen  []store.RootID
	}{
		{"enter is not now", approval, "", app.NotNow, nil},
		{"yes", approval, " Y ", app.AllowAlways, nil},
		{"session", approval, "s", app.AllowUntilQuit, nil},
		{"no", approval, "no", app.NotNow, nil},
		{"never", approval, "never", app.NeverAllow, nil},
		{"n is not never", approval, "nev", "", nil},
		{"something else", approval, "ok", "", nil},
		{"numbers for an approval", approval, "y 1", "", nil},
		{"enter for folders", consent, "  ", app.NotNow, nil},
		{"all folders", consent, "y", app.AllowAlways, []store.RootID{"a", "b"}},
		{"one folder", consent, "s 2", app.AllowUntilQuit, []store.RootID{"b"}},
		{"some folders", consent, "y 2,1 2", app.AllowAlways, []store.RootID{"b", "a"}},
		{"a folder that was not asked about", consent, "y 3", "", nil},
		{"zero", consent, "y 0", "", nil},
		{"half a number", consent, "y 1x", "", nil},
		{"never some", consent, "never 1", "", nil},
	} {
		verdict, chosen, err := parseAnswer(c.line, c.q)
		if verdict != c.verdict || (err == nil) != (c.verdict != "") {
			t.Errorf("%s: %q, %v", c.name, verdict, err)
		}
		if c.verdict == app.NotNow || c.verdict == "" {
			continue
		}
		if len(chosen) != len(c.chosen) {
			t.Errorf("%s: %+v", c.name, chosen)
			continue
		}
		for i, f := range chosen {
			if f.Root != c.chosen[i] {
				t.Errorf("%s: %+v", c.name, chosen)
			}
		}
	}
}

func TestApprovalTextHidesNothing(t *testing.T) {
	text := approvalText("files", &app.ApprovalQuestion{
		CommandLine: []string{"/bin/sh", "-c", "echo " + strings.Repeat("long ", 200), "\u202edlrow"}, Program: "/bin/sh → /bin/dash", Dir: "/home/me",
		Env: []app.EnvLine{{Name: "A", Value: "1"}, {Name: "TOKEN", Secret: true}}, Source: "added by you",
		Changes:  []app.FieldChange{{Field: "Command", Old: "sh", New: "sh -c"}},
		Warnings: []app.Warning{{Title: "It runs a shell script", Detail: "Read it."}},
	})
	contains(t, "the question", text, strings.Repeat("long ", 200), "⟨U+202E⟩dlrow", "/bin/sh → /bin/dash", "A=1", "TOKEN=(secret)",
		"runs with your rights", "Careful: It runs a shell script", "was  sh\n", "is   sh -c\n")
	web := approvalText("web", &app.ApprovalQuestion{URL: "https://example.com/mcp", Env: []app.EnvLine{{Name: "X", Value: "y"}}})
	contains(t, "the question", web, "https://example.com/mcp", "Headers", "wants to be contacted")
}

func TestVersionComesFromTheBuild(t *testing.T) {
	if v := Version("1.0.0"); v != "1.0.0" {
		t.Error(v)
	}
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"}}, "v0.1.0"},
		{debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "devel"},
		{debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}}, "devel-0123456789ab"},
		{debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123"}, {Key: "vcs.modified", Value: "true"}}}, "devel-0123+changes"},
	} {
		if got := versionFrom(&c.info); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
