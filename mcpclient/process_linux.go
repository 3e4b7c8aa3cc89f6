package mcpclient

import (
	"runtime"
	"sync"
	"syscall"
)

// childAttributes puts a child into a group of its own and has the kernel kill
// it when the thread that started it ends, also by kill -9 of the whole app.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// starter is the thread on which children are started. It lives from the first
// session to the end of the last one: would it end earlier, the kernel took
// the parent-death signal for given.
var starter struct {
	mu    sync.Mutex
	users int
	jobs  chan func()
	done  chan struct{}
}

func acquireStarter() {
	starter.mu.Lock()
	defer starter.mu.Unlock()
	starter.users++
	if starter.users > 1 {
		return
	}
	jobs, done := make(chan func()), make(chan struct{})
	starter.jobs, starter.done = jobs, done
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		for job := range jobs {
			job()
		}
	}()
}

func releaseStarter() {
	starter.mu.Lock()
	defer starter.mu.Unlock()
	starter.users--
	if starter.users == 0 {
		close(starter.jobs)
		<-starter.done
	}
}

// onStarter runs f on the starter's thread; the caller holds the starter.
func onStarter(f func()) {
	starter.mu.Lock()
	jobs := starter.jobs
	starter.mu.Unlock()
	done := make(chan struct{})
	jobs <- func() { defer close(done); f() }
	<-done
}
