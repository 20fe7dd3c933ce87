//! The SQL statements that only PostgreSQL needs, because several servers may write to the same database.
//!
//! The writes to commit records use the time at which the statement began, because a distributed database rejects
//! volatile functions such as `clock_timestamp` in writes.

/// Locks a business for one writer until the transaction ends. Other transactions may still insert references to it.
pub(super) const LOCK: &str = "SELECT business_id FROM business WHERE business_id = $1 FOR NO KEY UPDATE";

/// Creates a server's commit record for a business, with an empty id, which no transaction has. Keeps an existing
/// record. Creates nothing if the business does not exist.
pub(super) const CREATE_COMMIT_RECORD: &str = "INSERT INTO operation (business_id, server_id, operation_id, committed_at) \
    SELECT business_id, $1, '', CAST(extract(epoch FROM statement_timestamp()) * 1000 AS bigint) \
    FROM business WHERE business_id = $2 \
    ON CONFLICT (business_id, server_id) DO UPDATE SET committed_at = excluded.committed_at";

/// Records the id of a transaction within the transaction itself.
pub(super) const RECORD_COMMIT_ID: &str = "UPDATE operation SET operation_id = $1, \
    committed_at = CAST(extract(epoch FROM statement_timestamp()) * 1000 AS bigint) \
    WHERE business_id = $2 AND server_id = $3";

/// Updates a server's record for a business, and returns the transaction id in the record.
pub(super) const FENCE: &str = "UPDATE operation \
    SET committed_at = CAST(extract(epoch FROM statement_timestamp()) * 1000 AS bigint) \
    WHERE business_id = $1 AND server_id = $2 RETURNING operation_id";

/// Deletes the records of all servers for a business.
pub(crate) const DELETE_COMMIT_IDS: &str = "DELETE FROM operation WHERE business_id = $1";

/// Deletes records of servers that are no longer members, if they are older than 24 hours on the database's clock. A
/// server that still needs one treats the outcome of its commit as unknown. Not limited to one business, so that the
/// number of statements does not grow with the number of businesses.
pub(super) const DELETE_OLD_COMMIT_IDS: &str = "DELETE FROM operation \
    WHERE committed_at < CAST(extract(epoch FROM statement_timestamp()) * 1000 AS bigint) - 86400000 \
    AND server_id NOT IN (SELECT server_id FROM rate_server)";

// The servers that share the database. The rate limiter of a server is a member under an id of its own.

/// Locks a server's membership against removal until the transaction ends.
pub(super) const LOCK_SERVER: &str = "SELECT server_id FROM rate_server WHERE server_id = $1 FOR KEY SHARE";

pub(super) const ADD_SERVER: &str =
    "INSERT INTO rate_server (server_id, beat) VALUES ($1, 0) ON CONFLICT (server_id) DO NOTHING";

/// Increments the heartbeat of a member, and returns all members, with their heartbeats from before. Returns nothing if
/// the server is not a member.
pub(super) const BEAT: &str = "WITH member AS \
    (UPDATE rate_server SET beat = beat + 1 WHERE server_id = $1 RETURNING server_id) \
    SELECT rate_server.server_id, rate_server.beat FROM rate_server, member";

pub(super) const SERVERS: &str = "SELECT server_id, beat FROM rate_server";

pub(super) const REMOVE_SERVER: &str = "DELETE FROM rate_server WHERE server_id = $1 AND beat = $2";

pub(super) const CREATE_LEDGER: &str = "INSERT INTO rate_limit (token_id, class, shares, wanted_until) \
    VALUES ($1, $2, '{}', 0) ON CONFLICT (token_id, class) DO NOTHING";

/// Also returns the time on the database's clock in microseconds.
pub(super) const LOCK_LEDGER: &str = "SELECT shares, wanted_until, \
    cast(floor(extract(epoch FROM clock_timestamp()) * 1000000) AS bigint) \
    FROM rate_limit WHERE token_id = $1 AND class = $2 FOR UPDATE";

pub(super) const SAVE_LEDGER: &str =
    "UPDATE rate_limit SET shares = $1, wanted_until = $2 WHERE token_id = $3 AND class = $4";

pub(super) const DELETE_LEDGER: &str = "DELETE FROM rate_limit WHERE token_id = $1 AND class = $2";

/// Skips a `wanted_until` that is further ahead than a recall lasts: a server of an older version stored it before a
/// step of the clock.
pub(super) const WANTED: &str = "SELECT token_id, class FROM rate_limit WHERE wanted_until - $1 BETWEEN 1 AND $2";
