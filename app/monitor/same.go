package monitor

import "rootsmanager/app/root"

// SameTarget reports whether what was remembered of a place, as target and
// fileID of an earlier [Observation], still fits what is seen now. The rule is
// that of [Place].
func SameTarget(target, fileID string, now Observation) bool {
	if root.Spelling(root.Native(), target) != root.Spelling(root.Native(), now.Target) {
		return false
	}
	was, known := parseFileKey(fileID)
	is, seen := parseFileKey(now.FileID)
	return !known || !seen || !was.replaced(is)
}
