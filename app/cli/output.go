package cli

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"rootsmanager/app"
)

// cellLimit is how many characters of one cell a table shows.
const cellLimit = 300

// document writes one indented JSON document to stdout.
func (p *program) document(v any) error {
	enc := json.NewEncoder(p.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("the answer cannot be written to stdout: %w", err)
	}
	return nil
}

// table writes aligned columns to stdout, the first row as the head.
func (p *program) table(rows [][]string) error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, "\t") //nolint:errcheck // Flush reports it
			}
			fmt.Fprint(w, app.Plain(cell, cellLimit)) //nolint:errcheck // Flush reports it
		}
		fmt.Fprintln(w) //nolint:errcheck // Flush reports it
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("the table cannot be written to stdout: %w", err)
	}
	return nil
}

// tell writes one line of text to stdout; with --json it writes nothing.
func (p *program) tell(format string, args ...any) error {
	if p.json {
		return nil
	}
	if _, err := fmt.Fprintf(p.Out, format+"\n", args...); err != nil {
		return fmt.Errorf("the answer cannot be written to stdout: %w", err)
	}
	return nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
