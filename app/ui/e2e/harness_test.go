//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The harness itself, on a program that nobody here wrote: keys arrive, text
// arrives, pictures show something, and the end is seen.
func TestHarnessDrivesAnyProgram(t *testing.T) {
	Display(t)
	p := NewPerson(t)
	said, err := os.Create(filepath.Join(p.Home, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	g := p.Start(said, "zenity", "--entry", "--title", "A question", "--text", "What is your name?")
	w := g.Window("A question")
	w.Painted()
	w.Still(200 * time.Millisecond)
	w.Type("Ada")
	NewAlbum(t, "", "e2e", "harness").Take(w, "typed")
	w.Key("Return")
	if status := g.Wait(); status != 0 {
		t.Errorf("status %d", status)
	}
	w.Gone()
	got, err := os.ReadFile(said.Name())
	if err != nil || string(got) != "Ada\n" {
		t.Errorf("it was told %q (%v), typed was Ada", got, err)
	}
}
