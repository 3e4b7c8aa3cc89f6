package app

// Contract of Engine (implemented in engine.go and beside it; this file goes away).
// All commands may block on disk: call them off the window's goroutine. They
// return after the change is committed and the new snapshot is published.
// Errors are sentences a person can act on.
//
//	type Options struct {
//		DataDir  string            // profile folder, required
//		Starter  string            // default "roots-manager"
//		Prompter bool              // somebody can answer prompts; false: undecided is answered at once with what is allowed
//		ApproveAll bool            // `--consent session`: everything is allowed for this run, nothing stored
//		Logger   *slog.Logger
//		Version  string
//		ConsentWait time.Duration  // default 50 s
//	}
//	func Open(ctx context.Context, opts *Options) (*Engine, error)   // opens the profile; starts nothing
//	func (e *Engine) Start()                                         // connects enabled servers, watches roots
//	func (e *Engine) Close() error                                   // at most 3 s; stops every child
//
//	func (e *Engine) Snapshot() *Snapshot
//	func (e *Engine) Subscribe(func(*Snapshot)) (cancel func())       // called from one goroutine, newest snapshot, coalesced; once at once
//	func (e *Engine) Events(func(Event)) (cancel func())              // every event in order, one goroutine
//
//	type ServerSpec struct { Name, Command string; Args []string; Dir string; Env []store.Var; URL string; Transport store.Transport; Headers []store.Var; Source, Revision string; AllowHTTPS, RootsOff, Enabled bool }
//	func (e *Engine) AddServer(ctx, ServerSpec) (store.ServerID, error)
//	func (e *Engine) UpdateServer(ctx, store.ServerID, ServerSpec) error
//	func (e *Engine) RemoveServer(ctx, store.ServerID) error
//	func (e *Engine) SetServerEnabled(ctx, store.ServerID, bool) error
//	func (e *Engine) RestartServer(ctx, store.ServerID) error          // also: ask for approval again
//	func (e *Engine) ServerStderr(store.ServerID) []string
//	func (e *Engine) AskWhatItSees(ctx, store.ServerID) (Seen, error)  // Seen{Tool string; Folders []string; Text string; Matches bool}
//
//	type RootSpec struct { Path string /* path or URI */; Name string; AcceptWarning bool }
//	func (e *Engine) InspectRoot(ctx, pathOrURI string) (RootCheck, error)  // RootCheck{URI, Path, Kind, Warning string, Blocked string, Duplicate string, NestedIn string}; for asking the second yes
//	func (e *Engine) AddRoots(ctx, []RootSpec) ([]store.RootID, error)      // all or nothing; *SensitiveError when a warning was not accepted
//	func (e *Engine) RenameRoot(ctx, store.RootID, name string) error
//	func (e *Engine) MoveRoot(ctx, store.RootID, position int) error        // position in the active workspace
//	func (e *Engine) RemoveRoots(ctx, []store.RootID) error
//	func (e *Engine) RelocateRoot(ctx, store.RootID, newPath string) error  // keeps assignments, asks consent for the new target
//	func (e *Engine) RetryRoot(store.RootID)
//	type Tick struct { Server store.ServerID; Root store.RootID; On bool; Access root.Access }
//	func (e *Engine) Assign(ctx, []Tick) error                               // by hand in the window: is consent (origin "grid")
//	func (e *Engine) AssignOnly(ctx, []Tick) error                           // from the command line without a confirmation: no consent
//	func (e *Engine) Undo(ctx) error                                         // takes back the change named by Snapshot.UndoLabel
//
//	func (e *Engine) Answer(ctx, PromptID, PromptAnswer) error
//	func (e *Engine) Approve(ctx, store.ServerID, origin string) error       // CLI, after the person confirmed at a terminal
//	func (e *Engine) CheckPath(ctx, path string) ([]PathCheck, error)        // PathCheck{Server store.ServerID; Name string; Allowed bool; Root string; Why string}
//	func (e *Engine) SearchActivity(ctx, ActivityFilter) ([]Activity, error)  // ActivityFilter{Text, Server, Kind string; Since time.Time; Limit int}
//	func (e *Engine) Setting(key string) string; SetSetting(ctx, key, value string) error   // keys: "theme" (system|light|dark), "allow-blocked" (on|off)
