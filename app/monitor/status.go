package monitor

import (
	"time"

	"rootsmanager/app/root"
)

// Status says whether a root can be used.
type Status string

// The states of a root. Only Reachable and ReadOnly roots are exposed.
const (
	Unknown       Status = "unknown" // not looked at yet
	Reachable     Status = "reachable"
	ReadOnly      Status = "read-only"
	NoPermission  Status = "no permission"
	Missing       Status = "missing"
	NotAFolder    Status = "not a folder"   // it was one when it was added
	ChangedTarget Status = "changed target" // something else is found there now; see Place
	Unreachable   Status = "unreachable"    // stat does not come back, or the drive or site answers with an error
)

// Usable reports whether a root in this state may be exposed.
func (s Status) Usable() bool { return s == Reachable || s == ReadOnly }

// Place is one root to watch.
type Place struct {
	ID   string
	Path string // absolute and clean, as root.URI.Path gives it; for https roots the URI
	Kind root.Kind
	// Target and FileID are what consent remembers. The status is
	// ChangedTarget if
	//   - Target is set and the path leads elsewhere now, or
	//   - FileID is set, another file is found at the same path, and it lies
	//     on another device or below another mount point: a drive was swapped
	//     or something was mounted over it.
	// A folder that was deleted and made again at the same place has another
	// file number, too, and is not a changed target.
	Target string
	FileID string
}

// Observation is what was last seen of a place. A value, never changed after.
type Observation struct {
	Status Status
	Since  time.Time // when the status began
	Target string    // path with symlinks resolved, empty when it cannot be
	// FileID names the file: device, file number, time of birth and mount
	// point, in a form only this package reads. Empty if the system has none.
	FileID string
	Detail string // the system's words for what is wrong, empty when usable
	// MovedTo is where a Missing root was found, in the folder it was in or in
	// another one that is watched. Empty if it was not.
	MovedTo string
}

// Change is one transition: another status, another target, or a place it was
// moved to.
type Change struct {
	ID       string
	Previous Observation
	Now      Observation
}

// Mode says how changes are found.
type Mode string

// The modes.
const (
	Events    Mode = "events"     // events, with a sweep behind them
	SweepOnly Mode = "sweep only" // some or all folders are only looked at every few seconds
)

// Health says how well the monitor can see.
type Health struct {
	Mode    Mode
	Reason  string // why it is sweep only and what to do, a sentence for people; empty with Events
	Watched int    // places that are watched
	Folders int    // folders whose events are listened to
	Stuck   int    // looks that have not come back
}
