package store

import (
	"time"

	"rootsmanager/app/root"
)

// ServerID, RootID and WorkspaceID name rows for life. They are random, never
// reused, and say nothing about what they name.
type (
	ServerID    string
	RootID      string
	WorkspaceID string
)

// Identity is the digest of what would really run, or of the URL that would be
// contacted. Approvals and consent are bound to it, never to a name.
type Identity string

// Transport says how a server is reached.
type Transport string

// The transports a server can have.
const (
	Stdio Transport = "stdio" // a command that is started and spoken to over its standard streams
	HTTP  Transport = "http"  // streamable HTTP; falls back to SSE when the endpoint refuses
	SSE   Transport = "sse"   // the legacy HTTP+SSE transport of revision 2024-11-05
)

// Channel says how a server learns of its folders.
type Channel string

// The channels. All but ChannelRoots and ChannelAuto put the folders where a
// server finds them when it starts, so that a change means a restart. A server
// that asks for roots is answered on every channel.
const (
	ChannelAuto      Channel = "auto"           // roots, and placeholders in its arguments and environment are filled in
	ChannelRoots     Channel = "roots"          // roots only (2025-11-25, "Roots"); placeholders are left as they are
	ChannelArguments Channel = "arguments"      // filled into its arguments; at their end if they have no placeholder
	ChannelEnv       Channel = "environment"    // filled into its variables
	ChannelDir       Channel = "working folder" // started in the first folder; placeholders are filled in, too
)

// Channels lists the channels in the order in which they are offered.
func Channels() []Channel {
	return []Channel{ChannelAuto, ChannelRoots, ChannelArguments, ChannelEnv, ChannelDir}
}

// Var is one environment variable or HTTP header of a server.
type Var struct {
	Name   string
	Value  string // empty in the database when Secret: the value is in the keyring
	Secret bool
}

// Server is one MCP server a person configured.
type Server struct {
	ID        ServerID
	Name      string // unique within the profile, 1 to 80 characters
	Enabled   bool
	Source    string // where the entry comes from, in words for people: "added by you", "Cursor (~/.cursor/mcp.json)"
	Transport Transport

	Command string   // stdio: program as typed, resolved at start
	Args    []string // stdio
	Dir     string   // stdio: working folder, empty for the home folder
	Env     []Var    // stdio: added to the minimal safe set

	URL     string // http, sse
	Headers []Var  // http, sse

	Revision   string // pinned protocol revision, empty for automatic
	RootsOff   bool   // answer roots/list with -32601
	AllowHTTPS bool   // https roots may be sent to this server

	Channel   Channel // how it learns of its folders; empty is ChannelAuto, and kept as such
	NoRestart bool    // where a change means a restart: leave that to the person

	Position int // order in the window, 0 first
	Created  time.Time
}

// Root is one folder, file or https URI that may be exposed to servers.
type Root struct {
	ID      RootID
	URI     string // canonical, unique within the profile
	Name    string // shown and sent; empty means the last path component is shown and no name is sent
	Kind    root.Kind
	Created time.Time
}

// Workspace is a named set of roots with their assignments.
type Workspace struct {
	ID       WorkspaceID
	Name     string
	Position int
}

// Approval is the user's stored yes to start or contact a server.
type Approval struct {
	Identity    Identity
	Server      ServerID // the server it was given for; informative
	Starter     string   // who starts it: "roots-manager", later an AI app
	Program     string   // resolved program or URL, as shown
	ProgramHash string   // hex SHA-256 of the program file at approval, empty for URLs
	Shown       string   // JSON of what the dialog showed, to explain a later difference
	Origin      string   // dialog, cli
	Time        time.Time
}

// Verdict is what a person decided about one root and one server.
type Verdict string

// The verdicts that can be stored. "Not now" is not stored.
const (
	Allow   Verdict = "allow"
	Never   Verdict = "never"
	Revoked Verdict = "revoked" // taken back: undecided again
)

// Decision is one row of consent: newest row per identity and URI wins.
type Decision struct {
	Seq      int64 // assigned by the store
	Time     time.Time
	Identity Identity
	Starter  string
	URI      string
	Target   string // resolved path at decision time
	FileID   string // device and file number at decision time, empty if the system has none
	Access   root.Access
	Verdict  Verdict
	Origin   string    // dialog, grid, cli
	Expires  time.Time // zero: does not expire
}

// State is everything a profile holds, as one immutable value. Nothing
// reachable from it may be changed by readers.
type State struct {
	Version     int64 // grows with every committed change, also of other processes
	Servers     []Server
	Roots       map[RootID]Root
	Workspaces  []Workspace
	Active      WorkspaceID
	Members     map[WorkspaceID][]RootID // in the user's order
	Assignments map[WorkspaceID]map[ServerID]map[RootID]root.Access
	Approvals   map[Identity]Approval
	Decisions   map[Identity]map[string]Decision // by URI, newest only
	Settings    map[string]string
}
