package look_test

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"rootsmanager/app/ui/look"
)

// TestGalleryDrawsInBothThemes builds every widget under both themes. Set
// LOOK_PNG to a folder to keep the pictures.
func TestGalleryDrawsInBothThemes(t *testing.T) {
	for _, mode := range []look.Mode{look.Light, look.Dark} {
		t.Run(string(mode), func(t *testing.T) {
			app := test.NewTempApp(t)
			app.Settings().SetTheme(look.NewTheme(mode))
			w := test.NewTempWindow(t, look.On(look.ColorBackground, look.Around(20, gallery())))
			w.SetPadded(false)
			w.Resize(fyne.NewSize(900, 1000))
			w.Resize(fyne.NewSize(901, 1000))
			img := w.Canvas().Capture()
			if img.Bounds().Empty() {
				t.Fatal("nothing was drawn")
			}
			dir := os.Getenv("LOOK_PNG")
			if dir == "" {
				return
			}
			f, err := os.Create(filepath.Join(dir, "gallery-"+string(mode)+".png"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := png.Encode(f, img); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func gallery() fyne.CanvasObject {
	disabled := look.NewButton("Disabled", look.Secondary, nil)
	disabled.Disable()
	icon := look.NewButton("With icon", look.Secondary, nil)
	icon.Icon = look.IconRefresh
	small := look.NewButton("Locate…", look.Secondary, nil)
	small.Small = true
	buttons := look.Row(look.Gap,
		look.NewButton("Add folders…", look.Primary, nil),
		look.NewButton("Restart", look.Secondary, nil),
		look.NewButton("Don’t start", look.Safe, nil),
		look.NewButton("Remove", look.Danger, nil),
		look.NewButton("Quiet", look.Quiet, nil),
		look.NewButton("Try it", look.Link, nil), disabled, icon, small,
		look.NewIconButton(look.IconTrash, "Remove", nil))
	pills := look.Row(look.Gap,
		look.NewPill(look.IconDot, "Reachable", look.Good),
		look.NewPill(look.IconHalf, "Read-only", look.Warn),
		look.NewPill(look.IconCross, "Missing since 11:58", look.Bad),
		look.NewPill(look.IconTurn, "Target changed", look.Info),
		look.NewPill(look.IconRing, "Off", look.Neutral),
		look.NewPill(look.IconCheck, "Has the current folders", look.Good),
		look.NewPill(look.IconWarning, "holds credentials", look.Warn),
		look.NewBadge("1", look.Warn), look.NewBadge("12", look.Good),
		look.NewDot(look.Good), look.NewDot(look.Warn), look.NewDot(look.Bad), look.NewDot(look.Neutral))
	ticks := look.Row(look.GapLarge)
	for s := look.TickOff; s <= look.TickPartial; s++ {
		ticks.Add(look.NewTick(s, nil))
	}
	ticks.Add(look.NewCheck("Remember", true, nil))
	ticks.Add(look.NewChoice([]string{"read", "read and write"}, 0, nil))
	icons := look.Row(look.Gap)
	for _, n := range []look.IconName{look.IconLogo, look.IconGrid, look.IconServer, look.IconFolder, look.IconFile, look.IconGlobe, look.IconActivity, look.IconInbox, look.IconSettings, look.IconPlus, look.IconSearch, look.IconDown, look.IconRight, look.IconLeft, look.IconCheck, look.IconCross, look.IconDot, look.IconHalf, look.IconRing, look.IconLock, look.IconWarning, look.IconInfo, look.IconQuestion, look.IconClock, look.IconRefresh, look.IconCopy, look.IconEdit, look.IconTrash, look.IconUp, look.IconArrowDown, look.IconTurn, look.IconNested, look.IconPower, look.IconEye, look.IconForbidden, look.IconUnplug, look.IconUndo, look.IconKeyboard, look.IconSend} {
		icons.Add(look.NewIcon(n, look.ColorText, 18))
	}
	side := container.NewVBox()
	for i, s := range []*look.SideItem{
		look.NewSideItem(look.IconGrid, "Access", nil), look.NewSideItem(look.IconServer, "Servers", nil),
		look.NewSideItem(look.IconFolder, "Folders", nil), look.NewSideItem(look.IconInbox, "Requests", nil),
	} {
		s.Selected = i == 0
		s.SetMarks("12", "")
		if i == 3 {
			s.SetMarks("", "1")
		}
		side.Add(s)
	}
	path := look.NewPath("/home/user/a/very/long/path/that/leads/to/something/frontend")
	return look.Column(look.GapMedium,
		look.NewHeading("filesystem"), buttons, pills, ticks, icons,
		look.NewCodeBox("/usr/bin/node /home/user/.local/lib/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js --a-long-flag"),
		look.KeyValues(94, look.KeyValue{Key: "Protocol", Value: "2025-11-25 · stdio · started by Roots Manager"}, look.KeyValue{Key: "Told", Value: "12:03:05 – asked again 3 ms later"}),
		look.NewSection("Folders it is told of"),
		look.List(look.Around(12, look.NewBold("frontend")), look.Around(12, path)),
		look.Notice(look.Warn, look.IconWarning, "npx downloads the program when it starts", "Approving this command does not pin what is downloaded."),
		look.Toast(look.Neutral, look.IconTrash, "Removed frontend", look.NewButton("Undo", look.Link, nil)),
		container.NewGridWithColumns(2, look.Width(176, side), look.Column(8, look.NewSearchEntry("Filter folders and servers", nil), look.NewParagraph("Nothing is shared until you tick it. Drop folders here, or let us look for your projects."))),
		look.EmptyState(look.IconLogo, "Choose the folders that AI servers may work in", "Nothing is shared until you tick it.", nil, look.NewButton("Add folders…", look.Primary, nil)),
	)
}
