package mcpclient

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: whoever is in it ends with it, and it ends with us,
// because ours is its only handle.
type group struct{ job *jobHandle }

type jobHandle struct {
	once   sync.Once
	handle windows.Handle
}

// A job object ends with us by itself, so no guard is needed.
func acquireGuard() error { return nil }
func releaseGuard()       {}

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

func newGroup(leader *os.Process) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{}, fmt.Errorf("creating a job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(job, leader.Pid)
	}
	if err != nil {
		_ = windows.CloseHandle(job) // the first error is the one to report
		return group{}, err
	}
	return group{&jobHandle{handle: job}}, nil
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("opening the process: %w", err)
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return fmt.Errorf("assigning the process to its job object: %w", err)
	}
	return nil
}

// terminate does nothing: Windows has no polite signal for a program without a
// window; closing stdin was the request.
func (g group) terminate() {}

func (g group) kill() {
	if g.job != nil {
		_ = windows.TerminateJobObject(g.job.handle, 1) // fails only when the job is empty or closed
	}
}

func (g group) release() {
	if g.job != nil {
		g.job.once.Do(func() { _ = windows.CloseHandle(g.job.handle) })
	}
}

func exitWords(state *os.ProcessState) string {
	return fmt.Sprintf("exited with status %d", state.ExitCode())
}
