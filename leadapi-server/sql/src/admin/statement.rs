//! The SQL statements for administration, shared by both databases. Each statement is limited to one business, and its
//! parameters are numbered in order of first appearance.

pub(super) const RENAME_BUSINESS: &str = "UPDATE business SET name = $1 WHERE business_id = $2 RETURNING created_at";

pub(super) const DELETE_BUSINESS: &str = "DELETE FROM business WHERE business_id = $1";

pub(super) const CHANGE_MEMBER: &str =
    "UPDATE member SET email = $1, email_key = $2, role = $3 WHERE business_id = $4 AND email = $5";

pub(super) const CHANGE_CREATOR: &str = "UPDATE token SET created_by = $1 WHERE business_id = $2 AND created_by = $3";

/// The columns are in the order in which `tokens::read` takes them.
pub(super) const VALID_TOKENS_OF_PEOPLE: &str = "SELECT id, name, scopes, hint, hash, created_at, expires_at, \
    revoked_at, created_by, last_used_at FROM token WHERE business_id = $1 AND revoked_at IS NULL \
    AND created_by IS NOT NULL AND (expires_at IS NULL OR expires_at > $2) ORDER BY created_at, id";

pub(super) const REVOKE_TOKEN: &str = "UPDATE token SET revoked_at = $1 WHERE business_id = $2 AND id = $3";

pub(super) const DELETE_MEMBER: &str = "DELETE FROM member WHERE business_id = $1 AND email = $2";

pub(super) const RENAME_CLIENT: &str =
    "UPDATE client SET name = $1 WHERE business_id = $2 AND id = $3 RETURNING created_at";

pub(super) const DELETE_CLIENT: &str = "DELETE FROM client WHERE business_id = $1 AND id = $2";

pub(super) const PIPELINE: &str = "SELECT name, created_at FROM pipeline WHERE business_id = $1 AND id = $2";

pub(super) const RENAME_PIPELINE: &str = "UPDATE pipeline SET name = $1 WHERE business_id = $2 AND id = $3";

pub(super) const DELETE_PIPELINE: &str = "DELETE FROM pipeline WHERE business_id = $1 AND id = $2";

pub(super) const LEADS_IN_PIPELINE: &str = "SELECT count(*) FROM lead WHERE business_id = $1 \
    AND stage_id IN (SELECT id FROM stage WHERE business_id = $1 AND pipeline_id = $2)";

pub(super) const STAGES_OF: &str =
    "SELECT id, name, position FROM stage WHERE business_id = $1 AND pipeline_id = $2 ORDER BY position";

pub(super) const CHANGE_STAGE: &str = "UPDATE stage SET name = $1, position = $2 WHERE business_id = $3 AND id = $4";

pub(super) const DELETE_STAGE: &str = "DELETE FROM stage WHERE business_id = $1 AND id = $2";

pub(super) const FORM: &str = "SELECT record FROM form WHERE business_id = $1 AND id = $2";

pub(super) const CHANGE_FORM: &str = "UPDATE form SET record = $1 WHERE business_id = $2 AND id = $3";

pub(super) const DELETE_FORM: &str = "DELETE FROM form WHERE business_id = $1 AND id = $2 RETURNING 1";

// Statements that move or delete leads and update the lead counts.

pub(super) const MOVE_LEADS: &str =
    "UPDATE lead SET pipeline_id = $1, stage_id = $2 WHERE business_id = $3 AND stage_id = $4";

/// Adds the counts of one stage to the counts of another, both in total and per client account.
pub(super) const MERGE_STAGE_COUNTS: &str = "INSERT INTO tally (business_id, client_id, stage_id, from_at, from_id, leads) \
    SELECT business_id, client_id, CAST($1 AS text), from_at, from_id, leads FROM tally \
        WHERE business_id = $2 AND stage_id = $3 \
    ON CONFLICT (business_id, client_id, stage_id, from_at, from_id) DO UPDATE SET leads = tally.leads + excluded.leads";

pub(super) const DELETE_STAGE_COUNTS: &str = "DELETE FROM tally WHERE business_id = $1 AND stage_id = $2";

pub(super) const DELETE_LEADS_OF_CLIENT: &str = "DELETE FROM lead WHERE business_id = $1 AND client_id = $2";

/// Subtracts the counts of one client account from the counts of all client accounts, both in total and per stage.
pub(super) const SUBTRACT_CLIENT_COUNTS: &str = "UPDATE tally SET leads = leads - coalesce((SELECT own.leads \
    FROM tally AS own WHERE own.business_id = $1 AND own.client_id = $2 AND own.stage_id = tally.stage_id \
    AND own.from_at = tally.from_at AND own.from_id = tally.from_id), 0) WHERE business_id = $1 AND client_id = ''";

pub(super) const DELETE_CLIENT_COUNTS: &str = "DELETE FROM tally WHERE business_id = $1 AND client_id = $2";

/// Keeps the empty filter's rows even when their count is zero, because they define the buckets.
pub(super) const DELETE_EMPTY_STAGE_COUNTS: &str =
    "DELETE FROM tally WHERE business_id = $1 AND client_id = '' AND stage_id <> '' AND leads = 0";

// Statements that delete all records of a business.

const DELETE_LEADS: &str = "DELETE FROM lead WHERE business_id = $1";
const DELETE_LEAD_COUNTS: &str = "DELETE FROM tally WHERE business_id = $1";
const DELETE_KEYS: &str = "DELETE FROM idempotency WHERE business_id = $1";
const DELETE_FORMS: &str = "DELETE FROM form WHERE business_id = $1";
const DELETE_STAGES: &str = "DELETE FROM stage WHERE business_id = $1";
const DELETE_PIPELINES: &str = "DELETE FROM pipeline WHERE business_id = $1";
const DELETE_CLIENTS: &str = "DELETE FROM client WHERE business_id = $1";
const DELETE_TOKENS: &str = "DELETE FROM token WHERE business_id = $1";
const DELETE_LOGIN_LINKS: &str = "DELETE FROM login_link WHERE business_id = $1";
const DELETE_SESSIONS: &str = "DELETE FROM session WHERE business_id = $1";
const DELETE_AUDIT: &str = "DELETE FROM audit WHERE business_id = $1";
const DELETE_MEMBERS: &str = "DELETE FROM member WHERE business_id = $1";

/// The statements, in an order in which each record is deleted before the records that it refers to.
pub(super) const DELETE_RECORDS: [&str; 12] = [
    DELETE_LEADS,
    DELETE_LEAD_COUNTS,
    DELETE_KEYS,
    DELETE_FORMS,
    DELETE_STAGES,
    DELETE_PIPELINES,
    DELETE_CLIENTS,
    DELETE_TOKENS,
    DELETE_LOGIN_LINKS,
    DELETE_SESSIONS,
    DELETE_AUDIT,
    DELETE_MEMBERS,
];
