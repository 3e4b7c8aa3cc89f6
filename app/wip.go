//go:build !engine

package app

import (
	"time"

	"rootsmanager/app/root"
	"rootsmanager/store"
)

type ServerSpec struct {
	Name       string
	Command    string
	Args       []string
	Dir        string
	Env        []store.Var
	URL        string
	Transport  store.Transport
	Headers    []store.Var
	Source     string
	Revision   string
	AllowHTTPS bool
	RootsOff   bool
	Enabled    bool
}

func (v ServerView) Spec() ServerSpec     { return ServerSpec{} }
func Revisions() []string                 { return nil }
func Quote(argv []string) string          { return "" }
func Plain(text string, limit int) string { return text }
func Short(path string) string            { return path }

type Seen struct {
	Tool    string
	Folders []string
	Text    string
	Matches bool
}
type RootSpec struct {
	Path          string
	Name          string
	AcceptWarning bool
}
type RootCheck struct {
	URI       string
	Path      string
	Kind      root.Kind
	Warning   string
	Blocked   string
	Duplicate string
	NestedIn  string
	Problem   string
}
type SensitiveError struct{ Checks []RootCheck }

func (e *SensitiveError) Error() string { return "" }

type Tick struct {
	Server store.ServerID
	Root   store.RootID
	On     bool
	Access root.Access
}
type PathCheck struct {
	Server  store.ServerID
	Name    string
	Allowed bool
	Root    string
	Why     string
}
type ActivityFilter struct {
	Text   string
	Server string
	Kind   string
	Since  time.Time
	Limit  int
}

const SettingAllowBlocked = "allow-blocked"
const SettingExpiry = "decisions-expire-days"
