package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// How long a server gets for each step of ending (2025-11-25, "Lifecycle",
// "Shutdown", "stdio": close stdin, wait, SIGTERM, wait, SIGKILL).
const (
	graceStdin = 1 * time.Second
	graceWords = 300 * time.Millisecond // for the last words to be read
	graceTerm  = 1 * time.Second
	graceKill  = 500 * time.Millisecond
)

// checkDeadline bounds the look at a program before it is started: a dead
// network drive must not hold up the thread that starts everybody's servers.
const checkDeadline = 2 * time.Second

// process is one running stdio server. It owns two goroutines, which end with
// the child: one waits for it, one reads its stderr.
type process struct {
	cmd    *exec.Cmd
	group  group
	stdin  *os.File
	stdout *os.File
	stderr *os.File

	exited  chan struct{} // closed when the child was waited for
	drained chan struct{} // closed when stderr was read to its end
	readers sync.WaitGroup
	stopped chan struct{} // closed by stop
	once    sync.Once
}

// startProcess starts spec.Program as the leader of a process group of its own.
func startProcess(ctx context.Context, spec Spec, line func(string)) (*process, error) {
	if err := checkProgram(ctx, spec); err != nil {
		return nil, err
	}
	var ours, theirs []*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close() // our own pipe ends: nothing is lost
		}
	}
	pipe := func(childReads bool) error {
		r, w, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("no pipe for the server could be made: %w", err)
		}
		if childReads {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
		return nil
	}
	for _, childReads := range []bool{true, false, false} {
		if err := pipe(childReads); err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, err
		}
	}
	p := &process{
		cmd: &exec.Cmd{
			Path:        spec.Program,
			Args:        append([]string{spec.Program}, spec.Args...),
			Dir:         spec.Dir,
			Env:         append([]string{}, spec.Env...), // nil would mean our own environment
			Stdin:       theirs[0],
			Stdout:      theirs[1],
			Stderr:      theirs[2],
			SysProcAttr: childAttributes(),
		},
		stdin: ours[0], stdout: ours[1], stderr: ours[2],
		exited:  make(chan struct{}),
		drained: make(chan struct{}),
		stopped: make(chan struct{}),
	}
	var err error
	onStarter(func() { err = p.cmd.Start() })
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, startError(spec, err)
	}
	if p.group, err = newGroup(p.cmd.Process); err != nil {
		_ = p.cmd.Process.Kill() // it cannot be supervised, so it must not run
		_ = p.cmd.Wait()
		closeAll(ours)
		return nil, fmt.Errorf("%s could not be put under supervision: %w", spec.Program, err)
	}
	p.readers.Go(func() {
		defer close(p.drained)
		readStderr(p.stderr, line, p.stopped)
	})
	go func() {
		_ = p.cmd.Wait() // the state is read from ProcessState
		close(p.exited)
	}()
	return p, nil
}

// stop ends the process and everything in its group, and returns when it is
// gone, at the latest after 2.5 s. It does not close stdout: whoever reads it
// drains it until then. It may be called several times.
func (p *process) stop() {
	p.once.Do(func() {
		_ = p.stdin.Close() // an error means it is closed already
		if !p.wait(graceStdin) {
			p.group.terminate()
			if !p.wait(graceTerm) {
				p.group.kill()
				p.wait(graceKill)
			}
		}
		p.group.kill() // what the leader left behind
		p.group.release()
		close(p.stopped)
		_ = p.stderr.Close() // ends the reader also when a stranger still holds the pipe
		p.readers.Wait()
	})
}

func (p *process) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// hear waits until all was read that the process wrote to stderr; not for long,
// since a child of it may still hold the pipe. It must only be called after
// exited.
func (p *process) hear() {
	t := time.NewTimer(graceWords)
	defer t.Stop()
	select {
	case <-p.drained:
	case <-t.C:
	}
}

// verdict words how the process ended. It must only be called after exited.
func (p *process) verdict() string {
	state := p.cmd.ProcessState
	if state == nil {
		return "ended"
	}
	return exitWords(state)
}

// checkProgram tells in plain words what the system would say in its own.
func checkProgram(ctx context.Context, spec Spec) error {
	if !filepath.IsAbs(spec.Program) {
		return fmt.Errorf("the command %q has no absolute path", spec.Program)
	}
	ctx, cancel := context.WithTimeout(ctx, checkDeadline)
	defer cancel()
	found := make(chan error, 1)
	go func() { found <- inspectProgram(spec) }()
	select {
	case err := <-found:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the folder of %s does not answer; is it on a network drive that is gone?", spec.Program)
	}
}

func inspectProgram(spec Spec) error {
	info, err := os.Stat(spec.Program)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the command %s was not found: install it, or change the command", spec.Program)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the command %s may not be read with your rights", spec.Program)
	case err != nil:
		return fmt.Errorf("the command %s cannot be read: %w", spec.Program, err)
	case info.IsDir():
		return fmt.Errorf("the command %s is a folder: name the program in it", spec.Program)
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return fmt.Errorf("the command %s is not executable: allow it with chmod +x, or start it through its interpreter", spec.Program)
	}
	if spec.Dir == "" {
		return nil
	}
	if info, err := os.Stat(spec.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("the working folder %s was not found: choose another one for this server", spec.Dir)
	}
	return nil
}

func startError(spec Spec, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s could not be started: the interpreter named in its first line was not found", spec.Program)
	}
	return fmt.Errorf("%s could not be started: %w", spec.Program, err)
}
