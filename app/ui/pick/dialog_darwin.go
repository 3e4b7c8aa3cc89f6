package pick

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

func systemSteps() []step {
	return []step{{"osascript", osascript}}
}

// chooser is JavaScript for Automation rather than AppleScript: its answer is
// JSON, so that a line break in a name stays part of the name. What is shown
// comes in as arguments and is never part of the program.
const chooser = `function run(argv) {
	const [kind, title, name, folder] = argv;
	const app = Application.currentApplication();
	app.includeStandardAdditions = true;
	app.activate();
	const where = folder ? { defaultLocation: Path(folder) } : {};
	let chosen;
	if (kind === "folders") {
		chosen = app.chooseFolder({ withPrompt: title, multipleSelectionsAllowed: true });
	} else if (kind === "files") {
		chosen = app.chooseFile({ withPrompt: title, multipleSelectionsAllowed: true });
	} else {
		chosen = app.chooseFileName(Object.assign({ withPrompt: title, defaultName: name }, where));
	}
	return JSON.stringify([].concat(chosen).map(p => p.toString()));
}`

// userCancelled is the AppleScript error of a dialog closed without a choice.
const userCancelled = "(-128)"

func osascript(ctx context.Context, req Request) ([]string, error) {
	name, folder := "", ""
	if req.Suggested != "" {
		name = filepath.Base(req.Suggested)
		if filepath.IsAbs(req.Suggested) {
			folder = filepath.Dir(req.Suggested)
		}
	}
	cmd := exec.CommandContext(ctx, "/usr/bin/osascript", "-l", "JavaScript", "-e", chooser, string(req.Kind), req.Title, name, folder)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if strings.Contains(string(exit.Stderr), userCancelled) {
			return nil, ErrCancelled
		}
		return nil, fmt.Errorf("the system's dialog could not be shown: %s", shortened(strings.TrimSpace(string(exit.Stderr))))
	}
	if err != nil {
		return nil, fmt.Errorf("osascript could not be started: %w", err)
	}
	var paths []string
	if err := json.Unmarshal(out, &paths); err != nil {
		return nil, fmt.Errorf("the system dialog's answer cannot be read: %w", err)
	}
	return paths, nil
}

func reveal(ctx context.Context, path string, _ bool) error {
	if err := exec.CommandContext(ctx, "/usr/bin/open", "-R", path).Run(); err != nil {
		return fmt.Errorf("the Finder could not be opened: %w", err)
	}
	return nil
}
