package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// Mode chooses between the light and the dark theme.
type Mode string

// The modes; anything else counts as System.
const (
	System Mode = "system" // what the desktop prefers
	Light  Mode = "light"
	Dark   Mode = "dark"
)

// Theme is the Roots Manager theme. Fonts and standard icons are Fyne's.
type Theme struct {
	mode Mode
	base fyne.Theme
}

var _ fyne.Theme = (*Theme)(nil)

// NewTheme returns the theme in a mode.
func NewTheme(mode Mode) *Theme {
	return &Theme{mode: mode, base: theme.DefaultTheme()}
}

// Mode returns what the theme was made with.
func (t *Theme) Mode() Mode { return t.mode }

func (t *Theme) variant(v fyne.ThemeVariant) fyne.ThemeVariant {
	switch t.mode {
	case Light:
		return theme.VariantLight
	case Dark:
		return theme.VariantDark
	}
	return v
}

func colorsOf(v fyne.ThemeVariant) palette {
	if v == theme.VariantLight {
		return lightColors
	}
	return darkColors
}

// Color implements fyne.Theme.
func (t *Theme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	v = t.variant(v)
	p := colorsOf(v)
	if c, ok := p[name]; ok {
		return c
	}
	if own, ok := standard[name]; ok {
		return p[own]
	}
	switch name {
	case theme.ColorNamePressed:
		return withAlpha(p[ColorText], 0x1f)
	case theme.ColorNameSelection:
		return withAlpha(p[ColorAccent], 0x4d)
	case theme.ColorNameFocus:
		return withAlpha(p[ColorAccent], 0x66)
	case theme.ColorNameScrollBar:
		return withAlpha(p[ColorText], 0x55)
	case theme.ColorNameScrollBarBackground:
		return withAlpha(p[ColorText], 0x0f)
	case theme.ColorNameShadow:
		return rgba(0x000000, 0x33)
	}
	return t.base.Color(name, v)
}

// standard maps Fyne's colour names to ours.
var standard = map[fyne.ThemeColorName]fyne.ThemeColorName{
	theme.ColorNameButton:              ColorPanel,
	theme.ColorNameDisabledButton:      ColorChip,
	theme.ColorNameDisabled:            ColorMuted,
	theme.ColorNameError:               ColorError,
	theme.ColorNameForegroundOnError:   ColorOnAccent,
	theme.ColorNameForegroundOnPrimary: ColorOnAccent,
	theme.ColorNameForegroundOnSuccess: ColorOnAccent,
	theme.ColorNameForegroundOnWarning: ColorOnAccent,
	theme.ColorNameHeaderBackground:    ColorPanel,
	theme.ColorNameHover:               ColorHover,
	theme.ColorNameHyperlink:           ColorAccent,
	theme.ColorNameInputBackground:     ColorPanel,
	theme.ColorNameInputBorder:         ColorLine,
	theme.ColorNameMenuBackground:      ColorPanel,
	theme.ColorNameOverlayBackground:   ColorPanel,
	theme.ColorNamePlaceHolder:         ColorMuted,
	theme.ColorNamePrimary:             ColorAccent,
	theme.ColorNameSeparator:           ColorLine,
	theme.ColorNameSuccess:             ColorAccent,
	theme.ColorNameWarning:             ColorWarning,
}

// Font implements fyne.Theme.
func (t *Theme) Font(s fyne.TextStyle) fyne.Resource {
	if s.Monospace {
		return withRoom(t.base.Font(s))
	}
	return t.base.Font(s)
}

// Icon implements fyne.Theme.
func (t *Theme) Icon(n fyne.ThemeIconName) fyne.Resource { return t.base.Icon(n) }

// Size implements fyne.Theme.
func (t *Theme) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case SizeNameCode:
		return 13
	case theme.SizeNameText:
		return TextSize
	case theme.SizeNameCaptionText:
		return SmallSize
	case theme.SizeNameSubHeadingText:
		return TitleSize
	case theme.SizeNameHeadingText:
		return HeadingSize
	case theme.SizeNamePadding:
		return GapTiny
	case theme.SizeNameInnerPadding:
		return Gap
	case theme.SizeNameInputRadius, theme.SizeNameSelectionRadius:
		return Radius
	case theme.SizeNameInputBorder, theme.SizeNameSeparatorThickness:
		return 1
	case theme.SizeNameInlineIcon:
		return 18
	}
	return t.base.Size(n)
}

func withAlpha(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// Color resolves a colour name in the app's current theme. Names of this
// package work under any theme, also Fyne's own test theme.
func Color(name fyne.ThemeColorName) color.Color {
	settings := fyne.CurrentApp().Settings()
	if th, ok := settings.Theme().(*Theme); ok {
		return th.Color(name, settings.ThemeVariant())
	}
	if c, ok := colorsOf(settings.ThemeVariant())[name]; ok {
		return c
	}
	return settings.Theme().Color(name, settings.ThemeVariant())
}

// IsDark reports whether the app shows the dark colours now.
func IsDark() bool {
	settings := fyne.CurrentApp().Settings()
	v := settings.ThemeVariant()
	if th, ok := settings.Theme().(*Theme); ok {
		v = th.variant(v)
	}
	return v != theme.VariantLight
}

// Shade names the colours that are shown now: "light" or "dark". Widgets that
// are not in the window when it changes are not told; they compare it.
func Shade() string {
	if IsDark() {
		return string(Dark)
	}
	return string(Light)
}
