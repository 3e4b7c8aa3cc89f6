package cli

import (
	"fmt"
	"strings"
	"time"

	"rootsmanager/app"
)

// eventText gives one event as a line for people.
func eventText(ev app.Event) ([]byte, error) {
	subject, text := ev.Server, ""
	switch ev.Kind {
	case app.EventServerConnected:
		text = "is connected (" + ev.ProtocolVersion + ", " + ev.Transport + ")"
		if ev.ServerName != "" {
			text += ", calls itself " + strings.TrimSpace(ev.ServerName+" "+ev.ServerVersion)
		}
	case app.EventServerDisconnected:
		text = "is not connected: " + ev.Reason
	case app.EventRootsRequested:
		text = "asked for its folders"
	case app.EventRootsAnswered:
		text = fmt.Sprintf("was told of %s in %.1f ms", rootsText(ev), float64(ev.Duration)/float64(time.Millisecond))
	case app.EventRootsNotified:
		text = "was told that its folders changed"
	case app.EventRootStatus:
		subject, text = ev.URI, "is "+ev.Status
		if ev.Previous != "" && ev.Previous != ev.Status {
			text += " (was " + ev.Previous + ")"
		}
	case app.EventConsentRequested:
		text = "waits for consent"
	case app.EventConsentDecided:
		text = "consent: " + ev.Decision
	case app.EventServerSeen:
		text = "says it works in " + strings.Join(ev.Folders, ", ")
	default:
		text = string(ev.Kind)
	}
	return []byte(ev.Time.Local().Format("15:04:05.000") + "  " + plain(subject) + " " + plain(text) + "\n"), nil
}

func rootsText(ev app.Event) string {
	if len(ev.Roots) == 0 {
		return "no folders"
	}
	uris := make([]string, len(ev.Roots))
	for i, r := range ev.Roots {
		uris[i] = r.URI
	}
	return strings.Join(uris, ", ")
}
