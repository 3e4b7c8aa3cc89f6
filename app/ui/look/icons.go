package look

import (
	"fmt"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// IconName names one of the line icons.
type IconName string

// The icons. All are drawn on a grid of 24 with round strokes.
const (
	IconNone      IconName = ""
	IconLogo      IconName = "logo"
	IconGrid      IconName = "grid"
	IconServer    IconName = "server"
	IconFolder    IconName = "folder"
	IconFile      IconName = "file"
	IconGlobe     IconName = "globe"
	IconActivity  IconName = "activity"
	IconInbox     IconName = "inbox"
	IconSettings  IconName = "settings"
	IconPlus      IconName = "plus"
	IconSearch    IconName = "search"
	IconDown      IconName = "chevron-down"
	IconRight     IconName = "chevron-right"
	IconLeft      IconName = "chevron-left"
	IconCheck     IconName = "check"
	IconCross     IconName = "cross"
	IconDot       IconName = "dot"
	IconHalf      IconName = "half"
	IconRing      IconName = "ring"
	IconLock      IconName = "lock"
	IconWarning   IconName = "warning"
	IconInfo      IconName = "info"
	IconQuestion  IconName = "question"
	IconClock     IconName = "clock"
	IconRefresh   IconName = "refresh"
	IconCopy      IconName = "copy"
	IconEdit      IconName = "edit"
	IconTrash     IconName = "trash"
	IconUp        IconName = "arrow-up"
	IconArrowDown IconName = "arrow-down"
	IconTurn      IconName = "turn"
	IconNested    IconName = "nested"
	IconPower     IconName = "power"
	IconEye       IconName = "eye"
	IconForbidden IconName = "forbidden"
	IconUnplug    IconName = "unplug"
	IconUndo      IconName = "undo"
	IconKeyboard  IconName = "keyboard"
	IconSend      IconName = "send"
	IconClose     IconName = "close"
)

// stroke is a line; fill is a filled shape. Each icon is a list of elements
// that use the placeholder %[1]s for the colour.
const (
	stroke = ` fill="none" stroke="%[1]s" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>`
	bold   = ` fill="none" stroke="%[1]s" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round"/>`
	fill   = ` fill="%[1]s"/>`
)

var drawings = map[IconName]string{
	IconLogo:      `<circle cx="12" cy="5.6" r="2.9"` + stroke + `<path d="M12 8.6 L12 21"` + stroke + `<path d="M12 17 C11.2 13.4 7.6 11.2 4 11.2 C4.4 14.8 7.4 17.2 12 17"` + stroke + `<path d="M12 17 C12.8 13.4 16.4 11.2 20 11.2 C19.6 14.8 16.6 17.2 12 17"` + stroke,
	IconGrid:      `<path d="M4 4 H20 V20 H4 Z"` + stroke + `<path d="M4 10 H20"` + stroke + `<path d="M10 4 V20"` + stroke,
	IconServer:    `<path d="M6 4 H18 C19.1 4 20 4.9 20 6 V9 C20 10.1 19.1 11 18 11 H6 C4.9 11 4 10.1 4 9 V6 C4 4.9 4.9 4 6 4 Z"` + stroke + `<path d="M6 13.5 H18 C19.1 13.5 20 14.4 20 15.5 V18.5 C20 19.6 19.1 20.5 18 20.5 H6 C4.9 20.5 4 19.6 4 18.5 V15.5 C4 14.4 4.9 13.5 6 13.5 Z"` + stroke + `<circle cx="8" cy="7.5" r="1.2"` + fill + `<circle cx="8" cy="17" r="1.2"` + fill,
	IconFolder:    `<path d="M3 7 C3 5.9 3.9 5 5 5 H9 L11.5 7.5 H19 C20.1 7.5 21 8.4 21 9.5 V17 C21 18.1 20.1 19 19 19 H5 C3.9 19 3 18.1 3 17 Z"` + stroke,
	IconFile:      `<path d="M6 3 H14 L19 8 V20 C19 20.6 18.6 21 18 21 H6 C5.4 21 5 20.6 5 20 V4 C5 3.4 5.4 3 6 3 Z"` + stroke + `<path d="M14 3 V8 H19"` + stroke,
	IconGlobe:     `<circle cx="12" cy="12" r="9"` + stroke + `<path d="M3 12 H21"` + stroke + `<path d="M12 3 C15 6 16 9 16 12 C16 15 15 18 12 21 C9 18 8 15 8 12 C8 9 9 6 12 3 Z"` + stroke,
	IconActivity:  `<path d="M4 6 H20"` + stroke + `<path d="M4 12 H20"` + stroke + `<path d="M4 18 H13"` + stroke,
	IconInbox:     `<path d="M4 13 L6.5 5 H17.5 L20 13 V18 C20 18.6 19.6 19 19 19 H5 C4.4 19 4 18.6 4 18 Z"` + stroke + `<path d="M4 13 H9 C9 15 10.3 16 12 16 C13.7 16 15 15 15 13 H20"` + stroke,
	IconSettings:  `<path d="M4 7 H13"` + stroke + `<path d="M19 7 H20"` + stroke + `<circle cx="16" cy="7" r="2.6"` + stroke + `<path d="M4 17 H5"` + stroke + `<path d="M11 17 H20"` + stroke + `<circle cx="8" cy="17" r="2.6"` + stroke,
	IconPlus:      `<path d="M12 5 V19"` + stroke + `<path d="M5 12 H19"` + stroke,
	IconSearch:    `<circle cx="11" cy="11" r="6.5"` + stroke + `<path d="M16 16 L20.5 20.5"` + stroke,
	IconDown:      `<path d="M6 9.5 L12 15.5 L18 9.5"` + stroke,
	IconRight:     `<path d="M9.5 6 L15.5 12 L9.5 18"` + stroke,
	IconLeft:      `<path d="M14.5 6 L8.5 12 L14.5 18"` + stroke,
	IconCheck:     `<path d="M4.5 12.5 L9.5 17.5 L19.5 6.5"` + bold,
	IconCross:     `<path d="M6 6 L18 18"` + bold + `<path d="M18 6 L6 18"` + bold,
	IconDot:       `<circle cx="12" cy="12" r="8"` + fill,
	IconHalf:      `<circle cx="12" cy="12" r="8"` + stroke + `<path d="M12 4 A8 8 0 0 0 12 20 Z"` + fill,
	IconRing:      `<circle cx="12" cy="12" r="8"` + bold,
	IconLock:      `<path d="M6 11 H18 V20 H6 Z"` + stroke + `<path d="M8.5 11 V7.5 C8.5 5.6 10.1 4 12 4 C13.9 4 15.5 5.6 15.5 7.5 V11"` + stroke,
	IconWarning:   `<path d="M12 4 L21.5 20 H2.5 Z"` + stroke + `<path d="M12 10 V14.5"` + stroke + `<circle cx="12" cy="17.3" r="1.2"` + fill,
	IconInfo:      `<circle cx="12" cy="12" r="9"` + stroke + `<path d="M12 11 V16.5"` + stroke + `<circle cx="12" cy="7.8" r="1.3"` + fill,
	IconQuestion:  `<path d="M8 9 C8 6.5 9.8 5 12 5 C14.2 5 16 6.6 16 8.8 C16 11.6 12 11.8 12 15"` + stroke + `<circle cx="12" cy="19" r="1.4"` + fill,
	IconClock:     `<circle cx="12" cy="12" r="9"` + stroke + `<path d="M12 7 V12 L15.5 14"` + stroke,
	IconRefresh:   `<path d="M19.5 9 C18.3 6.1 15.4 4 12 4 C7.6 4 4 7.6 4 12 C4 16.4 7.6 20 12 20 C15.4 20 18.3 17.9 19.5 15"` + stroke + `<path d="M20 4 V9 H15"` + stroke,
	IconCopy:      `<path d="M9 9 H20 V20 H9 Z"` + stroke + `<path d="M15 9 V4 H4 V15 H9"` + stroke,
	IconEdit:      `<path d="M4 20 L5 15.5 L16 4.5 L19.5 8 L8.5 19 Z"` + stroke + `<path d="M13.5 7 L17 10.5"` + stroke,
	IconTrash:     `<path d="M4 7 H20"` + stroke + `<path d="M9 7 V4 H15 V7"` + stroke + `<path d="M6 7 L7 20 H17 L18 7"` + stroke,
	IconUp:        `<path d="M12 19 V5"` + stroke + `<path d="M6 11 L12 5 L18 11"` + stroke,
	IconArrowDown: `<path d="M12 5 V19"` + stroke + `<path d="M6 13 L12 19 L18 13"` + stroke,
	IconTurn:      `<path d="M4 19 V13 C4 11.3 5.3 10 7 10 H19"` + stroke + `<path d="M14 5 L19 10 L14 15"` + stroke,
	IconNested:    `<path d="M6 4 V12 C6 13.7 7.3 15 9 15 H19"` + stroke + `<path d="M14 10 L19 15 L14 20"` + stroke,
	IconPower:     `<path d="M12 3.5 V12"` + stroke + `<path d="M7 6.5 C5.2 7.9 4 10.1 4 12.5 C4 16.9 7.6 20.5 12 20.5 C16.4 20.5 20 16.9 20 12.5 C20 10.1 18.8 7.9 17 6.5"` + stroke,
	IconEye:       `<path d="M2.5 12 C4.5 8 8 5.8 12 5.8 C16 5.8 19.5 8 21.5 12 C19.5 16 16 18.2 12 18.2 C8 18.2 4.5 16 2.5 12 Z"` + stroke + `<circle cx="12" cy="12" r="2.8"` + stroke,
	IconForbidden: `<circle cx="12" cy="12" r="8.5"` + stroke + `<path d="M6.2 17.8 L17.8 6.2"` + stroke,
	IconUnplug:    `<path d="M9 3 V8"` + stroke + `<path d="M15 3 V8"` + stroke + `<path d="M6 8 H18 V11 C18 14.3 15.3 17 12 17 C8.7 17 6 14.3 6 11 Z"` + stroke + `<path d="M12 17 V21"` + stroke,
	IconUndo:      `<path d="M4 9 H14 C17.3 9 20 11.5 20 14.5 C20 17.5 17.3 20 14 20 H8"` + stroke + `<path d="M9 4 L4 9 L9 14"` + stroke,
	IconKeyboard:  `<path d="M3 6 H21 V18 H3 Z"` + stroke + `<path d="M8 14 H16"` + stroke + `<circle cx="8" cy="10" r="1.2"` + fill + `<circle cx="12" cy="10" r="1.2"` + fill + `<circle cx="16" cy="10" r="1.2"` + fill,
	IconClose:     `<path d="M6.5 6.5 L17.5 17.5"` + stroke + `<path d="M17.5 6.5 L6.5 17.5"` + stroke,
	IconSend:      `<path d="M4 12 H20"` + stroke + `<path d="M14 6 L20 12 L14 18"` + stroke,
}

// resource is an SVG in one colour; Fyne caches by name, so the colour is in it.
type resource struct {
	name string
	body string
}

func (r *resource) Name() string    { return r.name }
func (r *resource) Content() []byte { return []byte(r.body) }

// Resource is an icon in a colour of the current theme, for Fyne widgets that
// want a resource (menus, windows). It does not follow a change of theme.
func Resource(name IconName, c fyne.ThemeColorName) fyne.Resource {
	return iconResource(name, Color(c))
}

func iconResource(name IconName, c color.Color) fyne.Resource {
	hex := hexOf(c)
	return svgResource("look-"+string(name)+"-"+hex, fmt.Sprintf(drawings[name], "#"+hex))
}

func svgResource(name, body string) fyne.Resource {
	return &resource{
		name: name + ".svg",
		body: `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24">` + body + `</svg>`,
	}
}

func hexOf(c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("%02x%02x%02x", n.R, n.G, n.B)
}

// Icon shows an [IconName] in a named colour and follows the theme.
type Icon struct {
	widget.BaseWidget
	Name  IconName
	Color fyne.ThemeColorName
	Side  float32 // width and height, default 18
}

// NewIcon returns an icon of a size in pixels.
func NewIcon(name IconName, c fyne.ThemeColorName, size float32) *Icon {
	i := &Icon{Name: name, Color: c, Side: size}
	i.ExtendBaseWidget(i)
	return i
}

// Set changes what is shown; it is cheap if nothing differs.
func (i *Icon) Set(name IconName, c fyne.ThemeColorName) {
	if i.Name == name && i.Color == c {
		return
	}
	i.Name, i.Color = name, c
	i.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (i *Icon) CreateRenderer() fyne.WidgetRenderer {
	i.ExtendBaseWidget(i)
	r := &iconRenderer{i: i, img: &canvas.Image{FillMode: canvas.ImageFillContain}}
	r.apply()
	return r
}

type iconRenderer struct {
	i    *Icon
	img  *canvas.Image
	name string
}

func (r *iconRenderer) Destroy()                     {}
func (r *iconRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.img} }

func (r *iconRenderer) side() float32 {
	if r.i.Side == 0 {
		return 18
	}
	return r.i.Side
}

func (r *iconRenderer) MinSize() fyne.Size { return fyne.NewSquareSize(r.side()) }

func (r *iconRenderer) Layout(s fyne.Size) {
	side := r.side()
	r.img.Resize(fyne.NewSquareSize(side))
	r.img.Move(fyne.NewPos((s.Width-side)/2, (s.Height-side)/2))
}

func (r *iconRenderer) apply() bool {
	if r.i.Name == IconNone {
		r.img.Hide()
		return false
	}
	c := r.i.Color
	if c == "" {
		c = ColorText
	}
	res := Resource(r.i.Name, c)
	r.img.Show()
	if res.Name() == r.name {
		return false
	}
	r.name = res.Name()
	r.img.Resource = res
	r.img.Image = nil
	return true
}

func (r *iconRenderer) Refresh() {
	r.Layout(r.i.Size())
	if r.apply() { // drawing an SVG again costs more than all the rest
		r.img.Refresh()
	}
}
