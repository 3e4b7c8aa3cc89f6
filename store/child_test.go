package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rootsmanager/app/root"
)

// runChild is what this test binary does when a test starts it again with
// STORE_TEST_CHILD: it works on the profile STORE_TEST_DIR and writes a line
// to stdout after every change that Update reported as done.
func runChild(mode string) int {
	err := child(mode, os.Getenv("STORE_TEST_DIR"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func child(mode, dir string) error {
	ctx := context.Background()
	if mode == "gnome" {
		return childGnome(ctx, dir)
	}
	s, err := openSettled(ctx, dir, testOptions(dir))
	if err != nil {
		return err
	}
	defer s.Close()
	switch mode {
	case "random":
		return childRandom(ctx, s)
	case "count":
		name := os.Getenv("STORE_TEST_NAME")
		for range 100 {
			if _, err := s.Update(ctx, func(tx *Tx) error { return countUp(tx, name) }); err != nil {
				return err
			}
		}
		return nil
	case "once":
		// Wait to be told, then make one change and say when.
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return err
		}
		_, err := s.Update(ctx, func(tx *Tx) error { return tx.SetSetting("seen", "yes") })
		fmt.Println("done")
		return err
	}
	return childDecide(ctx, mode, s)
}

// childDecide makes decisions and reports each one that is done.
func childDecide(ctx context.Context, mode string, s *Store) error {
	if mode != "decide" {
		return errors.New("unknown mode " + mode)
	}
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	name := os.Getenv("STORE_TEST_NAME")
	count, err := strconv.Atoi(os.Getenv("STORE_TEST_COUNT"))
	if err != nil {
		return err
	}
	for i := range count {
		_, err := s.Update(ctx, func(tx *Tx) error {
			return tx.Record(Decision{Identity: Identity(name), URI: "file:///" + strconv.Itoa(i), Verdict: Allow})
		})
		if err != nil {
			return err
		}
		if !s.Seal().Sealed {
			return errors.New("not sealed: " + s.Seal().Reason)
		}
		fmt.Println(i)
	}
	return nil
}

// countUp adds one to a counter that every process shares and to one of its own.
func countUp(tx *Tx, name string) error {
	for _, key := range []string{"all", name} {
		n, _ := strconv.Atoi(tx.State().Settings[key]) // empty at first: 0
		if err := tx.SetSetting(key, strconv.Itoa(n+1)); err != nil {
			return err
		}
	}
	return nil
}

// childRandom makes random changes for ever. Every change also sets "step".
func childRandom(ctx context.Context, s *Store) error {
	before, _ := strconv.Atoi(s.State().Settings["step"]) // empty at first: 0
	for step := before + 1; ; step++ {
		st, err := s.Update(ctx, func(tx *Tx) error {
			return errors.Join(randomChange(tx, step), tx.SetSetting("step", strconv.Itoa(step)))
		})
		if err != nil {
			return err
		}
		fmt.Printf("%d %s\n", step, fingerprint(st))
	}
}

func randomChange(tx *Tx, step int) error {
	st := tx.State()
	w := st.Active
	members := st.Members[w]
	switch pick := rand.IntN(6); {
	case pick == 0 || len(members) == 0 || len(st.Servers) == 0:
		v, err := tx.AddServer(aServer("server " + strconv.Itoa(step)))
		if err != nil {
			return err
		}
		roots, err := tx.AddRoots([]Root{{URI: "file:///" + strconv.Itoa(step), Kind: root.Folder}})
		if err != nil {
			return err
		}
		return tx.Assign(w, v.ID, roots[0].ID, root.ReadWrite)
	case pick == 1:
		return tx.RemoveRoots([]RootID{members[rand.IntN(len(members))]})
	case pick == 2:
		return tx.RemoveServer(st.Servers[rand.IntN(len(st.Servers))].ID)
	case pick == 3:
		return tx.Record(Decision{Identity: "i" + Identity(strconv.Itoa(step%7)), URI: "file:///x", Verdict: Allow})
	case pick == 4:
		return tx.PutApproval(Approval{Identity: "i" + Identity(strconv.Itoa(step%7)), Program: strconv.Itoa(step)})
	default:
		order := append([]RootID(nil), members...)
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		return tx.SetMembers(w, order)
	}
}

// fingerprint tells two states apart well enough to notice a lost change.
func fingerprint(st *State) string {
	assigned, decided := 0, int64(0)
	for _, of := range st.Assignments {
		for _, leaf := range of {
			assigned += len(leaf)
		}
	}
	for _, by := range st.Decisions {
		for _, d := range by {
			decided = max(decided, d.Seq)
		}
	}
	return fmt.Sprint(len(st.Servers), len(st.Roots), st.Members[st.Active], assigned, len(st.Approvals), decided, st.Settings["step"])
}

// startChild starts this test binary as another process on the same profile.
func startChild(t *testing.T, mode, dir string, env ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_CHILD="+mode, "STORE_TEST_DIR="+dir)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // for tests that fail half way
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill() // it may have ended by itself
			_ = cmd.Wait()
		}
	})
	return cmd, in, bufio.NewReader(out)
}

func TestKilledProcessLosesNoChangeItReported(t *testing.T) {
	dir := t.TempDir()
	reported := 0
	for reported < 200 {
		cmd, _, out := startChild(t, "random", dir)
		until := 1 + rand.IntN(40)
		states := map[string]string{}
		last := ""
		for range until {
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			step, print, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			states[step], last = print, step
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(out) // what it reported before the kill reached it
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(rest)) {
			if step, print, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && strings.HasSuffix(line, "\n") {
				states[step], last = print, step
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child ended by itself")
		}
		reported += len(states)

		s, err := openSettled(t.Context(), dir, testOptions(dir))
		if err != nil {
			t.Fatal(err)
		}
		st := s.State()
		kept, _ := strconv.Atoi(st.Settings["step"])
		want, _ := strconv.Atoi(last)
		if kept < want || kept > want+1 {
			t.Errorf("the file holds step %d, reported was %d", kept, want)
		}
		if kept == want && fingerprint(st) != states[last] {
			t.Errorf("the file holds %s, reported was %s", fingerprint(st), states[last])
		}
		var verdict string
		if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
			t.Errorf("integrity: %s %v", verdict, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestProcessesWritingAtOnceLoseNothing(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	var children []*exec.Cmd
	for _, name := range []string{"left", "right"} {
		cmd, _, _ := startChild(t, "count", dir, "STORE_TEST_NAME="+name)
		children = append(children, cmd)
	}
	var here sync.WaitGroup
	for range 2 { // and two goroutines of this process
		here.Go(func() {
			for range 50 {
				if _, err := s.Update(context.Background(), func(tx *Tx) error { return countUp(tx, "here") }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	here.Wait()
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	st := update(t, s, func(tx *Tx) error { return countUp(tx, "here") })
	for key, want := range map[string]string{"all": "301", "left": "100", "right": "100", "here": "101"} {
		if got := st.Settings[key]; got != want {
			t.Errorf("%s: %s of %s changes", key, got, want)
		}
	}
}

func TestChangeOfAnotherProcessIsSeenWithinHalfASecond(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	cmd, in, out := startChild(t, "once", dir)
	if _, err := io.WriteString(in, "go\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	done := time.Now()
	select {
	case <-s.Changes():
	case <-time.After(5 * time.Second):
		t.Fatal("the change was never seen")
	}
	if took := time.Since(done); took > 500*time.Millisecond {
		t.Errorf("seen after %v", took)
	}
	if s.State().Settings["seen"] != "yes" {
		t.Error("told of a change, but State is not newer")
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
