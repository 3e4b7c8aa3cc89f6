package store

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// newID returns the prefix and 12 random base32 characters (60 bits).
func newID(prefix string) string {
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return prefix + strings.ToLower(base32.StdEncoding.EncodeToString(b[:])[:12])
}
