package root

import "strings"

// The sensitive places, by system. A "/" stands for the separator of the
// system; "*" for any one name.

// systemTree is a folder of the system and all that lies in it, save for the
// exceptions after it.
type systemTree struct {
	path   string
	except []string
}

var unixSystem = []systemTree{
	{path: "/bin"},
	{path: "/sbin"},
	{path: "/lib"},
	{path: "/lib32"},
	{path: "/lib64"},
	{path: "/libx32"},
	{path: "/usr", except: []string{"/usr/home/*", "/usr/local/src/*", "/usr/src/*"}},
	{path: "/etc"},
	{path: "/boot"},
	{path: "/dev"},
	{path: "/proc"},
	{path: "/sys"},
	{path: "/root"},
	{path: "/lost+found"},
	// Drives are mounted under media; portals hand out documents under doc and gvfs.
	{path: "/run", except: []string{"/run/media/*", "/run/user/*/doc/*", "/run/user/*/gvfs/*"}},
	// Web sites, home folders of some distributions and temporary files are the user's.
	{path: "/var", except: []string{"/var/www", "/var/home/*", "/var/tmp/*", "/var/opt/*", "/var/folders/*"}},
}

var macSystem = []systemTree{
	{path: "/System"},
	{path: "/Library"},
	{path: "/Applications"},
	{path: "/cores"},
	{path: "/private/etc"},
	{path: "/private/var", except: []string{"/private/var/tmp/*", "/private/var/folders/*"}},
}

var windowsSystem = []string{
	"Windows", "Program Files", "Program Files (x86)", "ProgramData", "Recovery", "Boot", "EFI",
	"$Recycle.Bin", "System Volume Information",
}

// keeping is a place in the home folder and what is kept there.
type keeping struct {
	path  string // ".config/…" and ".local/share/…" follow the XDG variables, "AppData/…" those of Windows
	holds string // completes "It may hold …" and starts "… are kept here"
}

const (
	cloudKeys = "keys to cloud services"
	browser   = "browser profiles with saved passwords and sessions"
	passwords = "saved passwords"
	tokens    = "access tokens"
	wallets   = "wallets"
	mail      = "mail"
	history   = "the history of your shell"
)

var homeAll = []keeping{
	{".ssh", "SSH keys"},
	{".gnupg", "GnuPG keys"},
	{".pki", "certificates and keys"},
	{".aws", cloudKeys},
	{".azure", cloudKeys},
	{".oci", cloudKeys},
	{".config/gcloud", cloudKeys},
	{".config/doctl", cloudKeys},
	{".kube", cloudKeys},
	{".docker", tokens},
	{".terraform.d", tokens},
	{".vault-token", tokens},
	{".s3cfg", cloudKeys},
	{".config/rclone", cloudKeys},
	{".fly", tokens},
	{".config/gh", tokens},
	{".config/hub", tokens},
	{".config/glab-cli", tokens},
	{".netrc", passwords},
	{"_netrc", passwords},
	{".git-credentials", passwords},
	{".config/git/credentials", passwords},
	{".npmrc", tokens},
	{".yarnrc.yml", tokens},
	{".pypirc", tokens},
	{".gem/credentials", tokens},
	{".cargo/credentials", tokens},
	{".cargo/credentials.toml", tokens},
	{".m2/settings.xml", passwords},
	{".gradle/gradle.properties", passwords},
	{".pgpass", passwords},
	{".my.cnf", passwords},
	{".password-store", passwords},
	{".config/op", passwords},
	{".claude.json", tokens},
	{".claude/.credentials.json", tokens},
	{".codex/auth.json", tokens},
	{".gemini/oauth_creds.json", tokens},
	{".bash_history", history},
	{".zsh_history", history},
	{".python_history", history},
	{".local/share/fish/fish_history", history},
	{".bitcoin", wallets},
	{".ethereum", wallets},
	{".electrum", wallets},
}

var homeLinux = []keeping{
	{".local/share/keyrings", passwords},
	{".local/share/kwalletd", passwords},
	{".mozilla", browser},
	{".config/mozilla", browser},
	{".config/google-chrome", browser},
	{".config/google-chrome-beta", browser},
	{".config/chromium", browser},
	{".config/BraveSoftware", browser},
	{".config/microsoft-edge", browser},
	{".config/vivaldi", browser},
	{".config/opera", browser},
	{".librewolf", browser},
	{".zen", browser},
	{"snap/firefox", browser},
	{"snap/chromium", browser},
	{"snap/brave", browser},
	{".var/app/org.mozilla.firefox", browser},
	{".var/app/com.google.Chrome", browser},
	{".var/app/org.chromium.Chromium", browser},
	{".var/app/com.brave.Browser", browser},
	{".var/app/com.microsoft.Edge", browser},
	{".thunderbird", mail},
	{"snap/thunderbird", mail},
	{".var/app/org.mozilla.Thunderbird", mail},
	{".config/Bitwarden", passwords},
	{".config/1Password", passwords},
	{".config/keepassxc", passwords},
}

var homeMac = []keeping{
	{"Library/Keychains", passwords},
	{"Library/Cookies", "browser sessions"},
	{"Library/Safari", browser},
	{"Library/Mail", mail},
	{"Library/Messages", "messages"},
	{"Library/Accounts", passwords},
	{"Library/Application Support/Google/Chrome", browser},
	{"Library/Application Support/Chromium", browser},
	{"Library/Application Support/BraveSoftware", browser},
	{"Library/Application Support/Firefox", browser},
	{"Library/Application Support/Microsoft Edge", browser},
	{"Library/Application Support/Arc", browser},
	{"Library/Application Support/Bitwarden", passwords},
	{"Library/Application Support/1Password", passwords},
	{"Library/Application Support/com.apple.TCC", "the list of what each app may do"},
	{"Library/Group Containers", "data of your apps, password managers among them"},
}

var homeWindows = []keeping{
	{"AppData/Roaming/Microsoft/Credentials", passwords},
	{"AppData/Roaming/Microsoft/Protect", "the keys to your saved passwords"},
	{"AppData/Roaming/Microsoft/Vault", passwords},
	{"AppData/Roaming/Microsoft/Crypto", "keys"},
	{"AppData/Roaming/Microsoft/SystemCertificates", "certificates and keys"},
	{"AppData/Local/Microsoft/Credentials", passwords},
	{"AppData/Local/Microsoft/Vault", passwords},
	{"AppData/Local/Microsoft/Edge/User Data", browser},
	{"AppData/Local/Google/Chrome/User Data", browser},
	{"AppData/Local/Chromium/User Data", browser},
	{"AppData/Local/BraveSoftware", browser},
	{"AppData/Local/Vivaldi", browser},
	{"AppData/Roaming/Opera Software", browser},
	{"AppData/Roaming/Mozilla", browser},
	{"AppData/Roaming/Thunderbird", mail},
	{"AppData/Roaming/gnupg", "GnuPG keys"},
	{"AppData/Roaming/gcloud", cloudKeys},
	{"AppData/Roaming/GitHub CLI", tokens},
	{"AppData/Roaming/NuGet", tokens},
	{"AppData/Roaming/Bitwarden", passwords},
	{"AppData/Local/1Password", passwords},
	{"AppData/Roaming/KeePass", passwords},
}

// build makes the rules of p.
func (p Places) build() []rule {
	var rules []rule
	home, hasHome := split(p.OS, p.Home)
	home = p.normal(home)
	if hasHome && len(home.names) == 0 {
		hasHome = false // "/" as home, as in some containers, is already blocked
	}
	system := func(path string, except ...string) {
		at, ok := p.place(path)
		if !ok {
			return
		}
		r := rule{level: Blocked, at: at, why: "This is a part of the system; it holds settings and programs of the whole computer."}
		for _, e := range except {
			if v, ok := p.place(e); ok {
				r.except = append(r.except, v)
			}
		}
		// A home folder below a system folder (/root, /var/lib/jenkins) is still the user's.
		if hasHome && p.covers(at, home) && (len(home.names) > len(at.names) || path == "/root") {
			r.except = append(r.except, home)
		}
		rules = append(rules, r)
	}
	if p.OS == Windows {
		for _, name := range windowsSystem {
			system("*:/" + name)
		}
	} else {
		for _, tree := range unixSystem {
			system(tree.path, tree.except...)
		}
		if p.MacOS {
			for _, tree := range macSystem {
				system(tree.path, tree.except...)
			}
			rules = append(rules, rule{level: Blocked, at: volume{names: []string{"Volumes"}}, only: true, why: "All drives of this computer are found here."},
				rule{level: Blocked, at: volume{names: []string{"private"}}, only: true, why: "Parts of the system are kept here."})
		}
	}
	for _, path := range p.System {
		if v, ok := split(p.OS, path); ok && len(v.clean().names) > 0 {
			system(path)
		}
	}
	if data, ok := split(p.OS, p.DataDir); ok {
		rules = append(rules, rule{
			level: Blocked, at: p.normal(data), mine: true,
			holds: "the decisions of Roots Manager itself, which a server could then change",
			why:   "Roots Manager keeps your decisions here; a server that may write here could give itself any folder.",
		})
	}
	if hasHome {
		rules = append(rules, p.inHome(home)...)
	}
	return rules
}

func (p Places) inHome(home volume) []rule {
	rules := []rule{{
		level: Warned, at: home, only: true, mine: true, holds: "your whole home folder with keys, passwords and mail",
		why: "This is your whole home folder: keys, saved passwords and mail are in it.",
	}}
	if len(home.names) > 1 {
		above := home
		above.names = home.names[:len(home.names)-1]
		rules = append(rules, rule{level: Warned, at: above, only: true, why: "Home folders are kept here, your own among them."})
	}
	keepings := append(homeAll[:len(homeAll):len(homeAll)], homeLinux...)
	switch {
	case p.OS == Windows:
		keepings = append(homeAll[:len(homeAll):len(homeAll)], homeWindows...)
	case p.MacOS:
		keepings = append(homeAll[:len(homeAll):len(homeAll)], homeMac...)
	}
	for _, k := range keepings {
		base, below := home, k.path
		for prefix, moved := range map[string]string{
			".config/": p.ConfigHome, ".local/share/": p.DataHome,
			"AppData/Roaming/": p.Roaming, "AppData/Local/": p.Local,
		} {
			after, ok := strings.CutPrefix(k.path, prefix)
			if v, full := split(p.OS, moved); ok && full {
				base, below = p.normal(v), after
			}
		}
		at := base
		at.names = append(base.names[:len(base.names):len(base.names)], strings.Split(below, "/")...)
		what := strings.ToUpper(k.holds[:1]) + k.holds[1:]
		rules = append(rules, rule{level: Warned, at: at, mine: true, holds: k.holds, why: what + " may be kept here."})
	}
	return rules
}

// place reads a place of the tables; "*:" is any drive.
func (p Places) place(path string) (volume, bool) {
	if below, ok := strings.CutPrefix(path, "*:/"); ok {
		return volume{drive: "*", names: strings.Split(below, "/")}, true
	}
	v, ok := split(p.OS, path)
	return v.clean(), ok
}
