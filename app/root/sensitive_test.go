package root

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSensitivePlaces(t *testing.T) {
	linux := Places{OS: Unix, Home: "/home/you", DataDir: "/home/you/.local/share/roots-manager"}
	asRoot := Places{OS: Unix, Home: "/root", DataDir: "/tmp/p/data"}
	service := Places{OS: Unix, Home: "/var/lib/jenkins"}
	silverblue := Places{OS: Unix, Home: "/var/home/you", ConfigHome: "/var/home/you/cfg"}
	noHome := Places{OS: Unix, Home: "/"}
	mac := Places{OS: Unix, MacOS: true, Home: "/Users/you", DataDir: "/Users/you/Library/Application Support/roots-manager"}
	windows := Places{
		OS: Windows, Home: `C:\Users\you`, DataDir: `C:\Users\you\AppData\Local\roots-manager`,
		System: []string{`E:\WinNT`, `C:\Program Files`},
	}
	tests := []struct {
		places Places
		path   string
		level  Level
		why    string // part of it
	}{
		{linux, "/", Blocked, "top of the file system"},
		{linux, "//", Blocked, "top of the file system"},
		{linux, "/home/..", Blocked, "top of the file system"},
		{linux, "/etc", Blocked, "part of the system"},
		{linux, "/etc/ssh", Blocked, "part of the system"},
		{linux, "/usr", Blocked, "part of the system"},
		{linux, "/usr/local", Blocked, "part of the system"},
		{linux, "/bin", Blocked, "part of the system"},
		{linux, "/sbin", Blocked, "part of the system"},
		{linux, "/lib64", Blocked, "part of the system"},
		{linux, "/boot/efi", Blocked, "part of the system"},
		{linux, "/dev", Blocked, "part of the system"},
		{linux, "/proc/1", Blocked, "part of the system"},
		{linux, "/sys", Blocked, "part of the system"},
		{linux, "/root", Blocked, "part of the system"},
		{linux, "/root/x", Blocked, "part of the system"},
		{linux, "/var", Blocked, "part of the system"},
		{linux, "/var/lib/docker", Blocked, "part of the system"},
		{linux, "/var/log", Blocked, "part of the system"},
		{linux, "/run/user/1000", Blocked, "part of the system"},
		{linux, "/etcetera", Fine, ""},
		{linux, "/var/www", Fine, ""},
		{linux, "/var/www/site", Fine, ""},
		{linux, "/var/tmp/x", Fine, ""},
		{linux, "/run/media/you/USB", Fine, ""},
		{linux, "/run/user/1000/doc/ab12/project", Fine, ""},
		{linux, "/tmp", Fine, ""},
		{linux, "/tmp/x", Fine, ""},
		{linux, "/srv/project", Fine, ""},
		{linux, "/opt/project", Fine, ""},
		{linux, "/mnt/disk", Fine, ""},
		{linux, "/home/you/project", Fine, ""},
		{linux, "/home/you/Documents", Fine, ""},
		{linux, "/home/other", Fine, ""},
		{linux, "/home/you", Warned, "whole home folder"},
		{linux, "/home", Warned, "Home folders are kept here"},
		{linux, "/home/you/.ssh", Warned, "SSH keys"},
		{linux, "/home/you/.ssh/id_ed25519", Warned, "SSH keys"},
		{linux, "/home/you/.gnupg", Warned, "GnuPG"},
		{linux, "/home/other/.ssh", Warned, "SSH keys"},
		{linux, "/srv/backup/.gnupg/private", Warned, "GnuPG keys"},
		{linux, "/home/you/.aws", Warned, "cloud"},
		{linux, "/home/you/.azure/x", Warned, "cloud"},
		{linux, "/home/you/.config/gcloud", Warned, "cloud"},
		{linux, "/home/you/.kube", Warned, "cloud"},
		{linux, "/home/you/.docker", Warned, "Access tokens"},
		{linux, "/home/you/.netrc", Warned, "passwords"},
		{linux, "/home/you/.npmrc", Warned, "Access tokens"},
		{linux, "/home/you/.mozilla/firefox", Warned, "Browser"},
		{linux, "/home/you/.config/google-chrome", Warned, "Browser"},
		{linux, "/home/you/.config/chromium", Warned, "Browser"},
		{linux, "/home/you/.config/BraveSoftware/Brave-Browser", Warned, "Browser"},
		{linux, "/home/you/.local/share/keyrings", Warned, "passwords"},
		{linux, "/home/you/.password-store", Warned, "passwords"},
		{linux, "/home/you/.config", Warned, "It may hold keys to cloud services"},
		{linux, "/home/you/.local/share", Warned, "It may hold the decisions of Roots Manager itself"},
		{linux, "/home/you/.config/nvim", Fine, ""},
		{linux, "/home/you/.sshx", Fine, ""},
		{linux, "/home/you/.local/share/roots-manager", Blocked, "Roots Manager keeps your decisions here"},
		{linux, "/home/you/.local/share/roots-manager/x", Blocked, "Roots Manager keeps your decisions here"},
		{linux, "/home/you/.local/share/roots-manager2", Fine, ""},
		{linux, "relative", Blocked, "not a full path"},
		{linux, "https://example.com/", Fine, ""},

		{asRoot, "/root", Warned, "whole home folder"},
		{asRoot, "/root/project", Fine, ""},
		{asRoot, "/root/.ssh", Warned, "SSH keys"},
		{asRoot, "/tmp/p", Warned, "decisions of Roots Manager itself"},
		{asRoot, "/tmp", Warned, "decisions of Roots Manager itself"},
		{asRoot, "/tmp/p/data", Blocked, "Roots Manager keeps"},
		{asRoot, "/tmp/p/sample", Fine, ""},
		{service, "/var/lib/jenkins", Warned, "whole home folder"},
		{service, "/var/lib/jenkins/work", Fine, ""},
		{service, "/var/lib", Blocked, "part of the system"},
		{service, "/var/lib/mysql", Blocked, "part of the system"},
		{silverblue, "/var/home/you/src", Fine, ""},
		{silverblue, "/var/home", Blocked, "part of the system"},
		{silverblue, "/var/home/you/cfg/gcloud", Warned, "cloud"},
		{noHome, "/", Blocked, "top of the file system"},
		{noHome, "/etc", Blocked, "part of the system"},
		{noHome, "/work", Fine, ""},

		{mac, "/System/Library", Blocked, "part of the system"},
		{mac, "/Library", Blocked, "part of the system"},
		{mac, "/Applications", Blocked, "part of the system"},
		{mac, "/private/etc", Blocked, "part of the system"},
		{mac, "/ETC", Blocked, "part of the system"},
		{mac, "/private", Blocked, "Parts of the system"},
		{mac, "/Volumes", Blocked, "All drives"},
		{mac, "/Volumes/USB", Fine, ""},
		{mac, "/private/var/folders/x/T/y", Fine, ""},
		{mac, "/private/tmp/x", Fine, ""},
		{mac, "/Users", Warned, "Home folders"},
		{mac, "/Users/you", Warned, "whole home folder"},
		{mac, "/users/YOU/.SSH", Warned, "SSH keys"},
		{mac, "/Users/you/Library/Keychains", Warned, "passwords"},
		{mac, "/Users/you/Library/Application Support/Google/Chrome/Default", Warned, "Browser"},
		{mac, "/Users/you/Library", Warned, "It may hold"},
		{mac, "/Users/you/Projects/x", Fine, ""},

		{windows, `C:\`, Blocked, "whole drive"},
		{windows, `D:\`, Blocked, "whole drive"},
		{windows, `\\server\D$`, Blocked, "whole drive"},
		{windows, `\\server\c$\Windows`, Blocked, "part of the system"},
		{windows, `\\server\share`, Fine, ""},
		{windows, `c:\windows\System32`, Blocked, "part of the system"},
		{windows, `C:\Program Files\x`, Blocked, "part of the system"},
		{windows, `C:\Program Files (x86)`, Blocked, "part of the system"},
		{windows, `C:\ProgramData`, Blocked, "part of the system"},
		{windows, `E:\WinNT\x`, Blocked, "part of the system"},
		{windows, `C:\Users`, Warned, "Home folders"},
		{windows, `C:\Users\YOU`, Warned, "whole home folder"},
		{windows, `C:\Users\you\.ssh`, Warned, "SSH keys"},
		{windows, `C:\Users\you\.SSH\x`, Warned, "SSH keys"},
		{windows, `D:\backup\.SSH\x`, Warned, "SSH keys"},
		{windows, `C:\Users\you\AppData`, Warned, "decisions of Roots Manager itself"},
		{windows, `C:\Users\you\AppData\Roaming\Microsoft\Protect`, Warned, "saved passwords"},
		{windows, `C:\Users\you\AppData\Roaming\Microsoft`, Warned, "It may hold"},
		{windows, `C:\Users\you\AppData\Local\Google\Chrome\User Data\Default`, Warned, "Browser"},
		{windows, `C:\Users\you\AppData\Local\roots-manager\x`, Blocked, "Roots Manager keeps"},
		{windows, `C:\Users\you\AppData\Local\Temp\x`, Fine, ""},
		{windows, `D:\Projects`, Fine, ""},
		{windows, `C:\Users\you\source\repos`, Fine, ""},
	}
	for _, tt := range tests {
		got := tt.places.Check(tt.path)
		if got.Level != tt.level || !strings.Contains(got.Why, tt.why) {
			t.Errorf("Check(%q) with home %q = %v, %q (%q); want %v, %q", tt.path, tt.places.Home, got.Level, got.Why, got.Place, tt.level, tt.why)
		}
		if (got.Level == Fine) != (got.Why == "" && got.Place == "") || strings.Contains(got.Place, "*") {
			t.Errorf("Check(%q) = %+v", tt.path, got)
		}
	}
}

func TestEveryHomePlaceIsWarnedOf(t *testing.T) {
	for _, p := range []Places{
		{OS: Unix, Home: "/home/you"},
		{OS: Unix, MacOS: true, Home: "/Users/you"},
		{OS: Windows, Home: `C:\Users\you`},
	} {
		for _, r := range p.build() {
			if r.level != Warned {
				continue
			}
			inside := r.at
			inside.names = append(inside.names[:len(inside.names):len(inside.names)], "x")
			if got := p.Check(r.at.String()); got.Level != Warned {
				t.Errorf("%s: %v", r.at, got)
			}
			if got := p.Check(inside.String()); !r.only && got.Level != Warned {
				t.Errorf("%s: %v", inside, got)
			}
			above := r.at
			above.names = above.names[:len(above.names)-1]
			if got := p.Check(above.String()); got.Level == Fine {
				t.Errorf("%s contains %s and is fine", above, r.at)
			}
		}
	}
}

func TestSystemPlacesKnowsLinkedHomeByBothNames(t *testing.T) {
	if Native() == Windows {
		t.Skip("HOME has no meaning there")
	}
	dir := tree(t, "disk/you/vault/keys/", "home -> disk/you", "disk/you/.ssh -> vault/keys", "data/")
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	if err := os.Symlink(filepath.Join(dir, "data"), filepath.Join(dir, "profile")); err != nil {
		t.Fatal(err)
	}
	p := SystemPlaces(filepath.Join(dir, "profile"))
	for name, want := range map[string]Level{
		"home": Warned, "disk/you": Warned, "disk": Warned,
		"home/.ssh": Warned, "disk/you/vault/keys": Warned, "disk/you/vault": Warned,
		"disk/you/src": Fine, "home/src": Fine,
		"profile": Blocked, "data": Blocked, "data/x": Blocked, "other": Fine,
	} {
		if got := p.Check(filepath.Join(dir, name)); got.Level != want {
			t.Errorf("Check(%s) = %+v, want %v", name, got, want)
		}
	}
	if got := p.Check(t.TempDir()); got.Level != Fine {
		t.Errorf("a temporary folder is %+v", got)
	}
}

func TestLevelsHaveNames(t *testing.T) {
	if Fine.String() != "fine" || Warned.String() != "warned" || Blocked.String() != "blocked" {
		t.Error(Fine, Warned, Blocked)
	}
}
