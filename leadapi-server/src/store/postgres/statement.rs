//! The statements that only PostgreSQL needs, because others write to it too.

/// Whoever writes to a business holds this until the end of the transaction; references to the business go on.
pub(super) const LOCK: &str = "SELECT business_id FROM business WHERE business_id = $1 FOR NO KEY UPDATE";

/// Says in the transaction itself which it is. A business that is not there has nothing to say it of.
pub(super) const SIGN: &str = "INSERT INTO operation (business_id, server_id, operation_id, at) \
    SELECT business_id, $1, $2, $3 FROM business WHERE business_id = $4 \
    ON CONFLICT (business_id, server_id) DO UPDATE SET operation_id = excluded.operation_id, at = excluded.at";

/// Writes to the signature of a server in a business, and answers which transaction it is of. Where there is none, one is
/// made that no transaction has.
pub(super) const FENCE: &str = "INSERT INTO operation (business_id, server_id, operation_id, at) \
    SELECT business_id, $1, '', $2 FROM business WHERE business_id = $3 \
    ON CONFLICT (business_id, server_id) DO UPDATE SET at = excluded.at RETURNING operation_id";

pub(super) const OLD_SERVER: &str = "SELECT server_id FROM operation WHERE business_id = $1 AND at < $2 LIMIT 1";

/// Servers that have written nothing for long have gone.
pub(super) const FORGET_SERVERS: &str = "DELETE FROM operation WHERE business_id = $1 AND at < $2";
