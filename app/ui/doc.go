// Package ui is the window of Roots Manager: the side bar, the screens and the
// one queue of dialogs. It promises that the Fyne goroutine never waits for a
// disk, a process or the network: every command to the core runs in a
// goroutine of its own that ends with the window's context, and what changed
// comes back as a snapshot, at most one a frame.
//
// The look of things is in app/ui/look, the dialogs' contents in app/ui/ask,
// the desktop's own file dialogs in app/ui/pick.
package ui
