package mcpclient

import (
	"testing"
	"time"
)

func TestFloodIsReadAtAThousandMessagesASecond(t *testing.T) {
	var p flow
	began := time.Unix(0, 0)
	now := began
	read := 0
	for now.Sub(began) < time.Minute {
		now = now.Add(p.next(now)).Add(10 * time.Microsecond)
		read++
	}
	if most := flowBurst + 60*flowSecond*11/10; read > most || read < 60*flowSecond/2 {
		t.Errorf("%d messages were read in a minute, at most %d are wanted", read, most)
	}
	now = now.Add(time.Minute)
	for i := range flowBurst { // forgiven
		if rest := p.next(now); rest > 0 {
			t.Fatalf("message %d has to wait %v after a quiet minute", i, rest)
		}
	}
}

func TestBusyServerIsNotSlowed(t *testing.T) {
	var p flow
	now := time.Unix(0, 0)
	for i := range 100_000 {
		now = now.Add(time.Second / flowSecond)
		if rest := p.next(now); rest > 0 {
			t.Fatalf("message %d has to wait %v", i, rest)
		}
	}
}
