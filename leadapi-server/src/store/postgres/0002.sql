-- Written by readiness checks: whatever keeps this table from being written keeps leads from being written.
CREATE TABLE write_probe (
    at bigint NOT NULL
);
