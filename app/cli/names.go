package cli

import (
	"fmt"
	"slices"
	"strings"

	"rootsmanager/app"
)

// namesShown is how many names an error lists.
const namesShown = 8

// findServer finds a server by its name; upper and lower case do not count.
func findServer(snap *app.Snapshot, name string) (app.ServerView, error) {
	names := make([]string, len(snap.Servers))
	for i, s := range snap.Servers {
		if strings.EqualFold(s.Name, strings.TrimSpace(name)) {
			return s, nil
		}
		names[i] = s.Name
	}
	if len(names) == 0 {
		return app.ServerView{}, fmt.Errorf("there is no server called %q, nor any other. Add one: roots-manager server add NAME -- COMMAND", name)
	}
	return app.ServerView{}, fmt.Errorf("there is no server called %q. %s", name, suggest(name, names))
}

// suggest lists the names that look like the one given, or else all.
func suggest(given string, names []string) string {
	var near []string
	for _, n := range names {
		if isNear(given, n) {
			near = append(near, fmt.Sprintf("%q", app.Plain(n, cellLimit)))
		}
	}
	if len(near) > 0 {
		return "Did you mean " + strings.Join(near[:min(len(near), namesShown)], " or ") + "?"
	}
	var all []string
	for _, n := range names[:min(len(names), namesShown)] {
		all = append(all, fmt.Sprintf("%q", app.Plain(n, cellLimit)))
	}
	text := "There are: " + strings.Join(all, ", ")
	if more := len(names) - len(all); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text + "."
}

// isNear reports whether one holds the other, or few letters differ.
func isNear(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) > 1 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return true
	}
	return distance([]rune(a), []rune(b)) <= max(1, min(len(a), len(b))/3)
}

// distance is how many letters must be inserted, removed or replaced to make b
// of a (Levenshtein).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, ca := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, cb := range b {
			replaced := diagonal
			if ca != cb {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{replaced, row[j] + 1, diagonal + 1})
		}
	}
	return row[len(b)]
}
