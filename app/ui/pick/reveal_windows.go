package pick

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// reveal hands the path to the running Explorer. Its exit status means nothing
// (it is 1 on success too), so it is not waited for. The command line is
// written by hand because Explorer does not undo the usual quoting.
func reveal(ctx context.Context, path string, _ bool) error {
	if strings.ContainsRune(path, '"') {
		return fmt.Errorf("%s cannot be shown in the file manager: a path cannot hold quotes", path)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(os.Getenv("SystemRoot"), "explorer.exe"))
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `explorer.exe /select,"` + path + `"`}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the file manager could not be opened: %w", err)
	}
	return cmd.Process.Release()
}
