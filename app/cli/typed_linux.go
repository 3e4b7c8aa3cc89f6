package cli

import "golang.org/x/sys/unix"

// discardTyped drops what the terminal holds for in and nobody read yet.
func discardTyped(in any) {
	if f, ok := in.(interface{ Fd() uintptr }); ok {
		// Where it does not work, forget still drops whole lines.
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
