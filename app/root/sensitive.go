package root

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Level says how sensitive a place is.
type Level int

// The levels, in rising order.
const (
	Fine    Level = iota
	Warned        // needs a second explicit yes
	Blocked       // needs a setting
)

// String returns "fine", "warned" or "blocked".
func (l Level) String() string {
	return [...]string{"fine", "warned", "blocked"}[l]
}

// Sensitivity is what [Places.Check] says of a path.
type Sensitivity struct {
	Level Level
	Place string // path of the sensitive place that decided, in the native spelling; empty if Fine
	Why   string // one sentence for people; empty if Fine
}

// Places are the sensitive places of one machine and one profile. OS, Home and
// DataDir are enough; what is empty is left out. Use [SystemPlaces] for this
// machine.
type Places struct {
	OS      OS
	MacOS   bool   // adds the places of macOS; case does not count then
	Home    string // the user's home folder
	DataDir string // the app's own data folder

	ConfigHome string   // XDG_CONFIG_HOME; empty for Home/.config
	DataHome   string   // XDG_DATA_HOME; empty for Home/.local/share
	Roaming    string   // Windows APPDATA; empty for Home\AppData\Roaming
	Local      string   // Windows LOCALAPPDATA; empty for Home\AppData\Local
	System     []string // system folders besides the usual ones, such as SystemRoot and ProgramFiles

	rules []rule // made once by SystemPlaces
}

// rule is one sensitive place.
type rule struct {
	level  Level
	at     volume
	except []volume // below at, and not sensitive
	only   bool     // the place itself, not what lies below
	holds  string   // what is kept there, completes "It may hold …"; rules with none do not flag the folders that contain them
	why    string   // for the place itself and what lies below
	mine   bool     // the user's own: not weakened by lying in a system folder
}

// SystemPlaces returns the places of this machine, for a profile kept in
// dataDir. It reads the environment and resolves the links among the places
// (a home folder that is a link is known by both names), so it touches the disk.
func SystemPlaces(dataDir string) Places {
	p := Places{
		OS:      Native(),
		MacOS:   runtime.GOOS == "darwin",
		DataDir: fullOrEmpty(dataDir),
	}
	if home, err := os.UserHomeDir(); err == nil { // without a home there is nothing to warn of in it
		p.Home = fullOrEmpty(home)
	}
	if p.OS == Windows {
		p.Roaming, p.Local = os.Getenv("APPDATA"), os.Getenv("LOCALAPPDATA")
		for _, name := range []string{"SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432", "ProgramData"} {
			if dir := os.Getenv(name); dir != "" {
				p.System = append(p.System, dir)
			}
		}
	} else {
		p.ConfigHome, p.DataHome = os.Getenv("XDG_CONFIG_HOME"), os.Getenv("XDG_DATA_HOME")
	}
	rules := p.build()
	resolvedPlaces := p
	for _, part := range []*string{&resolvedPlaces.Home, &resolvedPlaces.DataDir, &resolvedPlaces.ConfigHome, &resolvedPlaces.DataHome} {
		if *part != "" {
			if target, err := Resolve(*part); err == nil {
				*part = target
			}
		}
	}
	if !slices.Equal([]string{p.Home, p.DataDir, p.ConfigHome, p.DataHome},
		[]string{resolvedPlaces.Home, resolvedPlaces.DataDir, resolvedPlaces.ConfigHome, resolvedPlaces.DataHome}) {
		rules = append(rules, resolvedPlaces.build()...)
	}
	for _, r := range slices.Clone(rules) {
		if !r.mine || r.only {
			continue
		}
		path := r.at.String()
		if target, err := Resolve(path); err == nil && target != path {
			if v, ok := split(p.OS, target); ok {
				r.at = v.clean()
				rules = append(rules, r)
			}
		}
	}
	p.rules = rules
	return p
}

func fullOrEmpty(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Check says how sensitive a full path is. Existence is not checked and links
// are not followed: check the path as the user gave it and the resolved one
// ([Resolve]), and take the higher level. An https URI is Fine; a path that is
// not full is Blocked, because nobody can tell what it means.
//
// Blocked are the top of the file system or of a drive, system folders, and the
// app's own data folder. Warned are the home folder and the folders above it,
// places where keys, passwords and browser profiles live with all that is in
// them, and every folder that contains one of these or the data folder.
func (p Places) Check(path string) Sensitivity {
	if strings.HasPrefix(path, "https://") {
		return Sensitivity{}
	}
	v, ok := split(p.OS, path)
	if !ok {
		return Sensitivity{Blocked, path, "This is not a full path, so nobody can tell what a server would see."}
	}
	v = p.normal(v)
	rules := p.rules
	if rules == nil {
		rules = p.build()
	}
	if len(v.names) == 0 && v.host == "" {
		if v.drive != "" {
			return Sensitivity{Blocked, v.String(), "This is a whole drive: everything on it would be shown."}
		}
		return Sensitivity{Blocked, v.String(), "This is the top of the file system: everything on this computer would be shown."}
	}
	found, depth := Sensitivity{}, -1
	var held []rule
	for _, r := range rules {
		switch {
		case p.covers(r.at, v):
			if r.only && len(r.at.names) != len(v.names) || p.excepted(r, v) {
				continue
			}
			if n := len(r.at.names); r.level > found.Level || r.level == found.Level && n > depth {
				at := v
				at.names = v.names[:n]
				found, depth = Sensitivity{r.level, at.String(), r.why}, n
			}
		case r.holds != "" && p.covers(v, r.at):
			held = append(held, r)
		}
	}
	if found.Level == Fine && len(held) > 0 {
		return Sensitivity{Warned, held[0].at.String(), holding(held)}
	}
	for _, name := range v.names {
		if why, ok := keyFolders[strings.ToLower(name)]; ok && found.Level == Fine {
			return Sensitivity{Warned, v.String(), why}
		}
	}
	return found
}

// holding says in one sentence what lies below a folder: at most three things,
// and nothing of a home folder's inside beside the home folder itself.
func holding(held []rule) string {
	var things []string
	for _, r := range held {
		if len(things) < 3 && !slices.Contains(things, r.holds) {
			things = append(things, r.holds)
		}
		if r.only {
			break
		}
	}
	last := things[len(things)-1]
	if len(things) == 1 {
		return "It may hold " + last + "."
	}
	return "It may hold " + strings.Join(things[:len(things)-1], ", ") + " and " + last + "."
}

// keyFolders are sensitive wherever they lie, for instance in a backup or in
// another user's home.
var keyFolders = map[string]string{
	".ssh":            "SSH keys are kept here; whoever reads them can log in as you.",
	".gnupg":          "GnuPG keys are kept here; whoever reads them can sign and decrypt as you.",
	".password-store": "Passwords are kept here.",
}

// normal makes one spelling of all that mean the same: administrative shares
// (\\server\C$) are drives.
func (p Places) normal(v volume) volume {
	v = v.clean()
	if drive, ok := strings.CutSuffix(v.share, "$"); ok && len(drive) == 1 && isDrive(drive+":") {
		v.drive, v.host, v.share = strings.ToUpper(drive)+":", "", ""
	}
	return v
}

// covers is [Covers] for places: case does not count on macOS, and "*" in a
// place stands for any one name or drive.
func (p Places) covers(outer, inner volume) bool {
	if len(outer.names) > len(inner.names) || outer.host != inner.host || fold(outer.share) != fold(inner.share) {
		return false
	}
	if outer.drive != inner.drive && outer.drive != "*" && inner.drive != "*" {
		return false
	}
	for i, a := range outer.names {
		if b := inner.names[i]; a != "*" && !sameName(p.OS, a, b) && !(p.MacOS && fold(a) == fold(b)) {
			return false
		}
	}
	return true
}

func (p Places) excepted(r rule, v volume) bool {
	for _, e := range r.except {
		if p.covers(e, v) {
			return true
		}
	}
	return false
}
