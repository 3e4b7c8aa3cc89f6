// Package app is the core: it decides what each MCP server is told. It knows no
// window and no protocol library; screens, command line and tests are equal
// users of [Engine].
//
// Its promise: a server is started only if exactly what would run is approved,
// and is told only of roots that are assigned, consented and reachable, in the
// user's order. What cannot be decided or looked at is not disclosed. Every
// change is committed before it takes effect, and every effect is published as
// one immutable [Snapshot].
//
// [Open] starts the monitor and the store with their goroutines,
// [Engine.Start] the engine's own and one session for each enabled server;
// [Engine.Close] ends them all and waits.
package app
