package mcpclient

// Contract of Session (implemented in session.go; this file goes away):
//
//	func New(host Host, opts *Options) *Session   // starts its goroutines; opts nil = defaults
//	func (s *Session) Announce()                   // the exposure changed; returns at once, coalesced (25 ms), one list_changed per batch
//	func (s *Session) Restart()                    // end the connection if any, forget crash counts, connect again; returns at once
//	func (s *Session) Stderr() []string            // last 500 lines, oldest first, each at most 4 KiB
//	func (s *Session) Tools(ctx context.Context) ([]Tool, error)          // Tool{Name, Description}
//	func (s *Session) CallTool(ctx context.Context, name string, args map[string]any) (ToolResult, error) // ToolResult{Text string, Structured json.RawMessage, IsError bool}
//	func (s *Session) Close() error                // idempotent, at most 3 s; no process or goroutine is left
//
//	type Options struct {
//		Logger     *slog.Logger
//		Coalesce   time.Duration // default 25 ms
//		MaxMessage int           // bytes, default 8 MiB
//		HTTPClient *http.Client  // base client for tests, default transport with timeouts
//		ClientVersion string
//	}
//
//	func Encode(generation uint64, roots []Root) *Exposure
