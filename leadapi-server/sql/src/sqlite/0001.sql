-- Every primary key and every foreign key begins with business_id, so a record cannot refer to another business. Text
-- is compared by bytes, which in UTF-8 is code point order. Timestamps are milliseconds since the Unix epoch.

CREATE TABLE business (
    business_id TEXT NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE member (
    business_id TEXT NOT NULL REFERENCES business,
    email       TEXT NOT NULL,
    role        TEXT NOT NULL,
    PRIMARY KEY (business_id, email)
) STRICT, WITHOUT ROWID;

CREATE TABLE client (
    business_id TEXT NOT NULL REFERENCES business,
    id          TEXT NOT NULL,
    name        TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (business_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX client_by_name ON client (business_id, name, id);

CREATE TABLE pipeline (
    business_id TEXT NOT NULL REFERENCES business,
    id          TEXT NOT NULL,
    name        TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (business_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX pipeline_by_age ON pipeline (business_id, created_at, id);

CREATE TABLE stage (
    business_id TEXT NOT NULL,
    id          TEXT NOT NULL,
    pipeline_id TEXT NOT NULL,
    name        TEXT NOT NULL,
    position    INTEGER NOT NULL,
    PRIMARY KEY (business_id, id),
    UNIQUE (business_id, pipeline_id, id),
    FOREIGN KEY (business_id, pipeline_id) REFERENCES pipeline (business_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX stage_by_position ON stage (business_id, pipeline_id, position);

CREATE TABLE lead (
    business_id   TEXT NOT NULL,
    id            TEXT NOT NULL,
    client_id     TEXT NOT NULL,
    name          TEXT NOT NULL,
    email         TEXT,
    phone         TEXT,
    source        TEXT,
    notes         TEXT,
    value         REAL,
    pipeline_id   TEXT,
    stage_id      TEXT,
    business_name TEXT,
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (business_id, id),
    FOREIGN KEY (business_id, client_id) REFERENCES client (business_id, id),
    FOREIGN KEY (business_id, pipeline_id, stage_id) REFERENCES stage (business_id, pipeline_id, id),
    CHECK ((pipeline_id IS NULL) = (stage_id IS NULL))
) STRICT;

CREATE INDEX lead_by_age ON lead (business_id, created_at, id);
CREATE INDEX lead_by_client ON lead (business_id, client_id, created_at, id);
CREATE INDEX lead_by_stage ON lead (business_id, stage_id, created_at, id) WHERE stage_id IS NOT NULL;
CREATE INDEX lead_by_both ON lead (business_id, client_id, stage_id, created_at, id) WHERE stage_id IS NOT NULL;

-- The number of leads in each bucket that match each filter. No id is empty, so '' stands for all.
CREATE TABLE tally (
    business_id TEXT NOT NULL REFERENCES business,
    client_id   TEXT NOT NULL,
    stage_id    TEXT NOT NULL,
    from_at     INTEGER NOT NULL,
    from_id     TEXT NOT NULL,
    leads       INTEGER NOT NULL CHECK (leads >= 0),
    PRIMARY KEY (business_id, client_id, stage_id, from_at, from_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX tally_by_stretch ON tally (business_id, from_at, from_id);

CREATE TABLE idempotency (
    business_id TEXT NOT NULL REFERENCES business,
    key         TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    lead        TEXT NOT NULL,
    PRIMARY KEY (business_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (business_id, created_at);

CREATE TABLE form (
    business_id TEXT NOT NULL REFERENCES business,
    id          TEXT NOT NULL,
    record      TEXT NOT NULL,
    PRIMARY KEY (business_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE token (
    business_id TEXT NOT NULL REFERENCES business,
    id          TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    scopes      TEXT NOT NULL,
    hint        TEXT NOT NULL,
    hash        BLOB NOT NULL UNIQUE,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    revoked_at  INTEGER,
    PRIMARY KEY (business_id, id)
) STRICT, WITHOUT ROWID;
