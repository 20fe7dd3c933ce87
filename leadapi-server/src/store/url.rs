//! Where a database is.

use std::{fmt, path::PathBuf, str::FromStr};

use super::postgres;

/// So many connections to PostgreSQL unless the operator says otherwise.
const CONNECTIONS: usize = 10;

/// The text names no database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be sqlite:PATH or postgres://USER@HOST/DATABASE")]
pub struct InvalidDatabaseUrl;

/// Where a database is: `sqlite:PATH`, or a URL of PostgreSQL as libpq has it, with `sslmode` and `sslrootcert`.
///
/// Its `Debug` and its `Display` show the hosts and the database, and nothing else.
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
pub struct DatabaseUrl(Kind);

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Sqlite(PathBuf),
    Postgres { url: String, connections: usize },
}

impl DatabaseUrl {
    /// At most so many connections, instead of 10, at least one. SQLite has no such limit.
    ///
    /// ```
    /// # use leadapi_server::store::DatabaseUrl;
    /// let url = "postgres://db.example:5432/leads".parse::<DatabaseUrl>()?.connections(4);
    /// # Ok::<(), leadapi_server::store::InvalidDatabaseUrl>(())
    /// ```
    #[must_use]
    pub fn connections(mut self, most: usize) -> Self {
        if let Kind::Postgres { connections, .. } = &mut self.0 {
            *connections = most.max(1);
        }
        self
    }

    /// Whether it is a file that is not there yet.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(&self.0, Kind::Sqlite(path) if !path.exists())
    }

    pub(super) const fn kind(&self) -> &Kind {
        &self.0
    }
}

impl FromStr for DatabaseUrl {
    type Err = InvalidDatabaseUrl;

    fn from_str(text: &str) -> Result<Self, InvalidDatabaseUrl> {
        match text.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self(Kind::Sqlite(path.into()))),
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                Ok(Self(Kind::Postgres { url: text.to_owned(), connections: CONNECTIONS }))
            }
            _ => Err(InvalidDatabaseUrl),
        }
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Kind::Postgres { url, .. } => f.write_str(&postgres::shown(url)),
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
    fn a_url_is_of_one_kind_or_none() {
        for good in ["sqlite:a", "sqlite:/a/b.db", "postgres://h/d", "postgresql://u:p@h:1/d?a=b"] {
            assert!(good.parse::<DatabaseUrl>().is_ok(), "{good}");
        }
        for bad in ["", "memory", "sqlite", "sqlite:", "postgres:h", "mysql://h/d", "a.db"] {
            assert_eq!(bad.parse::<DatabaseUrl>(), Err(InvalidDatabaseUrl), "{bad}");
        }
    }

    #[test]
    fn no_password_is_shown() {
        for url in ["postgres://u:S3cret@h/d", "postgres://u:S3@S3cret@h/d", "postgres://h/d?password=S3cret"] {
            let url: DatabaseUrl = url.parse().unwrap();
            assert!(!format!("{url} {url:?}").contains("S3"), "{url}");
        }
    }
}
