-- Reads a page of 50 leads, and the total from the counts.
\set business random(0, :businesses - 1)
SELECT id, client_id, name, created_at, value, pipeline_id, stage_id, business_name, email, phone, source, notes,
    (SELECT sum(leads) FROM tally WHERE business_id = 'b' || :business::text AND client_id = '' AND stage_id = '') AS total
FROM lead WHERE business_id = 'b' || :business::text ORDER BY created_at DESC, id DESC LIMIT 50;
