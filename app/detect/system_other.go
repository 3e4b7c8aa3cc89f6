//go:build !unix

package detect

import "io/fs"

const neverWait = 0

// device names a file system. On Windows, drives that are mounted in a folder
// are reparse points, which are not folders to os.ReadDir: they are never
// searched.
type device uint64

func deviceOf(fs.FileInfo) (device, bool) { return 0, false }
