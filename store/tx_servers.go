package store

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"
)

// AddServer adds a server and returns it as kept: with an ID, a position after
// all others and the time, where these were zero. The name must be free.
func (t *Tx) AddServer(v Server) (Server, error) {
	if len(t.draft.Servers) >= MaxServers {
		return Server{}, refuse(ErrTooMany, "A profile holds at most %d servers; remove one first.", MaxServers)
	}
	if v.ID == "" {
		v.ID = ServerID(newID("s_"))
	} else if serverIndex(t.draft.Servers, v.ID) >= 0 {
		return Server{}, refuse(ErrTaken, "The server “%s” is in the profile already.", v.Name)
	}
	if v.Position == 0 {
		for _, other := range t.draft.Servers {
			v.Position = max(v.Position, other.Position+1)
		}
	}
	if v.Created.IsZero() {
		v.Created = t.now()
	}
	return t.writeServer(v)
}

// PutServer replaces the server with the same ID.
func (t *Tx) PutServer(v Server) error {
	if serverIndex(t.draft.Servers, v.ID) < 0 {
		return refuse(ErrNotFound, "The server “%s” is not in the profile any more.", v.Name)
	}
	_, err := t.writeServer(v)
	return err
}

func (t *Tx) writeServer(v Server) (Server, error) {
	if err := t.checkServer(&v); err != nil {
		return Server{}, err
	}
	v.Created = fromNanos(nanos(v.Created))
	t.stageSecrets(v.ID, v.Env, v.Headers)
	v.Args, v.Env, v.Headers = slices.Clone(v.Args), withoutSecrets(v.Env), withoutSecrets(v.Headers)
	var texts [3][]byte
	size := len(v.Source)
	for i, list := range []any{v.Args, v.Env, v.Headers} {
		text, err := json.Marshal(list)
		if err != nil {
			return Server{}, err
		}
		texts[i] = text
		size += len(text)
	}
	if size > maxServerBytes {
		return Server{}, refuse(ErrInvalid, "The arguments and variables of “%s” are longer than %d bytes together.", v.Name, maxServerBytes)
	}
	err := t.exec(`INSERT INTO servers (id, name, enabled, source, transport, command, args, dir, env, url, headers,
		revision, roots_off, allow_https, channel, no_restart, position, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, enabled = excluded.enabled, source = excluded.source,
		transport = excluded.transport, command = excluded.command, args = excluded.args, dir = excluded.dir, env = excluded.env,
		url = excluded.url, headers = excluded.headers, revision = excluded.revision, roots_off = excluded.roots_off,
		allow_https = excluded.allow_https, channel = excluded.channel, no_restart = excluded.no_restart, position = excluded.position, created = excluded.created`,
		v.ID, v.Name, v.Enabled, v.Source, v.Transport, v.Command, texts[0], v.Dir, texts[1], v.URL, texts[2],
		v.Revision, v.RootsOff, v.AllowHTTPS, v.Channel, v.NoRestart, v.Position, nanos(v.Created))
	if err != nil {
		return Server{}, err
	}
	servers := t.draft.servers()
	if i := serverIndex(*servers, v.ID); i >= 0 {
		(*servers)[i] = v
	} else {
		*servers = append(*servers, v)
	}
	sortServers(*servers)
	return v, nil
}

func (t *Tx) checkServer(v *Server) error {
	if err := checkName("server", v.Name); err != nil {
		return err
	}
	if utf8.RuneCountInString(v.Name) > maxServerName {
		return refuse(ErrInvalid, "The name of a server is longer than %d characters; choose a shorter one.", maxServerName)
	}
	if v.Position < 0 {
		return refuse(ErrInvalid, "The position of a server cannot be negative.")
	}
	for _, other := range t.draft.Servers {
		if other.Name == v.Name && other.ID != v.ID {
			return refuse(ErrTaken, "There is a server named “%s” already; choose another name.", v.Name)
		}
	}
	switch v.Transport {
	case Stdio, HTTP, SSE:
	default:
		return refuse(ErrInvalid, "“%s” is not a way to reach a server; use stdio, http or sse.", v.Transport)
	}
	if v.Channel == "" {
		v.Channel = ChannelAuto
	}
	if !slices.Contains(Channels(), v.Channel) {
		return refuse(ErrInvalid, "“%s” is not a way to tell a server its folders; use auto, roots, arguments, environment or working folder.", v.Channel)
	}
	if len(v.Args) > maxArgs {
		return refuse(ErrInvalid, "A server has at most %d arguments.", maxArgs)
	}
	if len(v.Env) > maxVars || len(v.Headers) > maxVars {
		return refuse(ErrInvalid, "A server has at most %d variables or headers.", maxVars)
	}
	texts := append([]string{v.Source, v.Command, v.Dir, v.URL, v.Revision}, v.Args...)
	for _, list := range [][]Var{v.Env, v.Headers} {
		for _, one := range list {
			if one.Name == "" {
				return refuse(ErrInvalid, "A variable or header of “%s” has no name.", v.Name)
			}
			texts = append(texts, one.Name, one.Value)
		}
	}
	for _, text := range texts {
		if len(text) > maxFieldBytes {
			return refuse(ErrInvalid, "A field of the server “%s” is longer than %d bytes.", v.Name, maxFieldBytes)
		}
		if !utf8.ValidString(text) {
			return refuse(ErrInvalid, "A field of the server “%s” is not valid text.", v.Name)
		}
	}
	return nil
}

// withoutSecrets copies vars with the values of secrets left out.
func withoutSecrets(vars []Var) []Var {
	vars = slices.Clone(vars)
	for i := range vars {
		if vars[i].Secret {
			vars[i].Value = ""
		}
	}
	return vars
}

// RemoveServer removes a server and its assignments. Approvals and decisions
// are bound to an identity, not to it, and stay.
func (t *Tx) RemoveServer(id ServerID) error {
	i := serverIndex(t.draft.Servers, id)
	if i < 0 {
		return refuse(ErrNotFound, "The server is not in the profile any more.")
	}
	if err := t.exec("DELETE FROM servers WHERE id = ?", id); err != nil {
		return err
	}
	servers := t.draft.servers()
	*servers = slices.Delete(*servers, i, i+1)
	for w, of := range t.draft.Assignments {
		if _, ok := of[id]; ok {
			delete(t.draft.assignmentsOf(w), id)
		}
	}
	return nil
}

// PutApproval keeps the person's yes for an identity; a zero Time is now.
func (t *Tx) PutApproval(a Approval) error {
	if a.Identity == "" {
		return refuse(ErrInvalid, "An approval needs the identity it is for.")
	}
	if _, had := t.draft.Approvals[a.Identity]; !had && len(t.draft.Approvals) >= MaxApprovals {
		return refuse(ErrTooMany, "A profile holds at most %d approvals; take some back first.", MaxApprovals)
	}
	if len(a.Program)+len(a.Shown) > maxServerBytes {
		return refuse(ErrInvalid, "An approval is longer than %d bytes.", maxServerBytes)
	}
	a.Time = t.orNow(a.Time)
	return t.append(ledgerRow{kind: rowApproval, approval: a})
}

// RemoveApproval takes an approval back. None is fine: while the keyring is
// away there may be one in the ledger that cannot be seen.
func (t *Tx) RemoveApproval(id Identity) error {
	if _, had := t.draft.Approvals[id]; !had && t.ledger.readable() {
		return nil
	}
	return t.append(ledgerRow{kind: rowRemoval, approval: Approval{Identity: id, Time: t.orNow(time.Time{})}})
}

// Record adds decisions to the ledger, in this order. Seq is assigned; a zero
// Time is now.
func (t *Tx) Record(decisions ...Decision) error {
	for _, d := range decisions {
		switch {
		case d.Identity == "":
			return refuse(ErrInvalid, "A decision needs the identity it is for.")
		case d.URI == "" || len(d.URI) > maxURIBytes:
			return refuse(ErrInvalid, "A decision needs an address of 1 to %d bytes.", maxURIBytes)
		case d.Verdict != Allow && d.Verdict != Never && d.Verdict != Revoked:
			return refuse(ErrInvalid, "“%s” cannot be stored as a decision.", d.Verdict)
		case len(d.Target)+len(d.FileID)+len(d.Starter)+len(d.Origin) > maxFieldBytes:
			return refuse(ErrInvalid, "A decision is longer than %d bytes.", maxFieldBytes)
		}
		d.Time, d.Expires = t.orNow(d.Time), fromNanos(nanos(d.Expires))
		if err := t.append(ledgerRow{kind: rowDecision, decision: d}); err != nil {
			return err
		}
	}
	return nil
}

// orNow gives when as it comes back from the file.
func (t *Tx) orNow(when time.Time) time.Time {
	if when.IsZero() {
		when = t.now()
	}
	return fromNanos(nanos(when))
}

// append adds one row to the ledger, which is written when the change is done.
func (t *Tx) append(row ledgerRow) error {
	if err := t.usable(); err != nil {
		return err
	}
	row.decision.Seq = t.at.ledger.seq + int64(len(t.rows)) + 1
	t.rows = append(t.rows, row)
	t.draft.apply(&row)
	return nil
}

// appendRestriction moves what was taken back while the keyring was away into
// the ledger. The draft holds it already, unless a newer decision of this
// session stands in front of it.
func (t *Tx) appendRestriction(row ledgerRow) {
	row.decision.Seq = t.at.ledger.seq + int64(len(t.rows)) + 1
	t.rows = append(t.rows, row)
	t.ledger.narrow(t.draft, []ledgerRow{row})
}
