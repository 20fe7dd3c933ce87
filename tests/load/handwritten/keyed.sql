-- Creates a lead with a new idempotency key. The transaction locks the business, checks the token and the client
-- account, updates the counts, and records its id.
\set business random(0, :businesses - 1)
\set key random(0, 1000000000000000)
BEGIN;
SELECT FROM business WHERE business_id = 'b' || :business::text FOR NO KEY UPDATE;
WITH author AS (
    SELECT FROM token WHERE business_id = 'b' || :business::text AND revoked_at IS NULL
        AND coalesce(expires_at, 9223372036854775807) > floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
), known AS (
    SELECT FROM idempotency WHERE business_id = 'b' || :business::text AND key = :client_id::text || '-' || :key::text
), new AS (
    INSERT INTO lead (business_id, id, client_id, name, email, value, created_at)
    SELECT 'b' || :business::text, left(lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || gen_random_uuid()::text, 36), client.id,
        'Ada Lovelace', 'ada@example.org', 450, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
    FROM author JOIN client ON business_id = 'b' || :business::text AND id = 'c0-' || :business::text
    WHERE NOT EXISTS (SELECT FROM known)
    RETURNING id, client_id, created_at
), newest AS (
    SELECT from_at, from_id FROM tally WHERE business_id = 'b' || :business::text AND client_id = '' AND stage_id = ''
    ORDER BY from_at DESC, from_id DESC LIMIT 1
), counts AS (
    INSERT INTO tally (business_id, client_id, stage_id, from_at, from_id, leads)
    SELECT 'b' || :business::text, filter.client_id, '', from_at, from_id, 1
    FROM newest, new, LATERAL (VALUES (''), (new.client_id)) AS filter (client_id)
    ON CONFLICT (business_id, client_id, stage_id, from_at, from_id) DO UPDATE SET leads = tally.leads + 1
), remembered AS (
    INSERT INTO idempotency (business_id, key, fingerprint, created_at, stored_at, lead_id)
    SELECT 'b' || :business::text, :client_id::text || '-' || :key::text, sha256('body'), created_at, created_at, id FROM new
)
UPDATE operation SET operation_id = gen_random_uuid()::text, committed_at = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
WHERE business_id = 'b' || :business::text AND server_id = 'pgbench';
COMMIT;
