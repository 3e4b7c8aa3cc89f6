package aiapps

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML reads TOML. The strict decoder finds what is wrong, duplicate keys
// included; the parser below it tells the ranges.
func parseTOML(src []byte) (*node, error) {
	var discard map[string]any
	if err := toml.Unmarshal(src, &discard); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, broken(src, offsetOf(src, line, column), errors.New(strings.TrimPrefix(at.Error(), "toml: ")))
		}
		return nil, &FileError{Err: err}
	}
	var p unstable.Parser
	p.Reset(src)
	top := &node{kind: object, end: len(src)}
	table := top
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			keys, start, _ := tomlKeys(&p, e.Key())
			table = top.table(keys, start)
		case unstable.ArrayTable:
			keys, start, _ := tomlKeys(&p, e.Key())
			parent := top.table(keys[:len(keys)-1], start)
			name := keys[len(keys)-1]
			m := parent.member(name)
			if m == nil {
				parent.members = append(parent.members, member{name, start, &node{kind: list, start: start, end: -1, fixed: true}})
				m = &parent.members[len(parent.members)-1]
			}
			table = &node{kind: object, start: start, end: -1, fixed: true}
			m.value.items = append(m.value.items, table)
		case unstable.KeyValue:
			tomlKeyValue(&p, src, table, e)
		}
	}
	if err := p.Error(); err != nil {
		return nil, &FileError{Err: err}
	}
	return top, nil
}

func tomlKeys(p *unstable.Parser, it unstable.Iterator) (keys []string, start, end int) {
	start = -1
	for it.Next() {
		k := it.Node()
		keys = append(keys, string(k.Data))
		if start < 0 {
			start = int(k.Raw.Offset)
		}
		end = int(k.Raw.Offset + k.Raw.Length)
	}
	return keys, start, end
}

// table finds or makes the table at a dotted key; of an array of tables it is
// the last.
func (n *node) table(keys []string, start int) *node {
	for _, key := range keys {
		m := n.member(key)
		if m == nil {
			n.members = append(n.members, member{key, start, &node{kind: object, start: start, end: -1, fixed: true}})
			m = &n.members[len(n.members)-1]
		}
		n = m.value
		if n.kind == list && len(n.items) > 0 {
			n = n.items[len(n.items)-1]
		}
	}
	return n
}

func tomlKeyValue(p *unstable.Parser, src []byte, table *node, e *unstable.Node) {
	keys, start, end := tomlKeys(p, e.Key())
	parent := table.table(keys[:len(keys)-1], start)
	for end < len(src) && strings.IndexByte(" \t=", src[end]) >= 0 {
		end++
	}
	value := tomlNode(p, src, e.Value())
	value.start, value.end = end, int(e.Raw.Offset+e.Raw.Length)
	parent.members = append(parent.members, member{keys[len(keys)-1], start, value})
}

func tomlNode(p *unstable.Parser, src []byte, v *unstable.Node) *node {
	n := &node{start: int(v.Raw.Offset), end: int(v.Raw.Offset + v.Raw.Length)}
	switch v.Kind {
	case unstable.Array:
		n.kind, n.end = list, -1
		for it := v.Children(); it.Next(); {
			n.items = append(n.items, tomlNode(p, src, it.Node()))
		}
	case unstable.InlineTable:
		n.kind, n.end = object, -1
		for it := v.Children(); it.Next(); {
			tomlKeyValue(p, src, n, it.Node())
		}
	case unstable.String:
		n.kind, n.text = text, string(v.Data)
	default:
		n.kind, n.text = scalar, string(v.Data)
	}
	return n
}
