package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app/ui/look"
)

// shortcut is a key that works anywhere in the window. Ctrl+1 to Ctrl+9 are
// kept free for workspaces.
type shortcut struct {
	key  fyne.KeyName
	mod  fyne.KeyModifier
	show string // the keys, as people write them
	what string
	do   func()
}

func (w *Window) shortcuts() []shortcut {
	ctrl := fyne.KeyModifierShortcutDefault
	screen := func(n screenName) func() { return func() { w.show(n) } }
	return []shortcut{
		{fyne.KeyO, ctrl, "Ctrl+O", lang.L("Add folders"), w.addFolders},
		{fyne.KeyL, ctrl, "Ctrl+L", lang.L("Type a path"), w.typePath},
		{fyne.KeyP, ctrl, "Ctrl+P", lang.L("Find projects"), w.openProjects},
		{fyne.KeyN, ctrl, "Ctrl+N", lang.L("Add a server"), w.addServer},
		{fyne.KeyF, ctrl, "Ctrl+F", lang.L("Filter"), w.focusFilter},
		{fyne.KeyZ, ctrl, "Ctrl+Z", lang.L("Undo the last change"), w.undo},
		{fyne.Key1, fyne.KeyModifierAlt, "Alt+1", lang.L("Access"), screen(screenAccess)},
		{fyne.Key2, fyne.KeyModifierAlt, "Alt+2", lang.L("Servers"), screen(screenServers)},
		{fyne.Key3, fyne.KeyModifierAlt, "Alt+3", lang.L("Folders"), screen(screenFolders)},
		{fyne.Key4, fyne.KeyModifierAlt, "Alt+4", lang.L("Activity"), screen(screenActivity)},
		{fyne.Key5, fyne.KeyModifierAlt, "Alt+5", lang.L("Requests"), screen(screenRequests)},
		{fyne.Key6, fyne.KeyModifierAlt, "Alt+6", lang.L("Decisions"), screen(screenDecided)},
		{fyne.KeyComma, ctrl, "Ctrl+,", lang.L("Settings"), screen(screenSettings)},
		{fyne.KeyUp, fyne.KeyModifierAlt, "Alt+↑", lang.L("Move the chosen folder up"), func() { w.moveFolder(-1) }},
		{fyne.KeyDown, fyne.KeyModifierAlt, "Alt+↓", lang.L("Move the chosen folder down"), func() { w.moveFolder(1) }},
		{fyne.KeyQ, ctrl, "Ctrl+Q", lang.L("Quit"), w.quit},
	}
}

// keysOnly are keys that are explained in the sheet but served elsewhere.
func keysOnly() []shortcut {
	return []shortcut{
		{show: "←↑↓→", what: lang.L("Move in the Access grid")},
		{show: "Space", what: lang.L("Tick or untick")},
		{show: "R, W", what: lang.L("Read, or read and write, for a ticked folder")},
		{show: "Enter", what: lang.L("Choose the access; open a server or folder from its head")},
		{show: "F2", what: lang.L("Rename the chosen folder")},
		{show: "Delete", what: lang.L("Remove the chosen folder")},
		{show: "F1", what: lang.L("This list")},
	}
}

func (w *Window) addShortcuts() {
	cv := w.win.Canvas()
	for _, s := range w.shortcuts() {
		cv.AddShortcut(&desktop.CustomShortcut{KeyName: s.key, Modifier: s.mod}, func(fyne.Shortcut) {
			if w.questions.open == nil {
				s.do()
			}
		})
	}
	// Fyne turns Ctrl+Z into a shortcut of its own for entries.
	cv.AddShortcut(&fyne.ShortcutUndo{}, func(fyne.Shortcut) {
		if w.questions.open == nil {
			w.undo()
		}
	})
	cv.SetOnTypedKey(w.typedKey)
}

// typedKey serves keys that no widget had a use for.
func (w *Window) typedKey(ev *fyne.KeyEvent) {
	if w.questions.open != nil {
		return
	}
	f, onFolders := w.screens[w.current].(*foldersScreen)
	switch ev.Name {
	case fyne.KeyF1:
		w.showShortcuts()
	case fyne.KeyEscape:
		w.notices.clear()
	case fyne.KeyF2:
		if onFolders {
			f.edit(f.selected)
		}
	case fyne.KeyDelete:
		if at := -1; onFolders {
			if at = f.index(f.selected); at >= 0 {
				f.remove(f.selected, w.snap.Roots[at].Label)
			}
		}
	case fyne.KeyUp, fyne.KeyDown, fyne.KeyLeft, fyne.KeyRight, fyne.KeyHome, fyne.KeyEnd:
		if a, ok := w.screens[w.current].(*accessScreen); ok && w.win.Canvas().Focused() == nil {
			a.focusGrid()
		}
	}
}

func (w *Window) focusFilter() {
	if f := w.screens[w.current].filter(); f != nil {
		w.win.Canvas().Focus(f)
		f.TypedShortcut(&fyne.ShortcutSelectAll{})
	}
}

func (w *Window) moveFolder(by int) {
	if f, ok := w.screens[w.current].(*foldersScreen); ok {
		f.move(f.selected, by)
	}
}

// showShortcuts opens the sheet of keys, through the queue of dialogs.
func (w *Window) showShortcuts() {
	w.questions.ask(func(done func()) func() {
		var rows []look.KeyValue
		for _, s := range append(w.shortcuts(), keysOnly()...) {
			rows = append(rows, look.KeyValue{Key: s.show, Value: s.what})
		}
		half := (len(rows) + 1) / 2
		body := container.NewGridWithColumns(2, look.KeyValues(70, rows[:half]...), look.KeyValues(70, rows[half:]...))
		cv := w.win.Canvas()
		before := cv.OnTypedKey()
		var sheet *fyne.Container
		closed := false
		remove := func() {
			if closed {
				return
			}
			closed = true
			cv.SetOnTypedKey(before)
			cv.Overlays().Remove(sheet)
		}
		leave := func() { remove(); done() }
		button := look.NewButton(lang.L("Close"), look.Safe, leave)
		column := look.Column(look.GapLarge, look.NewTitle(lang.L("Keyboard shortcuts")), body, container.NewBorder(nil, nil, nil, button))
		sheet = container.NewStack(look.NewSurface(look.ColorScrim, "", 0),
			container.NewCenter(container.NewStack(look.NewSurface(look.ColorPanel, look.ColorLine, look.DialogRadius), look.Width(700, look.Around(24, column)))))
		cv.Overlays().Add(sheet)
		sheet.Resize(cv.Size())
		cv.SetOnTypedKey(func(ev *fyne.KeyEvent) {
			switch ev.Name {
			case fyne.KeyEscape, fyne.KeyReturn, fyne.KeyEnter, fyne.KeyF1:
				leave()
			}
		})
		cv.Focus(button)
		return remove
	})
}
