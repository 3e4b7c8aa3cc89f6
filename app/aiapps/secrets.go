package aiapps

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A name that speaks of a secret, in the spellings of variables, headers, flags
// and query fields.
var secretName = regexp.MustCompile(`(?i)(^|[-_.])(api[-_]?key|access[-_]?key|private[-_]?key|key|apikey|token|secret|passw(or)?d|passphrase|pwd|pat|credentials?|auth|authorization|bearer|cookie|session|dsn|conn(ection)?[-_]?str(ing)?)s?($|[-_.])|(token|secret|password|apikey)s?$`)

// A value that is a token whatever its name: those of OpenAI and Anthropic,
// GitHub, GitLab, Slack, AWS, Google, npm, and JSON web tokens.
var secretValue = regexp.MustCompile(`^(Bearer\s+|Basic\s+)?(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abposr]-[\w-]{10,}|(AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)`)

// Variables of the spellings that AI apps know: ${env:X}, ${X:-y}, ${input:x},
// ${{ secrets.X }}, $X, %X%.
var variable = regexp.MustCompile(`\$\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$[A-Za-z_][A-Za-z0-9_]*|%[A-Za-z_][A-Za-z0-9_()]*%`)

// isSecret reports whether a named value looks like one that must not be shown.
func isSecret(name, value string) bool {
	rest := strings.TrimSpace(variable.ReplaceAllStringFunc(value, func(v string) string {
		_, otherwise, _ := strings.Cut(strings.TrimSuffix(v, "}"), ":-") // ${X:-y}
		return otherwise
	}))
	if rest == "" || rest == "Bearer" || rest == "Basic" || rest == "token" {
		return false // nothing but a variable: the secret is elsewhere
	}
	if secretName.MatchString(name) && !slices.Contains([]string{"true", "false", "0", "1"}, strings.ToLower(rest)) {
		return true
	}
	return secretValue.MatchString(value) || urlSecret(value)
}

// urlSecret reports whether an address carries a password or a token.
func urlSecret(value string) bool {
	if !strings.Contains(value, "://") {
		return false
	}
	u, err := url.Parse(value)
	if err != nil {
		return false
	}
	if _, has := u.User.Password(); has {
		return true
	}
	for name, values := range u.Query() {
		for _, v := range values {
			if isSecret(name, v) {
				return true
			}
		}
	}
	return false
}

// secretArgs finds the arguments that are secrets: --token=x, --token x, and
// values that are tokens by themselves.
func secretArgs(args []string) []int {
	var found []int
	for i, a := range args {
		name, value, has := strings.Cut(a, "=")
		switch {
		case has && isSecret(strings.TrimLeft(name, "-"), value):
			found = append(found, i)
		case !has && i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=") &&
			!strings.HasPrefix(a, "-") && isSecret(strings.TrimLeft(args[i-1], "-"), a):
			found = append(found, i)
		case isSecret("", a) || len(a) > 7 && strings.EqualFold(a[:7], "bearer ") && isSecret("authorization", a):
			found = append(found, i)
		case strings.Contains(a, ":") && headerSecret(a):
			found = append(found, i)
		}
	}
	return found
}

// headerSecret is for "Authorization: Bearer …" given as an argument.
func headerSecret(a string) bool {
	name, value, _ := strings.Cut(a, ":")
	return !strings.ContainsAny(name, `/\ `) && len(name) > 1 && !strings.HasPrefix(value, "//") && isSecret(name, value)
}

// Hidden stands for a secret where texts are shown.
const Hidden = "•••"

// ShownArgs are the arguments with secrets hidden.
func (e *Entry) ShownArgs() []string { return shownArgs(e.Args, e.Secrets) }

func shownArgs(args []string, secrets []int) []string {
	shown := slices.Clone(args)
	for _, i := range secrets {
		if name, _, has := strings.Cut(shown[i], "="); has && strings.HasPrefix(name, "-") {
			shown[i] = name + "=" + Hidden
		} else {
			shown[i] = Hidden
		}
	}
	return shown
}

// Shown is the value, hidden if it is a secret.
func (v Var) Shown() string {
	if v.Secret {
		return Hidden
	}
	return v.Value
}

// ShownURL is the address without the passwords and tokens in it.
func (e *Entry) ShownURL() string { return shownURL(e.URL) }

func shownURL(address string) string {
	if !urlSecret(address) {
		return address
	}
	u, err := url.Parse(address)
	if err != nil { // urlSecret parsed it
		return Hidden
	}
	u.User = nil
	if u.RawQuery != "" {
		u.RawQuery = Hidden
	}
	return u.String()
}

// variables lists what a person would have to fill in, in the order it stands.
func (e *Entry) variables() []string {
	texts := append([]string{e.Command}, e.Args...)
	texts = append(texts, e.Dir, e.URL)
	for _, v := range slices.Concat(e.Env, e.Headers) {
		if !v.Secret {
			texts = append(texts, v.Value)
		}
	}
	var found []string
	for _, t := range texts {
		for _, v := range variable.FindAllString(t, -1) {
			if !slices.Contains(found, v) {
				found = append(found, v)
			}
		}
	}
	return found
}
