//! The store that a command works on.

use std::{ffi::OsStr, fmt, str::FromStr};

use clap::{Arg, Args, Command, builder::TypedValueParser, error::ErrorKind};
use leadapi_sql::{DatabaseUrl, InvalidDatabaseUrl, SqlStore};

use super::{CommandError, config::ConfigArg, output::Format, store_error::describe_url};

/// The store that a server uses.
#[derive(Debug, Clone)]
pub(super) enum StoreKind {
    Memory,
    Database(DatabaseUrl),
}

/// The error for a value that is not a valid store.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidStoreKind {
    #[error("must be memory, sqlite:PATH or postgres://USER@HOST/DATABASE")]
    Scheme,
    #[error("{}", describe_url(*.0))]
    Url(InvalidDatabaseUrl),
}

impl FromStr for StoreKind {
    type Err = InvalidStoreKind;

    fn from_str(text: &str) -> Result<Self, InvalidStoreKind> {
        match text {
            "memory" => Ok(Self::Memory),
            url if url.starts_with("sqlite:") => url.parse().map(Self::Database).map_err(InvalidStoreKind::Url),
            url => url.parse().map(Self::Database).map_err(|_| InvalidStoreKind::Scheme),
        }
    }
}

/// The output omits any password.
impl fmt::Display for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Database(url) => url.fmt(f),
        }
    }
}

/// A parser for values that may contain a password. Its errors state which values are valid and never show the value
/// itself.
#[derive(Clone)]
pub(super) struct SensitiveParser<T>(fn(&str) -> Result<T, String>);

pub(super) fn sensitive<T: FromStr<Err: fmt::Display>>() -> SensitiveParser<T> {
    SensitiveParser(|text| text.parse().map_err(|error: T::Err| error.to_string()))
}

pub(super) fn database() -> SensitiveParser<DatabaseUrl> {
    SensitiveParser(|text| text.parse().map_err(describe_url))
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for SensitiveParser<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let parsed = value.to_str().ok_or("must be UTF-8".to_owned());
        let parsed = parsed.and_then(self.0);
        parsed.map_err(|rule| {
            let name = arg.map(Arg::to_string).unwrap_or_default();
            clap::Error::raw(ErrorKind::ValueValidation, format!("{name} {rule}\n")).with_cmd(command)
        })
    }
}

/// The database that a command works on.
#[derive(Debug, Args)]
pub(super) struct StoreArgs {
    /// The database: `sqlite:PATH` or `postgres://USER@HOST/DATABASE`.
    ///
    /// A running server may use it at the same time.
    #[arg(long, env = "LEADAPI_STORE", hide_env_values = true, value_name = "STORE", value_parser = database())]
    pub(super) store: DatabaseUrl,
    #[command(flatten)]
    loss: AcceptLoss,
    #[command(flatten)]
    config: ConfigArg,
    #[command(flatten)]
    pub(super) format: Format,
}

/// The option to open a SQLite file whose write-ahead log is missing.
#[derive(Debug, Args)]
pub(super) struct AcceptLoss {
    /// Open a SQLite store that was not closed in an orderly way, although its write-ahead log with the latest writes
    /// is missing.
    #[arg(long)]
    accept_loss: bool,
}

impl AcceptLoss {
    pub(super) fn apply(&self, url: DatabaseUrl) -> DatabaseUrl {
        url.accept_loss(self.accept_loss)
    }
}

impl StoreArgs {
    /// Returns the database with the options that apply to it.
    pub(super) fn url(&self) -> DatabaseUrl {
        self.loss.apply(self.store.clone())
    }

    pub(super) async fn open(&self) -> Result<SqlStore, CommandError> {
        open(&self.url()).await
    }

    pub(super) async fn open_or_create(&self) -> Result<SqlStore, CommandError> {
        Ok(SqlStore::open(&self.url()).await?)
    }
}

/// Opens an existing database. Does not create a missing database, because the name is probably a typo.
pub(super) async fn open(url: &DatabaseUrl) -> Result<SqlStore, CommandError> {
    if url.is_missing() {
        return Err(CommandError::Missing(url.clone()));
    }
    Ok(SqlStore::open(url).await?)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::{Cli, redact::redact};

    #[test]
    fn every_command_that_opens_a_store_can_accept_a_loss() {
        let (mut commands, mut found) = (vec![Cli::command()], 0);
        while let Some(command) = commands.pop() {
            let has = |name| command.get_arguments().any(|arg| arg.get_long() == Some(name));
            assert_eq!(has("store"), has("accept-loss"), "{}", command.get_name());
            assert!(!has("store") || has("config"), "{}", command.get_name());
            found += usize::from(has("store"));
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(found > 10, "{found}");
    }

    /// Tries every ASCII character except NUL, raw and percent-encoded, in a password in each form of URL.
    #[test]
    fn no_output_or_error_reveals_a_password() {
        let command = Command::new("x").no_binary_name(true);
        let command = command.arg(Arg::new("store").long("store").value_parser(sensitive::<StoreKind>()));
        for byte in 1..=127_u8 {
            for character in [char::from(byte).to_string(), format!("%{byte:02X}")] {
                let password = format!("CAN{character}ARY");
                for url in [
                    format!("postgres://u:{password}@h/d?sslmode=require"),
                    format!("postgresql://u:{password}@h:1,i:2/d"),
                    format!("postgres://u:{password}/d"),
                    format!("postgres://h/d?password={password}"),
                    format!("postgres:u:{password}@h/d"),
                    format!("mysql://u:{password}@h/d"),
                    format!("host=h password={password}"),
                ] {
                    // In this URL, the password ends at the `@`, and the rest is a host, which may be shown.
                    if character == "@" && url == format!("postgres://u:{password}/d") {
                        continue;
                    }
                    let shown = match command.clone().try_get_matches_from(["--store", &url]) {
                        Ok(matches) => {
                            let store: &StoreKind = matches.get_one("store").unwrap();
                            format!("{store} {store:?}")
                        }
                        Err(error) => format!("{} {error:?}", error.render()),
                    };
                    assert!(!shown.contains("CAN") && !shown.contains("ARY"), "{url}: {shown}");
                    let shown = redact(&format!("cannot read {url}: no such file"), [&*url]);
                    assert!(!shown.contains("CAN") && !shown.contains("ARY"), "{url}: {shown}");
                }
            }
        }
    }
}
