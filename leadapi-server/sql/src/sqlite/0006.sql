-- The key by which a member's address is compared, so that people are found through an index. It is the address in lower
-- case, which SQLite computes only for ASCII, so the server corrects the keys of addresses with upper-case letters. A
-- process of an earlier version cannot add a member without a key.
ALTER TABLE member RENAME TO old_member;

CREATE TABLE member (
    business_id TEXT NOT NULL REFERENCES business,
    email       TEXT NOT NULL,
    role        TEXT NOT NULL,
    email_key   TEXT NOT NULL,
    PRIMARY KEY (business_id, email)
) STRICT, WITHOUT ROWID;

INSERT INTO member (business_id, email, role, email_key) SELECT business_id, email, role, email FROM old_member;

DROP TABLE old_member;

CREATE UNIQUE INDEX member_by_key ON member (email_key, business_id);

-- Find the valid tokens of a business, all of them and those with a name, and list its tokens in pages. A change to a
-- token costs the same however many tokens the business has. A token that never expires sorts last.
CREATE INDEX token_not_revoked ON token (business_id, coalesce(expires_at, 9223372036854775807))
    WHERE revoked_at IS NULL;
CREATE INDEX token_by_name ON token (business_id, name, coalesce(expires_at, 9223372036854775807))
    WHERE revoked_at IS NULL;
CREATE INDEX token_by_age ON token (business_id, created_at, id);

-- What changed, if the action alone does not say it.
ALTER TABLE audit ADD COLUMN detail TEXT;
