package aiapps

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var yamlTrouble = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

// parseYAML reads the first document of a YAML file.
func parseYAML(src []byte) (*node, error) {
	var doc yaml.Node
	err := yaml.NewDecoder(bytes.NewReader(src)).Decode(&doc)
	if errors.Is(err, io.EOF) { // nothing but comments
		return &node{kind: null, end: len(src)}, nil
	}
	if err != nil {
		if m := yamlTrouble.FindStringSubmatch(err.Error()); m != nil {
			// The parser tells the line only: the place is where its text begins.
			line, _ := strconv.Atoi(m[1]) // \d+ of the parser's own counting
			at := offsetOf(src, line, 1)
			rest := src[at:]
			at += len(rest) - len(bytes.TrimLeft(rest, " \t-"))
			return nil, broken(src, min(at, len(src)), errors.New(m[2]))
		}
		return nil, &FileError{Line: 1, Column: 1, Err: errors.New(strings.TrimPrefix(err.Error(), "yaml: "))}
	}
	y := yamlFile{src: src, lines: yamlLines(src), seen: make(map[*yaml.Node]*node)}
	if len(doc.Content) == 0 {
		return &node{kind: null, end: len(src)}, nil
	}
	return y.node(doc.Content[0], false), nil
}

type yamlFile struct {
	src   []byte
	lines []int // where each line begins
	seen  map[*yaml.Node]*node
}

// yamlLines finds the lines as YAML 1.1 counts them.
func yamlLines(src []byte) []int {
	lines := []int{0}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		i += size
		switch r {
		case '\r':
			if i < len(src) && src[i] == '\n' {
				i++
			}
			lines = append(lines, i)
		case '\n', '\u0085', '\u2028', '\u2029':
			lines = append(lines, i)
		}
	}
	return lines
}

func (y *yamlFile) offset(v *yaml.Node) int {
	if v.Line < 1 || v.Line > len(y.lines) {
		return len(y.src)
	}
	at := y.lines[v.Line-1]
	for i := 1; i < v.Column && at < len(y.src); i++ {
		_, size := utf8.DecodeRune(y.src[at:])
		at += size
	}
	return at
}

func (y *yamlFile) node(v *yaml.Node, flow bool) *node {
	n := &node{start: y.offset(v), end: -1, anchored: v.Anchor != "" || v.Kind == yaml.AliasNode}
	n.fixed = n.anchored || v.Style&yaml.TaggedStyle != 0
	y.seen[v] = n
	n.flow = flow || v.Style&yaml.FlowStyle != 0
	switch v.Kind {
	case yaml.AliasNode:
		n.alias, n.fixed = v.Value, true
		n.target = y.seen[v.Alias] // made before: an anchor stands before its aliases
		if n.target != nil {
			n.kind = n.target.kind
		}
	case yaml.MappingNode:
		n.kind = object
		for i := 0; i+1 < len(v.Content); i += 2 {
			key, value := v.Content[i], v.Content[i+1]
			n.members = append(n.members, member{key.Value, y.offset(key), y.node(value, n.flow)})
		}
		if len(n.members) > 0 && !n.flow && !n.fixed {
			n.start = n.members[0].keyStart
			n.end = n.members[len(n.members)-1].value.end
		}
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range v.Content {
			n.items = append(n.items, y.node(item, n.flow))
		}
		if len(n.items) > 0 && !n.flow && !n.fixed {
			n.end = n.items[len(n.items)-1].end
		}
	case yaml.ScalarNode:
		switch v.ShortTag() {
		case "!!str":
			n.kind, n.text = text, v.Value
		case "!!null":
			n.kind = null
		default:
			n.kind, n.text = scalar, v.Value
		}
		n.end = y.scalarEnd(n.start, v, n.flow)
	}
	if n.kind != null && v.Style&yaml.FlowStyle != 0 {
		n.end = y.flowEnd(n.start)
	}
	if n.end < n.start {
		n.end, n.fixed = -1, true
	}
	return n
}

// scalarEnd finds where a value on one line ends; -1 if it has several lines.
func (y *yamlFile) scalarEnd(at int, v *yaml.Node, flow bool) int {
	switch {
	case v.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0 || v.Anchor != "":
		return -1
	case v.Style&yaml.DoubleQuotedStyle != 0:
		return afterQuoted(y.src, at, '"', true)
	case v.Style&yaml.SingleQuotedStyle != 0:
		return afterSingleQuoted(y.src, at)
	}
	if !bytes.HasPrefix(y.src[at:], []byte(v.Value)) { // several lines, folded into one
		return -1
	}
	return at + len(v.Value)
}

// afterSingleQuoted returns the byte after text in which ” stands for '.
func afterSingleQuoted(src []byte, i int) int {
	for {
		i = afterQuoted(src, i, '\'', false)
		if i >= len(src) || src[i] != '\'' {
			return i
		}
	}
}

// flowEnd finds the bracket that closes the one at a byte; -1 if there is none.
func (y *yamlFile) flowEnd(at int) int {
	depth := 0
	for i := at; i < len(y.src); {
		starts := i == at || strings.IndexByte(" \t\r\n,[{:", y.src[i-1]) >= 0
		switch c := y.src[i]; {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == '"' && starts:
			i = afterQuoted(y.src, i, '"', true)
			continue
		case c == '\'' && starts:
			i = afterSingleQuoted(y.src, i)
			continue
		case c == '#' && starts:
			if end := bytes.IndexByte(y.src[i:], '\n'); end >= 0 {
				i += end
				continue
			}
			return -1
		}
		i++
	}
	return -1
}
