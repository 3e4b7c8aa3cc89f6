package main

import (
	"go/ast"
	"strings"
	"testing"
)

// longest is the length, in lines, from which a file wants a wall.
const longest = 500

// Every room says at its door what it promises and who owns its goroutines.
func TestEveryPackageHasOneDocComment(t *testing.T) {
	docs, packages := map[string][]file{}, map[string]string{}
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		packages[f.dir] = f.ast.Name.Name
		if f.ast.Doc != nil {
			docs[f.dir] = append(docs[f.dir], f)
		}
	}
	for dir, name := range packages {
		switch found := docs[dir]; len(found) {
		case 0:
			t.Errorf("package %s (%s) has no doc comment: say what it promises and who owns its goroutines", name, dir)
		case 1:
			text := found[0].ast.Doc.Text()
			if !strings.HasPrefix(text, opening(found[0].ast, dir)) {
				t.Errorf("%s: the doc comment should start %q", found[0].name, opening(found[0].ast, dir))
			}
			if len(strings.Fields(text)) < 12 {
				t.Errorf("%s: %q says too little to be a promise", found[0].name, strings.TrimSpace(text))
			}
		default:
			t.Errorf("package %s (%s) has %d doc comments (%v): newcomers read only one", name, dir, len(found), found)
		}
	}
}

// opening returns how the doc comment of a package begins, by Go's convention.
func opening(f *ast.File, dir string) string {
	if f.Name.Name != "main" {
		return "Package " + f.Name.Name + " "
	}
	if dir == "." {
		return "Roots Manager "
	}
	return "Command " + dir[strings.LastIndex(dir, "/")+1:] + " "
}

// About 300 lines is a good room.
func TestNoFileWantsAWall(t *testing.T) {
	for _, f := range goFiles(t) {
		if !f.test && f.lines() > longest {
			t.Errorf("%v is over %d: part it where one subject ends and the next begins", f, longest)
		}
	}
}
