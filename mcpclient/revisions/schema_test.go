package revisions

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

var update = flag.Bool("update", false, "write the transcripts in testdata anew")

func mkdirs(t *testing.T, base string, names ...string) {
	t.Helper()
	for _, n := range names {
		if err := os.MkdirAll(filepath.Join(base, n), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// schemaOf returns the schema of what a client may send in a revision. The
// files in testdata/schema hold the parts of the published schemas that are
// about messages we send, with envelopes and params closed, so that a field
// that a revision does not have is found.
func schemaOf(t *testing.T, revision string) *jsonschema.Resolved {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "schema", revision+".json"))
	if err != nil {
		t.Fatal(err)
	}
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkSchema checks every message of ours.
func checkSchema(t *testing.T, revision string, lines []line) {
	t.Helper()
	schema := schemaOf(t, revision)
	n := 0
	for _, l := range lines {
		if !l.Out {
			continue
		}
		n++
		if err := schema.Validate(parse[any](t, l.Raw)); err != nil {
			t.Errorf("a message does not fit revision %s: %v\n%s", revision, err, l.Raw)
		}
	}
	if n < 4 {
		t.Errorf("only %d messages of ours were recorded", n)
	}
}

func TestSchemasRefuseWhatARevisionLacks(t *testing.T) {
	for _, tc := range []struct{ revision, name, message string }{
		{"2024-11-05", "a batch", `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		{"2025-06-18", "a batch", `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		{"2025-11-25", "no version", `{"id":1,"result":{}}`},
		{"2025-11-25", "null as id", `{"jsonrpc":"2.0","id":null,"result":{}}`},
		{"2025-11-25", "a root that is no file", `{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"/a"}]}}`},
		{"2025-11-25", "a root with more", `{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a","path":"/a"}]}}`},
		{"2025-11-25", "arguments null", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":null}}`},
		{"2025-11-25", "an error without a message", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}`},
		{"2025-11-25", "two answers", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-32601,"message":"m"}}`},
		{"2025-11-25", "input responses", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","inputResponses":{}}}`},
		{"2024-11-05", "elicitation", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{"elicitation":{}},"clientInfo":{"name":"n","version":"v"}}}`},
		{"2026-07-28", "initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"n","version":"v"}}}`},
		{"2026-07-28", "list_changed", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`},
		{"2026-07-28", "no capabilities", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`},
		{"2026-07-28", "an answer", `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`},
	} {
		if err := schemaOf(t, tc.revision).Validate(parse[any](t, tc.message)); err == nil {
			t.Errorf("%s: %s is allowed", tc.revision, tc.name)
		}
	}
}

// transcript returns the parts of a recording that are about roots, with names
// in the place of what differs between runs.
func transcript(t *testing.T, lines []line, base string) string {
	t.Helper()
	var out strings.Builder
	ids := map[string]string{} // of the server's questions
	for _, l := range lines {
		m := parse[map[string]any](t, l.Raw)
		method, _ := m["method"].(string)
		id := fmt.Sprint(m["id"])
		switch {
		case !l.Out && method == "roots/list":
			ids[id] = fmt.Sprintf("question %d", len(ids)+1)
			fmt.Fprintf(&out, "← roots/list (%s)\n", ids[id])
		case !l.Out && method == "":
			wants(&out, m)
		case l.Out && method == "":
			if name, ok := ids[id]; ok {
				m["id"] = name
			}
			show(t, &out, m, base)
		case l.Out && (method == "initialize" || strings.HasPrefix(method, "notifications/")):
			delete(m, "id")
			show(t, &out, m, base)
		case l.Out && method == "tools/call" && aboutInput(m):
			delete(m, "id")
			show(t, &out, m, base)
		}
	}
	return out.String()
}

// wants shows a result that asks for input.
func wants(out *strings.Builder, m map[string]any) {
	result, _ := m["result"].(map[string]any)
	requests, ok := result["inputRequests"].(map[string]any)
	if !ok {
		return
	}
	var all []string
	for key, r := range requests {
		one, _ := r.(map[string]any)
		all = append(all, fmt.Sprintf("%q: %v", key, one["method"]))
	}
	sort.Strings(all)
	fmt.Fprintf(out, "← input required: %s; state %q\n", strings.Join(all, ", "), brief(result["requestState"]))
}

// aboutInput reports whether a call is to a tool that asks for input.
func aboutInput(m map[string]any) bool {
	params, _ := m["params"].(map[string]any)
	name, _ := params["name"].(string)
	return strings.HasPrefix(name, "ask_")
}

func show(t *testing.T, out *strings.Builder, m map[string]any, base string) {
	t.Helper()
	if params, ok := m["params"].(map[string]any); ok {
		if s, ok := params["requestState"].(string); ok {
			params["requestState"] = brief(s)
		}
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(out, "→ %s", strings.ReplaceAll(data.String(), uri(t, base), "file:///base"))
}

func brief(v any) string {
	s := fmt.Sprint(v)
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return s
}

// checkGolden compares a transcript with the one in testdata. Servers of every
// maker and every transport must lead to the same one.
func checkGolden(t *testing.T, revision, got string) {
	t.Helper()
	path := filepath.Join("testdata", revision+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("another transcript than in %s (-want +got); if it is right, run the test with -update:\n%s", path, diff)
	}
}
