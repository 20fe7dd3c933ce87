-- The time by which the age of a key is judged. In SQLite, it is the creation time of the lead.
ALTER TABLE idempotency ADD COLUMN stored_at INTEGER;
