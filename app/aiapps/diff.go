package aiapps

import (
	"bytes"
	"fmt"
	"strings"
)

// around is how many unchanged lines a diff shows on both sides of a change.
const around = 3

// unified gives the difference of two texts as a unified diff with one hunk; it
// is empty if there is none. Edits of this package change lines that lie
// together.
func unified(name string, before, after []byte) string {
	a, b := linesOf(before), linesOf(after)
	start := 0
	for start < len(a) && start < len(b) && bytes.Equal(a[start], b[start]) {
		start++
	}
	if start == len(a) && start == len(b) {
		return ""
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && bytes.Equal(a[endA-1], b[endB-1]) {
		endA--
		endB--
	}
	from, to := max(0, start-around), min(len(a), endA+around)
	added := endB - endA
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n@@ -%s +%s @@\n", name, name, span(from, to-from), span(from, to+added-from))
	line := func(sign byte, text []byte) {
		out.WriteByte(sign)
		out.Write(text)
		if text[len(text)-1] != '\n' {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
	for _, l := range a[from:start] {
		line(' ', l)
	}
	for _, l := range a[start:endA] {
		line('-', l)
	}
	for _, l := range b[start:endB] {
		line('+', l)
	}
	for _, l := range a[endA:to] {
		line(' ', l)
	}
	return out.String()
}

// linesOf gives the lines with their ends.
func linesOf(b []byte) [][]byte {
	lines := bytes.SplitAfter(b, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 { // what follows the last line end is no line
		lines = lines[:len(lines)-1]
	}
	return lines
}

// span is a range of lines as a hunk names it.
func span(from, count int) string {
	if count == 0 {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, count)
}
