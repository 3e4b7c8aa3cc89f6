// Package login logs a person in to an MCP server that asks for it (OAuth 2.1;
// revision 2025-11-25, "Authorization") and keeps what the server's login
// service gave.
//
// Its promise: a browser opens only while [Account.LogIn] runs, which a person
// asked for; whatever else needs a login ends with a [RequiredError]. A token
// goes to the one server it was made for and to the service that made it,
// never along a redirect, and stands in no error and no log. At most one login
// per server runs at a time.
//
// Goroutines: [Account.LogIn] starts those that wait for the browser's answer
// on 127.0.0.1 and ends them before it returns. [SystemBrowser] leaves one
// behind that waits for the program it started. Nothing else starts any.
package login
