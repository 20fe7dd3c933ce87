-- A server of an earlier version does not know that a changed lead must be preserved for its idempotency key. The two
-- new names keep such a server from writing to this schema, and make its readiness check fail.
ALTER TABLE operation RENAME COLUMN at TO committed_at;
ALTER TABLE write_probe RENAME TO readiness_probe;

-- A token determines the business of a request, so it cannot be stored by business in a distributed database. Without
-- this reference, the table can be replicated instead.
ALTER TABLE token DROP CONSTRAINT token_business_id_fkey;

-- Records the lead that a key created: its id while the lead is as the create returned it, otherwise the returned lead
-- as JSON. Four partitions take turns of 12 hours each, counted from 1970. A partition is truncated once all its keys
-- have expired, at least 12 hours before its next turn. Times before 1970 have negative remainders.
ALTER TABLE idempotency RENAME TO old_idempotency;

CREATE TABLE idempotency (
    business_id text COLLATE "C" NOT NULL REFERENCES business,
    key         text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    created_at  bigint NOT NULL,
    lead_id     text COLLATE "C",
    lead        text COLLATE "C",
    CHECK ((lead_id IS NULL) <> (lead IS NULL))
) PARTITION BY LIST ((created_at / 43200000 % 4));

CREATE TABLE idempotency_0 PARTITION OF idempotency (PRIMARY KEY (business_id, key))
    FOR VALUES IN (0);
CREATE TABLE idempotency_1 PARTITION OF idempotency (PRIMARY KEY (business_id, key))
    FOR VALUES IN (1, -1);
CREATE TABLE idempotency_2 PARTITION OF idempotency (PRIMARY KEY (business_id, key))
    FOR VALUES IN (2, -2);
CREATE TABLE idempotency_3 PARTITION OF idempotency (PRIMARY KEY (business_id, key))
    FOR VALUES IN (3, -3);

INSERT INTO idempotency (business_id, key, fingerprint, created_at, lead)
    SELECT business_id, key, fingerprint, created_at, lead FROM old_idempotency;

DROP TABLE old_idempotency;

-- Also finds the keys of a lead. Few creates share a millisecond, so adding the business would only make the index
-- larger.
CREATE INDEX idempotency_by_age ON idempotency (created_at);
