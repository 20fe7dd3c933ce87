-- Data for the API settings: the creator and the last use of each token, the audit log, sign-in links, and sessions.
ALTER TABLE token ADD COLUMN created_by text COLLATE "C", ADD COLUMN last_used_at bigint;

-- The last use of a token changes often. The free space keeps the new version of a row on the same page.
ALTER TABLE token SET (fillfactor = 80);

CREATE TABLE audit (
    business_id text COLLATE "C" NOT NULL REFERENCES business,
    at          bigint NOT NULL,
    id          text COLLATE "C" NOT NULL,
    action      text COLLATE "C" NOT NULL,
    email       text COLLATE "C" NOT NULL,
    address     text COLLATE "C",
    token_id    text COLLATE "C",
    token_name  text COLLATE "C",
    PRIMARY KEY (business_id, at, id)
);

-- A secret determines the business, as in the table `token`, so its hash is unique across businesses. Without foreign
-- keys, both tables can be replicated in a distributed database. Each sign-in and each look-up of a session checks that
-- the person is still a member.
CREATE TABLE login_link (
    hash        bytea NOT NULL PRIMARY KEY,
    business_id text COLLATE "C" NOT NULL,
    email       text COLLATE "C" NOT NULL,
    expires_at  bigint NOT NULL
);

CREATE TABLE session (
    business_id  text COLLATE "C" NOT NULL,
    id           text COLLATE "C" NOT NULL,
    hash         bytea NOT NULL UNIQUE,
    email        text COLLATE "C" NOT NULL,
    created_at   bigint NOT NULL,
    last_used_at bigint NOT NULL,
    address      text COLLATE "C",
    PRIMARY KEY (business_id, id)
);
