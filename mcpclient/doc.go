// Package mcpclient holds sessions with MCP servers: it starts or contacts
// them, answers roots/list, announces changes and reports what happened. It is
// the only importer of the MCP SDK besides mcpclient/probe and mcpclient/login.
//
// Its promise: whatever a server does (stall, flood, crash, lie), it costs only
// that server's [Session]; no method of a Session blocks on the server, except
// [Session.Tools] and [Session.CallTool], which end with their context. A
// server learns of a root by nothing but the answers of [Host.Roots].
//
// Goroutines: [New] starts one worker per session, which owns everything that
// belongs to a connection (the child process and its readers, the SDK's
// goroutines, the announcer). [Session.Close] waits for all of them. On Linux
// one locked thread, shared by all sessions and gone with the last one, starts
// the children, because their parent-death signal is bound to it; on all Unixes
// one small guard process ends them and theirs should the app be killed.
package mcpclient
