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
	NotAFolder    Status = "not a folder" // it was one when it was added
	ChangedTarget Status = "changed target"
	Unreachable   Status = "unreachable" // stat does not come back
)

// Usable reports whether a root in this state may be exposed.
func (s Status) Usable() bool { return s == Reachable || s == ReadOnly }

// Place is one root to watch.
type Place struct {
	ID   string
	Path string // absolute; for https roots the URI
	Kind root.Kind
	// Target and FileID are what consent remembers; when set and different
	// from what is there now, the status is ChangedTarget. Empty: not compared.
	Target string
	FileID string
}

// Observation is what was last seen of a place. A value, never changed after.
type Observation struct {
	Status Status
	Since  time.Time // when the status began
	Target string    // path with symlinks resolved, empty when it cannot be
	FileID string    // device and file number, empty if the system has none
	Detail string    // the system's words for what is wrong, empty when usable
}

// Change is one transition.
type Change struct {
	ID       string
	Previous Observation
	Now      Observation
}

// Contract of Monitor (implemented in monitor.go; this file keeps the types):
//
//	func New(opts *Options) *Monitor                 // starts its goroutines
//	func (m *Monitor) Watch(places []Place)          // replaces the whole set; cheap for small differences at 10,000 places; returns at once
//	func (m *Monitor) Changes() <-chan []Change      // batches, first observation of a place counts as a change from Unknown; never closed before Close
//	func (m *Monitor) Observe(ctx context.Context, places ...Place) []Observation // looks now, with the same deadlines, needs no Watch
//	func (m *Monitor) Recheck(ids ...string)         // look now; none = all; returns at once
//	func (m *Monitor) Health() Health                // Mode "events" | "sweep only", Reason, Watched int
//	func (m *Monitor) Close() error
