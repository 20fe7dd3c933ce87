-- Data for the API settings: the creator and the last use of each token, the audit log, sign-in links, and sessions.
ALTER TABLE token ADD COLUMN created_by TEXT;
ALTER TABLE token ADD COLUMN last_used_at INTEGER;

CREATE TABLE audit (
    business_id TEXT NOT NULL REFERENCES business,
    at          INTEGER NOT NULL,
    id          TEXT NOT NULL,
    action      TEXT NOT NULL,
    email       TEXT NOT NULL,
    address     TEXT,
    token_id    TEXT,
    token_name  TEXT,
    PRIMARY KEY (business_id, at, id)
) STRICT, WITHOUT ROWID;

-- A secret determines the business, as in the table `token`, so its hash is unique across businesses.
CREATE TABLE login_link (
    hash        BLOB NOT NULL PRIMARY KEY,
    business_id TEXT NOT NULL,
    email       TEXT NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    business_id  TEXT NOT NULL,
    id           TEXT NOT NULL,
    hash         BLOB NOT NULL UNIQUE,
    email        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    address      TEXT,
    PRIMARY KEY (business_id, id)
) STRICT, WITHOUT ROWID;
