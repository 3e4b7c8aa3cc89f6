-- The first schema of a profile. Times are nanoseconds since 1970, UTC; 0 is no time.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE servers (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    enabled     INTEGER NOT NULL,
    source      TEXT NOT NULL,
    transport   TEXT NOT NULL,
    command     TEXT NOT NULL,
    args        TEXT NOT NULL,    -- JSON array of strings
    dir         TEXT NOT NULL,
    env         TEXT NOT NULL,    -- JSON array of Var, values of secrets left out
    url         TEXT NOT NULL,
    headers     TEXT NOT NULL,    -- as env
    revision    TEXT NOT NULL,
    roots_off   INTEGER NOT NULL,
    allow_https INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    created     INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE roots (
    id      TEXT PRIMARY KEY,
    uri     TEXT NOT NULL UNIQUE,
    name    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    created INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE workspaces (
    id       TEXT PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    position INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE members (
    workspace TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    root      TEXT NOT NULL REFERENCES roots (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    PRIMARY KEY (workspace, root)
) WITHOUT ROWID;
CREATE INDEX members_by_root ON members (root);

-- The root comes first in the key because roots are removed many at a time.
CREATE TABLE assignments (
    root      TEXT NOT NULL REFERENCES roots (id) ON DELETE CASCADE,
    server    TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    workspace TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    access    TEXT NOT NULL,
    PRIMARY KEY (root, server, workspace)
) WITHOUT ROWID;

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Approvals and decisions. Rows are only ever added. The body is one row of
-- tab-separated fields, see ledger_row.go: its exact bytes are what is sealed.
CREATE TABLE ledger (
    seq  INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    tag  BLOB NOT NULL
);

-- What was taken back or refused while the keyring was away. Such a row can
-- only narrow what is disclosed, so it needs no seal; it moves into the ledger
-- as soon as that can be sealed. The body is as in the ledger.
CREATE TABLE restrictions (
    identity TEXT NOT NULL,
    uri      TEXT NOT NULL,    -- empty for an approval taken back
    body     TEXT NOT NULL,
    PRIMARY KEY (identity, uri)
) WITHOUT ROWID;

-- Where the keyring holds the secret values of servers. Never a value.
CREATE TABLE secrets (
    account TEXT PRIMARY KEY,
    server  TEXT NOT NULL,
    name    TEXT NOT NULL,
    chunks  INTEGER NOT NULL,
    live    INTEGER NOT NULL    -- 0: to be removed from the keyring
) WITHOUT ROWID;

CREATE TABLE audit (
    seq       INTEGER PRIMARY KEY,
    time      INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    server_id TEXT NOT NULL,
    server    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    text      TEXT NOT NULL,
    uris      TEXT NOT NULL,    -- JSON array of strings
    count     INTEGER NOT NULL,
    detail    TEXT NOT NULL,
    tag       BLOB NOT NULL
);
CREATE INDEX audit_by_time ON audit (time);
