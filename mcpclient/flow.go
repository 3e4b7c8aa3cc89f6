package mcpclient

import "time"

// How many lines of one server are read.
const (
	flowBurst  = 4000 // at once
	flowSecond = 1000 // a second, for long
	flowRest   = 20 * time.Millisecond
)

// flow is a bucket of lines that may be read. It knows no clock and is not
// safe for concurrent use.
type flow struct {
	used float64 // of flowBurst
	at   time.Time
}

// next notes one line and says how long to rest before it is read.
func (p *flow) next(now time.Time) time.Duration {
	if !p.at.IsZero() {
		p.used = max(0, p.used-now.Sub(p.at).Seconds()*flowSecond)
	}
	p.at = now
	p.used++
	if p.used > flowBurst {
		return flowRest
	}
	return 0
}
