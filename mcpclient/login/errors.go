package login

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Reason says why a login is needed.
type Reason string

// The reasons of a [RequiredError].
const (
	NotLoggedIn Reason = "not logged in"    // there never was a login, or it was ended here
	Expired     Reason = "login ended"      // the server or its login service no longer accepts it
	MoreRights  Reason = "more rights"      // the server wants rights that the login does not have
	Unreadable  Reason = "login unreadable" // what was saved cannot be used
)

// RequiredError says that a server wants a login that only a person can make:
// by [Account.LogIn].
type RequiredError struct {
	Origin string   // scheme, host and port of the server
	Reason Reason   //
	Scopes []string // with MoreRights: what the server asks for; untrusted text
}

func (e *RequiredError) Error() string {
	switch e.Reason {
	case Expired:
		return e.Origin + " no longer accepts your login: log in again"
	case MoreRights:
		return fmt.Sprintf("%s wants a login with more rights (%s): log in again to grant them", e.Origin, plain(strings.Join(e.Scopes, " "), 200))
	case Unreadable:
		return "the saved login for " + e.Origin + " cannot be used: log in again"
	}
	return e.Origin + " wants you to log in"
}

// Errors of [Account.LogIn], each a sentence for a person.
var (
	ErrUnderWay  = errors.New("a login for this server is already under way: finish it in the browser, or cancel it")
	ErrCancelled = errors.New("the login was cancelled")
	ErrLate      = errors.New("the login was not finished in time: start it again")
	ErrDenied    = errors.New("the login was refused in the browser")
	ErrState     = errors.New("the browser's answer belongs to another login, so it was not used: start the login again")
	ErrIssuer    = errors.New("the answer came from another login service than the one that was asked, so it was not used")
	ErrNotNeeded = errors.New("the server does not ask for a login")
	// ErrNotSaved comes with the reason. The login works until the program ends.
	ErrNotSaved = errors.New("you are logged in until Roots Manager ends, because the login could not be saved")
)

// plain makes untrusted text fit for a sentence: one line, printable, short.
func plain(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if runes := []rune(s); len(runes) > limit {
		s = string(runes[:limit]) + "…"
	}
	return s
}
