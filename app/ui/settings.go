package ui

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// settingsScreen holds the few things that can be set, and the words.
type settingsScreen struct {
	w     *Window
	page  *fyne.Container
	seal  *look.Text
	watch *look.Text
}

var themeModes = []look.Mode{look.System, look.Light, look.Dark}

// expiryDays are the values of app.SettingExpiry.
var expiryDays = []string{"", "30", "90"}

func newSettingsScreen(w *Window) *settingsScreen {
	s := &settingsScreen{w: w}
	s.seal, s.watch = look.NewText(""), look.NewText("")
	for _, t := range []*look.Text{s.seal, s.watch} {
		t.Fit, t.Points = look.FitWrap, 13
	}
	chosen := 0
	for i, m := range themeModes {
		if look.Mode(w.core.Setting("theme")) == m {
			chosen = i
		}
	}
	appearance := look.NewChoice([]string{lang.L("As the desktop"), lang.L("Light"), lang.L("Dark")}, chosen,
		func(i int) { w.setTheme(themeModes[i]) })
	appearance.Boxed = true

	var blocked *look.Tick
	blocked = look.NewCheck(lang.L("Let me add places that are blocked"), w.core.Setting(app.SettingAllowBlocked) == "on", func(on bool) {
		value := "off"
		if on {
			value = "on"
		}
		w.do(command{
			run: func(ctx context.Context) error { return w.core.SetSetting(ctx, app.SettingAllowBlocked, value) },
			failed: func(error) bool {
				blocked.SetState(map[bool]look.TickState{true: look.TickOff, false: look.TickOn}[on])
				return false
			},
		})
	})
	blockedHelp := look.NewSmall(lang.L("The whole disk, system folders and the folder of this app can then be added like sensitive places, with a second yes. A server that is told of one may reach far more than your work."))
	blockedHelp.Fit = look.FitWrap

	days := 0
	for i, d := range expiryDays {
		if w.core.Setting(app.SettingExpiry) == d {
			days = i
		}
	}
	expiry := look.NewChoice([]string{lang.L("hold until I take them back"), lang.L("hold for 30 days"), lang.L("hold for 90 days")}, days, func(i int) {
		w.do(command{run: func(ctx context.Context) error { return w.core.SetSetting(ctx, app.SettingExpiry, expiryDays[i]) }})
	})
	expiry.Boxed = true

	dir := look.NewText(w.opts.DataDir)
	dir.Fit, dir.Points = look.FitMiddle, 13
	copyDir := look.NewIconButton(look.IconCopy, lang.L("Copy"), func() {
		w.copyText(w.opts.DataDir, lang.L("The path is on the clipboard."))
	})
	copyDir.Small = true
	w.hints.explained(copyDir)
	version := w.opts.Version
	if version == "" {
		version = lang.L("development build")
	}
	versionText := look.NewText(version)
	versionText.Points = 13
	keys := look.NewButton(lang.L("Keyboard shortcuts"), look.Secondary, w.showShortcuts)
	keys.Icon = look.IconKeyboard

	column := look.Column(look.GapLarge,
		section(lang.L("Appearance"), field(lang.L("Theme"), container.NewHBox(appearance))),
		section(lang.L("Protection"),
			field(lang.L("Decisions"), s.seal),
			field(lang.L("New decisions"), container.NewHBox(expiry)),
			field(lang.L("Folders"), s.watch),
			container.NewHBox(blocked),
			look.Inset(0, 0, 29, 0, blockedHelp)),
		section(lang.L("This profile"),
			field(lang.L("Data folder"), look.Stretch(look.Gap, 0, dir, copyDir)),
			field(lang.L("Version"), versionText),
			container.NewHBox(keys)),
		section(lang.L("The words"), words()),
	)
	s.page = screenOf(head(lang.L("Settings")), nil, container.NewVScroll(look.Around(20, look.Measure(760, column))))
	return s
}

func (s *settingsScreen) content() fyne.CanvasObject { return s.page }
func (s *settingsScreen) filter() *look.SearchEntry  { return nil }

func (s *settingsScreen) apply(snap *app.Snapshot) {
	h := snap.Health
	s.seal.Set(joinSentences(h.SealedText, h.SealedHelp), healthColor(h.Sealed))
	s.watch.Set(joinSentences(h.WatchText, h.WatchHelp), healthColor(h.Watching))
}

func healthColor(good bool) (c fyne.ThemeColorName) {
	if good {
		return look.ColorText
	}
	return look.ColorWarning
}

func section(title string, parts ...fyne.CanvasObject) fyne.CanvasObject {
	return look.Column(look.Gap, look.NewSection(title), look.Panel(look.Inset(14, 14, 16, 16, look.Column(look.GapMedium, parts...))))
}

func field(name string, value fyne.CanvasObject) fyne.CanvasObject {
	k := look.NewText(name)
	k.Color, k.Points = look.ColorMuted, 13
	key := fyne.CanvasObject(k) // centred, but at the top of what may wrap
	if t, ok := value.(*look.Text); ok && t.Fit == look.FitWrap {
		key = container.NewVBox(k)
	}
	return container.NewBorder(nil, nil, look.Width(120, key), nil, value)
}

// words explains what the window says.
func words() fyne.CanvasObject {
	return look.KeyValues(120,
		look.KeyValue{Key: lang.L("Folder"), Value: lang.L("What a server may work in: a folder or a single file of this computer. Programs call it a root.")},
		look.KeyValue{Key: lang.L("Server"), Value: lang.L("A program or web address that an AI app talks to, and that asks which folders to work in.")},
		look.KeyValue{Key: lang.L("Tick"), Value: lang.L("Your yes that this server may be told of this folder. Take it away and the server is told at once.")},
		look.KeyValue{Key: lang.L("Read, write"), Value: lang.L("What you want the server to do with the folder. A server can only be held to it where it is confined.")},
		look.KeyValue{Key: lang.L("Approved"), Value: lang.L("You agreed to start exactly this program with these arguments. If they change, you are asked again.")},
		look.KeyValue{Key: lang.L("Told"), Value: lang.L("The server was told that its folders changed.")},
		look.KeyValue{Key: lang.L("Asked again"), Value: lang.L("The server then asked for the new list and got it.")},
		look.KeyValue{Key: lang.L("Current"), Value: lang.L("The last list the server got is what you see in Access.")},
		look.KeyValue{Key: lang.L("Held back"), Value: lang.L("You allowed the folder, but it is not passed on now because it is missing or cannot be reached. It comes back by itself.")},
		look.KeyValue{Key: lang.L("Asks"), Value: lang.L("The folder is meant for the server, but you have not said yes yet.")},
		look.KeyValue{Key: lang.L("Sensitive"), Value: lang.L("A place that often holds keys, passwords or everything you own. It needs a second yes.")},
	)
}
