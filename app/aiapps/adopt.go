package aiapps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Errors of edits. Each is returned with the file and the entry it is about.
var (
	ErrChanged   = errors.New("the file was changed meanwhile: look at it again")
	ErrDropped   = errors.New("the app has no such server any more")
	ErrRewritten = errors.New("the app's entry runs something else by now, so nothing is changed")
	ErrNoCommand = errors.New("only servers that are started by a command can be managed")
	ErrShape     = errors.New("the entry is written in a way that cannot be edited safely: change it in the app")
)

// Record is what has to be kept to give an adopted entry back. It may hold
// secrets that stood among the arguments.
type Record struct {
	App   string // "Cursor"
	AppID string // "cursor"
	File  string
	Key   []string // the way to the entry, wherever it stands in the file

	ID     string   // of our server
	Binary string   // what the entry starts now
	Args   []string // its arguments

	Command    string   // what it started before
	CommandRaw []byte   // the same, as it was written
	HadArgs    bool     // there were arguments
	Before     []string // they
	ArgsRaw    []byte   // as they were written
	Inserted   []byte   // what was added to make room for arguments; empty if HadArgs
}

// State is what became of an adopted entry.
type State string

// The states there are.
const (
	Managed   State = "managed"   // as it was left
	Moved     State = "moved"     // it starts the bridge for our server, but not as it was left: repair it
	Rewritten State = "rewritten" // the app or a person made something else of it
	Dropped   State = "dropped"   // the entry or the file is gone
)

// Edit is a change of one file that was worked out and not made yet.
type Edit struct {
	App, File     string
	before, after []byte
}

// Diff is the exact change, as a unified diff. Secrets are not hidden in it.
func (e *Edit) Diff() string { return unified(e.File, e.before, e.after) }

// Adopt works out how an entry comes to start our server: its command becomes
// binary, a full path, and its arguments "bridge ID", with "--app APP" when app
// is not empty. All else of the entry stays. Nothing is written: see
// [Edit.Apply]; the record is to be kept before.
func Adopt(entry Entry, binary, id, app string) (*Edit, Record, error) {
	r := Record{App: entry.App, AppID: entry.AppID, File: entry.File, Key: entry.Key, ID: id, Binary: binary, Args: []string{"bridge", id}}
	if app != "" {
		r.Args = append(r.Args, "--app", app)
	}
	fail := func(err error) (*Edit, Record, error) { return nil, Record{}, r.trouble(err) }
	f, err := r.open()
	if err != nil {
		return fail(err)
	}
	if f.command == nil {
		return fail(ErrNoCommand)
	}
	r.Command, r.Before = f.command.value.text, f.target.words("args")
	if r.Command != entry.Command || !slices.Equal(r.Before, entry.Args) {
		return fail(ErrChanged)
	}
	if _, id := bridged(r.Command, r.Before); id != "" {
		return fail(errors.New("the entry is managed already"))
	}
	r.CommandRaw = slices.Clone(f.src[f.command.value.start:f.command.value.end])
	if f.args != nil {
		r.HadArgs, r.ArgsRaw = true, slices.Clone(f.src[f.args.value.start:f.args.value.end])
	}
	edit, err := f.write(&r)
	if err != nil {
		return fail(err)
	}
	return edit, r, nil
}

// Check looks at what became of an adopted entry. The error says why the file
// cannot be read.
func Check(r Record) (State, error) {
	f, err := r.open()
	switch {
	case errors.Is(err, ErrDropped):
		return Dropped, nil
	case errors.Is(err, ErrShape):
		return Rewritten, nil
	case err != nil:
		return "", r.trouble(err)
	}
	return f.state(&r), nil
}

// GiveBack works out how an adopted entry gets its own command back, as it was
// written; what the app changed elsewhere, in the entry too, stays.
func GiveBack(r Record) (*Edit, error) {
	f, err := r.open()
	if err != nil {
		return nil, r.trouble(err)
	}
	if s := f.state(&r); s != Managed && s != Moved {
		return nil, r.trouble(ErrRewritten)
	}
	list := f.list(r.Before)
	// After the app wrote the file anew, in another layout, the old spelling may
	// not fit any more: then the old meaning is given back.
	for _, changes := range [][]change{
		f.back(&r, r.CommandRaw, r.ArgsRaw), f.back(&r, r.CommandRaw, list), f.back(&r, quote(r.Command), list),
	} {
		if after, ok := f.try(changes, r.Command, r.Before, r.HadArgs); ok {
			return &Edit{r.App, r.File, f.src, after}, nil
		}
	}
	return nil, r.trouble(ErrShape)
}

// Repair works out how an adopted entry starts binary, after this program was
// moved. The record returned takes the place of r.
func Repair(r Record, binary string) (*Edit, Record, error) {
	f, err := r.open()
	if err != nil {
		return nil, r, r.trouble(err)
	}
	if s := f.state(&r); s != Managed && s != Moved {
		return nil, r, r.trouble(ErrRewritten)
	}
	repaired := r
	repaired.Binary = binary
	edit, err := f.write(&repaired)
	if err != nil {
		return nil, r, r.trouble(err)
	}
	return edit, repaired, nil
}

func (r *Record) trouble(err error) error {
	return fmt.Errorf("%s of %s (%s): %w", r.Key[len(r.Key)-1], r.App, r.File, err)
}

// entryFile is a file, with one entry found in it.
type entryFile struct {
	place         Place
	key           []string
	src           []byte
	target        *node   // what holds command and arguments
	command, args *member // nil: it has none
}

// open reads the file of a record and finds the entry. The error is ErrDropped
// if it is not there, and ErrShape if it cannot be edited.
func (r *Record) open() (*entryFile, error) {
	at := slices.IndexFunc(apps, func(a app) bool { return a.id == r.AppID })
	if at < 0 || len(r.Key) == 0 {
		return nil, fmt.Errorf("there is no AI app %q", r.AppID)
	}
	src, err := readFile(r.File)
	if err != nil {
		if isMissing(err) {
			return nil, ErrDropped
		}
		return nil, err
	}
	shape := apps[at].shape
	return openEntry(Place{App: r.App, AppID: r.AppID, File: r.File, Format: shape.format, shape: shape}, r.Key, src)
}

func openEntry(p Place, key []string, src []byte) (*entryFile, error) {
	top, err := p.parse(src)
	if err != nil {
		return nil, err
	}
	f := &entryFile{place: p, key: key, src: src}
	if f.target, err = p.shape.find(top, key); err != nil {
		return nil, err
	}
	command, _ := p.shape.keys()
	if runs := p.shape.runs(f.target); runs != f.target {
		f.target, command = runs, "path"
	}
	if f.command, err = editable(f.target, command, text); err != nil {
		return nil, err
	}
	if f.args, err = editable(f.target, "args", list); err != nil {
		return nil, err
	}
	return f, nil
}

// find follows the keys to an entry. Only what stands there once, for itself,
// is found.
func (s shape) find(n *node, key []string) (*node, error) {
	for i, k := range key {
		var next *node
		matches := 0
		if s.named && i == len(key)-1 {
			for _, item := range n.items {
				if item.meant().word("name") == k {
					next, matches = item, matches+1
				}
			}
		} else {
			for _, m := range n.members {
				if m.key == k {
					next, matches = m.value, matches+1
				}
			}
		}
		switch {
		case matches == 0:
			return nil, ErrDropped
		case matches > 1 || next.anchored:
			return nil, ErrShape
		}
		n = next
	}
	if n.kind != object {
		return nil, ErrDropped
	}
	return n, nil
}

// editable finds a member whose value can be replaced; nil: there is none.
func editable(n *node, key string, want kind) (*member, error) {
	if n.anchored {
		return nil, ErrShape
	}
	var found *member
	for i := range n.members {
		if m := &n.members[i]; m.key == key {
			if found != nil || m.value.kind != want || m.value.fixed || m.value.end < m.value.start {
				return nil, ErrShape
			}
			found = m
		}
	}
	return found, nil
}

func (f *entryFile) state(r *Record) State {
	if f.command == nil {
		return Rewritten
	}
	command, args := f.command.value.text, f.target.words("args")
	if command == r.Binary && slices.Equal(args, r.Args) {
		return Managed
	}
	if _, id := bridged(command, args); id == r.ID {
		return Moved
	}
	return Rewritten
}

// change replaces the bytes from start to end.
type change struct {
	start, end int
	text       []byte
}

// write works out the edit that makes the entry what the record says.
func (f *entryFile) write(r *Record) (*Edit, error) {
	if !utf8.ValidString(r.Binary) || r.Binary == "" {
		return nil, fmt.Errorf("the path %q cannot be written into a file", r.Binary)
	}
	changes := []change{{f.command.value.start, f.command.value.end, quote(r.Binary)}}
	if f.args != nil {
		changes = append(changes, change{f.args.value.start, f.args.value.end, f.list(r.Args)})
	} else {
		changes = append(changes, change{f.command.keyStart, f.command.keyStart, f.room(r.Args)})
	}
	after, ok := f.try(changes, r.Binary, r.Args, true)
	if !ok {
		return nil, ErrShape
	}
	if !r.HadArgs {
		now, err := openEntry(f.place, f.key, after)
		if err != nil {
			return nil, err
		}
		r.Inserted = nil
		if now.args.keyStart < now.command.keyStart {
			r.Inserted = slices.Clone(after[now.args.keyStart:now.command.keyStart])
		}
	}
	return &Edit{r.App, r.File, f.src, after}, nil
}

// back are the changes that undo write.
func (f *entryFile) back(r *Record, command, args []byte) []change {
	changes := []change{{f.command.value.start, f.command.value.end, command}}
	switch {
	case f.args == nil:
	case r.HadArgs:
		changes = append(changes, change{f.args.value.start, f.args.value.end, args})
	case len(r.Inserted) > 0 && bytes.HasPrefix(f.src[f.args.keyStart:], r.Inserted):
		changes = append(changes, change{f.args.keyStart, f.args.keyStart + len(r.Inserted), nil})
	default: // the app wrote the file anew: take the member out with what parts it from its neighbour
		at := slices.IndexFunc(f.target.members, func(m member) bool { return m.key == "args" })
		if at+1 < len(f.target.members) {
			changes = append(changes, change{f.args.keyStart, f.target.members[at+1].keyStart, nil})
		} else if at > 0 {
			changes = append(changes, change{f.target.members[at-1].value.end, f.args.value.end, nil})
		}
	}
	return changes
}

// try makes the changes in memory. It reports false unless the result means
// what it should: the entry has this command and these arguments, and all else
// is the same.
func (f *entryFile) try(changes []change, command string, args []string, hasArgs bool) ([]byte, bool) {
	slices.SortFunc(changes, func(a, b change) int { return a.start - b.start })
	var after []byte
	at := 0
	for _, c := range changes {
		if c.start < at || c.end < c.start || c.end > len(f.src) {
			return nil, false
		}
		after = append(append(after, f.src[at:c.start]...), c.text...)
		at = c.end
	}
	after = append(after, f.src[at:]...)
	was, err := f.without(f.src)
	if err != nil {
		return nil, false
	}
	is, err := f.without(after)
	if err != nil || !was.same(is) {
		return nil, false
	}
	now, err := openEntry(f.place, f.key, after)
	ok := err == nil && now.command != nil && now.command.value.text == command &&
		(now.args != nil) == hasArgs && slices.Equal(now.target.words("args"), args)
	return after, ok
}

// without parses a file and takes command and arguments out of the entry.
func (f *entryFile) without(src []byte) (*node, error) {
	top, err := f.place.parse(src)
	if err != nil {
		return nil, err
	}
	entry, err := f.place.shape.find(top, f.key)
	if err != nil {
		return nil, err
	}
	command, _ := f.place.shape.keys()
	target := f.place.shape.runs(entry)
	if target != entry {
		command = "path"
	}
	target.members = slices.DeleteFunc(target.members, func(m member) bool { return m.key == command || m.key == "args" })
	return top, nil
}

// list writes arguments the way those that stand there are written.
func (f *entryFile) list(args []string) []byte {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = string(quote(a))
	}
	if f.place.Format == YAML && f.args != nil && !f.args.value.flow {
		parting := f.lineEnd() + f.indent(f.args.value.start) + "- "
		return []byte("- " + strings.Join(words, parting))
	}
	return []byte("[" + strings.Join(words, ", ") + "]")
}

// room is a member with arguments, and what parts it from the command after it.
func (f *entryFile) room(args []string) []byte {
	value := string(f.list(args))
	at := f.command.keyStart
	if f.place.Format == JSON {
		space := f.src[:at]
		space = space[len(bytes.TrimRight(space, " \t\r\n")):]
		return []byte(`"args": ` + value + "," + string(space))
	}
	sign := ": "
	if f.place.Format == TOML {
		sign = " = "
	}
	line := f.src[bytes.LastIndexByte(f.src[:at], '\n')+1 : at]
	if f.target.flow || bytes.ContainsAny(line, "{") {
		return []byte("args" + sign + value + ", ")
	}
	return []byte("args" + sign + value + f.lineEnd() + f.indent(at))
}

// indent is as much space as stands before a byte on its line.
func (f *entryFile) indent(at int) string {
	line := f.src[bytes.LastIndexByte(f.src[:at], '\n')+1 : at]
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(bytes.TrimPrefix(line, byteOrderMark)))
}

func (f *entryFile) lineEnd() string {
	if bytes.Contains(f.src, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// quote writes a text so that JSON, TOML and YAML read it alike.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string is always encoded
		panic(err)
	}
	return bytes.ReplaceAll(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\x7f"), []byte(`\u007f`))
}
