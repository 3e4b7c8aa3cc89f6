package ask

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

func openConsent(t *testing.T) (fyne.Window, *consent, *answers, *fakeClock) {
	t.Helper()
	w := window(t, 900, 600)
	got := &answers{}
	clk := newFakeClock()
	p := samplePrompt()
	p.Deadline = clk.at.Add(42 * time.Second)
	return w, newConsent(w, p, got.take, clk), got, clk
}

func TestConsentEnterAndEscapeSayNotNowOnce(t *testing.T) {
	for _, key := range []fyne.KeyName{fyne.KeyEscape, fyne.KeyReturn, fyne.KeyEnter} {
		w, _, got, _ := openConsent(t)
		press(w, key)
		press(w, key)
		got.only(t, app.NotNow)
	}
}

func TestConsentEnterNeverAllowsWhereverTheFocusIs(t *testing.T) {
	open := func() (fyne.Window, *consent, *answers) {
		w, c, got, clk := openConsent(t)
		c.list.toggle(c.choice.folders[0])
		c.list.toggle(c.choice.folders[2]) // asks for its second yes
		clk.pass(time.Minute)
		return w, c, got
	}
	w, _, _ := open()
	n := len(stops(t, w))
	if n < 6 {
		t.Fatalf("Tab reaches %d places only", n)
	}
	for i := range n {
		w, c, got := open()
		for range i {
			w.Canvas().FocusNext()
		}
		press(w, fyne.KeyReturn)
		press(w, fyne.KeyEnter)
		for _, a := range *got {
			if a.Verdict != app.NotNow {
				t.Errorf("Enter on place %d answers %q", i, a.Verdict)
			}
		}
		if c.choice.ticked["3"] {
			t.Errorf("Enter on place %d gives the second yes", i)
		}
		press(w, fyne.KeyEscape)
		got.only(t, app.NotNow)
	}
}

func TestConsentTicksNothingByItself(t *testing.T) {
	w, c, got, clk := openConsent(t)
	clk.pass(time.Second)
	if n := c.choice.count(); n != 0 {
		t.Errorf("%d folders are ticked at first", n)
	}
	if !c.allow.Disabled() || !c.untilQuit.Disabled() {
		t.Error("it can be allowed without a tick")
	}
	c.allow.Tapped(nil)
	c.untilQuit.Tapped(nil)
	if len(*got) != 0 || w.Canvas().Overlays().Top() == nil {
		t.Errorf("answered %v", *got)
	}
}

func TestConsentByKeyboard(t *testing.T) {
	w, c, got, clk := openConsent(t)
	clk.pass(time.Second)
	w.Canvas().Focus(c.list)
	press(w, fyne.KeySpace) // frontend, assigned for writing
	press(w, fyne.KeyDown)
	press(w, fyne.KeySpace) // backend
	c.list.TypedRune('w')
	press(w, fyne.KeyUp)
	c.list.TypedRune('r')
	focusButton(t, w, "Allow 2 folders")
	press(w, fyne.KeySpace)
	got.only(t, app.AllowAlways)
	want := map[store.RootID]root.Access{"1": root.ReadOnly, "2": root.ReadWrite}
	if diff := cmp.Diff(want, (*got)[0].Folders); diff != "" {
		t.Error(diff)
	}
}

func TestConsentUntilQuitCarriesTheAssignedAccess(t *testing.T) {
	_, c, got, clk := openConsent(t)
	clk.pass(time.Second)
	c.list.toggle(c.choice.folders[0])
	c.untilQuit.Tapped(nil)
	got.only(t, app.AllowUntilQuit)
	if diff := cmp.Diff(map[store.RootID]root.Access{"1": root.ReadWrite}, (*got)[0].Folders); diff != "" {
		t.Error(diff)
	}
}

func TestConsentSensitiveFolderNeedsASecondYes(t *testing.T) {
	w, c, got, clk := openConsent(t)
	sensitive := c.choice.folders[2]
	c.list.toggle(sensitive)
	if c.choice.count() != 0 || !c.allow.Disabled() {
		t.Fatal("one click ticks a sensitive folder")
	}
	yes := focusButton(t, w, "Share it anyway")
	yes.Tapped(nil)
	if c.choice.count() != 0 {
		t.Fatal("the second yes does not wait out the guard time")
	}
	clk.pass(time.Second)
	yes.Tapped(nil)
	if c.choice.count() != 1 {
		t.Fatal("the second yes does not tick")
	}
	c.list.toggle(sensitive) // taken back
	c.list.toggle(sensitive) // asked for again
	if c.choice.count() != 0 || c.choice.asking != sensitive.Root {
		t.Error("a sensitive folder that was taken back is ticked again without its second yes")
	}
	c.list.toggle(sensitive)
	if c.choice.asking != "" {
		t.Error("a second click does not call the question off")
	}
	c.choice.confirm(sensitive)
	if c.choice.count() != 0 {
		t.Error("a folder that was not asked about was confirmed")
	}
	press(w, fyne.KeyEscape)
	got.only(t, app.NotNow)
}

func TestConsentNeverMeansAllOrTheTicked(t *testing.T) {
	_, c, got, clk := openConsent(t)
	c.never.Tapped(nil)
	if len(*got) != 0 {
		t.Fatal("“Never” does not wait out the guard time")
	}
	clk.pass(time.Second)
	c.never.Tapped(nil)
	got.only(t, app.NeverAllow)
	if (*got)[0].Folders != nil {
		t.Errorf("folders %v, want nil for all", (*got)[0].Folders)
	}

	_, c, got, clk = openConsent(t)
	clk.pass(time.Second)
	c.list.toggle(c.choice.folders[1])
	c.never.Tapped(nil)
	got.only(t, app.NeverAllow)
	if diff := cmp.Diff(map[store.RootID]root.Access{"2": root.ReadOnly}, (*got)[0].Folders); diff != "" {
		t.Error(diff)
	}
}

func TestConsentCountsDownAndStopsWithTheQuestion(t *testing.T) {
	_, c, _, clk := openConsent(t)
	if got := c.timeLeft.Content; !strings.Contains(got, "0:42") {
		t.Errorf("shown %q, want 0:42", got)
	}
	clk.pass(40 * time.Second)
	if got := c.timeLeft.Content; !strings.Contains(got, "0:02") {
		t.Errorf("shown %q, want 0:02", got)
	}
	clk.pass(5 * time.Second)
	if got := c.timeLeft.Content; strings.Contains(got, "0:") || got == "" {
		t.Errorf("shown %q after the deadline", got)
	}
	if c.closed {
		t.Error("the question went away at its deadline")
	}
	c.close()
	if len(clk.ticks) != 0 {
		t.Error("the clock goes on after the question closed")
	}
}

func TestConsentWithoutDeadlineShowsNoTime(t *testing.T) {
	w := window(t, 900, 600)
	clk := newFakeClock()
	p := samplePrompt()
	p.Deadline = time.Time{}
	c := newConsent(w, p, func(app.PromptAnswer) {}, clk)
	if c.timeLeft.Content != "" || len(clk.ticks) != 0 {
		t.Errorf("shown %q with %d timers", c.timeLeft.Content, len(clk.ticks))
	}
}

func TestConsentOfHundredsOfFolders(t *testing.T) {
	w := window(t, 900, 600)
	clk := newFakeClock()
	p := samplePrompt()
	p.Consent.Folders = nil
	for i := range 300 {
		p.Consent.Folders = append(p.Consent.Folders, app.ConsentFolder{Root: store.RootID(fmt.Sprint(i)), Label: fmt.Sprintf("project-%03d", i), Short: "~/work"})
	}
	var got answers
	c := newConsent(w, p, got.take, clk)
	rows := 0
	create := c.list.CreateItem
	c.list.CreateItem = func() fyne.CanvasObject { rows++; return create() }
	c.list.Refresh()
	c.list.moveTo(299)
	if rows > 30 {
		t.Errorf("%d rows were built for 300 folders", rows)
	}
	for _, text := range []string{"Never", "Not now"} {
		if b := focusButton(t, w, text); !inside(w, b) {
			t.Errorf("the button %q is not to be seen", text)
		}
	}
	clk.pass(time.Second)
	c.choice.setFilter("PROJECT 123")
	c.list.rowsChanged()
	if len(c.choice.rows) != 1 {
		t.Fatalf("the filter leaves %d rows", len(c.choice.rows))
	}
	w.Canvas().Focus(c.list)
	press(w, fyne.KeySpace)
	c.choice.setFilter("nothing like it")
	c.list.rowsChanged()
	press(w, fyne.KeySpace) // there is no row to tick
	c.allow.Tapped(nil)
	got.only(t, app.AllowAlways)
	if diff := cmp.Diff(map[store.RootID]root.Access{"123": root.ReadOnly}, got[0].Folders); diff != "" {
		t.Error(diff)
	}
}

func TestConsentRowChoosesAccessWithItsChip(t *testing.T) {
	w, c, got, clk := openConsent(t)
	clk.pass(time.Second)
	row := newFolderRow(c)
	row.set(c.choice.folders[1], false)
	test.Tap(row)
	if !c.choice.ticked["2"] {
		t.Fatal("a click on the row does not tick it")
	}
	row.access.changed(1)
	c.allow.Tapped(nil)
	got.only(t, app.AllowAlways)
	if (*got)[0].Folders["2"] != root.ReadWrite {
		t.Errorf("folders %v, want writing", (*got)[0].Folders)
	}
	_ = w
}

func TestBorrowedNameIsPointedOutInEveryQuestion(t *testing.T) {
	const note = "It calls itself “git”, which is what you call another server."
	p := samplePrompt()
	p.Note = note
	m := approval(window(t, 900, 600), p, func(app.PromptAnswer) {}, newFakeClock())
	if all := strings.Join(texts(m.root), " "); !strings.Contains(all, note) {
		t.Errorf("the approval shows %q", all)
	}
	c := app.Prompt{ServerName: "x", Note: note, Consent: &app.ConsentQuestion{}}
	if all := strings.Join(texts(newConsent(window(t, 900, 600), c, func(app.PromptAnswer) {}, newFakeClock()).root), " "); !strings.Contains(all, note) {
		t.Errorf("the consent question shows %q", all)
	}
}
