// Package cli offers the core's actions from a terminal: for automation, and
// for machines without a display. It imports no Fyne: the window is a function
// that main hands over.
//
// Its promise: what a command says is done is committed; what goes wrong is one
// sentence on stderr that says what to do next; the exit status is [Done],
// [Failed] or [Usage]; only data is written to stdout. A person's yes counts
// only when it was typed at a terminal.
//
// [Execute] owns the goroutines it starts and waits for them, except one that
// reads the terminal, which ends with the input, and looks at folders that did
// not answer in time, each of which ends with its answer.
package cli
