//! The SQL statements that only PostgreSQL needs, because several servers may write to the same database.

/// Locks a business for one writer until the transaction ends. Other transactions may still insert references to it.
pub(super) const LOCK: &str = "SELECT business_id FROM business WHERE business_id = $1 FOR NO KEY UPDATE";

/// Records the id of a transaction within the transaction itself. Inserts nothing if the business does not exist.
pub(super) const RECORD_COMMIT_ID: &str = "INSERT INTO operation (business_id, server_id, operation_id, at) \
    SELECT business_id, $1, $2, $3 FROM business WHERE business_id = $4 \
    ON CONFLICT (business_id, server_id) DO UPDATE SET operation_id = excluded.operation_id, at = excluded.at";

/// Updates a server's record for a business, and returns the id of the server's last transaction. If there is no
/// record, creates one with an empty id, which no transaction has.
pub(super) const FENCE: &str = "INSERT INTO operation (business_id, server_id, operation_id, at) \
    SELECT business_id, $1, '', $2 FROM business WHERE business_id = $3 \
    ON CONFLICT (business_id, server_id) DO UPDATE SET at = excluded.at RETURNING operation_id";

pub(super) const OLD_SERVER: &str = "SELECT server_id FROM operation WHERE business_id = $1 AND at < $2 LIMIT 1";

/// Assumes that a server without recent writes is no longer running.
pub(super) const DELETE_OLD_SERVERS: &str = "DELETE FROM operation WHERE business_id = $1 AND at < $2";
