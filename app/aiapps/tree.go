package aiapps

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Format is how a configuration file is written.
type Format string

// The formats there are.
const (
	JSON Format = "json" // with comments and trailing commas
	TOML Format = "toml"
	YAML Format = "yaml"
)

// FileError says where a configuration file cannot be understood.
type FileError struct {
	App    string // name of the AI app
	File   string
	Line   int // from 1; 0 if the whole file is meant
	Column int // in characters, from 1; 0 if the whole file is meant
	Err    error
}

// Error names file, line and column.
func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
}

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// kind says what a value is.
type kind int

const (
	null kind = iota
	text
	scalar // a number, a date, true or false
	list
	object
)

// node is one value of a parsed file, in any format.
type node struct {
	kind       kind
	start, end int    // byte range in the file; end is -1 where the parser cannot tell
	text       string // of a text or scalar
	items      []*node
	members    []member
	alias      string // YAML: name of the anchor this stands for; target is what it means
	target     *node
	fixed      bool // cannot be edited in place: tagged, or without a known range
	anchored   bool // YAML: other places may mean this value, too
	flow       bool // YAML: lies inside or is a flow collection
}

// member is one key of an object, with its value.
type member struct {
	key      string
	keyStart int
	value    *node
}

// meant follows a YAML alias.
func (n *node) meant() *node {
	if n != nil && n.target != nil {
		return n.target
	}
	return n
}

// get returns the value of a key; of several, the last, as the apps do. nil: none.
func (n *node) get(key string) *node {
	m := n.member(key)
	if m == nil {
		return nil
	}
	return m.value.meant()
}

func (n *node) member(key string) *member {
	if n = n.meant(); n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return &n.members[i]
		}
	}
	return nil
}

// word returns the text of the first of the keys that has one.
func (n *node) word(keys ...string) string {
	for _, k := range keys {
		if v := n.get(k); v != nil && v.kind == text && v.text != "" {
			return v.text
		}
	}
	return ""
}

// words returns the texts of a list.
func (n *node) words(key string) []string {
	v := n.get(key)
	if v == nil {
		return nil
	}
	var words []string
	for _, item := range v.items {
		if item = item.meant(); item.kind == text || item.kind == scalar {
			words = append(words, item.text)
		}
	}
	return words
}

// same reports whether two values mean the same; where they stand and how they
// are spelled does not count. An alias is the same only as that alias.
func (n *node) same(o *node) bool {
	if n == nil || o == nil {
		return n == o
	}
	if n.kind != o.kind || n.text != o.text || n.alias != o.alias || len(n.items) != len(o.items) || len(n.members) != len(o.members) {
		return false
	}
	for i := range n.items {
		if !n.items[i].same(o.items[i]) {
			return false
		}
	}
	for i := range n.members {
		if n.members[i].key != o.members[i].key || !n.members[i].value.same(o.members[i].value) {
			return false
		}
	}
	return true
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// parse reads a whole file. Offsets count from the start of src, a byte order
// mark included. Errors are *FileError without App and File.
func parse(format Format, src []byte) (top *node, err error) {
	defer func() {
		// A parser that stumbles over a file of somebody else's must not end
		// this program: the file counts as broken.
		if r := recover(); r != nil {
			top, err = nil, &FileError{Err: fmt.Errorf("the file cannot be understood: %v", r)}
		}
	}()
	body := bytes.TrimPrefix(src, byteOrderMark)
	shift := len(src) - len(body)
	if bad := firstInvalid(body); bad >= 0 {
		return nil, broken(body, bad, errors.New("this is not UTF-8 text: save the file as UTF-8"))
	}
	if len(bytes.TrimSpace(body)) == 0 { // an app may leave an empty file
		return &node{kind: null, start: shift, end: shift}, nil
	}
	switch format {
	case TOML:
		top, err = parseTOML(body)
	case YAML:
		top, err = parseYAML(body)
	default:
		top, err = parseJSON(body)
	}
	if err == nil && shift > 0 {
		top.shift(shift)
	}
	return top, err
}

func firstInvalid(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

// shift moves every range behind a byte order mark.
func (n *node) shift(by int) {
	n.start += by
	if n.end >= 0 {
		n.end += by
	}
	for _, item := range n.items {
		item.shift(by)
	}
	for i := range n.members {
		n.members[i].keyStart += by
		n.members[i].value.shift(by)
	}
}

func broken(src []byte, offset int, err error) *FileError {
	line, column := position(src, offset)
	return &FileError{Line: line, Column: column, Err: err}
}

// position gives line and column, in characters, of a byte.
func position(src []byte, offset int) (line, column int) {
	before := src[:max(0, min(offset, len(src)))]
	before = bytes.TrimPrefix(before, byteOrderMark)
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// offsetOf is the byte at a line and a column counted in bytes, both from 1.
func offsetOf(src []byte, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		at += i + 1
	}
	return min(at+max(column-1, 0), len(src))
}
