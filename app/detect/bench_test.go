package detect

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A tree of 100,000 folders, 5,000 repositories among them, warm; beside find
// and, if it is there, fd, which look for the same names and leave out the same
// folders. All of them must find the same.
//
//	go test -tags ci -run '^$' -bench HundredThousand -benchtime 5x ./app/detect
func BenchmarkHundredThousandFolders(b *testing.B) {
	dir := b.TempDir()
	const repositories = 5000
	for i := range repositories {
		repo := dir + "/group" + strconv.Itoa(i/100) + "/repo" + strconv.Itoa(i)
		repository(b, repo, "main")
		put(b, repo+"/go.mod", "module example.com/repo"+strconv.Itoa(i)+"\n")
		put(b, repo+"/.git/index", "x")
		for j := range 19 {
			sub := repo + "/" + strings.Repeat("d/", j%4) + "s" + strconv.Itoa(j)
			put(b, sub+"/main.txt", "")
			put(b, sub+"/more.txt", "")
		}
		folder(b, repo+"/node_modules/x/y")
	}
	var folders int
	b.Run("detect", func(b *testing.B) {
		best := time.Hour
		for b.Loop() {
			start := time.Now()
			r, err := Find(b.Context(), dir, nil)
			if err != nil {
				b.Fatal(err)
			}
			if best = min(best, time.Since(start)); len(r.Projects) != repositories || r.Projects[0].Branch != "main" {
				b.Fatalf("%d projects, the first is %+v", len(r.Projects), r.Projects[0])
			}
			folders = r.Folders
		}
		b.ReportMetric(float64(folders), "folders")
		b.ReportMetric(best.Seconds(), "best-s")
		if best > 2*time.Second {
			b.Errorf("%d folders took %v at best, want 2 s", folders, best)
		}
	})
	var prune, exclude []string
	for _, name := range []string{"node_modules", "vendor", ".cache"} {
		prune = append(prune, "-name", name, "-prune", "-o")
		exclude = append(exclude, "--exclude", name)
	}
	walker := func(name string, args ...string) {
		b.Run(name, func(b *testing.B) {
			path, err := exec.LookPath(name)
			if err != nil {
				b.Skip(err)
			}
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				out, err := exec.CommandContext(b.Context(), path, args...).Output()
				if err != nil {
					b.Fatal(err)
				}
				best = min(best, time.Since(start))
				if n := strings.Count(string(out), "\n"); n != repositories {
					b.Fatalf("found %d", n)
				}
			}
			b.ReportMetric(best.Seconds(), "best-s")
		})
	}
	walker("find", append(append([]string{dir, "-xdev"}, prune...), "-name", ".git", "-print", "-prune")...)
	fd := append([]string{"-H", "-I", "--one-file-system", "--type", "d", "--prune", `^\.git$`, dir}, exclude...)
	walker("fd", fd...)
	walker("fdfind", fd...)
}
