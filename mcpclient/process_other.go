//go:build !linux

package mcpclient

// Only Linux binds a child's fate to the thread that started it.
func acquireStarter()    {}
func releaseStarter()    {}
func onStarter(f func()) { f() }
