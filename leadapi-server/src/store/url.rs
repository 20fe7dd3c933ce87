//! Database URLs.

use std::{fmt, path::PathBuf, str::FromStr};

use super::postgres;

/// The default maximum number of pooled connections to PostgreSQL.
const DEFAULT_CONNECTIONS: usize = 10;

/// The error returned when a string is not a database URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be sqlite:PATH or postgres://USER@HOST/DATABASE")]
pub struct InvalidDatabaseUrl;

/// The location of a database: `sqlite:PATH`, or a PostgreSQL URL as in libpq, including `sslmode` and `sslrootcert`.
///
/// For PostgreSQL, `Debug` and `Display` show only the hosts, ports and database name, never a password.
///
/// ```
/// use leadapi_server::store::DatabaseUrl;
///
/// let url: DatabaseUrl = "postgres://leadapi:secret@db.example/leads?sslmode=verify-full".parse()?;
/// assert_eq!(url.to_string(), "postgres://db.example:5432/leads");
/// assert_eq!("sqlite:leads.db".parse::<DatabaseUrl>()?.to_string(), "sqlite:leads.db");
/// # Ok::<(), leadapi_server::store::InvalidDatabaseUrl>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(DatabaseKind);

#[derive(Clone, PartialEq, Eq)]
pub(super) enum DatabaseKind {
    Sqlite(PathBuf),
    Postgres { url: String, connections: usize },
}

impl DatabaseUrl {
    /// Sets the maximum number of pooled connections to PostgreSQL (default 10, minimum 1). Has no effect for SQLite.
    ///
    /// ```
    /// # use leadapi_server::store::DatabaseUrl;
    /// let url = "postgres://db.example:5432/leads".parse::<DatabaseUrl>()?.connections(4);
    /// # Ok::<(), leadapi_server::store::InvalidDatabaseUrl>(())
    /// ```
    #[must_use]
    pub fn connections(mut self, max: usize) -> Self {
        if let DatabaseKind::Postgres { connections, .. } = &mut self.0 {
            *connections = max.max(1);
        }
        self
    }

    /// Returns whether the database is a SQLite file that does not exist yet.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(&self.0, DatabaseKind::Sqlite(path) if !path.exists())
    }

    pub(super) const fn kind(&self) -> &DatabaseKind {
        &self.0
    }
}

impl FromStr for DatabaseUrl {
    type Err = InvalidDatabaseUrl;

    fn from_str(text: &str) -> Result<Self, InvalidDatabaseUrl> {
        match text.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self(DatabaseKind::Sqlite(path.into()))),
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                Ok(Self(DatabaseKind::Postgres { url: text.to_owned(), connections: DEFAULT_CONNECTIONS }))
            }
            _ => Err(InvalidDatabaseUrl),
        }
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            DatabaseKind::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            DatabaseKind::Postgres { url, .. } => f.write_str(&postgres::redacted(url)),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_one_known_scheme() {
        for good in ["sqlite:a", "sqlite:/a/b.db", "postgres://h/d", "postgresql://u:p@h:1/d?a=b"] {
            assert!(good.parse::<DatabaseUrl>().is_ok(), "{good}");
        }
        for bad in ["", "memory", "sqlite", "sqlite:", "postgres:h", "mysql://h/d", "a.db"] {
            assert_eq!(bad.parse::<DatabaseUrl>(), Err(InvalidDatabaseUrl), "{bad}");
        }
    }

    #[test]
    fn passwords_are_redacted() {
        for url in ["postgres://u:S3cret@h/d", "postgres://u:S3@S3cret@h/d", "postgres://h/d?password=S3cret"] {
            let url: DatabaseUrl = url.parse().unwrap();
            assert!(!format!("{url} {url:?}").contains("S3"), "{url}");
        }
    }
}
