-- Reads a page of 10 or 50 leads of all, one client account or one stage, at various offsets.
\set business random(0, :businesses - 1)
\set client random(0, 4)
\set stage random(0, 3)
\set offset random(0, 49)
\set kind random(0, 5)
\if :kind = 0
SELECT id, client_id, name, created_at, value, pipeline_id, stage_id, business_name, email, phone, source, notes,
    (SELECT sum(leads) FROM tally WHERE business_id = 'b' || :business::text AND client_id = '' AND stage_id = '') AS total
FROM lead WHERE business_id = 'b' || :business::text
ORDER BY created_at DESC, id DESC LIMIT 10 OFFSET :offset;
\elif :kind = 1
SELECT id, client_id, name, created_at, value, pipeline_id, stage_id, business_name, email, phone, source, notes,
    (SELECT sum(leads) FROM tally WHERE business_id = 'b' || :business::text AND client_id = 'c' || :client::text || '-' || :business::text AND stage_id = '') AS total,
    (SELECT count(*) FROM client WHERE business_id = 'b' || :business::text AND id = 'c' || :client::text || '-' || :business::text)
FROM lead WHERE business_id = 'b' || :business::text AND client_id = 'c' || :client::text || '-' || :business::text
ORDER BY created_at DESC, id DESC LIMIT 10 OFFSET :offset;
\elif :kind = 2
SELECT id, client_id, name, created_at, value, pipeline_id, stage_id, business_name, email, phone, source, notes,
    (SELECT sum(leads) FROM tally WHERE business_id = 'b' || :business::text AND client_id = '' AND stage_id = 's' || :stage::text || '-' || :business::text) AS total,
    (SELECT count(*) FROM stage WHERE business_id = 'b' || :business::text AND id = 's' || :stage::text || '-' || :business::text)
FROM lead WHERE business_id = 'b' || :business::text AND stage_id = 's' || :stage::text || '-' || :business::text
ORDER BY created_at DESC, id DESC LIMIT 10 OFFSET :offset;
\elif :kind = 3
SELECT id, client_id, name, created_at, value, pipeline_id, stage_id, business_name, email, phone, source, notes,
    (SELECT sum(leads) FROM tally WHERE business_id = 'b' || :business::text AND client_id = '' AND stage_id = '') AS total
FROM lead WHERE business_id = 'b' || :business::text
ORDER BY created_at DESC, id DESC LIMIT 50 OFFSET :offset;
\elif :kind = 4
SELECT id, client_id, name, created_at, value, pipeline_id, stage_id, business_name, email, phone, source, notes,
    (SELECT sum(leads) FROM tally WHERE business_id = 'b' || :business::text AND client_id = 'c' || :client::text || '-' || :business::text AND stage_id = '') AS total,
    (SELECT count(*) FROM client WHERE business_id = 'b' || :business::text AND id = 'c' || :client::text || '-' || :business::text)
FROM lead WHERE business_id = 'b' || :business::text AND client_id = 'c' || :client::text || '-' || :business::text
ORDER BY created_at DESC, id DESC LIMIT 50 OFFSET :offset;
\elif :kind = 5
SELECT id, client_id, name, created_at, value, pipeline_id, stage_id, business_name, email, phone, source, notes,
    (SELECT sum(leads) FROM tally WHERE business_id = 'b' || :business::text AND client_id = '' AND stage_id = 's' || :stage::text || '-' || :business::text) AS total,
    (SELECT count(*) FROM stage WHERE business_id = 'b' || :business::text AND id = 's' || :stage::text || '-' || :business::text)
FROM lead WHERE business_id = 'b' || :business::text AND stage_id = 's' || :stage::text || '-' || :business::text
ORDER BY created_at DESC, id DESC LIMIT 50 OFFSET :offset;
\endif
