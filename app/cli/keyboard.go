package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/term"
)

// maxLine is the longest answer that is read, in bytes.
const maxLine = 4096

// errNoMoreInput is returned when the terminal's input ended.
var errNoMoreInput = errors.New("the terminal's input has ended")

// keyboard asks the person at the terminal. There is one only when the input
// and the stream that questions are written to are both terminals: an answer
// that comes through a pipe is not a person's.
type keyboard struct {
	in  io.Reader
	ask io.Writer // nil: nobody can be asked

	start sync.Once
	lines chan string   // closed when the input ends
	done  chan struct{} // closed by close
}

// newKeyboard writes its questions to the first of outs that is a terminal.
func newKeyboard(in io.Reader, outs ...io.Writer) *keyboard {
	k := &keyboard{in: in, lines: make(chan string), done: make(chan struct{})}
	if !isTerminal(in) {
		return k
	}
	for _, out := range outs {
		if isTerminal(out) {
			k.ask = out
			break
		}
	}
	return k
}

func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// present reports whether a person can be asked.
func (k *keyboard) present() bool { return k.ask != nil }

// close lets the reading goroutine end with the next line, or with the input.
func (k *keyboard) close() { close(k.done) }

// read passes lines on until the input ends.
func (k *keyboard) read() {
	defer close(k.lines)
	lines := bufio.NewScanner(k.in)
	lines.Buffer(make([]byte, 0, 256), maxLine)
	for lines.Scan() {
		select {
		case k.lines <- lines.Text():
		case <-k.done:
			return
		}
	}
}

// listen starts reading and returns the lines as they are typed.
func (k *keyboard) listen() <-chan string {
	k.start.Do(func() { go k.read() })
	return k.lines
}

// forget drops what was typed before a question stood: it cannot be an answer
// to it.
func (k *keyboard) forget() {
	discardTyped(k.in)
	for {
		select {
		case _, ok := <-k.lines:
			if !ok {
				return
			}
		default:
			return
		}
	}
}

// line writes a question and reads the answer, without surrounding spaces.
func (k *keyboard) line(ctx context.Context, question string) (string, error) {
	if !k.present() {
		return "", errors.New("nobody can be asked: this is not a terminal")
	}
	lines := k.listen()
	if _, err := fmt.Fprint(k.ask, question, " "); err != nil {
		return "", fmt.Errorf("the question cannot be written to the terminal: %w", err)
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case text, ok := <-lines:
		if !ok {
			return "", errNoMoreInput
		}
		return strings.TrimSpace(text), nil
	}
}

// confirm asks a question that Enter answers with no.
func (k *keyboard) confirm(ctx context.Context, question string) (bool, error) {
	answer, err := k.line(ctx, question+" [y/N]")
	if errors.Is(err, errNoMoreInput) {
		return false, nil
	}
	return isYes(answer), err
}

// insist asks for the word yes: a single key pressed by habit is not enough.
func (k *keyboard) insist(ctx context.Context, question string) (bool, error) {
	answer, err := k.line(ctx, question+" Type yes to go on:")
	if errors.Is(err, errNoMoreInput) {
		return false, nil
	}
	return strings.EqualFold(answer, "yes"), err
}

func isYes(answer string) bool {
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}
