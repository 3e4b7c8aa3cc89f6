package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
)

// exportActivity writes the whole activity log to a file that the person
// chooses: as CSV if its name says so, else as JSON Lines.
func (w *Window) exportActivity() {
	var file string
	w.do(command{
		forever: true,
		run: func(ctx context.Context) (err error) {
			suggested := "roots-manager-activity-" + w.now().Format("2006-01-02") + ".csv"
			if file, err = w.opts.Picker.SaveFile(ctx, lang.L("Export the activity"), suggested); err != nil {
				return err
			}
			return w.writeActivity(ctx, file)
		},
		done: func() {
			w.notices.say(look.Good, look.IconCheck, lang.L("The activity was written to {{.Path}}.", map[string]any{"Path": app.Short(file)}))
		},
		failed: w.pickFailed,
	})
}

// writeActivity writes beside the file and renames, so that an older export is
// not lost to one that fails.
func (w *Window) writeActivity(ctx context.Context, file string) error {
	format := "json"
	if strings.EqualFold(filepath.Ext(file), ".csv") {
		format = "csv"
	}
	out, err := os.CreateTemp(filepath.Dir(file), ".roots-manager-*")
	if err != nil {
		return err
	}
	err = errors.Join(w.core.ExportActivity(ctx, out, format), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	return nil
}
