package ask

import (
	"time"

	"fyne.io/fyne/v2"
)

// guardTime is how long the answers that allow something do nothing after a
// question appears: it may appear under a hand that was about to click or type.
const guardTime = 600 * time.Millisecond

// clock is the time as the questions see it, and the way back to the Fyne
// goroutine.
type clock interface {
	now() time.Time
	// do runs f on the Fyne goroutine.
	do(f func())
	// every calls f about every d on the Fyne goroutine until stop is called.
	every(d time.Duration, f func()) (stop func())
}

type systemClock struct{}

func (systemClock) now() time.Time { return time.Now() }

func (systemClock) do(f func()) { fyne.Do(f) }

func (systemClock) every(d time.Duration, f func()) func() {
	ticker := time.NewTicker(d)
	done := make(chan struct{})
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				fyne.Do(f)
			}
		}
	}()
	return func() { close(done) }
}
