//go:build !windows && !darwin

package pick

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func oddFolder(t *testing.T) string {
	t.Helper()
	odd := filepath.Join(t.TempDir(), "c++ #1 100%\nü\x1f|")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	return odd
}

// standIn puts a shell script on the PATH in place of a dialog program. What it
// was asked is written to the file returned, one argument after the other with
// a NUL behind each.
func standIn(t *testing.T, name, script string) (asked string) {
	t.Helper()
	dir := t.TempDir()
	asked = filepath.Join(dir, "asked")
	text := "#!/bin/sh\nprintf '%s\\0' \"$@\" >'" + asked + "'\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":none")
	return asked
}

func arguments(t *testing.T, asked string) []string {
	t.Helper()
	data, err := os.ReadFile(asked)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

func only(name string, show func(context.Context, Request) ([]string, error)) *Picker {
	p := New(nil)
	p.steps = []step{{name, show}}
	return p
}

func TestZenityPathsAreTakenApartExactly(t *testing.T) {
	tests := [][]string{
		{"/home/u/work"},
		{"/", "/b", "/"},
		{"/a\n", "/b\nc", "/d|e", "/f\x1fg", "/\x1f/h", "/ü ö"},
		{"/ends in newline\n"},
	}
	for _, want := range tests {
		out := filepath.Join(t.TempDir(), "out")
		if err := os.WriteFile(out, []byte(strings.Join(want, zenitySeparator)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		asked := standIn(t, "zenity", "cat '"+out+"'")
		t.Setenv("HOME", "/home/u")
		got, err := only("zenity", zenity).Folders(deadline(t), "Add --folders")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		args := []string{"--file-selection", "--title=Add --folders", "--filename=/home/u/", "--directory", "--multiple", "--separator=" + zenitySeparator}
		if diff := cmp.Diff(args, arguments(t, asked)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestZenityTellsCancelFromFailure(t *testing.T) {
	tests := []struct {
		script string
		cancel bool
		text   string
	}{
		{"exit 1", true, ""},
		{"echo 'Gtk-Message: a harmless note' >&2; exit 1", true, ""},
		{"echo '(zenity:1): Gtk-WARNING **: cannot open display: :9' >&2; exit 1", false, "cannot open display"},
		{"echo 'This option is not available.' >&2; exit 255", false, "not available"},
		{"kill -SEGV $$", false, "could not show"},
		{"echo '(null)'", false, "not valid text"},
		{"echo relative", false, "no absolute path"},
		{"", false, "no absolute path"},
	}
	for _, tt := range tests {
		standIn(t, "zenity", tt.script)
		_, err := only("zenity", zenity).Files(deadline(t), "Add")
		if err == nil || errors.Is(err, ErrCancelled) != tt.cancel || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%q: got %v; want cancelled %v, text %q", tt.script, err, tt.cancel, tt.text)
		}
	}
}

func TestZenitySaves(t *testing.T) {
	asked := standIn(t, "zenity", "echo /home/u/out.json")
	got, err := only("zenity", zenity).SaveFile(deadline(t), "Export", "-roots.json")
	if err != nil || got != "/home/u/out.json" {
		t.Errorf("got %q, %v", got, err)
	}
	if args := arguments(t, asked); !slices.Contains(args, "--save") || !slices.Contains(args, "--filename=-roots.json") {
		t.Errorf("asked %q", args)
	}
}

func TestContextKillsTheDialogProgram(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "started")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %v %s", err, out)
	}
	standIn(t, "zenity", "echo $$ >'"+fifo+"'; exec sleep 600")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := only("zenity", zenity).Folders(ctx, "Add")
		ended <- err
	}()
	if _, err := os.ReadFile(fifo); err != nil { // returns once the script runs
		t.Fatal(err)
	}
	stop()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the dialog outlives its context")
	}
}

func TestKdialogAsksForOneFolder(t *testing.T) {
	asked := standIn(t, "kdialog", "printf '/home/u/a\\nb\\n'")
	t.Setenv("HOME", "/home/u")
	got, err := only("kdialog", kdialog).Folders(deadline(t), "Add")
	if err != nil || !slices.Equal(got, []string{"/home/u/a\nb"}) {
		t.Errorf("got %q, %v", got, err)
	}
	want := []string{"--title", "Add", "--getexistingdirectory", "/home/u"}
	if diff := cmp.Diff(want, arguments(t, asked)); diff != "" {
		t.Error(diff)
	}
}

func TestKdialogListIsNeverGuessed(t *testing.T) {
	exists := func(which ...string) func(string) (fs.FileInfo, error) {
		return func(path string) (fs.FileInfo, error) {
			if slices.Contains(which, path) {
				return nil, nil
			}
			return nil, fs.ErrNotExist
		}
	}
	if got, err := splitLines("/a\n/b c\n/d\nnl", exists("/a", "/b c")); err != nil || !slices.Equal(got, []string{"/a", "/b c", "/d\nnl"}) {
		t.Errorf("got %q, %v", got, err)
	}
	// The file b in the folder "/a\n" must not be taken for "/a" and "/b".
	if got, err := splitLines("/a\n/b", exists("/a", "/b", "/a\n")); err == nil {
		t.Errorf("guessed %q", got)
	}
}

func TestDialogProgramsNeedADisplay(t *testing.T) {
	standIn(t, "zenity", "echo /tmp")
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if _, err := only("zenity", zenity).Folders(deadline(t), "Add"); err == nil || !strings.Contains(err.Error(), "needs a display") {
		t.Errorf("got %v", err)
	}
}

func TestDialogLocaleIsAlwaysUTF8(t *testing.T) {
	tests := []struct {
		env  []string
		want string // value of LC_ALL
	}{
		{[]string{"LANG=de_DE.UTF-8"}, ""},
		{[]string{"LC_ALL=", "LANG=de_DE.utf8"}, ""},
		{[]string{"LANG=de_DE.UTF-8", "LC_ALL=C"}, "C.UTF-8"},
		{nil, "C.UTF-8"},
	}
	for _, tt := range tests {
		if got := lookup(dialogEnv(tt.env), "LC_ALL"); got != tt.want {
			t.Errorf("%q: LC_ALL=%q, want %q", tt.env, got, tt.want)
		}
	}
}

func TestRevealFallsToXdgOpen(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	folder := oddFolder(t)
	file := filepath.Join(folder, "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, file} {
		asked := standIn(t, "xdg-open", "exit 0")
		if err := Reveal(deadline(t), path); err != nil {
			t.Fatal(err)
		}
		if got := arguments(t, asked); !slices.Equal(got, []string{folder}) {
			t.Errorf("%q: opened %q", path, got)
		}
	}
	standIn(t, "xdg-open", "exit 3")
	if err := Reveal(deadline(t), folder); err == nil || !strings.Contains(err.Error(), "could not open the folder") {
		t.Errorf("got %v", err)
	}
	if err := Reveal(deadline(t), filepath.Join(folder, "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it is gone", err)
	}
}
