package ui

import (
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// sideBar is the left edge of the window: the workspace, the screens, and
// whether decisions are sealed and folders watched.
type sideBar struct {
	w      *Window
	folded bool

	box       *fyne.Container
	workspace *look.Text
	kind      *look.Text
	letter    *look.Text
	wide      *fyne.Container
	narrow    *fyne.Container
	items     map[screenName]*look.SideItem
	seal      *healthLine
	watch     *healthLine
}

func newSideBar(w *Window) *sideBar {
	s := &sideBar{w: w, items: map[screenName]*look.SideItem{}}
	s.workspace = look.NewBold("")
	s.workspace.Fit = look.FitEnd
	s.kind = look.NewSmall("")
	s.kind.Points = 11
	s.letter = look.NewBold("")
	s.letter.Align = fyne.TextAlignCenter
	s.wide = look.Panel(look.Inset(8, 8, 10, 10, look.Column(0, s.workspace, s.kind)))
	s.narrow = look.Panel(look.Height(34, look.Middle(s.letter)))

	nav := container.New(layout.NewCustomPaddedVBoxLayout(2))
	for _, e := range []struct {
		name screenName
		icon look.IconName
		text string
	}{
		{screenAccess, look.IconGrid, lang.L("Access")},
		{screenServers, look.IconServer, lang.L("Servers")},
		{screenFolders, look.IconFolder, lang.L("Folders")},
		{screenActivity, look.IconActivity, lang.L("Activity")},
		{screenRequests, look.IconInbox, lang.L("Requests")},
		{screenDecided, look.IconLock, lang.L("Decisions")},
	} {
		nav.Add(s.item(e.name, e.icon, e.text))
	}
	s.seal = newHealthLine(w)
	s.watch = newHealthLine(w)
	foot := look.Column(look.GapTiny, s.seal, s.watch,
		look.Inset(look.Gap, 0, 0, 0, s.item(screenSettings, look.IconSettings, lang.L("Settings"))))
	top := look.Column(16, container.NewStack(s.wide, s.narrow), nav)
	s.box = look.Inset(12, 12, 12, 12, container.NewBorder(top, foot, nil, nil))
	s.narrow.Hide()
	s.apply(w.snap)
	return s
}

func (s *sideBar) item(name screenName, icon look.IconName, text string) *look.SideItem {
	i := look.NewSideItem(icon, text, func() { s.w.show(name) })
	i.OnHover = func(in bool) { s.w.hints.beside(i, in && s.folded, text) }
	s.items[name] = i
	return i
}

func (s *sideBar) content() fyne.CanvasObject { return s.box }

// fold shows icons only.
func (s *sideBar) fold(on bool) {
	if s.folded == on {
		return
	}
	s.folded = on
	if on {
		s.wide.Hide()
		s.narrow.Show()
	} else {
		s.narrow.Hide()
		s.wide.Show()
	}
	for _, i := range s.items {
		i.Folded = on
		i.Refresh()
	}
	s.seal.fold(on)
	s.watch.fold(on)
}

func (s *sideBar) choose(name screenName) {
	for n, i := range s.items {
		i.SetSelected(n == name)
	}
}

func (s *sideBar) apply(snap *app.Snapshot) {
	name := snap.Workspace.Name
	if name == "" {
		name = lang.L("My folders")
	}
	s.workspace.SetContent(name)
	kind := lang.L("workspace")
	if s.w.opts.Demo {
		kind = lang.L("demo · nothing is kept")
	}
	s.kind.SetContent(kind)
	for _, r := range name {
		s.letter.SetContent(string(r))
		break
	}
	s.items[screenServers].SetMarks(number(len(snap.Servers)), "")
	s.items[screenFolders].SetMarks(number(len(snap.Roots)), "")
	badge := ""
	if n := len(openRequests(snap)); n > 0 {
		badge = strconv.Itoa(n)
	}
	s.items[screenRequests].SetMarks("", badge)
	h := snap.Health
	s.seal.set(h.Sealed, h.SealedText, h.SealedHelp)
	s.watch.set(h.Watching, h.WatchText, h.WatchHelp)
}
