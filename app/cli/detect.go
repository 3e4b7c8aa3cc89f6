package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rootsmanager/app"
	"rootsmanager/app/detect"
)

func (p *program) detectCommand() *cobra.Command {
	var opts detect.Options
	c := &cobra.Command{
		Use:   "detect DIR [--other-filesystems]",
		Short: "Find projects below a folder; nothing is added",
		Long: "Finds repositories and projects below a folder: version control, project files and workspaces.\n" +
			"It follows no links and does not look into dependencies and caches. It only reads; add what\n" +
			"you want with roots-manager root add PATH.",
		Args: oneArgument("the folder to search"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.detect(cmd.Context(), args[0], opts) },
	}
	c.Flags().BoolVar(&opts.OtherFilesystems, "other-filesystems", false, "search other drives and network shares below it, too")
	return c
}

func (p *program) detect(ctx context.Context, text string, opts detect.Options) error {
	uri, err := place(text)
	if err != nil {
		return err
	}
	dir, err := app.ParsePlace(uri)
	if err != nil {
		return err
	}
	if dir.IsHTTPS() {
		return fmt.Errorf("%s is a web address: only folders of this computer can be searched", text)
	}
	drawn := false
	if p.keys.present() && !p.json {
		opts.Progress = func(now detect.Progress) {
			drawn = true
			_, _ = fmt.Fprintf(p.Err, "\r%d folders, %d projects… (Ctrl+C stops)\x1b[K", now.Folders, now.Projects) // nobody is left to tell
		}
	}
	found, err := detect.Find(ctx, dir.Path(), &opts)
	if drawn {
		_, _ = fmt.Fprint(p.Err, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	if p.json {
		return p.document(found)
	}
	if len(found.Projects) == 0 {
		err = p.tell("There are no projects below %s.", plain(found.Dir))
	} else {
		err = p.table(projectRows(found.Projects))
	}
	if err != nil {
		return err
	}
	for _, note := range projectNotes(found) {
		p.say("%s", note)
	}
	return nil
}

// projectRows is the table: what belongs together stands together, indented.
func projectRows(projects []detect.Project) [][]string {
	rows := [][]string{{"NAME", "KIND", "BRANCH", "CHANGED", "PATH"}}
	for _, r := range detect.Grouped(projects) {
		kinds := make([]string, len(r.Kinds))
		for i, k := range r.Kinds {
			kinds[i] = string(k)
		}
		changed := ""
		if !r.Changed.IsZero() {
			changed = r.Changed.Local().Format(time.DateOnly)
		}
		rows = append(rows, []string{strings.Repeat("  ", min(r.Depth, 8)) + r.Name, strings.Join(kinds, ", "), r.Branch, changed, app.Short(r.Path)})
	}
	return rows
}

// projectNotes says what the search left out.
func projectNotes(found *detect.Result) []string {
	var notes []string
	if found.Partial {
		notes = append(notes, "There is more: this is where the search stops. Search a folder further down.")
	}
	if found.Unreadable > 0 {
		notes = append(notes, fmt.Sprintf("Could not be looked into: %d.", found.Unreadable))
	}
	if found.Elsewhere > 0 {
		notes = append(notes, fmt.Sprintf("Left out because they are on other file systems: %d. Search them with --other-filesystems.", found.Elsewhere))
	}
	return notes
}
