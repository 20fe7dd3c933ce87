//! The settings of the commands. In order of precedence, they come from the command line, the environment, a settings
//! file and the built-in defaults.
//!
//! The file's values become the defaults of the options, so that one parser handles all four sources.

mod environment;
mod file;

use std::{
    ffi::OsString,
    io::{self, Write},
    path::PathBuf,
    process,
};

use clap::{
    Arg, ArgMatches, Args, CommandFactory, FromArgMatches,
    error::{ContextKind, ContextValue, ErrorKind},
    parser::ValueSource,
};
use serde::Serialize;

use self::file::{ConfigFile, InvalidConfig};
use super::{
    Cli, Command, CommandError, features,
    name_arg::accept_former_options,
    output::{Format, error_line, escape_lines, is_json_requested},
    redact::{may_be_secret, redact_given},
    serve::Serve,
    store::StoreKind,
};
#[cfg(feature = "redis")]
use crate::serve::LimiterUrl;

/// The command whose options a settings file may contain. The file may also contain the options of `ADMIN` that choose
/// a business and a person. All other commands use the values of the options that they share with these two.
const SERVE: &str = "serve";
const SERVE_COMMANDS: [&str; 3] = [SERVE, "demo", "config"];
const ADMIN: &str = "login-link";
const ADMIN_SETTINGS: [&str; 2] = ["as", "business"];

/// The settings file of a command other than `serve`.
#[derive(Debug, Clone, Args)]
pub(super) struct ConfigArg {
    /// A settings file in TOML, the same as for "serve". The command uses the settings that it shares with "serve", and
    /// `business` and `as`. The command line and the environment take precedence.
    #[arg(long, env = "LEADAPI_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Config {
    #[command(flatten)]
    serve: Serve,
    #[command(flatten)]
    format: Format,
    #[arg(skip)]
    settings: Vec<Setting>,
}

/// The effective value of a setting, and its source.
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
        let value = without_password(matches, id).or_else(|| {
            let values = matches.get_raw(id)?.map(|value| {
                let value = value.to_string_lossy();
                if may_be_secret(&value) { "…".to_owned() } else { value.into_owned() }
            });
            Some(values.collect::<Vec<_>>().join(","))
        });
        let from = match (source, file) {
            (Some(ValueSource::CommandLine), _) => "command line".to_owned(),
            (Some(ValueSource::EnvVariable), _) => arg.get_env()?.to_string_lossy().into_owned(),
            (_, Some(file)) if file.has(&name) => file.to_string(),
            _ => "default".to_owned(),
        };
        Some(Self { name, value, from })
    }
}

/// Returns the value of a store or limiter without its password, regardless of its source.
fn without_password(matches: &ArgMatches, id: &str) -> Option<String> {
    #[cfg(feature = "redis")]
    if let Ok(Some(limiter)) = matches.try_get_one::<LimiterUrl>(id) {
        return Some(limiter.to_string());
    }
    matches.try_get_one::<StoreKind>(id).ok().flatten().map(ToString::to_string)
}

impl Cli {
    /// Parses the command line and the environment of this process, and the settings file that either one names. If
    /// help was requested or a setting is invalid, prints the help or the error and exits.
    pub(crate) fn read() -> Self {
        let args: Vec<OsString> = std::env::args_os().collect();
        Self::try_read(&args).unwrap_or_else(|error| exit(&error))
    }

    fn try_read(args: &[OsString]) -> Result<Self, clap::Error> {
        let invalid_file = |error: InvalidConfig| invalid_setting(&error);
        let command = features::add_missing(Self::command(), &SERVE_COMMANDS);
        let serve = command.find_subcommand(SERVE).cloned().unwrap_or_default();
        let settings = with_admin_settings(serve.clone(), &command);
        let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let unknown = environment::check(&command, variables);
        let (path, file) = command_and_config(args);
        let file = file.map(|path| ConfigFile::read(path, &settings)).transpose().map_err(invalid_file)?;
        let command = at(command, &path, &|command| {
            let command = accept_former_options(command, args);
            match &file {
                Some(file) => file.apply_defaults(command, &settings),
                None => command,
            }
        });
        let matches = command.try_get_matches_from(args).map_err(explain_demo_data)?;
        unknown.map_err(|error| invalid_setting(&error))?;
        features::refuse_command(&matches).map_err(|error| invalid_setting(&error))?;
        let mut cli = Self::from_arg_matches(&matches)?;
        if let (Command::Config(config), Some((_, matches))) = (&mut cli.command, matches.subcommand()) {
            config.settings =
                serve.get_arguments().filter_map(|arg| Setting::of(arg, matches, file.as_ref())).collect();
        }
        Ok(cli)
    }
}

/// Adds the settings that only administrative commands use.
fn with_admin_settings(serve: clap::Command, all: &clap::Command) -> clap::Command {
    let admin = all.find_subcommand(ADMIN).into_iter().flat_map(clap::Command::get_arguments);
    serve.args(admin.filter(|arg| arg.get_long().is_some_and(|name| ADMIN_SETTINGS.contains(&name))).cloned())
}

/// Finds the names of the command and its subcommand, and the settings file, in a first parse, because the full parse
/// needs the file's values as defaults. Ignores errors, which the full parse will report.
fn command_and_config(args: &[OsString]) -> (Vec<String>, Option<PathBuf>) {
    let (mut path, mut config) = (Vec::new(), None);
    let Ok(matches) = Cli::command().ignore_errors(true).try_get_matches_from(args) else { return (path, config) };
    let mut matches = &matches;
    while let Some((name, inner)) = matches.subcommand() {
        path.push(name.to_owned());
        config = inner.try_get_one::<PathBuf>("config").ok().flatten().cloned();
        matches = inner;
    }
    (path, config)
}

/// Changes the subcommand at this path.
fn at(command: clap::Command, path: &[String], change: &dyn Fn(clap::Command) -> clap::Command) -> clap::Command {
    match path {
        [] => change(command),
        [name, rest @ ..] => command.mut_subcommand(name, |command| at(command, rest, change)),
    }
}

fn invalid_setting(error: &dyn std::error::Error) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n"))
}

/// Explains that `demo` has no data options. Otherwise, clap would suggest a similarly named option of `demo`.
fn explain_demo_data(mut error: clap::Error) -> clap::Error {
    let of_demo = matches!(error.get(ContextKind::Usage), Some(ContextValue::StyledStr(usage))
        if usage.to_string().contains("leadapi demo"));
    let of_data = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(arg))
        if ["--store", "--data", "--new-tokens"].contains(&arg.as_str()));
    if of_demo && of_data {
        error.remove(ContextKind::SuggestedArg);
        // The usage line would also mention the suggested option.
        error.remove(ContextKind::Usage);
        let tip = "the demo serves sample data from memory; use \"leadapi serve\" for your own data";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Prints the help, or an error with secrets masked and control characters escaped, and exits.
fn exit(error: &clap::Error) -> ! {
    if error.use_stderr() && is_json_requested() {
        writeln!(io::stderr(), "{}", error_line(&redact_given(&reason(error)))).unwrap_or_default();
        process::exit(error.exit_code());
    }
    if error.use_stderr() {
        write!(io::stderr(), "{}", escape_lines(&redact_given(&error.render().to_string()))).unwrap_or_default();
        process::exit(error.exit_code());
    }
    error.exit()
}

/// Returns the text of an error of the command line without the prefix, the usage and the reference to the help.
fn reason(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let end = ["\n\nUsage:", "\n\nFor more information"].iter().filter_map(|end| text.find(end)).min();
    let reason = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    let lines: Vec<&str> = reason.trim_start_matches("error: ").lines().map(str::trim).collect();
    lines.join(" ").trim_end().to_owned()
}

/// Returns the most similar known name, if one is similar enough.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let (near, likeness) = known.map(|known| (known, strsim::jaro(known, name))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    (likeness > 0.7).then(|| near.to_owned())
}
