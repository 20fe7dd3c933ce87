-- Written by readiness checks: whatever blocks writes to this table blocks writes to leads too.
CREATE TABLE write_probe (
    at bigint NOT NULL
);
