package cli

import (
	"context"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"rootsmanager/app"
)

// examined is the document of `doctor --json`.
type examined struct {
	OK       bool      `json:"ok"` // nothing is wrong
	Findings []finding `json:"findings"`
}

type finding struct {
	Area   string `json:"area"`             // desktop, profile, keyring, watching or server
	Server string `json:"server,omitempty"` // its name, with area server
	Level  string `json:"level"`            // fine, note or wrong
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

func (p *program) doctorCommand() *cobra.Command {
	ask := false
	c := &cobra.Command{
		Use:   "doctor [NAME] [--ask] [--json]",
		Short: "Check the profile and the desktop, and how each server takes its folders",
		Long: "Checks the desktop, the keyring, the profile and the watching of folders, and connects for up to\n" +
			"12 seconds the servers that are on, or the one that is named, to see how they take their folders.\n" +
			"What is not approved is not started. The exit status is 1 if something is wrong.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("give at most one server; put its name in quotes if it has spaces (%q was left over)", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return p.doctor(cmd.Context(), name, ask)
		},
	}
	c.Flags().BoolVar(&ask, "ask", false, "ask each server with its own tool what it sees; this runs the server's code")
	return c
}

func (p *program) doctor(ctx context.Context, name string, ask bool) (err error) {
	if name != "" { // by the name it really has
		err := p.with(ctx, func(_ *app.Engine, snap *app.Snapshot) error {
			s, err := findServer(snap, name)
			name = s.Name
			return err
		})
		if err != nil {
			return err
		}
	}
	e, err := p.open(ctx, app.Options{Only: name})
	if err != nil {
		return err
	}
	e.Start()
	found, err := e.Doctor(ctx, ask)
	if closeErr := e.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if name == "" {
		found = append(checkDesktop(), found...)
	}
	return p.reportFindings(found)
}

func (p *program) reportFindings(found []app.Finding) error {
	doc := examined{OK: true, Findings: make([]finding, 0, len(found))}
	rows := make([][]string, 0, len(found))
	signs := map[app.Level]string{app.Fine: "ok", app.Note: "note", app.Wrong: "WRONG"}
	for _, f := range found {
		doc.OK = doc.OK && f.Level != app.Wrong
		doc.Findings = append(doc.Findings, finding{f.Area, f.Server, string(f.Level), f.Text, f.Remedy})
		about, text := f.Area, f.Text
		if f.Server != "" {
			about = f.Server
		}
		if f.Remedy != "" {
			text += " → " + f.Remedy
		}
		rows = append(rows, []string{signs[f.Level], about, text})
	}
	var err error
	if p.json {
		err = p.document(doc)
	} else {
		err = p.table(rows)
	}
	if err == nil && !doc.OK {
		err = errQuiet
	}
	return err
}

// checkDesktop looks for what the window and its dialogs need. Without them the
// command line works all the same, so nothing of this is wrong.
func checkDesktop() []app.Finding {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return []app.Finding{{Area: "desktop", Level: app.Fine, Text: "The system brings the display and the dialogs."}}
	}
	display := app.Finding{Area: "desktop", Level: app.Fine, Text: "There is a display."}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		display.Level, display.Text = app.Note, "There is no display, so the window cannot be shown."
		display.Remedy = "Use the command line, or start it from a desktop."
	}
	dialogs := app.Finding{Area: "desktop", Level: app.Note, Text: "The desktop has no dialog for choosing folders; the window brings a plain one."}
	dialogs.Remedy = "Install xdg-desktop-portal, zenity or kdialog."
	for _, program := range []string{"zenity", "kdialog"} {
		if _, err := exec.LookPath(program); err == nil {
			dialogs = app.Finding{Area: "desktop", Level: app.Fine, Text: "Folders are chosen with " + program + "."}
		}
	}
	if _, err := os.Stat("/usr/share/dbus-1/services/org.freedesktop.portal.Desktop.service"); err == nil && os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		dialogs = app.Finding{Area: "desktop", Level: app.Fine, Text: "Folders are chosen with the desktop's portal."}
	}
	return []app.Finding{display, dialogs}
}
