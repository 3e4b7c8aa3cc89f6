package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"rootsmanager/app"
)

// checked is the document of `check --json`.
type checked struct {
	Path    string          `json:"path"` // absolute, as it was checked
	Servers []checkedServer `json:"servers"`
}

type checkedServer struct {
	Name    string `json:"name"`
	Allowed bool   `json:"allowed"`        // the server may be told of a root that covers the path
	Root    string `json:"root,omitempty"` // path of the root that decides
	Why     string `json:"why"`
}

func (p *program) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check PATH",
		Short: "Tell which servers may be told of a path, and why (or why not)",
		Args:  oneArgument("the path to check"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			path, err := place(args[0])
			if err != nil {
				return err
			}
			return p.with(ctx, func(e *app.Engine, _ *app.Snapshot) error {
				results, err := e.CheckPath(ctx, path)
				if err != nil {
					return err
				}
				doc := checked{Path: path, Servers: make([]checkedServer, 0, len(results))}
				rows := [][]string{{"SERVER", "ALLOWED", "WHY"}}
				for _, r := range results {
					doc.Servers = append(doc.Servers, checkedServer{r.Name, r.Allowed, r.Root, r.Why})
					rows = append(rows, []string{r.Name, yesNo(r.Allowed), r.Why})
				}
				switch {
				case p.json:
					return p.document(doc)
				case len(results) == 0:
					return p.tell("There are no servers, so none is told of %s. Add one: roots-manager server add NAME -- COMMAND", path)
				}
				return p.table(rows)
			})
		},
	}
}

// place makes a path that a person typed absolute; URIs and paths below ~ stay.
func place(text string) (string, error) {
	if filepath.IsAbs(text) || app.LooksLikeURI(text) || isBelowHome(text) {
		return text, nil
	}
	return filepath.Abs(text)
}

func isBelowHome(text string) bool {
	return text == "~" || len(text) > 1 && text[0] == '~' && (text[1] == '/' || text[1] == filepath.Separator)
}
