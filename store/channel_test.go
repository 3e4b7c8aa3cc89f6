package store

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

// A profile of the first schema opens with what it held, and its servers are
// told as before.
func TestProfileOfTheFirstSchemaIsBroughtUpToDate(t *testing.T) {
	dir := t.TempDir()
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	old, err := sql.Open("sqlite3", filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	_, err = old.Exec(steps[0].text + fmt.Sprintf(`;
		PRAGMA user_version = 1; PRAGMA application_id = %d;
		INSERT INTO workspaces (id, name, position) VALUES ('w_1', 'Old', 0);
		INSERT INTO meta (key, value) VALUES ('%s', '7'), ('%s', 'w_1'), ('%s', 'p_1');
		INSERT INTO servers (id, name, enabled, source, transport, command, args, dir, env, url, headers, revision, roots_off, allow_https, position, created)
		VALUES ('s_1', 'old', 1, 'added by you', 'stdio', 'npx', '["-y"]', '', '[]', '', '[]', '', 0, 1, 3, 42)`,
		applicationID, metaVersion, metaActive, metaProfile))
	if err := errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, dir)
	st := s.State()
	if len(st.Servers) != 1 {
		t.Fatalf("servers %+v", st.Servers)
	}
	if v := st.Servers[0]; v.Name != "old" || !v.AllowHTTPS || v.Position != 3 || v.Channel != ChannelAuto || v.NoRestart {
		t.Errorf("the server came back as %+v", v)
	}
	if st.Workspaces[0].Name != "Old" {
		t.Errorf("workspaces %+v", st.Workspaces)
	}
}

func TestChannelIsKeptAndChecked(t *testing.T) {
	s := openAt(t, t.TempDir())
	for _, c := range append(Channels(), "") {
		st := update(t, s, func(tx *Tx) error {
			v := aServer("told by " + string(c))
			v.Channel, v.NoRestart = c, c == ChannelDir
			_, err := tx.AddServer(v)
			return err
		})
		got := st.Servers[len(st.Servers)-1]
		want := c
		if want == "" {
			want = ChannelAuto
		}
		if got.Channel != want || got.NoRestart != (c == ChannelDir) {
			t.Errorf("kept %+v", got)
		}
		if diff := sameState(st, reopened(t, s)); diff != "" {
			t.Errorf("the file holds something else:\n%s", diff)
		}
	}
	_, err := s.Update(t.Context(), func(tx *Tx) error {
		v := aServer("pigeon")
		v.Channel = "pigeon"
		_, err := tx.AddServer(v)
		return err
	})
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("an unknown channel: %v", err)
	}
}
