package app

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"rootsmanager/app/root"
	"rootsmanager/mcpclient"
)

func TestTwoHundredQuickChangesAreFiveNotificationsASecondAtMost(t *testing.T) {
	d := newDesk(t, Options{ApproveAll: true})
	srv := d.addProbe("probe")
	d.tells(srv, 0)
	dir := t.TempDir()
	specs := make([]RootSpec, 200)
	for i := range specs {
		specs[i].Path = filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(specs[i].Path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := d.AddRoots(t.Context(), specs)
	if err != nil {
		t.Fatal(err)
	}
	d.until("all are seen", func(s *Snapshot) bool {
		return len(s.Roots) == 200 && s.Roots[199].Status.Usable() && s.Roots[0].Status.Usable()
	})
	var mu sync.Mutex
	var told []time.Time
	defer d.Events(func(ev Event) {
		if ev.Kind == EventRootsNotified {
			mu.Lock()
			told = append(told, ev.Time)
			mu.Unlock()
		}
	})()
	began := time.Now()
	for _, id := range ids {
		if err := d.AssignOnly(t.Context(), []Tick{{Server: srv, Root: id, On: true, Access: root.ReadOnly}}); err != nil {
			t.Fatal(err)
		}
	}
	took := time.Since(began)
	d.tells(srv, 200) // the last state arrives
	mu.Lock()
	defer mu.Unlock()
	t.Logf("200 changes in %v were %d notifications", took.Round(time.Millisecond), len(told))
	if len(told) == 0 {
		t.Fatal("nothing was told")
	}
	for i := 5; i < len(told); i++ {
		// The limit holds when a message is handed over; it is noted when written.
		if span := told[i].Sub(told[i-5]); span < 900*time.Millisecond {
			t.Errorf("notifications %d to %d came within %v", i-5, i, span)
		}
	}
}

func TestAnnouncingAndMessageLimitCanBeSet(t *testing.T) {
	for name, test := range map[string]struct {
		opts     Options
		settings map[string]string
		want     mcpclient.Options
	}{
		"nothing": {},
		"settings": {
			settings: map[string]string{SettingCoalesce: "100", SettingMaxMessage: "2"},
			want:     mcpclient.Options{Coalesce: 100 * time.Millisecond, MaxMessage: 2 << 20},
		},
		"options win": {
			opts:     Options{Coalesce: time.Millisecond, MaxMessage: 7},
			settings: map[string]string{SettingCoalesce: "100", SettingMaxMessage: "2"},
			want:     mcpclient.Options{Coalesce: time.Millisecond, MaxMessage: 7},
		},
		"nonsense": {settings: map[string]string{SettingCoalesce: "soon", SettingMaxMessage: "-1"}},
		"too much": {settings: map[string]string{SettingCoalesce: "99999", SettingMaxMessage: "99999"}},
	} {
		got := test.opts.sessionOptions(test.settings)
		if got.Coalesce != test.want.Coalesce || got.MaxMessage != test.want.MaxMessage {
			t.Errorf("%s: %v, %d", name, got.Coalesce, got.MaxMessage)
		}
	}
}

func TestMessageLimitOfTheProfileReachesTheSession(t *testing.T) {
	d := newDesk(t, Options{ApproveAll: true, MaxMessage: 200}) // too little for what a probe says of itself
	srv := d.addProbe("probe")
	d.until("its greeting is skipped", func(*Snapshot) bool {
		for _, line := range d.ServerStderr(srv) {
			if line != "" {
				return true
			}
		}
		return false
	})
}
