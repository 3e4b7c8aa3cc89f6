package ask

import (
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2/test"
)

func TestSystemClockTicksUntilItIsStopped(t *testing.T) {
	test.NewTempApp(t)
	synctest.Test(t, func(t *testing.T) {
		n := 0
		stop := systemClock{}.every(time.Second, func() { n++ })
		time.Sleep(3*time.Second + time.Millisecond)
		synctest.Wait()
		if n != 3 {
			t.Errorf("%d ticks in three seconds", n)
		}
		stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n != 3 {
			t.Errorf("%d ticks after it was stopped", n)
		}
	})
}
