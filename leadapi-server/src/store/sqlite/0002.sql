-- Which database this is and how many transactions have changed it, so that a write-ahead log is never applied to another
-- file than its own. The only row is changed by every transaction that changes anything.
CREATE TABLE lineage (
    store_id TEXT NOT NULL,
    commits  INTEGER NOT NULL
) STRICT;

INSERT INTO lineage VALUES (lower(hex(randomblob(16))), 1);
