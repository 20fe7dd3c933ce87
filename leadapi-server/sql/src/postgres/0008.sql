-- A list is planned once, for any client account and stage. If nearly all leads had the same client account or stage
-- when the table was analyzed, the planner would expect each filter to match all leads, and read them by age.
ALTER TABLE lead ALTER COLUMN client_id SET (n_distinct = 1000), ALTER COLUMN stage_id SET (n_distinct = 1000);
