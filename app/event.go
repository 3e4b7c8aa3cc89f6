package app

import (
	"time"

	"rootsmanager/mcpclient"
	"rootsmanager/store"
)

// EventKind names an [Event]; the values are the names of `run --json`.
type EventKind string

// The kinds of event. They are an interface: see README, "Events".
const (
	EventServerConnected    EventKind = "server.connected"    // ProtocolVersion, Transport, ServerName, ServerVersion
	EventServerDisconnected EventKind = "server.disconnected" // Reason
	EventRootsRequested     EventKind = "roots.requested"
	EventRootsAnswered      EventKind = "roots.answered" // Roots, Duration
	EventRootsNotified      EventKind = "roots.notified"
	EventRootStatus         EventKind = "root.status" // URI, Status, Previous
	EventConsentRequested   EventKind = "consent.requested"
	EventServerSeen         EventKind = "server.seen"     // Folders: what the server says it works in, after a person asked
	EventConsentDecided     EventKind = "consent.decided" // Decision: allow, session, not now, never
)

// Event is one thing that happened, for automation.
type Event struct {
	Time            time.Time
	Kind            EventKind
	ServerID        store.ServerID
	Server          string // name, empty where none is meant
	ProtocolVersion string
	Transport       string
	ServerName      string
	ServerVersion   string
	Reason          string
	Roots           []mcpclient.Root
	Duration        time.Duration
	URI             string
	Status          string
	Previous        string
	Decision        string
	Folders         []string
}
