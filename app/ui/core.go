package ui

import (
	"context"
	"io"

	"rootsmanager/app"
	"rootsmanager/store"
)

// Core is what the screens need of app.Engine. Commands may block and are
// called off the Fyne goroutine; Snapshot and Setting do not block.
type Core interface {
	Snapshot() *app.Snapshot
	Subscribe(func(*app.Snapshot)) (cancel func())

	AddServer(context.Context, app.ServerSpec) (store.ServerID, error)
	UpdateServer(context.Context, store.ServerID, app.ServerSpec) error
	RemoveServer(context.Context, store.ServerID) error
	SetServerEnabled(context.Context, store.ServerID, bool) error
	RestartServer(context.Context, store.ServerID) error
	LogIn(context.Context, store.ServerID) error
	ServerStderr(store.ServerID) []string
	AskWhatItSees(context.Context, store.ServerID) (app.Seen, error)

	InspectRoot(ctx context.Context, pathOrURI string) (app.RootCheck, error)
	AddRoots(context.Context, []app.RootSpec) ([]store.RootID, error)
	RenameRoot(ctx context.Context, id store.RootID, name string) error
	MoveRoot(ctx context.Context, id store.RootID, position int) error
	RemoveRoots(context.Context, []store.RootID) error
	RelocateRoot(ctx context.Context, id store.RootID, newPath string) error
	RetryRoot(store.RootID)

	Assign(context.Context, []app.Tick) error
	Undo(context.Context) error
	Answer(context.Context, app.PromptID, app.PromptAnswer) error
	SearchActivity(context.Context, app.ActivityFilter) ([]app.Activity, error)
	Decisions() []app.DecisionView
	Revoke(context.Context, app.Revocation) (int, error)
	RetryKeyring()
	AcknowledgeTampering(context.Context) error
	ExportActivity(ctx context.Context, w io.Writer, format string) error
	Setting(key string) string
	SetSetting(ctx context.Context, key, value string) error
}
