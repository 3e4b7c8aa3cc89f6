package store

import (
	"errors"
	"os"
	"runtime"
	"strings"
)

// keyringWords says, in a few words and in a sentence, why the keyring of this
// desktop is not available and how to mend that.
func keyringWords(err error, goos, desktop string) (reason, help string) {
	kde := strings.Contains(strings.ToUpper(desktop), "KDE")
	switch {
	case errors.Is(err, errNoAnswer):
		return "the keyring does not answer; its own prompt may be waiting",
			"Look for the keyring's password prompt behind other windows and answer it. This is noticed by itself."
	case goos == "windows":
		return "the Windows Credential Manager refused",
			"Open “Services”, make sure that “Credential Manager” is running, then sign in again."
	case goos == "darwin":
		return "the login keychain refused",
			"Open “Keychain Access”, unlock “login” and allow Roots Manager to use it. This is noticed by itself."
	case errors.Is(err, errNoBus) || strings.Contains(err.Error(), "dbus-launch"):
		return "this session has no message bus",
			"Start Roots Manager from your desktop, or in a terminal with: dbus-run-session -- roots-manager"
	case errors.Is(err, errLocked) || strings.Contains(err.Error(), "failed to unlock"):
		if kde {
			return "the keyring is locked", "Open “KWalletManager” and open your wallet. This is noticed by itself."
		}
		return "the keyring is locked", "Open “Passwords and Keys”, choose “Login” and unlock it. This is noticed by itself."
	case errors.Is(err, errNoCollection):
		return "there is no default keyring yet",
			"Open “Passwords and Keys” and add a password keyring, set as default. This is noticed by itself."
	case errors.Is(err, errNoService) || strings.Contains(err.Error(), secretServiceName):
		if kde {
			return "no keyring service is running",
				"In System Settings, “KDE Wallet”, turn on the wallet and “Use KWallet for the Secret Service interface”."
		}
		return "no keyring service is running",
			"Install gnome-keyring (or turn on “Secret Service Integration” in KeePassXC), then sign in again."
	}
	return "the keyring refused", "The system says: " + err.Error()
}

// secretServiceName stands in the message of a bus that knows no such service.
const secretServiceName = "org.freedesktop.secrets"

func desktopWords(err error) (reason, help string) {
	return keyringWords(err, runtime.GOOS, os.Getenv("XDG_CURRENT_DESKTOP"))
}
