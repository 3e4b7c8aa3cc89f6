package monitor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rootsmanager/app/root"
)

// mounted mounts something and unmounts it again at the end, unless the test did.
func mounted(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		skip(t, "mounting is not allowed here:", err)
	}
	t.Cleanup(func() { unmount(t, target) })
}

func unmount(t *testing.T, target string) {
	t.Helper()
	if err := unix.Unmount(target, unix.MNT_DETACH); err != nil && err != unix.EINVAL { // EINVAL: it is none any more
		t.Error(err)
	}
}

func TestUnmountedDriveIsMissingAndComesBack(t *testing.T) {
	base := temp(t)
	drive, disk := folder(t, base, "drive"), folder(t, base, "disk", "project")
	mounted(t, filepath.Dir(disk), drive, "", unix.MS_BIND, "")
	w := settled(t, noSweep, Place{ID: "p", Path: filepath.Join(drive, "project"), Kind: root.Folder})
	began := time.Now()
	unmount(t, drive)
	w.wait("p", Missing)
	t.Logf("missing after %v", time.Since(began))
	began = time.Now()
	must(t, unix.Mount(filepath.Dir(disk), drive, "", unix.MS_BIND, ""))
	w.wait("p", Reachable)
	t.Logf("back after %v", time.Since(began))
	w.quiet()
	must(t, os.Remove(disk)) // events come from the new mount
	w.wait("p", Missing)
}

func TestFolderMountedOverIsAnotherTarget(t *testing.T) {
	base := temp(t)
	dir, other := folder(t, base, "project"), folder(t, base, "other")
	w := settled(t, noSweep, Place{ID: "free", Path: dir, Kind: root.Folder})
	id := w.last["free"].FileID
	w.m.Watch([]Place{{ID: "p", Path: dir, Kind: root.Folder, Target: dir, FileID: id}, {ID: "below", Path: folder(t, dir, "below"), Kind: root.Folder}})
	w.wait("p", Reachable)
	w.wait("below", Reachable)
	mounted(t, other, dir, "", unix.MS_BIND, "")
	w.wait("p", ChangedTarget)
	w.wait("below", Missing)
	unmount(t, dir)
	w.wait("p", Reachable)
	w.wait("below", Reachable)
	must(t, os.RemoveAll(dir)) // made anew is no other target
	w.wait("p", Missing)
	must(t, os.Mkdir(dir, 0o755))
	w.wait("p", Reachable)
}

func TestReadOnlyRemountIsSeen(t *testing.T) {
	dir := folder(t, temp(t), "drive")
	mounted(t, "tmpfs", dir, "tmpfs", 0, "size=1m")
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	w := settled(t, noSweep, Place{ID: "p", Path: dir, Kind: root.Folder}, Place{ID: "f", Path: file, Kind: root.File})
	began := time.Now()
	must(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	c := w.wait("p", ReadOnly)
	t.Logf("seen after %v", time.Since(began))
	w.wait("f", ReadOnly)
	if !c.Now.Status.Usable() || c.Now.Detail != "" {
		t.Errorf("%+v", c.Now)
	}
	must(t, unix.Mount("", dir, "", unix.MS_REMOUNT, ""))
	w.wait("p", Reachable)
	w.wait("f", Reachable)
}

// TestStoppedFUSEServerIsUnreachable mounts a file system whose server never
// answers: stat hangs in the kernel.
func TestStoppedFUSEServerIsUnreachable(t *testing.T) {
	base := temp(t)
	hung, fine := folder(t, base, "hung"), folder(t, base, "fine")
	server, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		skip(t, "FUSE is not to be had:", err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil && !strings.Contains(err.Error(), "already closed") {
			t.Error(err)
		}
	})
	var places []Place
	for i := range 50 {
		places = append(places, Place{ID: fmt.Sprint(i), Path: filepath.Join(hung, fmt.Sprint(i)), Kind: root.Folder})
		folder(t, hung, fmt.Sprint(i))
	}
	w := settled(t, &Options{Sweep: time.Hour, Deadline: 200 * time.Millisecond}, append(places, Place{ID: "fine", Path: fine, Kind: root.Folder})...)
	// Fd would make the descriptor blocking, and Close could not interrupt it.
	raw, err := server.SyscallConn()
	must(t, err)
	must(t, raw.Control(func(fd uintptr) {
		mounted(t, "stopped", hung, "fuse", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd))
	}))
	began := time.Now()
	for _, p := range places {
		w.wait(p.ID, Unreachable)
	}
	t.Logf("50 unreachable after %v", time.Since(began))
	if h := w.m.Health(); h.Stuck != 1 || h.Mode != Events {
		t.Errorf("health %+v, want one slot and events as ever", h)
	}
	began = time.Now()
	must(t, os.Remove(fine)) // looked for in the folder that the hung mount is in, too
	w.wait("fine", Missing)
	t.Logf("a deletion beside it was seen after %v", time.Since(began))
	unmount(t, hung)
	must(t, server.Close()) // the kernel gives the stuck call back
	for _, p := range places {
		w.wait(p.ID, Reachable)
	}
	for w.m.Health().Stuck != 0 {
		w.m.Observe(context.Background(), Place{Path: base, Kind: root.Folder})
	}
}

// child runs one test of this binary again in a process set up differently.
func child(t *testing.T, name string, attr *syscall.SysProcAttr, env ...string) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	data, err := os.ReadFile(self)
	must(t, err)
	dir, err := os.MkdirTemp("", "monitor") // one that others may enter
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	must(t, os.Chmod(dir, 0o777|os.ModeSticky))
	program := filepath.Join(dir, "monitor.test")
	must(t, os.WriteFile(program, data, 0o755))
	cmd := exec.Command(program, "-test.v", "-test.run", "^"+name+"$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(env, "TMPDIR="+dir, "MONITOR_TEST_CHILD=1")...)
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		skip(t, "such a process cannot be started here:", err)
	}
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+name)) {
		t.Errorf("in the child: %v\n%s", err, out)
	}
}

func inChild() bool { return os.Getenv("MONITOR_TEST_CHILD") == "1" }

func TestLostPermissionsAreSeen(t *testing.T) {
	if os.Getuid() == 0 && !inChild() { // the administrator may do everything: be nobody
		child(t, t.Name(), &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}})
		return
	}
	parent := folder(t, temp(t), "parent")
	dir := folder(t, parent, "project")
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	t.Cleanup(func() {
		must(t, os.Chmod(parent, 0o700))
		must(t, os.Chmod(dir, 0o700))
	})
	w := settled(t, noSweep, Place{ID: "p", Path: dir, Kind: root.Folder}, Place{ID: "f", Path: file, Kind: root.File})
	for _, step := range []struct {
		path         string
		mode         os.FileMode
		folder, file Status // empty: as before
	}{
		{dir, 0o500, ReadOnly, ""},
		{dir, 0o700, Reachable, ""},
		{file, 0o400, "", ReadOnly},
		{file, 0o000, "", NoPermission},
		{file, 0o600, "", Reachable},
		{dir, 0o000, NoPermission, NoPermission},
		{dir, 0o700, Reachable, Reachable},
		{dir, 0o300, NoPermission, ""}, // it cannot be listed; the file in it is as before
		{dir, 0o700, Reachable, ""},
		{parent, 0o600, NoPermission, NoPermission},
		{parent, 0o700, Reachable, Reachable},
	} {
		began := time.Now()
		must(t, os.Chmod(step.path, step.mode))
		if step.folder != "" {
			c := w.wait("p", step.folder)
			if (c.Now.Detail == "") != step.folder.Usable() {
				t.Errorf("%+v", c.Now)
			}
		}
		if step.file != "" {
			w.wait("f", step.file)
		}
		t.Logf("%s %v seen after %v", filepath.Base(step.path), step.mode, time.Since(began))
	}
}

func TestOutOfWatchesMeansSweepOnly(t *testing.T) {
	if !inChild() {
		child(t, t.Name(), &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		})
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_inotify_watches", []byte("20"), 0); err != nil {
		skip(t, "the limit cannot be set here:", err)
	}
	base := temp(t)
	var places []Place
	for i := range 60 {
		places = append(places, Place{ID: fmt.Sprint(i), Path: folder(t, base, fmt.Sprint(i), "project"), Kind: root.Folder})
	}
	w := start(t, &Options{Sweep: 250 * time.Millisecond}, places...)
	for _, p := range places {
		w.wait(p.ID, Reachable)
	}
	w.quiet()
	if h := w.m.Health(); h.Mode != SweepOnly || !strings.Contains(h.Reason, "max_user_watches") || h.Folders != 20 || h.Watched != 60 {
		t.Errorf("health %+v", h)
	}
	for _, p := range places { // with a watch or without
		must(t, os.Remove(p.Path))
	}
	for _, p := range places {
		w.wait(p.ID, Missing)
	}
}

func TestMountInfoIsRead(t *testing.T) {
	table := parseMountInfo(`22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
bad line
30 22 0:25 / /mnt/my\040drive\134x rw,nosuid shared:1 master:2 - fuse.sshfs you@host: rw
31 22 0:26 /sub /mnt/b ro - tmpfs tmpfs rw
`)
	if len(table.byPoint) != 3 {
		t.Fatalf("%d mounts", len(table.byPoint))
	}
	if m := table.of(`/mnt/my drive\x/a`); !m.remote || m.key != "30 0:25 /" {
		t.Errorf("%+v", m)
	}
	if m := table.of("/mnt/b/c"); m.remote || !strings.HasPrefix(m.state, "ro ") {
		t.Errorf("%+v", m)
	}
	source, err := systemMounts()
	must(t, err)
	defer source.close()
	if table, err := source.read(); err != nil || table.byPoint["/"] == nil {
		t.Errorf("this machine: %v", err)
	}
}
