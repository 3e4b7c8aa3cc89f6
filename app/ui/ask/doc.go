// Package ask is the questions Roots Manager puts to a person: may this be
// started, which folders may it see, what is the new server, what is wrong.
//
// It promises that no question is answered "yes" by accident: Enter and Escape
// lead to the safe answer, nothing is ticked that was never decided, and what
// allows something does nothing for the first 600 ms. What would run is shown
// untruncated, with every character that could mislead made visible. Each
// question is answered at most once; closing it from outside does not answer.
//
// Every function is called on the Fyne goroutine, and so are all callbacks
// given to it unless their comment says otherwise. A question lies above the
// whole window; hiding a lower one takes the ones above it away, so the caller
// shows one at a time. The countdown of [Consent] is a timer and the work that
// [AddServer] and [TypePaths] do is one goroutine each; both end with their
// question.
package ask
