-- Identifies the store and counts its transactions, so that a write-ahead log is never applied to a file other than its
-- own. Every transaction that changes anything changes the only row.
CREATE TABLE lineage (
    store_id TEXT NOT NULL,
    commits  INTEGER NOT NULL
) STRICT;

INSERT INTO lineage VALUES (lower(hex(randomblob(16))), 1);
