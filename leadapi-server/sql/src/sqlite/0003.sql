-- Records the lead that a key created: its id while the lead is as the create returned it, otherwise the returned lead
-- as JSON.
ALTER TABLE idempotency RENAME TO old_idempotency;

CREATE TABLE idempotency (
    business_id TEXT NOT NULL REFERENCES business,
    key         TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    lead_id     TEXT,
    lead        TEXT,
    PRIMARY KEY (business_id, key),
    CHECK ((lead_id IS NULL) <> (lead IS NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO idempotency (business_id, key, fingerprint, created_at, lead)
    SELECT business_id, key, fingerprint, created_at, lead FROM old_idempotency;

DROP TABLE old_idempotency;

-- Also finds the keys of a lead.
CREATE INDEX idempotency_by_age ON idempotency (business_id, created_at);
