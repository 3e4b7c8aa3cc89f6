package monitor

import (
	"slices"
	"testing"
)

func TestMountTableFindsTheMountOfAPath(t *testing.T) {
	table := newMountTable([]*mount{{key: "a", point: "/"}, {key: "b", point: "/home"}, {key: "c", point: "/home/you/net"}, {key: "d", point: "/home"}})
	for path, want := range map[string]string{
		"/": "a", "/etc": "a", "/home": "d", "/home/you": "d", "/homes": "a", "/home/you/net": "c", "/home/you/net/x/y": "c", "/home/you/network": "d",
	} {
		if got := table.of(path).key; separator == '/' && got != want {
			t.Errorf("%s is on %s, want %s", path, got, want)
		}
	}
	if got := newMountTable(nil).of("/x").key; got != "top" {
		t.Errorf("without mounts: %s", got)
	}
}

func TestChangedMountsAreFound(t *testing.T) {
	old := newMountTable([]*mount{{key: "1", point: "/"}, {key: "2", point: "/gone"}, {key: "3", point: "/anew"}, {key: "4", point: "/ro", state: "rw"}})
	now := newMountTable([]*mount{{key: "1", point: "/"}, {key: "5", point: "/new"}, {key: "6", point: "/anew"}, {key: "4", point: "/ro", state: "ro"}})
	got := now.changed(old)
	slices.Sort(got)
	if want := []string{"/anew", "/gone", "/new", "/ro"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRemoteFileSystems(t *testing.T) {
	for kind, want := range map[string]bool{
		"ext4": false, "tmpfs": false, "overlay": false, "btrfs": false, "fuseblk": false, "apfs": false, "fuse.portal": false,
		"nfs4": true, "cifs": true, "fuse.sshfs": true, "fuse": true, "9p": true, "autofs": true, "smbfs": true,
	} {
		if isRemote(kind) != want {
			t.Errorf("%s: remote %v, want %v", kind, !want, want)
		}
	}
}

func TestChangedTargetRule(t *testing.T) {
	was := fileKey{device: 1, ino: 10, birth: 100, point: "/"}
	tests := []struct {
		name string
		now  fileKey
		want bool
	}{
		{"the same", was, false},
		{"made anew in the same place", fileKey{1, 11, 200, "/"}, false},
		{"the same on a device with another number", fileKey{2, 10, 100, "/"}, false},
		{"another file on another device", fileKey{2, 11, 200, "/"}, true},
		{"something mounted over it", fileKey{1, 11, 200, "/home/you"}, true},
		{"the same file below another mount", fileKey{1, 10, 100, "/home/you"}, true},
		{"another file, device not known", fileKey{0, 11, 200, "/"}, false},
	}
	for _, tt := range tests {
		if got := was.replaced(tt.now); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if back, ok := parseFileKey(tt.now.String()); !ok || back != tt.now {
			t.Errorf("%s: %q is read as %+v, %v", tt.name, tt.now, back, ok)
		}
	}
	for _, s := range []string{"", "1:2", "x:1:1:/", "1:x:1:/", "1:1:x:/", "1:0:1:/"} {
		if k, ok := parseFileKey(s); ok {
			t.Errorf("%q is read as %+v", s, k)
		}
	}
	if (fileKey{}).String() != "" {
		t.Error("a file without a number has no ID")
	}
}
