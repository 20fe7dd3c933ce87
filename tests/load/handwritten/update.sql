-- Updates a lead. The transaction locks the business, checks the token, preserves the old lead for its idempotency key,
-- and records its id.
\set business random(0, :businesses - 1)
\set lead :business * 100 + random(0, 99)
\set value random(0, 99)
BEGIN;
SELECT FROM business WHERE business_id = 'b' || :business::text FOR NO KEY UPDATE;
WITH author AS (
    SELECT FROM token WHERE business_id = 'b' || :business::text AND revoked_at IS NULL
        AND coalesce(expires_at, 9223372036854775807) > floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
), old AS (
    SELECT id, client_id, name, created_at, value, pipeline_id, stage_id, business_name, email, phone, source, notes
    FROM lead, author WHERE business_id = 'b' || :business::text AND id = '019bb17b-d806-7737-9000-' || lpad(to_hex(:lead::bigint), 12, '0')
), preserved AS (
    UPDATE idempotency SET lead = row_to_json(old)::text, lead_id = NULL FROM old
    WHERE idempotency.business_id || '' = 'b' || :business::text AND idempotency.created_at = old.created_at
        AND (idempotency.created_at / 43200000 % 4) = (old.created_at / 43200000 % 4)
        AND idempotency.lead_id = old.id
), new AS (
    UPDATE lead SET notes = 'Wants a call.', value = :value FROM old
    WHERE lead.business_id = 'b' || :business::text AND lead.id = old.id
)
UPDATE operation SET operation_id = gen_random_uuid()::text, committed_at = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
WHERE business_id = 'b' || :business::text AND server_id = 'pgbench';
COMMIT;
