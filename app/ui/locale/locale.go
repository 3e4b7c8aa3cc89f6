// Package locale keeps Fyne from complaining about the "C" locale. It promises
// nothing but its init, imports only os, and starts no goroutines.
//
// Fyne parses LANG in an init of its own and prints "Error parsing user locale
// C" for LANG=C.UTF-8. Go runs the init of a package without dependencies
// before those that need more, so main imports this one first. Child processes
// must not inherit the variable it sets: see [Set].
package locale

import "os"

// Variable is the environment variable that init may set.
const Variable = "LANGUAGE"

// Set reports whether init set [Variable]. When it did, the variable is ours
// and is left out of a child's environment.
var Set = set()

func set() bool {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		switch value := os.Getenv(name); {
		case value == "":
			continue
		case value == "C" || value == "POSIX" || len(value) > 1 && value[:2] == "C.":
			return os.Getenv(Variable) == "" && os.Setenv(Variable, "en") == nil
		default:
			return false
		}
	}
	return os.Getenv(Variable) == "" && os.Setenv(Variable, "en") == nil
}
