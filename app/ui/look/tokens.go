package look

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Names of the colours Fyne has no name for. Use them with [Color] and with
// the widgets of this package.
const (
	ColorText                            = theme.ColorNameForeground
	ColorMuted       fyne.ThemeColorName = "rootsMuted"
	ColorBackground                      = theme.ColorNameBackground
	ColorPanel       fyne.ThemeColorName = "rootsPanel"
	ColorLine        fyne.ThemeColorName = "rootsLine"
	ColorEdge        fyne.ThemeColorName = "rootsEdge" // the border of a tick box
	ColorAccent      fyne.ThemeColorName = "rootsAccent"
	ColorAccentSoft  fyne.ThemeColorName = "rootsAccentSoft"
	ColorOnAccent    fyne.ThemeColorName = "rootsOnAccent"
	ColorAccentHover fyne.ThemeColorName = "rootsAccentHover"
	ColorHeld        fyne.ThemeColorName = "rootsHeld" // a faded tick
	ColorWarning     fyne.ThemeColorName = "rootsWarning"
	ColorWarningSoft fyne.ThemeColorName = "rootsWarningSoft"
	ColorError       fyne.ThemeColorName = "rootsError"
	ColorErrorSoft   fyne.ThemeColorName = "rootsErrorSoft"
	ColorInfo        fyne.ThemeColorName = "rootsInfo"
	ColorInfoSoft    fyne.ThemeColorName = "rootsInfoSoft"
	ColorChip        fyne.ThemeColorName = "rootsChip"
	ColorHover       fyne.ThemeColorName = "rootsHover"
	ColorScrim       fyne.ThemeColorName = "rootsScrim" // behind a dialog
)

// Sizes of type and space, in Fyne's density-independent pixels.
const (
	TextSize    float32 = 14
	SmallSize   float32 = 12
	TitleSize   float32 = 18
	HeadingSize float32 = 20

	GapTiny   float32 = 4
	Gap       float32 = 8
	GapMedium float32 = 12
	GapLarge  float32 = 20

	Radius       float32 = 6
	DialogRadius float32 = 10

	RowHeight    float32 = 56 // 52 and a comfortable line
	ButtonHeight float32 = 34
	HeadHeight   float32 = 56 // the bar above every screen
)

// palette is one theme's colours.
type palette map[fyne.ThemeColorName]color.NRGBA

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func rgba(v uint32, alpha uint8) color.NRGBA {
	c := rgb(v)
	c.A = alpha
	return c
}

// The tokens of shared/design, with the muted tone of the light theme and the
// error tone of the dark one moved until they hold 4.5:1 on every soft
// background they meet.
var (
	lightColors = palette{
		ColorBackground:  rgb(0xF6F7F5),
		ColorPanel:       rgb(0xFFFFFF),
		ColorLine:        rgb(0xE3E6E1),
		ColorEdge:        rgb(0x7A847D),
		ColorText:        rgb(0x1D2420),
		ColorMuted:       rgb(0x5F6962),
		ColorAccent:      rgb(0x1F7A5C),
		ColorAccentSoft:  rgb(0xE3F1EB),
		ColorOnAccent:    rgb(0xFFFFFF),
		ColorAccentHover: rgb(0x1A6A50),
		ColorHeld:        rgb(0x9CC4B4),
		ColorWarning:     rgb(0x8A5A0B),
		ColorWarningSoft: rgb(0xFBF1DD),
		ColorError:       rgb(0xB93A32),
		ColorErrorSoft:   rgb(0xFBE7E5),
		ColorInfo:        rgb(0x3B6EA8),
		ColorInfoSoft:    rgb(0xE6EEF7),
		ColorChip:        rgb(0xEEF0ED),
		ColorHover:       rgb(0xF1F4F0),
		ColorScrim:       rgba(0x0E1411, 0x73),
	}
	darkColors = palette{
		ColorBackground:  rgb(0x161A18),
		ColorPanel:       rgb(0x1E2421),
		ColorLine:        rgb(0x2F3733),
		ColorEdge:        rgb(0x7C8881),
		ColorText:        rgb(0xE8ECE9),
		ColorMuted:       rgb(0x97A29B),
		ColorAccent:      rgb(0x4FBF97),
		ColorAccentSoft:  rgb(0x203830),
		ColorOnAccent:    rgb(0x0F1714),
		ColorAccentHover: rgb(0x66CDA8),
		ColorHeld:        rgb(0x33634F),
		ColorWarning:     rgb(0xE0AE54),
		ColorWarningSoft: rgb(0x3A3120),
		ColorError:       rgb(0xE8837B),
		ColorErrorSoft:   rgb(0x3D2624),
		ColorInfo:        rgb(0x7FAEE0),
		ColorInfoSoft:    rgb(0x22303F),
		ColorChip:        rgb(0x2A312D),
		ColorHover:       rgb(0x252C28),
		ColorScrim:       rgba(0x000000, 0x8C),
	}
)

// Tone is what a pill, a dot or a message means.
type Tone int

// The tones.
const (
	Neutral Tone = iota
	Good
	Warn
	Bad
	Info
)

// Color is the colour of text and shapes in this tone.
func (t Tone) Color() fyne.ThemeColorName {
	switch t {
	case Good:
		return ColorAccent
	case Warn:
		return ColorWarning
	case Bad:
		return ColorError
	case Info:
		return ColorInfo
	}
	return ColorMuted
}

// Soft is the background that belongs to the tone.
func (t Tone) Soft() fyne.ThemeColorName {
	switch t {
	case Good:
		return ColorAccentSoft
	case Warn:
		return ColorWarningSoft
	case Bad:
		return ColorErrorSoft
	case Info:
		return ColorInfoSoft
	}
	return ColorChip
}

// Contrast is the ratio of two opaque colours as WCAG 2.2 defines it, 1 to 21.
func Contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	if la < lb {
		la, lb = lb, la
	}
	return (la + 0.05) / (lb + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func linear(v uint32) float64 {
	f := float64(v) / 0xffff
	if f <= 0.04045 {
		return f / 12.92
	}
	return math.Pow((f+0.055)/1.055, 2.4)
}
