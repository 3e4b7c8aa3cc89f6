//go:build !windows && !darwin

package pick

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func systemSteps() []step {
	return []step{
		{"portal", portal},
		{"zenity", zenity},
		{"kdialog", kdialog},
	}
}

const (
	// maxOutput bounds what a dialog program may print: MaxPaths of the
	// greatest length and their separators.
	maxOutput = MaxPaths * (MaxPathBytes + 8)
	maxErrors = 4096
	// killed programs get this long to close their pipes.
	dialogGrace = 2 * time.Second
)

// zenitySeparator stands between two paths. A file name may hold any byte
// except "/" and NUL, and a path that a dialog returns never holds "//", so
// nothing but the separator can look like it. The unit separator in the middle
// makes the cut exact even after the path "/".
const zenitySeparator = "//\x1f//"

func zenity(ctx context.Context, req Request) ([]string, error) {
	args := []string{"--file-selection", "--title=" + req.Title}
	if req.Kind != Save {
		// The end "/" says that this is where to start, not what to choose.
		args = append(args, "--filename="+strings.TrimSuffix(startFolder(), "/")+"/")
	}
	switch req.Kind {
	case Folders:
		args = append(args, "--directory", "--multiple", "--separator="+zenitySeparator)
	case Files:
		args = append(args, "--multiple", "--separator="+zenitySeparator)
	case Save:
		args = append(args, "--save", "--confirm-overwrite")
		if req.Suggested != "" {
			args = append(args, "--filename="+req.Suggested)
		}
	}
	out, err := runDialog(ctx, "zenity", args)
	if err != nil {
		return nil, err
	}
	if req.Kind == Save {
		return []string{out}, nil
	}
	paths := strings.Split(out, zenitySeparator)
	for _, path := range paths {
		// What zenity prints for a name that is not UTF-8.
		if path == "(null)" {
			return nil, &answerError{"A chosen name is not valid text and zenity cannot pass it on: type the path of its folder instead."}
		}
	}
	return paths, nil
}

// kdialog asks for one folder, because it has no dialog for several.
func kdialog(ctx context.Context, req Request) ([]string, error) {
	start := startFolder()
	args := []string{"--title", req.Title}
	switch req.Kind {
	case Folders:
		args = append(args, "--getexistingdirectory", start)
	case Files:
		args = append(args, "--multiple", "--separate-output", "--getopenfilename", start)
	case Save:
		suggested := req.Suggested
		if !filepath.IsAbs(suggested) {
			suggested = filepath.Join(start, suggested)
		}
		args = append(args, "--getsavefilename", suggested)
	}
	out, err := runDialog(ctx, "kdialog", args)
	if err != nil {
		return nil, err
	}
	if req.Kind != Files {
		return []string{out}, nil
	}
	return splitLines(out, os.Lstat)
}

// startFolder is where a dialog starts; without it GTK's starts in an empty list
// of recent folders.
func startFolder() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "/"
	}
	return home
}

// splitLines takes kdialog's list apart, one path a line. A line break may also
// be part of a name; where both readings are possible, it refuses.
func splitLines(out string, lstat func(string) (fs.FileInfo, error)) ([]string, error) {
	var paths []string
	for line := range strings.SplitSeq(out, "\n") {
		last := len(paths) - 1
		if last < 0 {
			paths = append(paths, line)
			continue
		}
		if !strings.HasPrefix(line, "/") {
			paths[last] += "\n" + line
			continue
		}
		// "/a\n/b" is either two paths or the file b in the folder "a\n".
		if _, err := lstat(paths[last] + "\n"); err == nil {
			return nil, &answerError{"A chosen name holds a line break, so it is not certain what was chosen: choose that file alone, or type its path."}
		}
		paths = append(paths, line)
	}
	return paths, nil
}

// runDialog runs a dialog program and returns what it printed, without the line
// end it adds. Exit status 1 is the person's "cancel".
func runDialog(ctx context.Context, name string, args []string) (string, error) {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return "", fmt.Errorf("%s needs a display", name)
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not installed", name)
	}
	out := &limited{most: maxOutput}
	complaint := &limited{most: maxErrors}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = out, complaint
	cmd.Env = dialogEnv(os.Environ())
	cmd.WaitDelay = dialogGrace

	err = cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 1 && !noDisplay(complaint.String()):
		return "", ErrCancelled
	case err != nil:
		return "", fmt.Errorf("%s could not show a dialog: %w%s", name, err, firstLine(complaint.String()))
	case out.cut:
		return "", &answerError{fmt.Sprintf("Too many places were chosen at once; at most %d can be taken.", MaxPaths)}
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// noDisplay tells GTK's "cannot open display", which also ends with status 1,
// from a cancelled dialog.
func noDisplay(complaint string) bool {
	complaint = strings.ToLower(complaint)
	return strings.Contains(complaint, "open display") || strings.Contains(complaint, "unable to init server")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if line == "" {
		return ""
	}
	return " (" + shortened(line) + ")"
}

// dialogEnv makes sure that the program prints names as they are: in a locale
// that is not UTF-8, GTK replaces what it cannot express.
func dialogEnv(env []string) []string {
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = lookup(env, name); locale != "" {
			break
		}
	}
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	if strings.Contains(locale, "utf8") {
		return env
	}
	return append(env[:len(env):len(env)], "LC_ALL=C.UTF-8")
}

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// limited keeps the first bytes written to it and remembers whether there were
// more.
type limited struct {
	bytes.Buffer
	most int
	cut  bool
}

func (l *limited) Write(p []byte) (int, error) {
	room := l.most - l.Len()
	if len(p) > room {
		l.cut = true
		l.Buffer.Write(p[:room])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}
