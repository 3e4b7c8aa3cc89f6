// Package look is how Roots Manager looks: colours, type, icons and the small
// widgets every screen and dialog is built from. It knows nothing of servers
// or folders and starts no goroutines; like all of Fyne, its widgets belong to
// the Fyne goroutine.
//
// Colours are always named, never literal, and resolved when a widget is
// drawn, so a change of theme needs no rebuild of the window. A state is never
// colour alone: it has a shape and a word as well.
package look
