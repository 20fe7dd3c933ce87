//! A file of settings: TOML, each key the long name of an option.

use std::{fmt, fs, io, path::PathBuf};

use clap::{Arg, Command};
use toml::{Table, Value};

pub(super) struct ConfigFile {
    path: PathBuf,
    /// The name of each setting, and its value as it would be typed.
    settings: Vec<(String, String)>,
}

/// Why a file of settings is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidConfig {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is no TOML: {source}", path.display())]
    Toml { path: PathBuf, source: Box<toml::de::Error> },
    #[error("{}: {name} is no setting{}", path.display(), hint.as_ref().map(|name| format!(", did you mean {name}?")).unwrap_or_default())]
    Unknown { path: PathBuf, name: String, hint: Option<String> },
    #[error("{}: {name} must be a text, a number, true or false", path.display())]
    Type { path: PathBuf, name: String },
    #[error("{}: {name}: {reason}", path.display())]
    Value { path: PathBuf, name: String, reason: String },
}

impl ConfigFile {
    /// Reads a file; each of its settings must be one of the command's, with a value that it takes.
    pub(super) fn read(path: PathBuf, command: &Command) -> Result<Self, InvalidConfig> {
        let text = fs::read_to_string(&path).map_err(|source| InvalidConfig::Read { path: path.clone(), source })?;
        let table: Table =
            text.parse().map_err(|source| InvalidConfig::Toml { path: path.clone(), source: Box::new(source) })?;
        let mut settings = Vec::new();
        for (name, value) in table {
            let path = path.clone();
            let Some(arg) = command.get_arguments().find(|arg| arg.get_long() == Some(&name)) else {
                let hint = nearest(&name, command);
                return Err(InvalidConfig::Unknown { path, name, hint });
            };
            let Some(value) = typed(value) else { return Err(InvalidConfig::Type { path, name }) };
            if let Err(reason) = check(arg, &value) {
                return Err(InvalidConfig::Value { path, name, reason });
            }
            settings.push((name, value));
        }
        Ok(Self { path, settings })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.settings.iter().any(|(known, _)| known == name)
    }

    /// The command, with what the file says as its defaults.
    pub(super) fn put_into(&self, command: Command) -> Command {
        command.mut_args(|arg| {
            let value =
                self.settings.iter().find(|(name, _)| arg.get_long() == Some(name)).map(|(_, value)| value.clone());
            match value {
                Some(value) => arg.default_value(value),
                None => arg,
            }
        })
    }
}

impl fmt::Display for ConfigFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

fn typed(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(yes) => Some(yes.to_string()),
        Value::Float(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}

/// Whether the option takes the value, asked of it alone, so that what is wrong with the file is said of the file.
fn check(arg: &Arg, value: &str) -> Result<(), String> {
    let command =
        Command::new("").no_binary_name(true).arg(arg.clone().env(None::<&str>).default_value(value.to_owned()));
    let matches = command.try_get_matches_from(std::iter::empty::<&str>());
    matches.map(drop).map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().next().unwrap_or_default();
        reason.trim_start_matches("error: ").to_owned()
    })
}

fn nearest(name: &str, command: &Command) -> Option<String> {
    let known = command.get_arguments().filter_map(Arg::get_long);
    let (near, likeness) = known.map(|known| (known, strsim::jaro(known, name))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    (likeness > 0.7).then(|| near.to_owned())
}
