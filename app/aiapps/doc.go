// Package aiapps knows where AI apps keep the MCP servers they start, reads
// these files, and can change one entry of one file.
//
// Its promise: reading never starts, contacts or changes anything, and says of
// a file it cannot understand where the trouble is. Variables such as
// ${env:HOME} are shown as they are written, never filled in. An edit changes
// the bytes of one entry and no others: comments, order, indentation, line ends
// and the byte order mark of the rest stay, and what was changed can be given
// back byte for byte. What should be imported or managed is the caller's to
// decide; nothing here grants anything.
//
// The package starts no goroutines.
package aiapps
