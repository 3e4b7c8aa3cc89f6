// Package detect finds projects below a folder, and the folders that code
// editors opened lately. It promises to change nothing, to start no program, to
// follow no symbolic link, and to stay within bounds of memory and time.
//
// Goroutines belong to the call that started them: Find and Recent return when
// all of theirs have ended or, after their context ended, at once. One that
// hangs in the file system then, as on a network drive that is gone, ends with
// that call and touches nothing more.
package detect
