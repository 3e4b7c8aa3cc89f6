package app

import (
	"time"

	"rootsmanager/app/monitor"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// Snapshot is everything a screen shows, at one moment. It is immutable and
// shared: readers change nothing reachable from it. A new one is published
// after every change; Seq grows.
type Snapshot struct {
	Seq        uint64
	Workspace  store.Workspace   // the active one
	Workspaces []store.Workspace // in the user's order
	Servers    []ServerView      // in the user's order
	Roots      []RootView        // of the active workspace, in the user's order
	Prompts    []Prompt          // waiting questions, oldest first
	Activity   []Activity        // newest first, at most 500
	Health     Health
	UndoLabel  string // what Undo would take back, in words ("Remove frontend"); empty: nothing
	Cells      CellSource
}

// CellSource tells the state of each pair. It is safe for concurrent use.
type CellSource interface {
	Cell(server store.ServerID, root store.RootID) Cell
}

// CellState is the state of one server and one root.
type CellState string

// The states of a cell, as the Access grid shows them.
const (
	CellOff     CellState = "off"          // not assigned
	CellOn      CellState = "on"           // the server is told of it
	CellAsks    CellState = "asks"         // assigned, not decided: the server waits for an answer, or will when it asks
	CellHeld    CellState = "held back"    // assigned and allowed, but withheld; Reason says why
	CellChanged CellState = "ask again"    // assigned and allowed, but the folder leads somewhere else now; Reason says where to
	CellNever   CellState = "never"        // assigned, and refused for good
	CellIdle    CellState = "when started" // assigned and allowed; the server is off, failed or not approved, so it is told nothing now
)

// Cell is one pair of the Access grid.
type Cell struct {
	State  CellState
	Access root.Access
	Reason string // one short sentence for people, for Held and Idle
}

// ServerState says where a server stands.
type ServerState string

// The states of a server.
const (
	ServerOff        ServerState = "off"
	ServerWaiting    ServerState = "waiting for approval"
	ServerConnecting ServerState = "connecting"
	ServerConnected  ServerState = "connected"
	ServerFailed     ServerState = "failed" // Problem says why; RetryAt when it is tried again
)

// Delivery says how far the current exposure got.
type Delivery string

// The states of delivery.
const (
	DeliveryNone       Delivery = ""            // not connected
	DeliveryNeverAsked Delivery = "never asked" // connected, has not asked for roots
	DeliveryTold       Delivery = "told"        // list_changed was sent, it has not asked again yet
	DeliveryCurrent    Delivery = "current"     // its last answer is the current exposure
	DeliveryStale      Delivery = "stale"       // its last answer is an older one and it could not be told, or did not ask within 2 s
)

// ServerView is one server as shown.
type ServerView struct {
	store.Server
	Identity     store.Identity
	CommandLine  []string // resolved program and arguments, exactly what would run; empty for URLs
	State        ServerState
	Problem      string // a sentence a person can act on, when failed
	RetryAt      time.Time
	Revision     string // protocol revision of the connection
	SelfName     string // what the server calls itself; untrusted, already made safe to show
	SelfVersion  string // untrusted, already made safe to show
	SelfNote     string // a sentence of warning when it calls itself by a name that belongs to another; empty otherwise
	NeedsLogin   bool   // it rests until the person logged in; see Engine.LogIn
	OtherProgram bool   // the program file changed since it was approved
	ApprovedAt   time.Time

	Assigned int // roots assigned in the active workspace
	Exposed  int // roots it is told of now
	Delivery Delivery
	ToldAt   time.Time
	AskedAt  time.Time     // last roots/list
	AskDelay time.Duration // from the last ToldAt to the request that followed, 0 if none yet
	Answered int           // roots in the last answer, or filled in at its start
	MayKeep  bool          // something was taken back, and the server may still use it: it is not ours to restart
	Filled   bool          // its folders are put into what is started; CommandLine holds the placeholders
	Honours  Honours       // how it treats its folders, by evidence; see Report
	Errors   []string      // last errors, newest first, at most 5
}

// RootView is one root as shown.
type RootView struct {
	store.Root
	Path       string // decoded, native; the URI for https roots
	Short      string // with the home folder as ~
	Label      string // the name, or the last path component
	Status     monitor.Status
	Since      time.Time
	Detail     string
	Target     string // where a symlink leads, if it does
	MovedTo    string // where a missing folder was found; empty if it was not
	Warning    string // why the place is sensitive, empty if it is not
	NestedIn   string // label of a root of this workspace that contains it
	ExposedTo  int    // servers told of it now
	AssignedTo int    // servers it is assigned to in this workspace
}

// Activity is one line of what happened, in words for people.
type Activity struct {
	Time    time.Time
	Kind    string   // told, asked, answered, decided, approved, started, stopped, failed, status, changed
	Server  string   // name, may be empty
	Subject string   // what the sentence is about, shown bold: a server's or a root's label
	Text    string   // the rest of the sentence, without the subject
	URIs    []string // what was told, where something was
}

// Health is the foot of the side bar.
type Health struct {
	Sealed     bool   // decisions are kept in the sealed ledger
	SealedText string // "Decisions sealed in keyring", or why not
	Tampered   bool   // decisions were altered outside of this app; see Engine.AcknowledgeTampering
	SealedHelp string // how to mend it, empty when sealed
	Watching   bool
	WatchText  string // "Watching 12 folders"
	WatchHelp  string
}
