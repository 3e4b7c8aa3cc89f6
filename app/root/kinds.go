package root

// Kind says what a root is.
type Kind string

// The kinds of root.
const (
	Folder Kind = "folder"
	File   Kind = "file"
	HTTPS  Kind = "https" // opt-in per server (seed 003); never sent to a server that did not opt in
)

// Access is what a root is assigned with. The protocol cannot carry it: it is
// shown to the person and used where a server can be confined.
type Access string

// The kinds of access.
const (
	ReadOnly  Access = "ro"
	ReadWrite Access = "rw"
)
