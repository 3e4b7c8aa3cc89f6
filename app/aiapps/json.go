package aiapps

import (
	"errors"
	"regexp"
	"strconv"

	"github.com/tailscale/hujson"
)

// maxDepth is how deeply a JSON file may be nested; those of AI apps have ten
// levels at most. The parser itself recurses without bound.
const maxDepth = 500

var jsonTrouble = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (.*)$`)

// parseJSON reads JSON with comments and trailing commas.
func parseJSON(src []byte) (*node, error) {
	if at := tooDeep(src); at >= 0 {
		return nil, broken(src, at, errors.New("the file is nested too deeply"))
	}
	v, err := hujson.Parse(src)
	if err != nil {
		m := jsonTrouble.FindStringSubmatch(err.Error())
		if m == nil {
			return nil, &FileError{Err: err}
		}
		line, _ := strconv.Atoi(m[1])   // \d+ of the parser's own counting
		column, _ := strconv.Atoi(m[2]) // likewise
		return nil, broken(src, offsetOf(src, line, column), errors.New(m[3]))
	}
	return jsonNode(&v), nil
}

func jsonNode(v *hujson.Value) *node {
	n := &node{start: v.StartOffset, end: v.EndOffset}
	switch x := v.Value.(type) {
	case *hujson.Object:
		n.kind = object
		n.members = make([]member, len(x.Members))
		for i := range x.Members {
			name := &x.Members[i].Name
			n.members[i] = member{key: name.Value.(hujson.Literal).String(), keyStart: name.StartOffset, value: jsonNode(&x.Members[i].Value)}
		}
	case *hujson.Array:
		n.kind = list
		n.items = make([]*node, len(x.Elements))
		for i := range x.Elements {
			n.items[i] = jsonNode(&x.Elements[i])
		}
	case hujson.Literal:
		switch x.Kind() {
		case '"':
			n.kind, n.text = text, x.String()
		case 'n':
			n.kind = null
		default:
			n.kind, n.text = scalar, string(x)
		}
	}
	return n
}

// tooDeep returns where brackets are nested deeper than maxDepth, or -1. In a
// file that is broken it may count wrongly; then the parser refuses it.
func tooDeep(src []byte) int {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return i
			}
		case ']', '}':
			depth--
		case '"':
			i = afterQuoted(src, i, '"', true) - 1
		case '/':
			i = afterComment(src, i) - 1
		}
	}
	return -1
}

// afterQuoted returns the byte after the quoted text that begins at i.
func afterQuoted(src []byte, i int, quote byte, escapes bool) int {
	for i++; i < len(src); i++ {
		switch {
		case escapes && src[i] == '\\':
			i++
		case src[i] == quote:
			return i + 1
		}
	}
	return len(src)
}

// afterComment returns the byte after the comment that begins at i, or after
// the slash.
func afterComment(src []byte, i int) int {
	if i+1 >= len(src) || src[i+1] != '/' && src[i+1] != '*' {
		return i + 1
	}
	for j := i + 2; j < len(src); j++ {
		if src[i+1] == '/' && src[j] == '\n' {
			return j
		}
		if src[i+1] == '*' && src[j] == '*' && j+1 < len(src) && src[j+1] == '/' {
			return j + 2
		}
	}
	return len(src)
}
