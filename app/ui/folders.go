package ui

import (
	"context"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"rootsmanager/app"
	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/app/ui/look"
	"rootsmanager/store"
)

// foldersScreen lists the folders, files and web addresses of the workspace in
// the order servers are told of them.
type foldersScreen struct {
	w      *Window
	page   *fyne.Container
	search *look.SearchEntry
	list   *navList
	panel  *fyne.Container
	empty  fyne.CanvasObject

	rows     []int // indices into the snapshot's roots
	selected store.RootID
	editing  store.RootID // whose name is being changed
}

func newFoldersScreen(w *Window) *foldersScreen {
	s := &foldersScreen{w: w}
	s.search = look.NewSearchEntry(lang.L("Filter folders"), func(string) { s.show() })
	s.search.OnLeave = func() { w.win.Canvas().Focus(s.list) }
	var box fyne.CanvasObject
	s.list, box = newList(look.ColorChip, func() int { return len(s.rows) },
		func() fyne.CanvasObject { return newFolderRow(s) },
		func(id int, o fyne.CanvasObject) { o.(*folderRow).set(w.snap.Roots[s.rows[id]], s.rows[id]) },
		func(id int) { s.selected = w.snap.Roots[s.rows[id]].ID })
	s.panel = container.New(&fitList{s}, look.NewSurface(look.ColorPanel, look.ColorLine, look.Radius), box)
	s.empty = look.EmptyState(look.IconFolder, lang.L("No folder yet"),
		lang.L("Add the folders and files that AI servers may work in. You can also drop them here. Nothing is shared until you tick it in Access."), nil,
		look.NewButton(lang.L("Type a path…"), look.Secondary, w.typePath), w.addFoldersButton())
	s.page = screenOf(head(lang.L("Folders"), look.Width(180, s.search),
		look.NewButton(lang.L("Type a path…"), look.Secondary, w.typePath),
		look.NewButton(lang.L("Add files…"), look.Secondary, w.addFiles), w.addFoldersButton()), nil,
		container.NewStack(look.Around(20, s.panel), s.empty))
	return s
}

func (s *foldersScreen) content() fyne.CanvasObject { return s.page }
func (s *foldersScreen) filter() *look.SearchEntry  { return s.search }
func (s *foldersScreen) apply(*app.Snapshot)        { s.show() }

func (s *foldersScreen) show() {
	snap := s.w.snap
	text := strings.ToLower(strings.TrimSpace(s.search.Text))
	s.rows = s.rows[:0]
	at := -1
	for i := range snap.Roots {
		if r := &snap.Roots[i]; matches(text, r.Label, r.Short, r.Target, string(r.Status), string(r.Kind)) {
			if r.ID == s.selected {
				at = len(s.rows)
			}
			s.rows = append(s.rows, i)
		}
	}
	if len(snap.Roots) == 0 {
		s.panel.Hide()
		s.empty.Show()
		return
	}
	s.empty.Hide()
	s.panel.Show()
	s.panel.Refresh()
	s.list.Refresh()
	if at >= 0 {
		s.list.Select(at)
	} else {
		s.list.UnselectAll()
	}
}

// openFolder brings a folder into view.
func (w *Window) openFolder(id store.RootID) {
	s := w.screens[screenFolders].(*foldersScreen)
	s.search.SetText("")
	s.selected = id
	if w.current == screenFolders {
		s.show()
		return
	}
	w.show(screenFolders)
}

func (s *foldersScreen) index(id store.RootID) int {
	for i := range s.w.snap.Roots {
		if s.w.snap.Roots[i].ID == id {
			return i
		}
	}
	return -1
}

// move shifts a folder up or down in the order servers are told.
func (s *foldersScreen) move(id store.RootID, by int) {
	at := s.index(id)
	to := at + by
	if at < 0 || to < 0 || to >= len(s.w.snap.Roots) {
		return
	}
	s.selected = id
	s.w.do(command{run: func(ctx context.Context) error { return s.w.core.MoveRoot(ctx, id, to) }})
}

func (s *foldersScreen) edit(id store.RootID) {
	if s.index(id) < 0 {
		return
	}
	s.selected, s.editing = id, id
	s.show()
}

// rename ends the editing of a name; a nil name keeps the old one.
func (s *foldersScreen) rename(id store.RootID, name *string) {
	if s.editing != id {
		return
	}
	s.editing = ""
	s.show()
	s.w.win.Canvas().Focus(s.list)
	if name == nil {
		return
	}
	s.w.do(command{run: func(ctx context.Context) error { return s.w.core.RenameRoot(ctx, id, strings.TrimSpace(*name)) }})
}

func (s *foldersScreen) remove(id store.RootID, label string) {
	if at := s.index(id); s.selected == id && len(s.w.snap.Roots) > 1 { // the keyboard goes on with the next one
		next := at + 1
		if next == len(s.w.snap.Roots) {
			next = at - 1
		}
		s.selected = s.w.snap.Roots[next].ID
	}
	s.w.undoable(lang.L("Removed “{{.Name}}”. No server is told of it any more.", map[string]any{"Name": label}),
		func(ctx context.Context) error { return s.w.core.RemoveRoots(ctx, []store.RootID{id}) })
}

// follow points a folder that was moved to where it was found. Servers are
// asked about again there.
func (s *foldersScreen) follow(v app.RootView) {
	s.w.do(command{
		run: func(ctx context.Context) error { return s.w.core.RelocateRoot(ctx, v.ID, v.MovedTo) },
		done: func() {
			s.w.notices.offerUndo(lang.L("“{{.Name}}” is now {{.Path}}.", map[string]any{"Name": v.Label, "Path": app.Short(v.MovedTo)}), s.w.core.Snapshot())
		},
	})
}

// locate asks where a folder is now.
func (s *foldersScreen) locate(v app.RootView) {
	ask := s.w.opts.Picker.Folders
	if v.Kind == root.File {
		ask = s.w.opts.Picker.Files
	}
	var to string
	s.w.do(command{
		forever: true,
		run: func(ctx context.Context) error {
			paths, err := ask(ctx, lang.L("Where is “{{.Name}}” now?", map[string]any{"Name": v.Label}))
			if err != nil {
				return err
			}
			to = paths[0]
			return s.w.core.RelocateRoot(ctx, v.ID, to)
		},
		done: func() {
			s.w.notices.offerUndo(lang.L("“{{.Name}}” is now {{.Path}}.", map[string]any{"Name": v.Label, "Path": to}), s.w.core.Snapshot())
		},
		failed: s.w.pickFailed,
	})
}

// fitList makes the panel as high as its rows, at most as high as the screen.
type fitList struct{ s *foldersScreen }

func (l *fitList) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 120) }

func (l *fitList) Layout(o []fyne.CanvasObject, s fyne.Size) {
	h := min(s.Height, float32(len(l.s.rows))*folderRowHeight+1)
	place(o[0], 0, 0, s.Width, h)
	place(o[1], 1, 1, s.Width-2, h-1)
}

const folderRowHeight float32 = 61

// folderRow is one folder: what it is, how it is, what can be done.
type folderRow struct {
	widget.BaseWidget
	s  *foldersScreen
	v  app.RootView
	at int

	shade string

	box    *fyne.Container
	kind   *look.Icon
	name   *look.Text
	warn   *look.Pill
	nested *look.Text
	path   *look.Text
	entry  *renameEntry
	title  *fyne.Container
	pill   *look.Pill
	told   *look.Text
	moved  *look.Button
	locate *look.Button
	retry  *look.Button
	up     *look.Button
	down   *look.Button
}

func newFolderRow(s *foldersScreen) *folderRow {
	r := &folderRow{s: s}
	r.kind = look.NewIcon(look.IconFolder, look.ColorMuted, 18)
	r.name = look.NewBold("")
	r.warn = look.NewPill(look.IconWarning, "", look.Warn)
	r.nested = look.NewSmall("")
	r.name.Fit, r.nested.Fit = look.FitEnd, look.FitEnd
	r.path = look.NewPath("")
	r.entry = newRenameEntry()
	r.title = container.New(titleLayout{}, r.name, r.warn, r.nested)
	r.pill = look.NewPill(look.IconNone, "", look.Neutral)
	r.told = look.NewSmall("")
	r.locate = look.NewButton(lang.L("Locate…"), look.Secondary, func() { s.locate(r.v) })
	r.retry = look.NewButton(lang.L("Retry"), look.Secondary, func() { s.w.core.RetryRoot(r.v.ID) })
	r.moved = look.NewButton(lang.L("Use it there"), look.Secondary, func() { s.follow(r.v) })
	r.locate.Small, r.retry.Small, r.moved.Small = true, true, true
	r.up = look.NewIconButton(look.IconUp, lang.L("Move up"), func() { s.move(r.v.ID, -1) })
	r.down = look.NewIconButton(look.IconArrowDown, lang.L("Move down"), func() { s.move(r.v.ID, 1) })
	edit := look.NewIconButton(look.IconEdit, lang.L("Rename"), func() { s.edit(r.v.ID) })
	remove := look.NewIconButton(look.IconTrash, lang.L("Remove"), func() { s.remove(r.v.ID, r.v.Label) })
	for _, b := range []*look.Button{r.up, r.down, edit, remove} {
		b.Small = true
		s.w.hints.explained(b)
	}
	words := container.NewStack(look.Column(0, r.title, r.path), r.entry)
	first := container.NewBorder(nil, nil, look.Inset(0, 0, 0, look.Gap, look.Width(18, r.kind)), nil, words)
	layout := rowLayout{height: folderRowHeight, pad: 14, widths: []float32{164, 84, 128, 120}, from: []float32{0, 900, 0, 0}}
	r.box = container.New(layout, first, r.pill, r.told, look.Row(look.GapTiny, r.moved, r.locate, r.retry), look.Row(0, r.up, r.down, edit, remove), look.HLine())
	r.ExtendBaseWidget(r)
	return r
}

func (r *folderRow) set(v app.RootView, at int) {
	r.v, r.at = v, at
	if shade := look.Shade(); shade != r.shade { // the list keeps rows that are not in the window
		r.shade = shade
		r.box.Refresh()
	}
	r.kind.Set(kindIcon(v.Kind), look.ColorMuted)
	r.name.SetContent(v.Label)
	if v.Warning != "" {
		r.warn.Set(look.IconWarning, lang.L("sensitive"), look.Warn)
		r.warn.Show()
	} else {
		r.warn.Hide()
	}
	if v.NestedIn != "" {
		r.nested.SetContent(lang.L("inside “{{.Name}}”", map[string]any{"Name": v.NestedIn}))
		r.nested.Show()
	} else {
		r.nested.Hide()
	}
	path := v.Short
	if v.Target != "" {
		path += " → " + v.Target
	}
	if v.MovedTo != "" {
		path = lang.L("moved to {{.Path}}?", map[string]any{"Path": app.Short(v.MovedTo)})
	}
	r.path.SetContent(path)
	m := rootMark(v, time.Now())
	r.pill.Set(m.icon, m.text, m.tone)
	if v.AssignedTo == 0 {
		r.told.SetContent(lang.L("no server"))
	} else {
		r.told.SetContent(counted(v.AssignedTo, "1 server", "{{.N}} servers"))
	}
	bad := !v.Status.Usable() && v.Status != monitor.Unknown
	setVisible(r.moved, v.MovedTo != "")
	setVisible(r.locate, bad && v.Kind != root.HTTPS && v.MovedTo == "")
	setVisible(r.retry, bad && v.MovedTo == "")
	enable(r.up, at > 0)
	enable(r.down, at < len(r.s.w.snap.Roots)-1)
	if r.s.editing == v.ID {
		r.title.Hide()
		r.path.Hide()
		if !r.entry.Visible() || r.entry.id != v.ID {
			r.entry.open(r.s, v)
		}
	} else {
		r.entry.Hide()
		r.title.Show()
		r.path.Show()
	}
	r.title.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (r *folderRow) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.box) }

func setVisible(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}

// renameEntry edits a name in its row: Enter keeps it, Escape does not.
type renameEntry struct {
	widget.Entry
	s  *foldersScreen
	id store.RootID
}

func newRenameEntry() *renameEntry {
	e := &renameEntry{}
	e.ExtendBaseWidget(e)
	e.OnSubmitted = func(text string) { e.s.rename(e.id, &text) }
	e.Hide()
	return e
}

// CreateRenderer implements fyne.Widget.
func (e *renameEntry) CreateRenderer() fyne.WidgetRenderer {
	return look.EntryRenderer(e.Entry.CreateRenderer())
}

func (e *renameEntry) open(s *foldersScreen, v app.RootView) {
	e.s, e.id = s, v.ID
	e.SetText(v.Name)
	e.SetPlaceHolder(v.Label)
	e.Show()
	s.w.win.Canvas().Focus(e)
	e.TypedShortcut(&fyne.ShortcutSelectAll{})
}

// TypedKey implements fyne.Focusable.
func (e *renameEntry) TypedKey(ev *fyne.KeyEvent) {
	if ev.Name == fyne.KeyEscape {
		e.s.rename(e.id, nil)
		return
	}
	e.Entry.TypedKey(ev)
}

// titleLayout places a name, which is cut when there is no room, and remarks
// behind it.
type titleLayout struct{}

func (titleLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(60, max(20, o[0].MinSize().Height))
}

func (titleLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	name, mark, remark := o[0].(*look.Text), o[1], o[2].(*look.Text)
	wide := func(t *look.Text, size float32) float32 {
		return fyne.MeasureText(t.Content, size, t.Style).Width + 1
	}
	room := s.Width
	if mark.Visible() {
		room -= mark.MinSize().Width + look.Gap
	}
	w := min(room, wide(name, look.TextSize))
	if remark.Visible() { // a long remark leaves the name at least half
		w = min(w, max(room/2, room-look.Gap-wide(remark, look.SmallSize)))
	}
	x := float32(0)
	put := func(c fyne.CanvasObject, width float32) {
		h := c.MinSize().Height
		place(c, x, (s.Height-h)/2, width, h)
		x += width + look.Gap
	}
	put(name, w)
	if mark.Visible() {
		put(mark, mark.MinSize().Width)
	}
	if remark.Visible() {
		put(remark, min(s.Width-x, wide(remark, look.SmallSize)))
	}
}
