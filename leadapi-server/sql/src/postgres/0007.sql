-- The time by which the age of idempotency keys is judged, and the database's clock at that time, in microseconds since
-- the Unix epoch. The key time does not follow steps of the clock.
CREATE TABLE key_clock (
    single   boolean PRIMARY KEY DEFAULT true CHECK (single),
    clock    bigint NOT NULL,
    key_time bigint NOT NULL
);

INSERT INTO key_clock (clock, key_time) SELECT now, now
    FROM (SELECT cast(floor(extract(epoch FROM clock_timestamp()) * 1000000) AS bigint) AS now) AS clock;

-- The key time of the create, in milliseconds. A server of an earlier version does not store it, and the creation time
-- of the lead counts.
ALTER TABLE idempotency ADD COLUMN stored_at bigint;

CREATE INDEX idempotency_by_key_time ON idempotency (coalesce(stored_at, created_at));
