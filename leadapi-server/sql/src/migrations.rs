//! The migrations of both databases, each from one version of the schema to the next.
//!
//! A released migration must not change, because each database records only how many migrations it has run. A short
//! migration, such as one that adds a column, can be inlined here.

/// After this migration, [`FIX_EMAIL_KEY`] must correct the key of each member whose key differs from the address.
pub(super) const POSTGRES_EMAIL_KEYS: &str = include_str!("postgres/0006.sql");
/// After this migration, `lead` must be analyzed.
pub(super) const POSTGRES_STATISTICS: &str = include_str!("postgres/0008.sql");
/// The same migration as [`POSTGRES_EMAIL_KEYS`] for SQLite.
pub(super) const SQLITE_EMAIL_KEYS: &str = include_str!("sqlite/0006.sql");

/// Lists all members for the migration.
pub(super) const MEMBERS_TO_FIX: &str = "SELECT business_id, email FROM member";
/// Sets the key of a member.
pub(super) const FIX_EMAIL_KEY: &str = "UPDATE member SET email_key = $1 WHERE business_id = $2 AND email = $3";

pub(super) const POSTGRES: &[&str] = &[
    include_str!("postgres/0001.sql"),
    include_str!("postgres/0002.sql"),
    include_str!("postgres/0003.sql"),
    include_str!("postgres/0004.sql"),
    include_str!("postgres/0005.sql"),
    POSTGRES_EMAIL_KEYS,
    include_str!("postgres/0007.sql"),
    POSTGRES_STATISTICS,
    include_str!("postgres/0009.sql"),
];

pub(super) const SQLITE: &[&str] = &[
    include_str!("sqlite/0001.sql"),
    include_str!("sqlite/0002.sql"),
    include_str!("sqlite/0003.sql"),
    include_str!("sqlite/0004.sql"),
    include_str!("sqlite/0005.sql"),
    SQLITE_EMAIL_KEYS,
    include_str!("sqlite/0007.sql"),
];
