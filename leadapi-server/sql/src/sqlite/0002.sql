-- Identifies the store and counts its transactions, so that a write-ahead log is never applied to the wrong file. Every
-- transaction that changes data updates the only row.
CREATE TABLE lineage (
    store_id TEXT NOT NULL,
    commits  INTEGER NOT NULL
) STRICT;

INSERT INTO lineage VALUES (lower(hex(randomblob(16))), 1);
