-- The servers that share the rate limits.
CREATE TABLE rate_server (
    server_id text COLLATE "C" PRIMARY KEY,
    beat bigint NOT NULL
);

-- The shares of the servers in the limit of each token and class. `shares` is JSON, because a claim changes the shares
-- of a limit as a whole.
CREATE TABLE rate_limit (
    token_id text COLLATE "C" NOT NULL,
    class text COLLATE "C" NOT NULL,
    shares text NOT NULL,
    wanted_until bigint NOT NULL,
    PRIMARY KEY (token_id, class)
);

CREATE INDEX rate_limit_wanted ON rate_limit (wanted_until);
