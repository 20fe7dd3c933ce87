-- Readiness checks write to this table, to find out whether the database accepts writes.
CREATE TABLE write_probe (
    at bigint NOT NULL
);
