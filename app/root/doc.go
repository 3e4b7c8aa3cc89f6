// Package root says what a root is and which paths it covers.
//
// A root is a folder, a single file, or an https URI that may be exposed to MCP
// servers (MCP 2025-11-25, "Client Features / Roots"; https roots come from the
// concept page only). The package parses and builds their URIs, refuses what
// could be read in two ways, decides whether one path lies within another, and
// knows which places deserve a warning. The rules for Unix and for Windows are
// both compiled everywhere, so both are tested everywhere.
//
// The package owns no goroutines and keeps no state. Only [Resolve], [Reaches],
// [Same] and [SystemPlaces] touch the disk; they can block for as long as a
// dead network mount does, so callers that must not wait run them elsewhere.
package root
