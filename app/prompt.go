package app

import (
	"time"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

// PromptID names one waiting question.
type PromptID string

// Prompt is a question to the person. Exactly one of Approval and Consent is
// set. There is at most one of each kind for a server at a time.
type Prompt struct {
	ID         PromptID
	Server     store.ServerID
	ServerName string
	Note       string // a sentence of warning when the server calls itself by a name that belongs to another
	Asked      time.Time
	Deadline   time.Time // when the waiting server is answered with what is allowed so far; zero: nobody waits
	Approval   *ApprovalQuestion
	Consent    *ConsentQuestion
}

// Warning is one fact a person should know before saying yes.
type Warning struct {
	Title  string
	Detail string
}

// ApprovalQuestion asks: may this be started (or contacted)?
type ApprovalQuestion struct {
	Identity    store.Identity
	Source      string    // where the entry comes from
	CommandLine []string  // exactly what would run, resolved; empty for a URL
	Program     string    // resolved path and what it is
	Dir         string    // working folder
	Env         []EnvLine // what is added to the minimal environment
	URL         string
	Warnings    []Warning
	Changes     []FieldChange // against the last approved version; empty if there is none
}

// EnvLine is one variable or header; a secret's value is never here.
type EnvLine struct {
	Name   string
	Value  string
	Secret bool
}

// FieldChange is one difference to what was approved before.
type FieldChange struct {
	Field    string // in words: "Command", "Working folder", …
	Old, New string
}

// ConsentQuestion asks: which of these may the server be told of?
type ConsentQuestion struct {
	Folders     []ConsentFolder // assigned and undecided first, then the workspace's other undecided roots
	CommandLine []string
	URL         string
}

// ConsentFolder is one folder of a consent question.
type ConsentFolder struct {
	Root     store.RootID
	Label    string
	Short    string
	URI      string
	Kind     root.Kind
	Access   root.Access // as assigned; read-only if it is not assigned
	Assigned bool
	Warning  string // why the place is sensitive; a second explicit yes is needed
	Problem  string // why it would be held back for now, empty if reachable
}

// PromptVerdict is how a question was answered.
type PromptVerdict string

// The answers. Closing a question is NotNow, which is not stored.
const (
	AllowAlways    PromptVerdict = "allow"
	AllowUntilQuit PromptVerdict = "session"
	NotNow         PromptVerdict = "not now"
	NeverAllow     PromptVerdict = "never"
)

// PromptAnswer answers a [Prompt].
type PromptAnswer struct {
	Verdict PromptVerdict
	// Folders holds the ticked folders of a consent question with the access
	// chosen. With NeverAllow: nil means every folder asked about.
	Folders map[store.RootID]root.Access
}
