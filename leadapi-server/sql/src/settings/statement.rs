//! The SQL statements for the API settings, shared by both databases. Parameters are numbered in order of first
//! appearance.

// Tokens. The columns are in the order in which `tokens::read` takes them.

pub(super) const TOKEN: &str = "SELECT id, name, scopes, hint, hash, created_at, expires_at, revoked_at, created_by, \
    last_used_at FROM token WHERE business_id = $1 AND id = $2";

/// The newest valid token with a name. An index has the same conditions. The sum in `ORDER BY` prevents the database
/// from using the index by age instead, because it would then read all tokens of the business.
pub(super) const NAMESAKE: &str = "SELECT id, name, scopes, hint, hash, created_at, expires_at, revoked_at, \
    created_by, last_used_at FROM token WHERE business_id = $1 AND name = $2 AND revoked_at IS NULL \
    AND coalesce(expires_at, 9223372036854775807) > $3 ORDER BY created_at + 0 DESC, id DESC LIMIT 1";

/// The number of valid tokens, counted up to a limit. An index has the same conditions.
pub(super) const COUNT_VALID: &str = "SELECT count(*) FROM (SELECT id FROM token WHERE business_id = $1 \
    AND revoked_at IS NULL AND coalesce(expires_at, 9223372036854775807) > $2 LIMIT $3) AS valid";

/// The number of new tokens in an interval, counted up to a limit.
pub(super) const COUNT_NEW: &str = "SELECT count(*) FROM (SELECT id FROM audit WHERE business_id = $1 AND at > $2 \
    AND at <= $3 AND action = 'token_created' LIMIT $4) AS new_tokens";

pub(super) const TOKEN_PAGE: &str = "SELECT id, name, scopes, hint, hash, created_at, expires_at, revoked_at, \
    created_by, last_used_at FROM token WHERE business_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3";

pub(super) const COUNT_TOKENS: &str = "SELECT count(*) FROM token WHERE business_id = $1";

pub(super) const UPDATE_TOKEN: &str =
    "UPDATE token SET expires_at = $1, revoked_at = $2 WHERE business_id = $3 AND id = $4";

pub(super) const DELETE_TOKEN: &str = "DELETE FROM token WHERE business_id = $1 AND id = $2";

// The audit log. Only the removal of the business deletes entries.

pub(super) const INSERT_AUDIT: &str = "INSERT INTO audit (business_id, at, id, action, email, address, token_id, \
    token_name, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

pub(super) const AUDIT: &str = "SELECT id, at, action, email, address, token_id, token_name, detail FROM audit \
    WHERE business_id = $1 ORDER BY at DESC, id DESC LIMIT $2 OFFSET $3";

pub(super) const COUNT_AUDIT: &str = "SELECT count(*) FROM audit WHERE business_id = $1";

// Members.

pub(super) const MEMBER: &str = "SELECT member.business_id, business.name, member.email, member.role FROM member \
    JOIN business ON business.business_id = member.business_id \
    WHERE member.business_id = $1 AND member.email_key = $2";

/// Not limited to one business, because it finds a person's memberships in all businesses.
pub(super) const MEMBERSHIPS: &str = "SELECT member.business_id, business.name, member.email, member.role FROM member \
    JOIN business ON business.business_id = member.business_id WHERE member.email_key = $1 \
    ORDER BY business.name, business.business_id";

// Sign-in links.

pub(super) const INSERT_LINK: &str =
    "INSERT INTO login_link (business_id, hash, email, expires_at) VALUES ($1, $2, $3, $4)";

/// Not limited to one business, because the link determines the business.
pub(super) const BUSINESS_OF_LINK: &str = "SELECT business_id FROM login_link WHERE hash = $1";

/// If a link is used concurrently, only one use deletes its row.
pub(super) const USE_LOGIN_LINK: &str =
    "DELETE FROM login_link WHERE business_id = $1 AND hash = $2 RETURNING email, expires_at";

pub(super) const DELETE_LINKS_OF: &str = "DELETE FROM login_link WHERE business_id = $1 AND email = $2";

/// Not limited to one business, so that the number of statements does not grow with the number of businesses.
pub(super) const DELETE_EXPIRED_LINKS: &str = "DELETE FROM login_link WHERE expires_at <= $1";

// Sessions.

/// The number of sign-ins in an interval, counted up to a limit.
pub(super) const COUNT_SIGN_INS: &str = "SELECT count(*) FROM (SELECT id FROM audit WHERE business_id = $1 \
    AND at > $2 AND at <= $3 AND action IN ('signed_in', 'signed_in_by_proxy') LIMIT $4) AS sign_ins";

pub(super) const INSERT_SESSION: &str = "INSERT INTO session (business_id, id, hash, email, created_at, last_used_at, \
    address) VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Ends the sessions of a person except the most recently used ones.
pub(super) const END_UNUSED_SESSIONS: &str = "DELETE FROM session WHERE business_id = $1 AND email = $2 \
    AND id NOT IN (SELECT id FROM session WHERE business_id = $1 AND email = $2 \
    ORDER BY last_used_at DESC, created_at DESC, id DESC LIMIT $3)";

pub(super) const OPEN_SESSION: &str = "SELECT id FROM session WHERE business_id = $1 AND id = $2 AND email = $3 \
    AND last_used_at > $4 AND created_at > $5";

/// Not limited to one business, because the session determines the business. Returns no row if the person is no longer
/// a member.
pub(super) const FIND_SESSION: &str = "SELECT session.id, session.email, session.created_at, session.last_used_at, \
    session.address, session.business_id, business.name, member.email, member.role FROM session \
    JOIN member ON member.business_id = session.business_id AND member.email = session.email \
    JOIN business ON business.business_id = member.business_id \
    WHERE session.hash = $1 AND session.last_used_at > $2 AND session.created_at > $3";

/// Not limited to one business, because the session determines the business.
pub(super) const SESSION: &str = "SELECT id, email, created_at, last_used_at, address, business_id FROM session \
    WHERE hash = $1 AND last_used_at > $2 AND created_at > $3";

pub(super) const USE_SESSION: &str =
    "UPDATE session SET last_used_at = $1 WHERE business_id = $2 AND id = $3 AND last_used_at < $1";

pub(super) const SESSIONS: &str = "SELECT id, email, created_at, last_used_at, address FROM session \
    WHERE business_id = $1 AND last_used_at > $2 AND created_at > $3 ORDER BY created_at DESC, id DESC";

pub(super) const DELETE_SESSION: &str = "DELETE FROM session WHERE business_id = $1 AND id = $2 RETURNING 1";

pub(super) const DELETE_OWN_SESSION: &str =
    "DELETE FROM session WHERE business_id = $1 AND id = $2 AND email = $3 RETURNING 1";

pub(super) const DELETE_SESSIONS_OF: &str = "DELETE FROM session WHERE business_id = $1 AND email = $2";

/// Not limited to one business, so that the number of statements does not grow with the number of businesses.
pub(super) const DELETE_EXPIRED_SESSIONS: &str = "DELETE FROM session WHERE last_used_at <= $1 OR created_at <= $2";
