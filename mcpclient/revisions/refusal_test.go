package revisions

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rootsmanager/mcpclient"
)

// The errors are those of each revision's page "Roots", "Error Handling".
func TestRefusalsAreTheErrorsOfTheSpecification(t *testing.T) {
	for _, revision := range old {
		t.Run(revision, func(t *testing.T) {
			program, args, env := goCommand(t, mcpclient.Stdio)
			spec, file := recording(t, program, args, env)
			spec.Revision = revision
			p := newPerson(t, spec)
			p.refuse(mcpclient.ErrRootsOff)
			close(p.decided)
			s, end := start(t, p, &mcpclient.Options{})
			_, at := p.wait(0, mcpclient.Answered)
			p.refuse(errors.New("the ledger at /home/user/private is damaged"))
			s.Announce()
			_, at = p.wait(at, mcpclient.Answered)
			// Trouble that is over leaves nothing behind.
			folder := uri(t, filepath.Join(realDir(t), "a"))
			p.refuse(nil)
			p.give(folder)
			s.Announce()
			p.wait(at, mcpclient.Answered)
			until(t, "after the trouble", []string{folder}, func() []string { return byList(t, s) })
			end()

			lines, err := recorded(file)
			if err != nil {
				t.Fatal(err)
			}
			checkSchema(t, revision, lines)
			var got []string
			for _, l := range lines {
				var m struct{ Error json.RawMessage }
				if err := json.Unmarshal([]byte(l.Raw), &m); err != nil {
					t.Fatal(err)
				}
				if l.Out && m.Error != nil {
					got = append(got, string(m.Error))
				}
				if l.Out && strings.Contains(l.Raw, "private") {
					t.Errorf("the server was told of our trouble: %s", l.Raw)
				}
			}
			want := []string{
				`{"code":-32601,"message":"Roots not supported","data":{"reason":"Client does not have roots capability"}}`,
				`{"code":-32603,"message":"Internal error"}`,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}
