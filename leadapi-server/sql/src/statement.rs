//! The SQL statements for API requests, token verification, imports and exports. Both databases share them.
//!
//! Each statement is limited to one business, unless its comment gives a reason. Most keys and indexes begin with
//! `business_id`. Parameters are numbered in order of first appearance.

// Statements for leads. The statements that list the lead columns are in `lead_statement`.

pub(crate) const DELETE_LEAD: &str = "DELETE FROM lead WHERE business_id = $1 AND id = $2";

// The lead counts per filter and bucket (see the `lead_counts` module).

pub(crate) const TOTAL: &str = "SELECT CAST(coalesce(sum(leads), 0) AS bigint) FROM tally \
    WHERE business_id = $1 AND client_id = $2 AND stage_id = $3";

pub(crate) const BUCKETS: &str = "SELECT from_at, from_id, leads FROM tally \
    WHERE business_id = $1 AND client_id = $2 AND stage_id = $3 ORDER BY from_at DESC, from_id DESC";

pub(crate) const NEWEST_BUCKET: &str = "SELECT from_at, from_id, leads FROM tally \
    WHERE business_id = $1 AND client_id = '' AND stage_id = '' ORDER BY from_at DESC, from_id DESC LIMIT 1";

pub(crate) const BUCKET_OF: &str = "SELECT from_at, from_id, leads FROM tally \
    WHERE business_id = $1 AND client_id = '' AND stage_id = '' AND (from_at, from_id) <= ($2, $3) \
    ORDER BY from_at DESC, from_id DESC LIMIT 1";

pub(crate) const NEXT_BUCKET: &str = "SELECT from_at, from_id FROM tally \
    WHERE business_id = $1 AND client_id = '' AND stage_id = '' AND (from_at, from_id) > ($2, $3) \
    ORDER BY from_at, from_id LIMIT 1";

pub(crate) const NEWEST_LEAD: &str =
    "SELECT created_at FROM lead WHERE business_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1";

pub(crate) const ADD_LEAD_COUNT: &str = "INSERT INTO tally (business_id, client_id, stage_id, from_at, from_id, leads) \
    VALUES ($1, $2, $3, $4, $5, $6) \
    ON CONFLICT (business_id, client_id, stage_id, from_at, from_id) DO UPDATE SET leads = tally.leads + excluded.leads";

/// Not an upsert like `ADD_LEAD_COUNT`, because a missing row has no count to subtract from.
pub(crate) const SUBTRACT_LEAD_COUNT: &str = "UPDATE tally SET leads = leads + $1 WHERE business_id = $2 \
    AND client_id = $3 AND stage_id = $4 AND from_at = $5 AND from_id = $6";

/// Deletes the row of a filter that matches no leads in a bucket. The empty filter's rows must stay even when their
/// count is zero, because they define the buckets.
pub(crate) const DELETE_EMPTY_LEAD_COUNT: &str = "DELETE FROM tally WHERE business_id = $1 AND client_id = $2 \
    AND stage_id = $3 AND from_at = $4 AND from_id = $5 AND leads = 0";

pub(crate) const NTH_LEAD_IN_BUCKET: &str = "SELECT created_at, id FROM lead WHERE business_id = $1 \
    AND (created_at, id) >= ($2, $3) AND (created_at, id) < ($4, $5) ORDER BY created_at, id LIMIT 1 OFFSET $6";

pub(crate) const DELETE_BUCKET: &str = "DELETE FROM tally WHERE business_id = $1 AND from_at = $2 AND from_id = $3";

/// Selects the business of each row although it is a parameter, so that a distributed database runs the whole statement
/// on the node that holds the business.
pub(crate) const RECOUNT_BUCKET: &str = "INSERT INTO tally (business_id, client_id, stage_id, from_at, from_id, leads) \
    SELECT business_id, client_id, stage_id, CAST($1 AS bigint), $2, count(*) FROM ( \
        SELECT business_id, '' AS client_id, '' AS stage_id FROM lead \
            WHERE business_id = $3 AND (created_at, id) >= ($1, $2) AND (created_at, id) < ($4, $5) \
        UNION ALL SELECT business_id, client_id, '' FROM lead \
            WHERE business_id = $3 AND (created_at, id) >= ($1, $2) AND (created_at, id) < ($4, $5) \
        UNION ALL SELECT business_id, '', stage_id FROM lead WHERE business_id = $3 AND stage_id IS NOT NULL \
            AND (created_at, id) >= ($1, $2) AND (created_at, id) < ($4, $5) \
        UNION ALL SELECT business_id, client_id, stage_id FROM lead WHERE business_id = $3 AND stage_id IS NOT NULL \
            AND (created_at, id) >= ($1, $2) AND (created_at, id) < ($4, $5) \
    ) AS counted GROUP BY business_id, client_id, stage_id";

// The token of a write.

/// Why a token is invalid at a time, or NULL if it is valid.
pub(crate) const AUTHOR: &str = "SELECT CASE WHEN revoked_at IS NOT NULL THEN 'revoked' \
    WHEN expires_at <= $1 THEN 'expired' END FROM token WHERE business_id = $2 AND id = $3";

// Records that leads refer to.

pub(crate) const CLIENT_EXISTS: &str = "SELECT id FROM client WHERE business_id = $1 AND id = $2";

pub(crate) const FIRST_STAGE: &str =
    "SELECT id FROM stage WHERE business_id = $1 AND pipeline_id = $2 ORDER BY position LIMIT 1";

pub(crate) const PIPELINE_OF_STAGE: &str = "SELECT pipeline_id FROM stage WHERE business_id = $1 AND id = $2";

// Idempotency keys for create requests (contract D10).

pub(crate) const FIND_KEY: &str =
    "SELECT fingerprint, stored_at, lead_id, lead FROM idempotency WHERE business_id = $1 AND key = $2";

pub(crate) const INSERT_KEY: &str = "INSERT INTO idempotency \
    (business_id, key, fingerprint, created_at, stored_at, lead_id, lead) VALUES ($1, $2, $3, $4, $5, $6, $7)";

pub(crate) const DELETE_KEY: &str = "DELETE FROM idempotency WHERE business_id = $1 AND key = $2";

/// A record has the creation time of its lead, so this statement can use the index by time and needs no index on
/// `lead_id`.
pub(crate) const PRESERVE_LEAD: &str = "UPDATE idempotency SET lead = $1, lead_id = NULL \
    WHERE business_id = $2 AND created_at = $3 AND lead_id = $4";

pub(crate) const OLDEST_KEY: &str = "SELECT min(created_at) FROM idempotency WHERE business_id = $1";

pub(crate) const EXPIRED_KEY: &str = "SELECT key FROM idempotency WHERE business_id = $1 AND created_at <= $2 LIMIT 1";

/// Deletes a limited number of expired keys, so each transaction stays short.
pub(crate) const DELETE_EXPIRED_KEYS: &str = "DELETE FROM idempotency WHERE business_id = $1 AND key IN \
    (SELECT key FROM idempotency WHERE business_id = $1 AND created_at <= $2 ORDER BY created_at LIMIT $3)";

pub(crate) const KEYS: &str = "SELECT key, created_at, fingerprint, stored_at, lead_id, lead FROM idempotency \
    WHERE business_id = $1 ORDER BY key";

// Pipelines and client accounts. The first row has the total, and NULL in all other columns.

pub(crate) const PIPELINES: &str = "SELECT count(*), NULL, NULL, NULL, NULL, NULL, NULL FROM pipeline \
    WHERE business_id = $1 \
    UNION ALL SELECT NULL, page.id, page.name, page.created_at, stage.id, stage.name, stage.position \
    FROM (SELECT id, name, created_at FROM pipeline WHERE business_id = $1 ORDER BY created_at, id LIMIT $2 OFFSET $3) \
    AS page LEFT JOIN stage ON stage.business_id = $1 AND stage.pipeline_id = page.id";

pub(crate) const CLIENTS: &str = "SELECT count(*), NULL, NULL, NULL FROM client WHERE business_id = $1 \
    UNION ALL SELECT NULL, page.id, page.name, page.created_at \
    FROM (SELECT id, name, created_at FROM client WHERE business_id = $1 ORDER BY name, id LIMIT $2 OFFSET $3) AS page";

// Tokens. The columns are in the order in which `tokens::read` takes them.

pub(crate) const INSERT_TOKEN: &str = "INSERT INTO token (business_id, id, name, scopes, hint, hash, created_at, \
    expires_at, revoked_at, created_by, last_used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

pub(crate) const TOKENS: &str = "SELECT id, name, scopes, hint, hash, created_at, expires_at, revoked_at, created_by, \
    last_used_at FROM token WHERE business_id = $1 ORDER BY created_at, id";

/// Records a use of a token, unless the last recorded use is after `$4`.
pub(crate) const USE_TOKEN: &str = "UPDATE token SET last_used_at = $1 WHERE business_id = $2 AND id = $3 \
    AND (last_used_at IS NULL OR last_used_at <= $4)";

/// Not limited to one business, because the token determines the business of a request.
pub(crate) const FIND_TOKEN: &str = "SELECT business_id, id, name, scopes, hint, hash, created_at, expires_at, \
    revoked_at, created_by, last_used_at FROM token WHERE hash = $1";

/// Not limited to one business, because the operator's commands and periodic tasks visit all businesses.
pub(crate) const BUSINESSES: &str =
    "SELECT business_id, name, created_at FROM business ORDER BY created_at, business_id";

// Records that an import inserts and an export reads.

pub(crate) const BUSINESS: &str = "SELECT name, created_at FROM business WHERE business_id = $1";

pub(crate) const INSERT_BUSINESS: &str = "INSERT INTO business (business_id, name, created_at) VALUES ($1, $2, $3)";

pub(crate) const INSERT_MEMBER: &str =
    "INSERT INTO member (business_id, email, role, email_key) VALUES ($1, $2, $3, $4)";

pub(crate) const MEMBERS: &str = "SELECT email, role FROM member WHERE business_id = $1 ORDER BY email";

pub(crate) const INSERT_CLIENT: &str = "INSERT INTO client (business_id, id, name, created_at) VALUES ($1, $2, $3, $4)";

pub(crate) const INSERT_PIPELINE: &str =
    "INSERT INTO pipeline (business_id, id, name, created_at) VALUES ($1, $2, $3, $4)";

pub(crate) const INSERT_STAGE: &str =
    "INSERT INTO stage (business_id, id, pipeline_id, name, position) VALUES ($1, $2, $3, $4, $5)";

pub(crate) const INSERT_FORM: &str = "INSERT INTO form (business_id, id, record) VALUES ($1, $2, $3)";

pub(crate) const FORMS: &str = "SELECT record FROM form WHERE business_id = $1 ORDER BY id";

/// Not limited to one business, because token ids and secrets are unique across businesses.
pub(crate) const TOKEN_EXISTS: &str = "SELECT business_id FROM token WHERE id = $1 OR hash = $2";

#[cfg(test)]
mod tests {
    use super::super::lead_statement;

    /// Returns the names and the SQL of the statements in a source file.
    fn statements(file: &str) -> Vec<(&str, String)> {
        let (file, _) = file.split_once("#[cfg(test)]").unwrap_or((file, ""));
        let constants =
            file.split("\npub(").skip(1).filter_map(|text| text.split_once(") const ")).map(|(_, text)| text);
        // Skips constants of other types, such as lists of statements.
        let statements = constants.filter_map(|text| text.split_once(": &str ="));
        let found = statements.map(|(name, rest)| {
            let (_, rest) = rest.split_once('"').unwrap();
            (name, rest.split_once("\";").unwrap().0.replace("\\\n", "").replace("    ", " "))
        });
        found.collect()
    }

    fn all() -> Vec<(&'static str, String)> {
        let files = [
            include_str!("statement.rs"),
            include_str!("admin/statement.rs"),
            include_str!("settings/statement.rs"),
            include_str!("postgres/statement.rs"),
        ];
        let of_leads = lead_statement::all().map(|(name, sql)| (name, sql.to_owned()));
        files.into_iter().flat_map(statements).chain(of_leads).collect()
    }

    /// SQLite numbers parameters by first appearance, but PostgreSQL numbers them by name.
    #[test]
    fn parameters_first_appear_in_ascending_order() {
        for (name, text) in all() {
            let mut most = 0;
            for number in text.split('$').skip(1) {
                let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
                let number: usize = digits.parse().unwrap();
                assert!(number <= most + 1, "{name}: ${number} comes before ${}", most + 1);
                most = most.max(number);
            }
        }
    }

    /// Excludes the statements for rate limits. A limit belongs to a token, whose id is unique across all businesses.
    #[test]
    fn each_statement_names_its_business() {
        const WITHOUT: [&str; 10] = [
            "FIND_TOKEN",
            "BUSINESSES",
            "TOKEN_EXISTS",
            "DELETE_OLD_COMMIT_IDS",
            "BUSINESS_OF_LINK",
            "FIND_SESSION",
            "SESSION",
            "MEMBERSHIPS",
            "DELETE_EXPIRED_LINKS",
            "DELETE_EXPIRED_SESSIONS",
        ];
        let all = all();
        assert!(all.len() > 50, "{} statements", all.len());
        for (name, text) in all.into_iter().filter(|(_, text)| !text.contains(" rate_")) {
            let names = text.contains("business_id = $") || text.contains("(business_id,");
            assert_eq!(names, !WITHOUT.contains(&name), "{name}: {text}");
        }
    }
}
