//! A settings file in TOML, where each key is the long name of an option.

use std::{fmt, fs, io, path::PathBuf};

use clap::{Arg, Command};
use toml::{Table, Value};

use super::nearest;
use crate::{
    output::print_warning,
    redact::{may_be_secret, redact},
};
use leadapi_tls::ExposedSecret;

pub(super) struct ConfigFile {
    path: PathBuf,
    /// The long option name of each setting, and its value in the form that the command line uses.
    settings: Vec<(String, String)>,
}

/// The reason a settings file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidConfig {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not valid TOML at line {line}, column {column}: {reason}", path.display())]
    Toml { path: PathBuf, line: usize, column: usize, reason: String },
    #[error("{}: {name} is not a setting{}", path.display(), hint.as_ref().map(|name| format!(", did you mean {name}?")).unwrap_or_default())]
    Unknown { path: PathBuf, name: String, hint: Option<String> },
    #[error("{}: {name} must be a string, a number, true or false", path.display())]
    Type { path: PathBuf, name: String },
    #[error("{}: {name}: {reason}", path.display())]
    Value { path: PathBuf, name: String, reason: String },
}

impl ConfigFile {
    /// Reads a file. Returns an error if it cannot be read or is not valid TOML, or if a setting is not an option of
    /// the command or has an invalid value.
    pub(super) fn read(path: PathBuf, command: &Command) -> Result<Self, InvalidConfig> {
        let read = |source| InvalidConfig::Read { path: path.clone(), source };
        let text = fs::read_to_string(&path).map_err(read)?;
        let file = Self::parse(path, &text, command)?;
        if file.settings.iter().any(|(_, value)| may_be_secret(value)) {
            ExposedSecret::find(&file.path).iter().for_each(print_warning);
        }
        Ok(file)
    }

    fn parse(path: PathBuf, text: &str, command: &Command) -> Result<Self, InvalidConfig> {
        let table: Table = text.parse().map_err(|error| invalid(path.clone(), text, &error))?;
        let mut settings = Vec::new();
        for (name, value) in table {
            let path = path.clone();
            let Some(arg) = command.get_arguments().find(|arg| arg.get_long() == Some(&name)) else {
                let hint = nearest(&name, command.get_arguments().filter_map(Arg::get_long));
                return Err(InvalidConfig::Unknown { path, name: redact(&name, [&*name]), hint });
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

    /// Returns the command with the file's values as defaults. An option of the command is the same setting if it has
    /// the same name and the same variable as in `settings`.
    pub(super) fn apply_defaults(&self, command: Command, settings: &Command) -> Command {
        let is_setting = |arg: &Arg| {
            settings.get_arguments().any(|own| own.get_long() == arg.get_long() && own.get_env() == arg.get_env())
        };
        command.mut_args(|arg| {
            let value = self.settings.iter().find(|(name, _)| arg.get_long() == Some(name));
            match value.filter(|_| is_setting(&arg)) {
                Some((_, value)) => arg.required(false).default_value(value.clone()),
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

/// Converts a TOML error, keeping its reason and position. Omits the line itself, because it may contain a password.
fn invalid(path: PathBuf, text: &str, error: &toml::de::Error) -> InvalidConfig {
    let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
    let (_, last) = before.rsplit_once('\n').unwrap_or(("", before));
    let (line, column) = (before.split('\n').count(), last.chars().count() + 1);
    InvalidConfig::Toml { path, line, column, reason: error.message().to_owned() }
}

/// Parses the value with this option alone, so that an error refers to the file rather than the command line.
fn check(arg: &Arg, value: &str) -> Result<(), String> {
    let command =
        Command::new("").no_binary_name(true).arg(arg.clone().env(None::<&str>).default_value(value.to_owned()));
    let matches = command.try_get_matches_from(std::iter::empty::<&str>());
    matches.map(drop).map_err(|error| {
        let text = redact(&error.to_string(), [value]);
        let reason = text.lines().next().unwrap_or_default();
        reason.trim_start_matches("error: ").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// Tries every ASCII character in a password, because some characters make the line invalid TOML or the value an
    /// invalid store.
    #[test]
    fn no_error_reveals_a_password() {
        let command = Cli::command().find_subcommand("serve").cloned().unwrap();
        for byte in 0..=127_u8 {
            for character in [char::from(byte).to_string(), format!("%{byte:02X}")] {
                let url = format!("postgres://u:CAN{character}ARY@h/d");
                for line in [
                    format!("store = \"{url}"),
                    format!("store = \"{url}\""),
                    format!("store = '{url}'"),
                    format!("store = {url}"),
                    format!("store \"{url}\""),
                    format!("store = [\"{url}\"]"),
                    format!("listen = '{url}'"),
                    format!("'{url}' = 1"),
                    url,
                ] {
                    let text = format!("# settings\nlog = \"info\"\n{line}\n");
                    let Err(error) = ConfigFile::parse("x.toml".into(), &text, &command) else { continue };
                    let shown = format!("{error} {error:?}");
                    assert!(!shown.contains("CAN") && !shown.contains("ARY"), "{line}: {shown}");
                    let has_position = shown.contains("at line 3") || character == "\n";
                    assert!(!matches!(error, InvalidConfig::Toml { .. }) || has_position, "{shown}");
                }
            }
        }
    }
}
