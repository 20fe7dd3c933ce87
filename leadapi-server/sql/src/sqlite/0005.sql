-- 1 from the first write after the store was opened until an orderly close. Such a file is complete only together with
-- its write-ahead log.
ALTER TABLE lineage ADD COLUMN needs_log INTEGER NOT NULL DEFAULT 0;
