package ask

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"rootsmanager/app"
)

// answers collects what a question was answered with.
type answers []app.PromptAnswer

func (a *answers) take(answer app.PromptAnswer) { *a = append(*a, answer) }

func (a *answers) only(t *testing.T, want app.PromptVerdict) {
	t.Helper()
	if len(*a) != 1 || (*a)[0].Verdict != want {
		t.Errorf("answered %v, want once %q", *a, want)
	}
}

func TestApprovalEnterAndEscapeRefuseOnce(t *testing.T) {
	for _, key := range []fyne.KeyName{fyne.KeyEscape, fyne.KeyReturn, fyne.KeyEnter} {
		w := window(t, 900, 600)
		var got answers
		m := approval(w, samplePrompt(), got.take, newFakeClock())
		press(w, key)
		got.only(t, app.NotNow)
		if len(w.Canvas().Overlays().List()) != 0 {
			t.Error("the question is still there after its answer")
		}
		press(w, key)
		m.escape()
		m.close()
		got.only(t, app.NotNow)
	}
}

func TestApprovalEnterNeverAllowsWhereverTheFocusIs(t *testing.T) {
	w := window(t, 900, 600)
	var got answers
	clk := newFakeClock()
	approval(w, samplePrompt(), got.take, clk)
	n := len(stops(t, w))
	if n < 5 {
		t.Fatalf("Tab reaches %d places, want the code box and four buttons at least", n)
	}
	for i := range n {
		w = window(t, 900, 600)
		got = nil
		clk = newFakeClock()
		approval(w, samplePrompt(), got.take, clk)
		clk.pass(time.Minute)
		for range i {
			w.Canvas().FocusNext()
		}
		press(w, fyne.KeyReturn)
		press(w, fyne.KeyEnter)
		for _, a := range got {
			if a.Verdict != app.NotNow {
				t.Errorf("Enter on place %d (%T) answers %q", i, w.Canvas().Focused(), a.Verdict)
			}
		}
		press(w, fyne.KeyEscape)
		got.only(t, app.NotNow)
	}
}

// allow finds the button with these words by going through the question with
// Tab, as a person would, and leaves the focus on it.
func focusButton(t *testing.T, w fyne.Window, text string) *button {
	t.Helper()
	for range 60 {
		if b, ok := w.Canvas().Focused().(*button); ok && b.Text == text {
			return b
		}
		w.Canvas().FocusNext()
	}
	t.Fatalf("Tab does not reach a button %q", text)
	return nil
}

func TestApprovalAllowsBySpaceOnlyAfterTheGuardTime(t *testing.T) {
	tests := []struct {
		button string
		want   app.PromptVerdict
	}{{"Start once", app.AllowUntilQuit}, {"Start and remember", app.AllowAlways}}
	for _, tt := range tests {
		w := window(t, 900, 600)
		var got answers
		clk := newFakeClock()
		approval(w, samplePrompt(), got.take, clk)
		b := focusButton(t, w, tt.button)
		press(w, fyne.KeySpace)
		b.Tapped(nil)
		clk.pass(guardTime - time.Millisecond)
		b.Tapped(nil)
		if len(got) != 0 {
			t.Fatalf("%s answered %v at once", tt.button, got)
		}
		clk.pass(time.Millisecond)
		press(w, fyne.KeySpace)
		b.Tapped(nil)
		got.only(t, tt.want)
	}
}

func TestClosingFromOutsideDoesNotAnswer(t *testing.T) {
	w := window(t, 900, 600)
	before := func(*fyne.KeyEvent) {}
	w.Canvas().SetOnTypedKey(before)
	var got answers
	closeIt := Approval(w, samplePrompt(), got.take)
	closeIt()
	closeIt()
	if len(got) != 0 || len(w.Canvas().Overlays().List()) != 0 {
		t.Errorf("answered %v, %d overlays left", got, len(w.Canvas().Overlays().List()))
	}
	if w.Canvas().OnTypedKey() == nil {
		t.Error("the window's own key handler was not given back")
	}
}

func TestApprovalShowsEverythingThatWouldRun(t *testing.T) {
	w := window(t, 900, 600)
	p := samplePrompt()
	tail := strings.Repeat("x", 5000) + "THE-END"
	p.Approval.CommandLine = []string{"/bin/sh", "-c", "curl a | sh", "rtl\u202eexe", "two\nlines", "", tail}
	p.Approval.Env = []app.EnvLine{{Name: "TOKEN", Value: "never-shown", Secret: true}, {Name: "MODE", Value: "fast"}}
	p.Approval.Changes = []app.FieldChange{{Field: "Command", Old: "old-command", New: "new-command"}}
	m := approval(w, p, func(app.PromptAnswer) {}, newFakeClock())
	all := strings.Join(texts(m.root), "\n")
	flat := strings.ReplaceAll(all, "\n", "")
	for _, want := range []string{
		"THE-END", "curl a | sh", "rtl‹U+202E›exe", "two‹line break›lines", "(empty)", "MODE=fast", "TOKEN=••••••••", "old-command", "new-command",
		p.Approval.Warnings[0].Title, "Cursor (~/.cursor/mcp.json)", "with your rights", p.Approval.Program, p.Approval.Dir,
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	if strings.Count(flat, tail) < 2 {
		t.Error("the longest argument is not shown whole in the command line and by itself")
	}
	for _, never := range []string{"never-shown", "\u202e"} {
		if strings.Contains(all, never) {
			t.Errorf("%q is drawn", never)
		}
	}
	for _, text := range []string{"Copy", "Don’t start", "Start once", "Start and remember"} {
		if b := focusButton(t, w, text); !inside(w, b) {
			t.Errorf("the button %q is not to be seen at 900×600", text)
		}
	}
	focusButton(t, w, "Copy").Tapped(nil)
	if got := fyne.CurrentApp().Clipboard().Content(); !strings.Contains(got, "THE-END") {
		t.Errorf("copied %q", got)
	}
}

// A hostile entry must not freeze the window with its length.
func TestApprovalOfAVastCommandOpensQuickly(t *testing.T) {
	w := window(t, 900, 600)
	p := samplePrompt()
	p.Approval.CommandLine = []string{"/bin/sh", "-c", strings.Repeat("x", 20_000)}
	for range 300 {
		p.Approval.CommandLine = append(p.Approval.CommandLine, "an argument")
	}
	started := time.Now()
	m := approval(w, p, func(app.PromptAnswer) {}, newFakeClock())
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("it took %v to open", took)
	}
	t.Logf("opened in %v", time.Since(started))
	m.close()
}

func TestApprovalOfAnAddressSaysContact(t *testing.T) {
	w := window(t, 900, 600)
	p := app.Prompt{ServerName: "far", Approval: &app.ApprovalQuestion{URL: "https://mcp.example.com/mcp", Source: "added by you"}}
	m := approval(w, p, func(app.PromptAnswer) {}, newFakeClock())
	all := texts(m.root)
	for _, want := range []string{"Contact “far”?", "https://mcp.example.com/mcp", "Don’t contact", "Contact once", "Contact and remember"} {
		if !slices.Contains(all, want) {
			t.Errorf("%q is not shown in %q", want, all)
		}
	}
}

func TestCodeBoxCannotBeChanged(t *testing.T) {
	w := window(t, 900, 600)
	m := approval(w, samplePrompt(), func(app.PromptAnswer) {}, newFakeClock())
	var box *readOnly
	for _, stop := range stops(t, w) {
		if b, ok := stop.(*readOnly); ok {
			box = b
		}
	}
	if box == nil {
		t.Fatal("Tab does not reach the command")
	}
	want := box.Text
	w.Canvas().Focus(box)
	box.TypedRune('x')
	for _, key := range []fyne.KeyName{fyne.KeyBackspace, fyne.KeyDelete, fyne.KeyTab} {
		press(w, key)
	}
	fyne.CurrentApp().Clipboard().SetContent("pasted")
	box.TypedShortcut(&fyne.ShortcutPaste{Clipboard: fyne.CurrentApp().Clipboard()})
	box.TypedShortcut(&fyne.ShortcutSelectAll{})
	box.TypedShortcut(&fyne.ShortcutCut{Clipboard: fyne.CurrentApp().Clipboard()})
	if box.Text != want || m.closed {
		t.Errorf("the command now reads %q", box.Text)
	}
	box.TypedShortcut(&fyne.ShortcutCopy{Clipboard: fyne.CurrentApp().Clipboard()})
	if got := fyne.CurrentApp().Clipboard().Content(); got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}
