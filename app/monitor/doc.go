// Package monitor tells whether each root is reachable, and says so when that
// changes.
//
// It knows from four sources: file-system events (fsnotify) on the folders that
// hold the roots and on the folders above them, the mount table, a periodic
// sweep over everything for what the first two miss, and a HEAD request at most
// once a minute for https roots. Events only say where to look; the status
// always comes from looking.
//
// # When a change is reported
//
// Everything that takes rights away or gives a root back is reported as soon as
// it is seen, about a millisecond after the event: a lost permission, a folder
// become read-only, a link that leads elsewhere, a root that is there again.
// Only a root that vanished is held back, because editors and version control
// delete and recreate: for [Options.Flap] (250 ms) after a deletion, and for a
// twenty-fifth of that (10 ms) when a folder was renamed or a drive was unmounted,
// which no editor does to a folder it is about to recreate. A root that is back
// within that time was never gone.
//
// # What cannot be waited for
//
// Every look at a root has a deadline of its own ([Options.Deadline], 2 s).
// Looks are grouped by file system, one at a time for each, so a mount that
// does not answer costs one slot: its roots become [Unreachable], none of them
// is looked at until the kernel gives the stuck call back, and then after a
// pause that grows from 1 s to 60 s. A file system mounted anew is another one
// and is looked at once. Roots elsewhere notice nothing.
//
// # Rights
//
// What counts is what a server started by this user could do, so access(2)
// decides. For the administrator that means: everything is allowed, except on
// file systems mounted read-only.
//
// # Goroutines
//
// [New] starts one goroutine that owns all state, one for the mount table
// (Linux) and, beside fsnotify's own, two for events; looks run in at most 16
// short-lived ones. [Monitor.Close] waits for all of them, except for those
// stuck in a system call that nothing can interrupt (at most 64).
package monitor
