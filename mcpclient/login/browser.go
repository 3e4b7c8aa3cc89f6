package login

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"time"
)

// startLimit is how long a browser's starter may take to say that it failed.
const startLimit = 2 * time.Second

// SystemBrowser shows a page in the person's browser. The program that it
// starts outlives ctx, since it may be the browser itself.
func SystemBrowser(ctx context.Context, page string) error {
	u, err := url.Parse(page)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return errors.New("only web pages are opened in the browser")
	}
	return launch(ctx, opener(runtime.GOOS, u.String()))
}

// opener returns the command that opens a page. The page is one argument and
// passes no shell.
func opener(system, page string) []string {
	switch system {
	case "windows":
		return []string{"rundll32.exe", "url.dll,FileProtocolHandler", page}
	case "darwin":
		return []string{"/usr/bin/open", page}
	}
	return []string{"xdg-open", page}
}

func launch(ctx context.Context, command []string) error {
	cmd := exec.Command(command[0], command[1:]...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("no browser can be started: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t := time.NewTimer(startLimit)
	defer t.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("no browser could be started (%s: %w)", command[0], err)
		}
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
