//! The SQL statements for the API settings, shared by both databases. Parameters are numbered in order of first
//! appearance.

// Tokens.

pub(super) const UPDATE_TOKEN: &str =
    "UPDATE token SET expires_at = $1, revoked_at = $2 WHERE business_id = $3 AND id = $4";

pub(super) const DELETE_TOKEN: &str = "DELETE FROM token WHERE business_id = $1 AND id = $2";

// The audit log. Only the removal of the business deletes entries.

pub(super) const INSERT_AUDIT: &str = "INSERT INTO audit (business_id, at, id, action, email, address, token_id, \
    token_name) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

pub(super) const AUDIT: &str = "SELECT id, at, action, email, address, token_id, token_name FROM audit \
    WHERE business_id = $1 ORDER BY at DESC, id DESC LIMIT $2 OFFSET $3";

pub(super) const COUNT_AUDIT: &str = "SELECT count(*) FROM audit WHERE business_id = $1";

// Members.

pub(super) const MEMBERS: &str = "SELECT member.business_id, business.name, member.email, member.role FROM member \
    JOIN business ON business.business_id = member.business_id WHERE member.business_id = $1";

/// Not limited to one business, because it is used to find a person's memberships in all businesses. The addresses are
/// compared in Rust, because SQLite ignores case only for ASCII letters.
pub(super) const ALL_MEMBERS: &str = "SELECT member.business_id, business.name, member.email, member.role FROM member \
    JOIN business ON business.business_id = member.business_id ORDER BY business.name, business.business_id";

// Sign-in links.

pub(super) const INSERT_LINK: &str =
    "INSERT INTO login_link (business_id, hash, email, expires_at) VALUES ($1, $2, $3, $4)";

/// Not limited to one business, because the link determines the business. If a link is used concurrently, only one use
/// deletes its row.
pub(super) const USE_LOGIN_LINK: &str =
    "DELETE FROM login_link WHERE hash = $1 RETURNING business_id, email, expires_at";

pub(super) const DELETE_LINKS_OF: &str = "DELETE FROM login_link WHERE business_id = $1 AND email = $2";

/// Not limited to one business, so that the number of statements does not grow with the number of businesses.
pub(super) const DELETE_EXPIRED_LINKS: &str = "DELETE FROM login_link WHERE expires_at <= $1";

// Sessions.

pub(super) const INSERT_SESSION: &str = "INSERT INTO session (business_id, id, hash, email, created_at, last_used_at, \
    address) VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Not limited to one business, because the session determines the business. Returns no row if the person is no longer
/// a member.
pub(super) const FIND_SESSION: &str = "SELECT session.id, session.email, session.created_at, session.last_used_at, \
    session.address, session.business_id, business.name, member.email, member.role FROM session \
    JOIN member ON member.business_id = session.business_id AND member.email = session.email \
    JOIN business ON business.business_id = session.business_id WHERE session.hash = $1 AND session.last_used_at > $2";

pub(super) const USE_SESSION: &str =
    "UPDATE session SET last_used_at = $1 WHERE business_id = $2 AND id = $3 AND last_used_at < $1";

pub(super) const SESSIONS: &str = "SELECT id, email, created_at, last_used_at, address FROM session \
    WHERE business_id = $1 AND last_used_at > $2 ORDER BY created_at DESC, id DESC";

pub(super) const DELETE_SESSION: &str = "DELETE FROM session WHERE business_id = $1 AND id = $2 RETURNING 1";

pub(super) const DELETE_SESSIONS_OF: &str = "DELETE FROM session WHERE business_id = $1 AND email = $2";

/// Not limited to one business, so that the number of statements does not grow with the number of businesses.
pub(super) const DELETE_EXPIRED_SESSIONS: &str = "DELETE FROM session WHERE last_used_at <= $1";
