package aiapps

import "os"

// keepOwner has nothing to do: a file in the user's own folder inherits its
// owner and rights from there.
func keepOwner(string, os.FileInfo) error { return nil }
