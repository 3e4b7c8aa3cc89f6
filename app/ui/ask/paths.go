package ask

import (
	"context"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
)

// Bounds of one round of typed paths.
const (
	maxTyped  = 200
	typedWait = 200 * time.Millisecond // without a key before the paths are looked at
)

// TypePathsOptions are the parts of [TypePaths]. Inspect is required.
type TypePathsOptions struct {
	// Inspect tells what a typed path or URI is. It is called off the Fyne
	// goroutine, one path after the other, and ends with its context. Its
	// error is shown beside the path.
	Inspect func(context.Context, string) (app.RootCheck, error)
	// Text fills the field at first.
	Text string
	// Add is called once, after the question closed, with the paths that can
	// be added, as typed. Sensitive places among them still need their second
	// yes: see [Sensitive].
	Add func([]string)
	// Cancelled is called when the question was left without adding; may be
	// nil.
	Cancelled func()
}

// TypePaths asks for paths or URIs, one a line, and says of each what it is
// while it is typed. The returned function takes the question away.
func TypePaths(win fyne.Window, opts TypePathsOptions) (close func()) {
	return newPathForm(win, opts, systemClock{}, typedWait).close
}

// typed is what is known of one line.
type typed struct {
	check app.RootCheck
	err   error
}

func (t typed) usable() bool {
	return t.err == nil && t.check.Blocked == "" && t.check.Duplicate == ""
}

// pathForm is the question while it is open.
type pathForm struct {
	*modal
	opts  TypePathsOptions
	wait  time.Duration
	known map[string]typed
	stop  func()

	text  *entry
	found *fyne.Container
	note  *look.Text
	add   *button
}

func newPathForm(win fyne.Window, opts TypePathsOptions, clk clock, wait time.Duration) *pathForm {
	f := &pathForm{modal: &modal{win: win, clk: clk, width: wide}, opts: opts, wait: wait, known: map[string]typed{}}
	f.escape = func() {
		if !f.closed {
			f.close()
			if opts.Cancelled != nil {
				opts.Cancelled()
			}
		}
	}
	f.head = heading(lang.L("Add by path"), lang.L("Type or paste folders or files, one a line: paths, or addresses that begin with file://."))
	f.text = f.entry("", "~/work/frontend", nil).several(4)
	f.text.lines = true
	f.text.TextStyle = mono
	f.text.OnChanged = func(string) { f.changed() }
	f.found = look.Column(0)
	f.scrolled(look.Column(look.GapMedium, f.text, f.found))
	f.note = look.NewSmall("")
	f.note.Fit = look.FitWrap
	f.add = f.button("", look.Primary, f.submit)
	f.foot = look.Stretch(look.Gap, 0, f.note, f.button(lang.L("Cancel"), look.Secondary, f.escape), f.add)
	f.text.SetText(opts.Text)
	f.update()
	f.show(f.text)
	return f
}

// lines are the different lines typed.
func (f *pathForm) lines() []string {
	var out []string
	seen := map[string]bool{}
	for line := range strings.SplitSeq(f.text.Text, "\n") {
		line = unquoted(strings.TrimSuffix(line, "\r"))
		if strings.TrimSpace(line) == "" || seen[line] {
			continue
		}
		seen[line] = true
		if out = append(out, line); len(out) == maxTyped {
			break
		}
	}
	return out
}

// unquoted takes off the quotation marks that file managers put around a
// copied path.
func unquoted(line string) string {
	s := strings.TrimSpace(line)
	for _, q := range []string{`"`, "'"} {
		if len(s) > 2 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// changed has the lines looked at that are not known yet.
func (f *pathForm) changed() {
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
	var fresh []string
	for _, line := range f.lines() {
		if _, ok := f.known[line]; !ok {
			fresh = append(fresh, line)
		}
	}
	f.update()
	if len(fresh) == 0 {
		return
	}
	results := make([]typed, 0, len(fresh))
	f.stop = f.work(func(ctx context.Context) error {
		if err := pause(ctx, f.wait); err != nil {
			return err
		}
		for _, line := range fresh {
			check, err := f.opts.Inspect(ctx, line)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			results = append(results, typed{check, err})
		}
		return nil
	}, func(error) {
		for i, r := range results {
			f.known[fresh[i]] = r
		}
		f.update()
	})
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// update draws what is known and counts what can be added.
func (f *pathForm) update() {
	lines := f.lines()
	rows := make([]fyne.CanvasObject, 0, len(lines))
	usable, waiting := 0, 0
	for _, line := range lines {
		t, ok := f.known[line]
		if !ok {
			waiting++
		} else if t.usable() {
			usable++
		}
		rows = append(rows, typedRow(line, t, ok))
	}
	f.found.Objects = nil
	if len(rows) > 0 {
		f.found.Objects = []fyne.CanvasObject{look.List(rows...)}
	}
	switch usable {
	case 0:
		f.add.SetText(lang.L("Add"))
	case 1:
		f.add.SetText(lang.L("Add 1 place"))
	default:
		f.add.SetText(lang.L("Add {{.N}} places", map[string]any{"N": usable}))
	}
	if usable == 0 || waiting > 0 {
		f.add.Disable()
	} else {
		f.add.Enable()
	}
	note := ""
	switch {
	case waiting > 0:
		note = lang.L("Looking…")
	case len(lines) == maxTyped:
		note = lang.L("At most {{.N}} at once.", map[string]any{"N": maxTyped})
	}
	f.note.SetContent(note)
	f.found.Refresh()
	f.relayout()
}

// typedRow says what one line is, with a shape, a word and a colour.
func typedRow(line string, t typed, known bool) fyne.CanvasObject {
	icon, word, tone, detail := look.IconClock, lang.L("Looking…"), look.Neutral, ""
	switch c := t.check; {
	case !known:
	case t.err != nil:
		icon, word, tone, detail = look.IconCross, lang.L("Not usable"), look.Bad, sentence(t.err)
	case c.Blocked != "":
		icon, word, tone, detail = look.IconForbidden, lang.L("Blocked"), look.Bad, visible(c.Blocked)
	case c.Duplicate != "":
		icon, word, tone = look.IconCheck, lang.L("There already"), look.Neutral
		detail = lang.L("It is the same place as “{{.Name}}”.", map[string]any{"Name": visible(c.Duplicate)})
	case c.Warning != "":
		icon, word, tone, detail = look.IconWarning, lang.L("Asks again"), look.Warn, visible(c.Warning)
	case c.Problem != "":
		icon, word, tone, detail = look.IconHalf, lang.L("Not reachable now"), look.Warn, visible(c.Problem)
	default:
		icon, word, tone = look.IconDot, kindWord(c.Kind), look.Good
		if c.NestedIn != "" {
			detail = lang.L("It lies inside “{{.Name}}”.", map[string]any{"Name": visible(c.NestedIn)})
		}
	}
	path := look.NewText(visible(line))
	path.Fit, path.Points, path.Style = look.FitMiddle, codeSize, mono
	body := []fyne.CanvasObject{look.Stretch(look.GapMedium, 0, path, look.NewPill(icon, word, tone))}
	if detail != "" {
		d := look.NewSmall(detail)
		d.Fit = look.FitWrap
		body = append(body, d)
	}
	return look.Inset(8, 8, 12, 12, look.Column(2, body...))
}

func kindWord(k root.Kind) string {
	switch k {
	case root.File:
		return lang.L("File")
	case root.HTTPS:
		return lang.L("Web address")
	}
	return lang.L("Folder")
}

func (f *pathForm) submit() {
	var paths []string
	for _, line := range f.lines() {
		if t, ok := f.known[line]; ok && t.usable() {
			paths = append(paths, line)
		}
	}
	if len(paths) == 0 || f.closed {
		return
	}
	f.close()
	f.opts.Add(paths)
}
