-- Every primary key and every foreign key begins with business_id, so a record cannot refer to another business. Text
-- is compared by bytes, which in UTF-8 is code point order, regardless of the collation of the database. Timestamps are
-- milliseconds since the Unix epoch.

CREATE TABLE business (
    business_id text COLLATE "C" NOT NULL PRIMARY KEY,
    name        text COLLATE "C" NOT NULL,
    created_at  bigint NOT NULL
);

CREATE TABLE member (
    business_id text COLLATE "C" NOT NULL REFERENCES business,
    email       text COLLATE "C" NOT NULL,
    role        text COLLATE "C" NOT NULL,
    PRIMARY KEY (business_id, email)
);

CREATE TABLE client (
    business_id text COLLATE "C" NOT NULL REFERENCES business,
    id          text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    created_at  bigint NOT NULL,
    PRIMARY KEY (business_id, id)
);

CREATE INDEX client_by_name ON client (business_id, name, id);

CREATE TABLE pipeline (
    business_id text COLLATE "C" NOT NULL REFERENCES business,
    id          text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    created_at  bigint NOT NULL,
    PRIMARY KEY (business_id, id)
);

CREATE INDEX pipeline_by_age ON pipeline (business_id, created_at, id);

CREATE TABLE stage (
    business_id text COLLATE "C" NOT NULL,
    id          text COLLATE "C" NOT NULL,
    pipeline_id text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    position    bigint NOT NULL,
    PRIMARY KEY (business_id, id),
    UNIQUE (business_id, pipeline_id, id),
    FOREIGN KEY (business_id, pipeline_id) REFERENCES pipeline (business_id, id)
);

CREATE INDEX stage_by_position ON stage (business_id, pipeline_id, position);

CREATE TABLE lead (
    business_id   text COLLATE "C" NOT NULL,
    id            text COLLATE "C" NOT NULL,
    client_id     text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    email         text COLLATE "C",
    phone         text COLLATE "C",
    source        text COLLATE "C",
    notes         text COLLATE "C",
    value         double precision,
    pipeline_id   text COLLATE "C",
    stage_id      text COLLATE "C",
    business_name text COLLATE "C",
    created_at    bigint NOT NULL,
    PRIMARY KEY (business_id, id),
    FOREIGN KEY (business_id, client_id) REFERENCES client (business_id, id),
    FOREIGN KEY (business_id, pipeline_id, stage_id) REFERENCES stage (business_id, pipeline_id, id),
    CHECK ((pipeline_id IS NULL) = (stage_id IS NULL))
);

CREATE INDEX lead_by_age ON lead (business_id, created_at, id);
CREATE INDEX lead_by_client ON lead (business_id, client_id, created_at, id);
CREATE INDEX lead_by_stage ON lead (business_id, stage_id, created_at, id) WHERE stage_id IS NOT NULL;
CREATE INDEX lead_by_both ON lead (business_id, client_id, stage_id, created_at, id) WHERE stage_id IS NOT NULL;

-- The number of leads in each bucket that match each filter. No id is empty, so '' stands for all.
CREATE TABLE tally (
    business_id text COLLATE "C" NOT NULL REFERENCES business,
    client_id   text COLLATE "C" NOT NULL,
    stage_id    text COLLATE "C" NOT NULL,
    from_at     bigint NOT NULL,
    from_id     text COLLATE "C" NOT NULL,
    leads       bigint NOT NULL CHECK (leads >= 0),
    PRIMARY KEY (business_id, client_id, stage_id, from_at, from_id)
);

CREATE INDEX tally_by_stretch ON tally (business_id, from_at, from_id);

CREATE TABLE idempotency (
    business_id text COLLATE "C" NOT NULL REFERENCES business,
    key         text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    created_at  bigint NOT NULL,
    lead        text COLLATE "C" NOT NULL,
    PRIMARY KEY (business_id, key)
);

CREATE INDEX idempotency_by_age ON idempotency (business_id, created_at);

CREATE TABLE form (
    business_id text COLLATE "C" NOT NULL REFERENCES business,
    id          text COLLATE "C" NOT NULL,
    record      text COLLATE "C" NOT NULL,
    PRIMARY KEY (business_id, id)
);

CREATE TABLE token (
    business_id text COLLATE "C" NOT NULL REFERENCES business,
    id          text COLLATE "C" NOT NULL UNIQUE,
    name        text COLLATE "C" NOT NULL,
    scopes      text COLLATE "C" NOT NULL,
    hint        text COLLATE "C" NOT NULL,
    hash        bytea NOT NULL UNIQUE,
    created_at  bigint NOT NULL,
    expires_at  bigint,
    revoked_at  bigint,
    PRIMARY KEY (business_id, id)
);

-- The id of the last group commit of each server in each business. If the response to a commit is lost, the server
-- finds out here whether the transaction was committed.
CREATE TABLE operation (
    business_id  text COLLATE "C" NOT NULL REFERENCES business,
    server_id    text COLLATE "C" NOT NULL,
    operation_id text COLLATE "C" NOT NULL,
    at           bigint NOT NULL,
    PRIMARY KEY (business_id, server_id)
);
