package pick

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// answering is a step with a ready answer that counts how often it is asked.
type answering struct {
	paths []string
	err   error
	asked int
}

func (a *answering) show(context.Context, Request) ([]string, error) {
	a.asked++
	return a.paths, a.err
}

func chain(steps ...*answering) *Picker {
	p := New(nil)
	p.steps = nil
	for _, s := range steps {
		p.steps = append(p.steps, step{"test", s.show})
	}
	return p
}

func TestFailureFallsToTheNextStep(t *testing.T) {
	here := t.TempDir()
	broken := &answering{err: errors.New("no such service")}
	works := &answering{paths: []string{here}}
	paths, err := chain(broken, works).Folders(t.Context(), "Add")
	if err != nil || len(paths) != 1 || paths[0] != here {
		t.Fatalf("got %q, %v; want %q", paths, err, here)
	}
	if broken.asked != 1 || works.asked != 1 {
		t.Errorf("asked %d and %d times, want once each", broken.asked, works.asked)
	}
}

func TestCancelAsksNobodyElse(t *testing.T) {
	next := &answering{paths: []string{"/tmp"}}
	_, err := chain(&answering{err: ErrCancelled}, next).Folders(t.Context(), "Add")
	if !errors.Is(err, ErrCancelled) {
		t.Errorf("got %v, want ErrCancelled", err)
	}
	if next.asked != 0 {
		t.Error("a second dialog was shown after the first was cancelled")
	}
}

func TestUselessAnswerAsksNobodyElse(t *testing.T) {
	next := &answering{paths: []string{"/tmp"}}
	many := make([]string, MaxPaths+1)
	for i := range many {
		many[i] = filepath.Join(t.TempDir(), "x")
	}
	_, err := chain(&answering{paths: many}, next).Folders(t.Context(), "Add")
	if err == nil || !strings.Contains(err.Error(), "at most 1000") {
		t.Errorf("got %v, want a sentence with the limit", err)
	}
	if next.asked != 0 {
		t.Error("a second dialog was shown after an answer")
	}
}

func TestRelativePathIsNeverReturned(t *testing.T) {
	_, err := chain(&answering{paths: []string{"work"}}).Folders(t.Context(), "Add")
	if err == nil || errors.Is(err, ErrCancelled) {
		t.Errorf("got %v, want a failure", err)
	}
}

func TestFallbackComesLastAndSeesTheRequest(t *testing.T) {
	here := t.TempDir()
	var got Request
	p := New(&Options{
		Parent: func() string { return "x11:2a" },
		Fallback: func(_ context.Context, r Request) ([]string, error) {
			got = r
			return []string{filepath.Join(here, r.Suggested)}, nil
		},
	})
	p.steps = []step{{"test", (&answering{err: errors.New("no display")}).show}}
	path, err := p.SaveFile(t.Context(), "Export", "roots.json")
	if err != nil || path != filepath.Join(here, "roots.json") {
		t.Fatalf("got %q, %v", path, err)
	}
	if want := (Request{Kind: Save, Title: "Export", Suggested: "roots.json", Parent: "x11:2a"}); got != want {
		t.Errorf("the fallback saw %+v, want %+v", got, want)
	}
}

func TestWithoutAnyDialogTheSentenceSaysWhatToDo(t *testing.T) {
	_, err := chain(&answering{err: errors.New("zenity is not installed")}).Files(t.Context(), "Add")
	if err == nil || !strings.Contains(err.Error(), "zenity is not installed") || !strings.Contains(err.Error(), "type the path") {
		t.Errorf("got %v", err)
	}
}

func TestSecondDialogIsRefusedWhileOneIsOpen(t *testing.T) {
	shown := make(chan struct{})
	p := New(nil)
	p.steps = []step{{"test", func(ctx context.Context, _ Request) ([]string, error) {
		close(shown)
		<-ctx.Done()
		return nil, ctx.Err()
	}}}
	ctx, stop := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := p.Folders(ctx, "Add")
		first <- err
	}()
	<-shown
	if _, err := p.Files(t.Context(), "Add"); !errors.Is(err, ErrOpen) {
		t.Errorf("got %v, want ErrOpen", err)
	}
	stop()
	if err := <-first; !errors.Is(err, context.Canceled) || errors.Is(err, ErrCancelled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestPathOfURI(t *testing.T) {
	tests := []struct{ uri, want string }{
		{"file:///home/u/c++%20proj", "/home/u/c++ proj"},
		{"file:///home/u/c%2B%2B", "/home/u/c++"},
		{"file:/home/u", "/home/u"},
		{"FILE://localhost/home/u", "/home/u"},
		{"file:///a%23b%3Fc%25d", "/a#b?c%d"},
		{"file:///line%0Abreak", "/line\nbreak"},
		{"file:///%E6%97%A5%E6%9C%AC", "/日本"},
		{"file:///raw%FF%FE", "/raw\xff\xfe"},
		{"file:///back%5Cslash", `/back\slash`},
	}
	for _, tt := range tests {
		got, err := pathOfURI(tt.uri)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.uri, got, err, tt.want)
		}
		if back, err := pathOfURI(uriOfPath(tt.want)); err != nil || back != tt.want {
			t.Errorf("%q does not survive a round trip: %q, %v", tt.want, back, err)
		}
	}
	for _, uri := range []string{"smb://nas/share", "mtp://phone/x", "file://nas.example/share", "file://", "/plain", ""} {
		var answer *answerError
		if _, err := pathOfURI(uri); !errors.As(err, &answer) {
			t.Errorf("%q: got %v, want a sentence for the person", uri, err)
		}
	}
	if _, err := pathOfURI("file:///broken%zz"); err == nil {
		t.Error("a broken escape was taken")
	}
}
