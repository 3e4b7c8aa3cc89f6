// Package assets holds what is built into the program: the icon, the desktop
// entry and the translations. It promises only bytes, imports no Fyne and
// starts no goroutines.
package assets

import "embed"

// Icon is the app's icon, a PNG of 512 × 512 pixels, drawn from icon.svg. It
// reads on light and dark backgrounds down to 16 pixels.
//
//go:embed icon.png
var Icon []byte

// IconSVG is the drawing [Icon] comes from.
//
//go:embed icon.svg
var IconSVG []byte

// DesktopEntry is the freedesktop.org entry that is installed beside the
// binary; its Icon is the app's ID.
//
//go:embed roots-manager.desktop
var DesktopEntry []byte

// Translations holds the folder "translations": one JSON file per language,
// named as Fyne's lang package has them ("de.json", "zh-Hans.json").
//
//go:embed translations
var Translations embed.FS
