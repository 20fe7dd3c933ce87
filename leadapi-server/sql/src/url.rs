//! Database URLs.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

#[cfg(feature = "postgres")]
use super::postgres;

/// The default maximum number of pooled connections to PostgreSQL.
const DEFAULT_CONNECTIONS: usize = 10;

/// The error returned when a string is not a database URL. Its message states the right form, and never contains the
/// string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidDatabaseUrl(Invalid);

impl InvalidDatabaseUrl {
    /// Returns whether the string names a SQLite database in memory. A [`MemoryStore`](leadapi_core::memory::MemoryStore)
    /// keeps data in memory.
    pub fn is_memory(self) -> bool {
        self.0 == Invalid::Memory
    }
}

/// Forms that other products accept with a different meaning. If they were used as paths, each of them would create a
/// file in an unexpected place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Invalid {
    #[error("must be sqlite:PATH or postgres://USER@HOST/DATABASE")]
    Scheme,
    #[error(
        "must name a file: write sqlite:NAME for a file in the current directory, or sqlite:/FOLDER/NAME for an absolute \
         path; sqlite://NAME would name a host"
    )]
    Host,
    #[error(
        "is ambiguous: write sqlite:NAME for a file in the current directory, or sqlite:/NAME for a file in the root \
         directory"
    )]
    Root,
    #[error("must be a path without parameters: write sqlite:PATH without a question mark and what follows it")]
    Parameters,
    #[error("must be a path as it is, without percent-encoding: write a space instead of %20")]
    Encoded,
    #[error("must be a path that the shell does not need to expand: write $HOME instead of ~")]
    Home,
    #[error("must name a file: sqlite::memory: is not supported")]
    Memory,
    #[error("must be a path, not a file: URI: write sqlite:PATH")]
    FileUri,
    #[error("must name a file, not a folder")]
    Folder,
    #[error("must be a path without spaces or control characters at its ends, such as a carriage return")]
    Ends,
}

/// The location of a database: `sqlite:PATH`, or a PostgreSQL URL as in libpq, including `sslmode` and `sslrootcert`.
///
/// The path of a SQLite file is used literally. `sqlite:///FOLDER/NAME` is the absolute path `/FOLDER/NAME`. Forms that
/// only other products accept, such as `sqlite://NAME` and `sqlite:NAME?mode=ro`, are refused.
///
/// For PostgreSQL, `Debug` and `Display` show only the hosts, ports and database name, never a password.
///
/// ```
/// use leadapi_sql::DatabaseUrl;
///
/// let url: DatabaseUrl = "postgres://leadapi:secret@db.example/leads?sslmode=verify-full".parse()?;
/// assert_eq!(url.to_string(), "postgres://db.example:5432/leads");
/// assert_eq!("sqlite:leads.db".parse::<DatabaseUrl>()?.to_string(), "sqlite:leads.db");
/// assert!("sqlite://leads.db".parse::<DatabaseUrl>().is_err());
/// # Ok::<(), leadapi_sql::InvalidDatabaseUrl>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(DatabaseKind);

#[derive(Clone, PartialEq, Eq)]
pub(super) enum DatabaseKind {
    Sqlite { path: PathBuf, accept_loss: bool },
    Postgres { url: String, connections: usize },
}

impl DatabaseUrl {
    /// Sets the maximum number of pooled connections to PostgreSQL (default 10, minimum 1). Has no effect for SQLite.
    ///
    /// ```
    /// # use leadapi_sql::DatabaseUrl;
    /// let url = "postgres://db.example:5432/leads".parse::<DatabaseUrl>()?.connections(4);
    /// # Ok::<(), leadapi_sql::InvalidDatabaseUrl>(())
    /// ```
    #[must_use]
    pub fn connections(mut self, max: usize) -> Self {
        if let DatabaseKind::Postgres { connections, .. } = &mut self.0 {
            *connections = max.max(1);
        }
        self
    }

    /// Sets whether to open a SQLite file that was not closed in an orderly way and whose write-ahead log is missing
    /// (default `false`). The log contained the latest writes, so they are lost. Has no effect for PostgreSQL.
    ///
    /// ```
    /// # use leadapi_sql::DatabaseUrl;
    /// let url = "sqlite:leads.db".parse::<DatabaseUrl>()?.accept_loss(true);
    /// # Ok::<(), leadapi_sql::InvalidDatabaseUrl>(())
    /// ```
    #[must_use]
    pub fn accept_loss(mut self, accept: bool) -> Self {
        if let DatabaseKind::Sqlite { accept_loss, .. } = &mut self.0 {
            *accept_loss = accept;
        }
        self
    }

    /// Returns whether the database is a SQLite file that does not exist yet.
    pub fn is_missing(&self) -> bool {
        // If the path cannot be looked up, opening it reports the reason.
        matches!(&self.0, DatabaseKind::Sqlite { path, .. } if matches!(path.try_exists(), Ok(false)))
    }

    pub(super) const fn kind(&self) -> &DatabaseKind {
        &self.0
    }
}

impl FromStr for DatabaseUrl {
    type Err = InvalidDatabaseUrl;

    fn from_str(text: &str) -> Result<Self, InvalidDatabaseUrl> {
        let kind = match text.split_once(':') {
            Some(("sqlite", rest)) => sqlite_path(rest).map(|path| DatabaseKind::Sqlite { path, accept_loss: false }),
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => {
                Ok(DatabaseKind::Postgres { url: text.to_owned(), connections: DEFAULT_CONNECTIONS })
            }
            _ => Err(Invalid::Scheme),
        };
        kind.map(Self).map_err(InvalidDatabaseUrl)
    }
}

/// Returns the path after `sqlite:`.
fn sqlite_path(text: &str) -> Result<PathBuf, Invalid> {
    let is_blank = |character: char| character.is_whitespace() || character.is_control();
    let is_encoded = |(at, _)| {
        let digits = text.as_bytes().get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match text {
        "" => Err(Invalid::Scheme),
        _ if text.starts_with(is_blank) || text.ends_with(is_blank) || text.contains('\0') => Err(Invalid::Ends),
        _ if text.starts_with(":memory:") => Err(Invalid::Memory),
        _ if text.starts_with("file:") => Err(Invalid::FileUri),
        _ if text.contains('?') => Err(Invalid::Parameters),
        _ if text.starts_with('~') => Err(Invalid::Home),
        _ if text.match_indices('%').any(is_encoded) => Err(Invalid::Encoded),
        _ if text.ends_with('/') || text.ends_with("/.") || text.ends_with("/..") => Err(Invalid::Folder),
        _ => match text.strip_prefix("//") {
            None => Ok(text.into()),
            Some(path) => absolute_path(path),
        },
    }
}

/// Returns the path after `sqlite://`. Some products treat `sqlite:///NAME` as a relative path, but all of them treat
/// `sqlite:////NAME` as an absolute path.
fn absolute_path(text: &str) -> Result<PathBuf, Invalid> {
    match text.strip_prefix("/") {
        None => Err(Invalid::Host),
        Some(path) if path.starts_with('/') => Ok(Path::new("/").join(path.trim_start_matches('/'))),
        Some(path) if !path.contains('/') || path.starts_with('.') => Err(Invalid::Root),
        Some(_) => Ok(text.into()),
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            DatabaseKind::Sqlite { path, .. } => write!(f, "sqlite:{}", path.display()),
            #[cfg(feature = "postgres")]
            DatabaseKind::Postgres { url, .. } => f.write_str(&postgres::redacted(url)),
            #[cfg(not(feature = "postgres"))]
            DatabaseKind::Postgres { .. } => f.write_str("postgres://…"),
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
            assert_eq!(bad.parse::<DatabaseUrl>(), Err(InvalidDatabaseUrl(Invalid::Scheme)), "{bad}");
        }
    }

    #[test]
    fn a_sqlite_url_is_certainly_a_path() {
        for (url, path) in [
            ("sqlite:leads.db", "leads.db"),
            ("sqlite:./~leads.db", "./~leads.db"),
            ("sqlite:../a b/c#1.db", "../a b/c#1.db"),
            ("sqlite:100%.db", "100%.db"),
            ("sqlite:/leads.db", "/leads.db"),
            ("sqlite:///srv/leads.db", "/srv/leads.db"),
            ("sqlite:////leads.db", "/leads.db"),
        ] {
            assert_eq!(url.parse::<DatabaseUrl>().unwrap().to_string(), format!("sqlite:{path}"));
        }
        for (url, reason) in [
            ("sqlite://leads.db", Invalid::Host),
            ("sqlite://srv/leads.db", Invalid::Host),
            ("sqlite://./leads.db", Invalid::Host),
            ("sqlite:///leads.db", Invalid::Root),
            ("sqlite:///./data/leads.db", Invalid::Root),
            ("sqlite:leads.db?mode=ro", Invalid::Parameters),
            ("sqlite:g%20h.db", Invalid::Encoded),
            ("sqlite:~/leads.db", Invalid::Home),
            ("sqlite::memory:", Invalid::Memory),
            ("sqlite:file:leads.db", Invalid::FileUri),
            ("sqlite:data/", Invalid::Folder),
            ("sqlite:///srv/..", Invalid::Folder),
            ("sqlite:leads.db\r", Invalid::Ends),
            ("sqlite: leads.db", Invalid::Ends),
        ] {
            assert_eq!(url.parse::<DatabaseUrl>(), Err(InvalidDatabaseUrl(reason)), "{url}");
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
