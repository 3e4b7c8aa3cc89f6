package ui

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
	"rootsmanager/store"
)

// Bounds of what a server's detail lists.
const (
	detailFolders = 100
	detailLately  = 6
	detailOutput  = 14 // lines of stderr
)

// serverDetail is one server: where it stands, what runs, what it is told.
type serverDetail struct {
	w  *Window
	id store.ServerID
	v  app.ServerView

	scroll  *container.Scroll
	column  *fyne.Container
	name    *look.Text
	power   *look.Button
	restart *look.Button
	ask     *look.Button
	pills   *fyne.Container
	notice  *fyne.Container // what is wrong, and what it said it sees
	seen    fyne.CanvasObject
	code    *look.CodeBox
	values  *fyne.Container
	folders *fyne.Container
	report  *fyne.Container // how it takes its folders
	lately  *fyne.Container
	errors  *fyne.Container
	output  *fyne.Container
	stderr  *look.CodeBox
	shown   map[string]string // what each part was last built from
}

func newServerDetail(w *Window) *serverDetail {
	d := &serverDetail{w: w, shown: map[string]string{}}
	d.name = look.NewHeading("")
	d.power = look.NewButton("", look.Secondary, d.toggle)
	d.restart = look.NewButton(lang.L("Restart"), look.Secondary, d.again)
	d.ask = look.NewButton(lang.L("Ask what it sees"), look.Secondary, d.askWhatItSees)
	edit := look.NewButton(lang.L("Edit…"), look.Secondary, func() {
		spec := d.v.Spec()
		w.editServer(d.id, &spec)
	})
	remove := look.NewButton(lang.L("Remove"), look.Danger, d.remove)
	top := container.New(&headlineLayout{}, d.name, look.Row(look.Gap, d.ask, d.restart, d.power, edit, remove))
	d.pills = look.Row(look.Gap)
	d.notice = look.Column(look.Gap)
	d.code = look.NewCodeBox("")
	d.values = container.NewStack()
	d.folders = look.Column(look.Gap)
	d.report = look.Column(look.GapTiny)
	d.lately = look.Column(look.GapTiny)
	d.errors = look.Column(look.Gap)
	d.stderr = look.NewCodeBox("")
	copyAll := look.NewButton(lang.L("Copy all"), look.Link, func() {
		w.copyText(strings.Join(w.core.ServerStderr(d.id), "\n"), lang.L("Its messages are on the clipboard."))
	})
	d.output = look.Column(look.GapTiny, look.Stretch(look.Gap, 0, look.NewSection(lang.L("Messages it printed")), copyAll), d.stderr)
	d.column = look.Column(look.GapMedium, top, d.pills, d.notice, d.code, look.Inset(2, 0, 0, 0, d.values),
		d.folders, d.report, d.lately, d.errors, d.output)
	d.scroll = container.NewVScroll(look.Inset(24, 28, 28, 28, d.column))
	return d
}

func (d *serverDetail) content() fyne.CanvasObject { return d.scroll }

func (d *serverDetail) clear() {
	d.id = ""
	d.scroll.Hide()
}

// show brings a server's detail up to date; parts that did not change keep
// their focus and selection.
func (d *serverDetail) show(v app.ServerView) {
	d.scroll.Show()
	if d.id != v.ID {
		d.id = v.ID
		d.shown = map[string]string{}
		d.seen = nil
		d.scroll.ScrollToTop()
	}
	d.v = v
	d.name.SetContent(v.Name)
	if v.Enabled {
		d.power.SetText(lang.L("Turn off"))
	} else {
		d.power.SetText(lang.L("Turn on"))
	}
	enable(d.restart, v.Enabled)
	enable(d.ask, v.State == app.ServerConnected)
	switch {
	case v.NeedsLogin:
		d.restart.SetText(lang.L("Log in…"))
	case v.State == app.ServerWaiting:
		d.restart.SetText(lang.L("Approve…"))
	default:
		d.restart.SetText(lang.L("Restart"))
	}
	d.showPills()
	d.showNotice()
	d.code.SetText(commandText(v))
	d.showValues()
	d.showFolders()
	d.showReport()
	d.showLately()
	d.showErrors()
	d.clock()
}

// part rebuilds a part when what it shows changed.
func (d *serverDetail) part(name, key string, into *fyne.Container, build func() []fyne.CanvasObject) {
	if was, ok := d.shown[name]; ok && was == key {
		return
	}
	d.shown[name] = key
	into.Objects = build()
	setVisible(into, len(into.Objects) > 0) // an empty part takes no gap
	into.Refresh()
}

func (d *serverDetail) showPills() {
	v := d.v
	marks := []mark{stateMark(v)}
	if m, ok := deliveryMark(v); ok {
		marks = append(marks, m)
	}
	if v.State == app.ServerConnected && !v.RootsOff {
		marks = append(marks, mark{look.IconFolder, folders(v.Exposed), look.Neutral})
	}
	d.part("pills", fmt.Sprint(marks), d.pills, func() (out []fyne.CanvasObject) {
		for _, m := range marks {
			out = append(out, m.pill())
		}
		return out
	})
}

func (d *serverDetail) showNotice() {
	v := d.v
	var title, detail string
	tone := look.Bad
	switch {
	case v.State == app.ServerFailed && v.Problem != "":
		title = sentence(v.Problem)
		if !v.RetryAt.IsZero() {
			detail = lang.L("Tried again at {{.Time}}.", map[string]any{"Time": look.Clock(v.RetryAt, d.w.now())})
		}
	case v.State == app.ServerWaiting:
		tone = look.Warn
		title = lang.L("It is not started before you approve what it runs.")
	case v.SelfNote != "":
		tone = look.Warn
		title = v.SelfNote
	case v.MayKeep && v.Filled:
		tone = look.Warn
		title = lang.L("You took folders back, but it still works in them.")
		detail = lang.L("You chose that a change does not restart it. Restart it to take them back.")
	case v.MayKeep:
		tone = look.Warn
		title = lang.L("You took folders back, but it may still use them.")
		detail = lang.L("It does not ask again when it is told of a change. Restart it, or the app that runs it, to be sure.")
		if v.URL != "" {
			detail = lang.L("It runs elsewhere and did not ask again. Turn it off to disconnect; what it remembers is not ours to clear.")
		}
	case v.State == app.ServerConnected && v.Filled && v.Delivery == app.DeliveryStale:
		tone = look.Warn
		title = lang.L("It was started with older folders.")
		detail = lang.L("You chose that a change does not restart it. Restart it to give it the current ones.")
	case v.State == app.ServerConnected && v.Delivery == app.DeliveryStale:
		tone = look.Warn
		title = lang.L("It was told of a change and has not asked for the new list.")
		detail = lang.L("Restart it to be sure that it works with the current folders.")
	}
	d.part("notice", fmt.Sprint(title, detail, d.seen), d.notice, func() (out []fyne.CanvasObject) {
		if title != "" {
			out = append(out, look.Notice(tone, look.IconWarning, title, detail))
		}
		if d.seen != nil {
			out = append(out, d.seen)
		}
		return out
	})
}

func commandText(v app.ServerView) string {
	switch {
	case v.URL != "":
		return v.URL
	case len(v.CommandLine) > 0:
		return look.Quote(v.CommandLine)
	}
	return look.Quote(append([]string{v.Command}, v.Args...))
}

func (d *serverDetail) showValues() {
	v, now := d.v, d.w.now()
	how := lang.L("started by Roots Manager")
	if v.URL != "" {
		how = lang.L("contacted over the web")
	}
	protocol := string(v.Transport) + " · " + how
	if v.Revision != "" {
		protocol = v.Revision + " · " + protocol
	}
	rows := []look.KeyValue{{Key: lang.L("Protocol"), Value: protocol}}
	add := func(key, value string) {
		if value != "" {
			rows = append(rows, look.KeyValue{Key: key, Value: value})
		}
	}
	if !v.ToldAt.IsZero() {
		told := look.Clock(v.ToldAt, now)
		if v.AskDelay > 0 {
			told += " – " + lang.L("asked again {{.Time}} later", map[string]any{"Time": look.Lasted(v.AskDelay)})
		}
		add(lang.L("Told"), told)
	}
	if !v.AskedAt.IsZero() {
		add(lang.L("Last asked"), look.Clock(v.AskedAt, now)+" – "+lang.L("answered with {{.Folders}}", map[string]any{"Folders": folders(v.Answered)}))
	}
	if !v.ApprovedAt.IsZero() {
		approved := look.Day(v.ApprovedAt)
		switch {
		case v.OtherProgram:
			approved += " – " + lang.L("the program file changed since")
		case v.URL == "":
			approved += " – " + lang.L("program unchanged since")
		}
		add(lang.L("Approved"), approved)
	} else {
		add(lang.L("Approved"), lang.L("not yet"))
	}
	self := v.SelfName
	if v.SelfVersion != "" {
		self += " " + v.SelfVersion
	}
	if self != "" {
		add(lang.L("Calls itself"), "“"+self+"”")
	}
	add(lang.L("Works in"), v.Dir)
	add(lang.L("Comes from"), v.Source)
	d.part("values", fmt.Sprint(rows), d.values, func() []fyne.CanvasObject {
		return []fyne.CanvasObject{look.KeyValues(106, rows...)}
	})
}

// toldFolder is one assigned root as the detail shows it.
type toldFolder struct {
	id          store.RootID
	label, path string
	mark        mark
	cell        app.Cell
}

func (d *serverDetail) showFolders() {
	snap := d.w.snap
	var rows []toldFolder
	total := 0
	for i := range snap.Roots {
		r := &snap.Roots[i]
		if r.AssignedTo == 0 || snap.Cells == nil {
			continue
		}
		c := snap.Cells.Cell(d.id, r.ID)
		if c.State == app.CellOff {
			continue
		}
		if total++; total <= detailFolders {
			rows = append(rows, toldFolder{r.ID, r.Label, r.Short, rootMark(*r, d.w.now()), c})
		}
	}
	d.part("folders", fmt.Sprint(total, rows), d.folders, func() []fyne.CanvasObject {
		title := look.Inset(look.Gap, 0, 0, 0, look.NewSection(lang.L("Folders it may work in")))
		if total == 0 {
			none := look.NewSmall(lang.L("None yet. Tick folders for it in Access."))
			return []fyne.CanvasObject{title, none}
		}
		var list []fyne.CanvasObject
		for _, r := range rows {
			list = append(list, d.folderRow(r))
		}
		out := []fyne.CanvasObject{title, look.List(list...)}
		if total > len(rows) {
			out = append(out, look.NewSmall(lang.L("And {{.N}} more: see Access.", map[string]any{"N": total - len(rows)})))
		}
		return out
	})
}

func (d *serverDetail) folderRow(r toldFolder) fyne.CanvasObject {
	name, path := look.NewBold(r.label), look.NewPath(r.path)
	name.Fit = look.FitEnd
	l := cellLookOf(r.cell)
	var right fyne.CanvasObject
	switch r.cell.State {
	case app.CellOn, app.CellIdle:
		selected := 0
		if r.cell.Access == root.ReadWrite {
			selected = 1
		}
		right = look.NewChoice([]string{lang.L("read"), lang.L("write")}, selected, func(i int) {
			d.w.assign(d.id, r.id, true, []root.Access{root.ReadOnly, root.ReadWrite}[i])
		})
	default:
		word := look.NewSmall(l.word)
		word.Color = l.tone.Color()
		right = word
	}
	lines := rowLayout{height: 56, pad: 12, widths: []float32{160, 76}, from: []float32{380, 0}}
	return container.New(lines, look.Column(0, name, path), r.mark.pill(), container.NewHBox(right), look.NewSurface("", "", 0))
}

// showReport says how the server takes its folders, by the evidence.
func (d *serverDetail) showReport() {
	lines := d.v.Report()
	d.part("report", strings.Join(lines, "\n"), d.report, func() []fyne.CanvasObject {
		if len(lines) == 0 {
			return nil
		}
		name := d.v.Name
		copyIt := look.NewButton(lang.L("Copy"), look.Link, func() {
			d.w.copyText(name+"\n"+strings.Join(lines, "\n"), lang.L("The report is on the clipboard."))
		})
		head := look.Stretch(look.Gap, 0, look.NewSection(lang.L("How it takes its folders")), copyIt)
		out := []fyne.CanvasObject{look.Inset(look.Gap, 0, 0, 0, head)}
		for _, line := range lines {
			t := look.NewSmall(line)
			t.Fit = look.FitWrap
			out = append(out, t)
		}
		return out
	})
}

func (d *serverDetail) showLately() {
	var list []app.Activity
	for _, a := range d.w.snap.Activity {
		if a.Server == d.v.Name {
			list = append(list, a)
			if len(list) == detailLately {
				break
			}
		}
	}
	now := d.w.now()
	key := ""
	for _, a := range list {
		key += a.Time.String() + a.Text
	}
	d.part("lately", key, d.lately, func() []fyne.CanvasObject {
		if len(list) == 0 {
			return nil
		}
		out := []fyne.CanvasObject{look.Inset(look.Gap, 4, 0, 0, look.NewSection(lang.L("Lately")))}
		for _, a := range list {
			if a.Subject == d.v.Name { // its name is in the head
				a.Subject, a.Server, a.Text = "", "", strings.TrimPrefix(a.Text, "– ")
			}
			l := newActivityLine()
			l.set(a, now)
			out = append(out, l)
		}
		return out
	})
}

func (d *serverDetail) showErrors() {
	d.part("errors", strings.Join(d.v.Errors, "\n"), d.errors, func() []fyne.CanvasObject {
		if len(d.v.Errors) == 0 {
			return nil
		}
		var lines []fyne.CanvasObject
		for _, e := range d.v.Errors {
			t := look.NewText(e)
			t.Fit, t.MaxLines, t.Points, t.Color = look.FitWrap, 4, look.SmallSize, look.ColorError
			lines = append(lines, t)
		}
		return []fyne.CanvasObject{look.Inset(look.Gap, 0, 0, 0, look.NewSection(lang.L("Last errors"))), look.Column(look.GapTiny, lines...)}
	})
}

// clock reads what the server printed; the lines are in memory.
func (d *serverDetail) clock() {
	if d.id == "" {
		return
	}
	lines := d.w.core.ServerStderr(d.id)
	if len(lines) == 0 {
		d.output.Hide()
		return
	}
	d.output.Show()
	d.stderr.SetText(strings.Join(lines[max(0, len(lines)-detailOutput):], "\n"))
}

func enable(b *look.Button, on bool) {
	switch {
	case on && b.Disabled():
		b.Enable()
	case !on && !b.Disabled():
		b.Disable()
	}
}

// headlineLayout puts the buttons beside the name, or below it when narrow.
type headlineLayout struct {
	width float32 // as last laid out
}

func (l *headlineLayout) narrow(o []fyne.CanvasObject) bool {
	return l.width > 0 && l.width < o[1].MinSize().Width+120
}

func (l *headlineLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	name, buttons := o[0].MinSize(), o[1].MinSize()
	if l.narrow(o) {
		return fyne.NewSize(buttons.Width, name.Height+look.Gap+buttons.Height)
	}
	return fyne.NewSize(buttons.Width, max(name.Height, buttons.Height))
}

func (l *headlineLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	l.width = s.Width
	name, buttons := o[0].MinSize().Height, o[1].MinSize()
	if l.narrow(o) {
		place(o[0], 0, 0, s.Width, name)
		place(o[1], 0, name+look.Gap, s.Width, buttons.Height)
		return
	}
	h := max(name, buttons.Height)
	place(o[0], 0, (h-name)/2, s.Width-buttons.Width-look.GapMedium, name)
	place(o[1], s.Width-buttons.Width, 0, buttons.Width, buttons.Height)
}
