package ui

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// Options say how the window is made. All may be left zero, except that
// Dialogs and Picker are needed to answer questions and to choose folders.
type Options struct {
	Title   string // of the window; default "Roots Manager"
	Version string // shown in Settings
	DataDir string // shown in Settings
	Demo    bool   // says in the side bar that nothing here is kept
	Program string // path of this program, for the built-in server; default os.Executable
	Dialogs Dialogs
	Picker  Picker
	Logger  *slog.Logger // default: discard
}

// Window is the one window. Its methods belong to the Fyne goroutine, except
// where they say otherwise.
type Window struct {
	app  fyne.App
	win  fyne.Window
	core Core
	opts Options
	log  *slog.Logger

	ctx    context.Context // ends when the window closes
	cancel context.CancelFunc
	wait   sync.WaitGroup
	spawn  func(func()) // runs a command; tests run it at once
	now    func() time.Time

	latest  atomic.Pointer[app.Snapshot]
	pending atomic.Bool
	snap    *app.Snapshot

	shell     *fyne.Container
	standing  *standing
	side      *sideBar
	body      *fyne.Container
	screens   map[screenName]screen
	current   screenName
	shade     string // the colours the screens were built in
	notices   *notices
	hints     *hints
	questions *questions
}

// screenName names a screen.
type screenName string

const (
	screenAccess   screenName = "access"
	screenServers  screenName = "servers"
	screenFolders  screenName = "folders"
	screenActivity screenName = "activity"
	screenRequests screenName = "requests"
	screenDecided  screenName = "decisions"
	screenSettings screenName = "settings"
	screenProjects screenName = "projects"
)

// screen is one page of the window.
type screen interface {
	// content is built once.
	content() fyne.CanvasObject
	// apply shows a snapshot. It is called for the screen in view only, and
	// once when it comes into view.
	apply(*app.Snapshot)
	// filter is the screen's filter box, nil if it has none.
	filter() *look.SearchEntry
}

// New builds the window over a core. Show it with [Window.Run] or
// [Window.Show]; it follows the core's snapshots until it is closed.
func New(a fyne.App, core Core, opts Options) *Window {
	if opts.Title == "" {
		opts.Title = "Roots Manager"
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	w := &Window{app: a, core: core, opts: opts, log: opts.Logger, now: time.Now}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.spawn = func(f func()) { w.wait.Go(f) }
	a.Settings().SetTheme(look.NewTheme(look.Mode(core.Setting("theme"))))
	w.win = a.NewWindow(opts.Title)
	w.win.SetPadded(false)
	w.win.SetMaster()
	w.snap = core.Snapshot()
	w.notices = newNotices(w)
	w.hints = newHints()
	w.questions = newQuestions(w)
	w.side = newSideBar(w)
	w.screens = map[screenName]screen{}
	w.buildScreens()
	w.body = container.NewStack()
	w.standing = newStanding(w)
	w.shell = container.New(&shellLayout{w: w},
		look.On(look.ColorPanel, w.side.content()), look.VLine(), w.body, w.notices.content(), w.standing.content())
	w.standing.apply(w.snap)
	w.win.SetContent(container.NewStack(look.NewSurface(look.ColorBackground, "", 0), w.shell, w.hints.content()))
	w.win.Resize(w.lastSize())
	w.win.SetOnDropped(func(_ fyne.Position, uris []fyne.URI) { w.dropped(uris) })
	w.win.SetOnClosed(w.close)
	w.win.SetCloseIntercept(w.quit)
	w.addShortcuts()
	w.show(screenAccess)
	return w
}

// buildScreens builds all screens but the one in view.
func (w *Window) buildScreens() {
	for name, build := range map[screenName]func() screen{
		screenAccess:   func() screen { return newAccessScreen(w) },
		screenServers:  func() screen { return newServersScreen(w) },
		screenFolders:  func() screen { return newFoldersScreen(w) },
		screenActivity: func() screen { return newActivityScreen(w) },
		screenRequests: func() screen { return newRequestsScreen(w) },
		screenSettings: func() screen { return newSettingsScreen(w) },
		screenDecided:  func() screen { return newDecisionsScreen(w) },
		screenProjects: func() screen { return newProjectsScreen(w) },
	} {
		if name != w.current {
			w.screens[name] = build()
		}
	}
	w.shade = look.Shade()
}

// Window is the Fyne window.
func (w *Window) Window() fyne.Window { return w.win }

// Ask queues a dialog of the caller's own; show calls done when it is gone.
func (w *Window) Ask(show func(done func()) (dismiss func())) { w.questions.ask(show) }

// Show opens the window and follows the core. It returns at once.
func (w *Window) Show() {
	w.follow()
	w.win.Show()
}

// Run opens the window and returns when it was closed and every command it
// started has ended.
func (w *Window) Run() {
	w.follow()
	w.win.ShowAndRun()
	w.close()
	w.wait.Wait()
}

// follow starts to receive snapshots and a slow clock.
func (w *Window) follow() {
	stop := w.core.Subscribe(w.receive)
	w.wait.Go(func() {
		defer stop()
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-w.ctx.Done():
				return
			case <-tick.C:
				fyne.Do(func() {
					if w.ctx.Err() == nil {
						w.clock()
					}
				})
			}
		}
	})
}

func (w *Window) close() { w.cancel() }

func (w *Window) quit() {
	w.keepSize()
	w.win.Close()
}

// The window's size is all that is kept in Fyne's preferences: they are not
// written atomically, so nothing that matters goes there.
const (
	sizeWidth  = "window-width"
	sizeHeight = "window-height"
)

func (w *Window) lastSize() fyne.Size {
	p := w.app.Preferences()
	width, height := p.FloatWithFallback(sizeWidth, 1280), p.FloatWithFallback(sizeHeight, 800)
	return fyne.NewSize(float32(min(max(width, 720), 4000)), float32(min(max(height, 480), 3000)))
}

func (w *Window) keepSize() {
	s := w.win.Canvas().Size()
	p := w.app.Preferences()
	if old := w.lastSize(); old != s {
		p.SetFloat(sizeWidth, float64(s.Width))
		p.SetFloat(sizeHeight, float64(s.Height))
	}
}

// receive takes a snapshot on any goroutine. However many come, one call on
// the Fyne goroutine is under way at a time, and it shows the newest.
func (w *Window) receive(s *app.Snapshot) {
	w.latest.Store(s)
	if w.ctx.Err() != nil || !w.pending.CompareAndSwap(false, true) {
		return
	}
	fyne.Do(func() {
		w.pending.Store(false)
		if w.ctx.Err() == nil {
			w.apply(w.latest.Load())
		}
	})
}

// apply shows a snapshot.
func (w *Window) apply(s *app.Snapshot) {
	if s == nil || w.snap != nil && s.Seq < w.snap.Seq {
		return
	}
	w.snap = s
	w.side.apply(s)
	w.standing.apply(s)
	w.screens[w.current].apply(s)
	w.notices.apply(s)
	w.questions.apply(s)
}

// clock is called about once a second.
func (w *Window) clock() {
	w.notices.clock(w.now())
	if c, ok := w.screens[w.current].(interface{ clock() }); ok {
		c.clock()
	}
}

// show brings a screen into view.
func (w *Window) show(name screenName) {
	if w.current == name {
		return
	}
	if shade := look.Shade(); shade != w.shade {
		w.buildScreens() // Fyne recolours only what is in the window
	}
	w.current = name
	w.hints.show("", fyne.Position{})
	s := w.screens[name]
	w.body.Objects = []fyne.CanvasObject{s.content()}
	s.apply(w.snap)
	w.side.choose(name)
	w.body.Refresh()
	// A button of the screen that went would still hear Space.
	if _, beside := w.win.Canvas().Focused().(*look.SideItem); !beside {
		w.win.Canvas().Unfocus()
	}
}

// setTheme changes the theme now and keeps the choice.
func (w *Window) setTheme(mode look.Mode) {
	w.app.Settings().SetTheme(look.NewTheme(mode))
	w.do(command{run: func(ctx context.Context) error { return w.core.SetSetting(ctx, "theme", string(mode)) }})
}

// Widths of the side bar, and the window's width below which it folds.
const (
	sideWide   float32 = 200
	sideFolded float32 = 60
	foldBelow  float32 = 1000
)

// shellLayout places side bar, its line, the screen, and the notices on top.
type shellLayout struct{ w *Window }

func (l *shellLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(720, 480) }

func (l *shellLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	side := sideWide
	if s.Width < foldBelow {
		side = sideFolded
	}
	l.w.side.fold(side == sideFolded)
	place(o[0], 0, 0, side-1, s.Height)
	place(o[1], side-1, 0, 1, s.Height)
	top := l.w.standing.height(s.Width - side)
	place(o[2], side, top, s.Width-side, s.Height-top)
	place(o[3], side, 0, s.Width-side, s.Height)
	place(o[4], side, 0, s.Width-side, top)
}

// head is the bar above a screen: the title, and at the right what can be done.
type headBar struct {
	*fyne.Container
	actions *fyne.Container
}

func head(title string, right ...fyne.CanvasObject) *headBar {
	t := look.NewTitle(title)
	t.Fit = look.FitEnd
	actions := look.Row(look.Gap, right...)
	row := look.Stretch(look.GapMedium, 0, t, actions)
	bar := look.Below(look.Height(look.HeadHeight-1, look.Inset(0, 0, 20, 20, row)), nil, look.HLine())
	return &headBar{container.NewStack(look.NewSurface(look.ColorPanel, "", 0), bar), actions}
}

// screenOf puts a head above and an optional foot below the middle of a screen.
func screenOf(head *headBar, foot, middle fyne.CanvasObject) *fyne.Container {
	return look.Below(head.Container, middle, foot)
}

// addFoldersButton is the primary button of most screens.
func (w *Window) addFoldersButton() *look.Button {
	return look.NewButton(lang.L("Add folders…"), look.Primary, w.addFolders)
}
