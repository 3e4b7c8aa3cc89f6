package detect

// Row is one line of a grouped list.
type Row struct {
	*Project
	Depth int // 0 at the top; one more than that of the row it belongs to
	Group int // index of the row at the top that it belongs to, itself at depth 0
}

// Grouped lists the projects by path, each below the one around it; a worktree
// that lies elsewhere follows the repository it belongs to. The rows point
// into projects, which are sorted as in a [Result].
func Grouped(projects []Project) []Row {
	at := make(map[string]int, len(projects))
	for i := range projects {
		at[projects[i].Path] = i
	}
	below := make(map[int][]int)
	var top []int
	for i := range projects {
		p := &projects[i]
		owner, ok := at[p.Parent]
		if !ok {
			owner, ok = at[p.Main]
		}
		if !ok || owner == i || belongs(projects, at, owner, i) {
			top = append(top, i)
			continue
		}
		below[owner] = append(below[owner], i)
	}
	rows := make([]Row, 0, len(projects))
	var add func(i, depth, group int)
	add = func(i, depth, group int) {
		rows = append(rows, Row{&projects[i], depth, group})
		for _, child := range below[i] {
			add(child, depth+1, group)
		}
	}
	for _, i := range top {
		add(i, 0, len(rows))
	}
	return rows
}

// belongs reports whether a project is grouped below another one already: a
// .git file may say anything, so two can name each other.
func belongs(projects []Project, at map[string]int, i, to int) bool {
	for steps := 0; steps <= len(projects); steps++ {
		if i == to {
			return true
		}
		owner, ok := at[projects[i].Parent]
		if !ok {
			if owner, ok = at[projects[i].Main]; !ok {
				return false
			}
		}
		i = owner
	}
	return true
}
