//! Where settings come from: the command line, then the environment, then a file, then what is built in.
//!
//! What a file says becomes the default of the setting of that name, so that all four are read, checked and explained by
//! one parser.

mod file;

use std::{ffi::OsString, path::PathBuf};

use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches, error::ErrorKind, parser::ValueSource};
use serde::Serialize;

use self::file::{ConfigFile, InvalidConfig};
use super::{Cli, Command, CommandError, output::Format, serve::Serve, store::Keep};

/// Whose settings a file holds. The other commands that serve take those of them that they have.
const SERVE: &str = "serve";
const SERVING: [&str; 3] = [SERVE, "demo", "config"];

#[derive(Debug, Args)]
pub(super) struct Config {
    #[command(flatten)]
    serve: Serve,
    #[command(flatten)]
    format: Format,
    #[arg(skip)]
    settings: Vec<Setting>,
}

/// A setting as it is in force.
#[derive(Debug, Clone, Serialize)]
struct Setting {
    name: String,
    value: Option<String>,
    from: String,
}

impl Config {
    pub(super) fn run(self) -> Result<(), CommandError> {
        self.serve.check()?;
        self.format.list(&self.settings, ["setting", "value", "from"], |setting| {
            [setting.name.clone(), setting.value.clone().unwrap_or_default(), setting.from.clone()]
        })
    }
}

impl Setting {
    fn of(arg: &Arg, matches: &ArgMatches, file: Option<&ConfigFile>) -> Option<Self> {
        let (id, name) = (arg.get_id().as_str(), arg.get_long()?.to_owned());
        let source = matches.value_source(id);
        let value = match matches.try_get_one::<Keep>(id) {
            // A password is never shown, wherever it was given.
            Ok(Some(keep)) => Some(keep.to_string()),
            _ => matches.get_raw(id).and_then(|mut raw| raw.next()).map(|value| value.to_string_lossy().into_owned()),
        };
        let from = match (source, file) {
            (Some(ValueSource::CommandLine), _) => "command line".to_owned(),
            (Some(ValueSource::EnvVariable), _) => arg.get_env()?.to_string_lossy().into_owned(),
            (_, Some(file)) if file.has(&name) => file.to_string(),
            _ => "default".to_owned(),
        };
        Some(Self { name, value, from })
    }
}

impl Cli {
    /// Reads the command line of this process, the environment, and the file that one of the two names; explains itself
    /// and ends the process where it is asked to, or where a setting is wrong.
    pub fn read() -> Self {
        let args: Vec<OsString> = std::env::args_os().collect();
        Self::try_read(&args).unwrap_or_else(|error| error.exit())
    }

    fn try_read(args: &[OsString]) -> Result<Self, clap::Error> {
        let wrong_file = |error: InvalidConfig| clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n"));
        let settings = Self::command().find_subcommand(SERVE).cloned().unwrap_or_default();
        let file = path_of_file(args).map(|path| ConfigFile::read(path, &settings)).transpose().map_err(wrong_file)?;
        let command = match &file {
            Some(file) => SERVING
                .iter()
                .fold(Self::command(), |command, name| command.mut_subcommand(name, |command| file.put_into(command))),
            None => Self::command(),
        };
        let matches = command.try_get_matches_from(args)?;
        let mut cli = Self::from_arg_matches(&matches)?;
        if let (Command::Config(config), Some((_, matches))) = (&mut cli.command, matches.subcommand()) {
            config.settings =
                settings.get_arguments().filter_map(|arg| Setting::of(arg, matches, file.as_ref())).collect();
        }
        Ok(cli)
    }
}

/// The file is named among the very settings that it has defaults for, so it is looked for first, and whatever else is
/// wrong is left to be told later.
fn path_of_file(args: &[OsString]) -> Option<PathBuf> {
    let matches = Cli::command().ignore_errors(true).try_get_matches_from(args).ok()?;
    let (_, matches) = matches.subcommand()?;
    matches.try_get_one::<PathBuf>("config").ok()?.cloned()
}
