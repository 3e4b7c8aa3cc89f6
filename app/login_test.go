package app

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rootsmanager/store"
)

// A server that lets nobody in without a login rests until the person logged
// in; what is wrong with the login service is said in a sentence.
func TestServerThatAsksForALoginRestsAndSaysSo(t *testing.T) {
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	defer web.Close()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+web.URL+`/meta"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	d := newDesk(t, Options{Prompter: true, OpenPage: nil})
	id, err := d.AddServer(t.Context(), ServerSpec{Name: "web", URL: web.URL + "/mcp", Transport: store.HTTP, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.LogIn(t.Context(), id); err == nil {
		t.Error("a login before the server was contacted")
	}
	d.answerApproval(id, AllowAlways)
	s := d.until("it asks for a login", func(s *Snapshot) bool { return server(s, id).NeedsLogin })
	v := server(s, id)
	if !v.RetryAt.IsZero() || !strings.Contains(strings.ToLower(v.Problem), "log in") {
		t.Errorf("retry at %s, problem %q", v.RetryAt, v.Problem)
	}
	if err := d.LogIn(t.Context(), id); err == nil || errors.Is(err, ErrPromptGone) || len(err.Error()) < 20 {
		t.Errorf("a login without a service: %v", err)
	}
	if !server(d.Snapshot(), id).NeedsLogin {
		t.Error("after a failed login it no longer asks for one")
	}
}
