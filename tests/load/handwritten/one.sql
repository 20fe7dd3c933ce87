-- Reads a lead.
\set business random(0, :businesses - 1)
\set lead :business * 100 + random(0, 99)
SELECT id, client_id, name, created_at, value, pipeline_id, stage_id, business_name, email, phone, source, notes
FROM lead WHERE business_id = 'b' || :business::text AND id = '019bb17b-d806-7737-9000-' || lpad(to_hex(:lead::bigint), 12, '0');
