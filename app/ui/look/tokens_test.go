package look_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"rootsmanager/app/ui/look"
)

// TestTextColoursReachContrast holds every pair of text and background the
// window uses to the 4.5:1 of WCAG 2.2, success criterion 1.4.3.
func TestTextColoursReachContrast(t *testing.T) {
	plain := []fyne.ThemeColorName{look.ColorBackground, look.ColorPanel, look.ColorHover, look.ColorChip}
	soft := []fyne.ThemeColorName{look.ColorAccentSoft, look.ColorWarningSoft, look.ColorErrorSoft, look.ColorInfoSoft}
	tones := []look.Tone{look.Neutral, look.Good, look.Warn, look.Bad, look.Info}
	type pair struct{ text, back fyne.ThemeColorName }
	var pairs []pair
	for _, back := range append(plain, soft...) {
		pairs = append(pairs, pair{look.ColorText, back}, pair{look.ColorMuted, back})
	}
	for _, tone := range tones {
		pairs = append(pairs, pair{tone.Color(), tone.Soft()}, pair{look.ColorOnAccent, tone.Color()}, pair{tone.Color(), look.ColorAccentSoft})
		for _, back := range plain {
			pairs = append(pairs, pair{tone.Color(), back})
		}
	}
	pairs = append(pairs, pair{look.ColorOnAccent, look.ColorAccentHover},
		pair{theme.ColorNamePlaceHolder, theme.ColorNameInputBackground}, pair{theme.ColorNameForegroundOnPrimary, theme.ColorNamePrimary})
	for variant, name := range map[fyne.ThemeVariant]string{theme.VariantLight: "light", theme.VariantDark: "dark"} {
		th := look.NewTheme(look.System)
		for _, p := range pairs {
			got := look.Contrast(th.Color(p.text, variant), th.Color(p.back, variant))
			if got < 4.5 {
				t.Errorf("%s: %s on %s is %.2f:1, want at least 4.5:1", name, p.text, p.back, got)
			}
		}
	}
}

// TestForcedModeIgnoresTheDesktop checks that light and dark win over what the
// desktop prefers, and that system follows it.
func TestForcedModeIgnoresTheDesktop(t *testing.T) {
	light, dark := look.NewTheme(look.Light), look.NewTheme(look.Dark)
	system := look.NewTheme(look.System)
	for _, name := range []fyne.ThemeColorName{look.ColorPanel, theme.ColorNameBackground, theme.ColorNameForeground, theme.ColorNamePrimary} {
		if light.Color(name, theme.VariantDark) != system.Color(name, theme.VariantLight) {
			t.Errorf("light theme does not force %s", name)
		}
		if dark.Color(name, theme.VariantLight) != system.Color(name, theme.VariantDark) {
			t.Errorf("dark theme does not force %s", name)
		}
	}
}
