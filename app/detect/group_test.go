package detect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroupsByParentAndRepository(t *testing.T) {
	projects := []Project{
		{Path: "/a"},
		{Path: "/a/x", Parent: "/a"},
		{Path: "/a/x/deep", Parent: "/a/x"},
		{Path: "/a/y", Parent: "/a", Main: "/z"},
		{Path: "/b"},
		{Path: "/fix", Main: "/a"},
		{Path: "/lost", Main: "/gone"},
		{Path: "/p", Main: "/q"}, // they name each other
		{Path: "/q", Main: "/p"},
		{Path: "/self", Main: "/self"},
	}
	var got []string
	rows := Grouped(projects)
	for _, r := range rows {
		got = append(got, strings.Repeat(" ", r.Depth)+r.Path)
		if rows[r.Group].Depth != 0 {
			t.Errorf("the group of %s is %s", r.Path, rows[r.Group].Path)
		}
	}
	want := []string{"/a", " /a/x", "  /a/x/deep", " /a/y", " /fix", "/b", "/lost", "/p", "/q", "/self"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
