package monitor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"rootsmanager/app/root"
)

// TestViewIsTrueAfterChaos makes, removes, renames and links folders at every
// depth in a random order, without a sweep to help, and then compares.
func TestViewIsTrueAfterChaos(t *testing.T) {
	if !watchAncestors || runtime.GOOS == "windows" {
		t.Skip("here the sweep is needed for what happens above the parents")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	base := temp(t)
	var paths []string // every folder that may be, parents first
	for i := range 4 {
		top := filepath.Join(base, fmt.Sprint("t", i))
		paths = append(paths, top)
		for j := range 4 {
			middle := filepath.Join(top, fmt.Sprint("m", j))
			paths = append(paths, middle)
			for k := range 3 {
				paths = append(paths, filepath.Join(middle, fmt.Sprint("b", k)))
			}
		}
	}
	places := make([]Place, len(paths))
	for i, path := range paths {
		folder(t, path)
		places[i] = Place{ID: path, Path: path, Kind: root.Folder}
	}
	w := settled(t, &Options{Sweep: time.Hour, Flap: 10 * time.Millisecond}, places...)
	for i := range 3000 {
		path := paths[random.IntN(len(paths))]
		other := paths[random.IntN(len(paths))]
		// Most of these fail now and then, because something is or is not there.
		switch random.IntN(6) {
		case 0:
			_ = os.RemoveAll(path)
		case 1, 2:
			_ = os.MkdirAll(path, 0o755)
		case 3:
			_ = os.Rename(path, other)
		case 4:
			_ = os.Rename(path, filepath.Join(base, "aside"))
			_ = os.Rename(filepath.Join(base, "aside"), path)
		case 5:
			_ = os.Remove(path)
			_ = os.Symlink(other, path)
		}
		if i%100 == 0 { // let the monitor see some of it as it is
			w.m.Observe(t.Context(), places[0])
		}
	}
	truth := func(path string) Status {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return Missing
		case info.IsDir():
			return Reachable
		}
		return NotAFolder
	}
	timeout := time.After(patience)
	for {
		wrong := ""
		for _, p := range paths {
			target, err := filepath.EvalSymlinks(p)
			if o := w.last[p]; o.Status != truth(p) || err == nil && o.Target != target {
				wrong = fmt.Sprintf("%s is %s (%s), but %s (%s)", p, truth(p), target, o.Status, o.Target)
			}
		}
		if wrong == "" {
			return
		}
		select {
		case changes := <-w.m.Changes():
			for _, c := range changes {
				w.last[c.ID] = c.Now
			}
		case <-timeout:
			t.Fatal(wrong)
		}
	}
}
