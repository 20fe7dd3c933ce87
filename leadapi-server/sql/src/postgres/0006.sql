-- The key by which a member's address is compared, so that people are found through an index. It is the address in lower
-- case, which depends on the locale of the database, so the server corrects the keys of addresses with upper-case
-- letters. Without a key, a server of an earlier version cannot add a member.
ALTER TABLE member ADD COLUMN email_key text COLLATE "C";
UPDATE member SET email_key = email;
ALTER TABLE member ALTER COLUMN email_key SET NOT NULL;
CREATE UNIQUE INDEX member_by_key ON member (email_key, business_id);

-- Find the valid tokens of a business, all of them and those with a name, and list its tokens in pages. A change to a
-- token costs the same however many tokens the business has. A token that never expires sorts last.
CREATE INDEX token_not_revoked ON token (business_id, coalesce(expires_at, 9223372036854775807))
    WHERE revoked_at IS NULL;
CREATE INDEX token_by_name ON token (business_id, name, coalesce(expires_at, 9223372036854775807))
    WHERE revoked_at IS NULL;
CREATE INDEX token_by_age ON token (business_id, created_at, id);

-- What changed, if the action alone does not say it.
ALTER TABLE audit ADD COLUMN detail text COLLATE "C";
