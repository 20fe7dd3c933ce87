//! The optional features of the program. A binary that was built without a feature still declares the options of the
//! feature, so that it can reject them with an error that names the feature.

use std::{env::consts, ffi::OsStr};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::TypedValueParser, error::ErrorKind};

/// A feature, and the options of `serve` and the command that need it.
struct Feature {
    name: &'static str,
    is_built: bool,
    options: &'static [&'static str],
    command: Option<&'static str>,
}

const FEATURES: [Feature; 4] = [
    Feature {
        name: "acme",
        is_built: cfg!(feature = "acme"),
        options: &["acme-agree-tos", "acme-cache", "acme-directory", "acme-domain", "acme-email", "acme-staging"],
        command: None,
    },
    Feature { name: "mcp", is_built: cfg!(feature = "mcp"), options: &["mcp-listen", "mcp-url"], command: Some("mcp") },
    Feature { name: "otlp", is_built: cfg!(feature = "otlp"), options: &[OTLP_ENDPOINT], command: None },
    Feature {
        name: "redis",
        is_built: cfg!(feature = "redis"),
        options: &["limiter", "limiter-failure", "limiter-servers", "limiter-timeout"],
        command: None,
    },
];

/// This option has a variable that other programs use too, so a binary without the feature ignores the variable.
const OTLP_ENDPOINT: &str = "otlp-endpoint";

/// An option or a command that needs a feature which this binary lacks.
#[derive(Debug, thiserror::Error)]
#[error("{name} cannot be used, because this binary was built without the `{feature}` feature")]
pub(super) struct MissingFeature {
    name: String,
    feature: &'static str,
}

/// Refuses every value of an option that needs this feature.
#[derive(Clone)]
struct RefuseValue(&'static str);

impl TypedValueParser for RefuseValue {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, _: &OsStr) -> Result<String, clap::Error> {
        let name = arg.and_then(Arg::get_long).map(|name| format!("--{name}")).unwrap_or_default();
        let missing = MissingFeature { name, feature: self.0 };
        Err(command.clone().error(ErrorKind::ValueValidation, missing))
    }
}

/// Returns the version, the platform and the features of this binary.
pub(super) fn version() -> String {
    let built: Vec<&str> = FEATURES.iter().filter(|feature| feature.is_built).map(|feature| feature.name).collect();
    let features = if built.is_empty() { "none".to_owned() } else { built.join(", ") };
    let libc = if cfg!(target_env = "musl") { " (musl)" } else { "" };
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}\ntarget: {} {}{libc}\nfeatures: {features}", consts::ARCH, consts::OS)
}

/// Adds hidden options and commands for the features that this binary lacks. Without them, clap would report such an
/// option as unknown, and suggest a different one.
pub(super) fn add_missing(command: Command, serve_commands: &[&'static str]) -> Command {
    FEATURES.iter().filter(|feature| !feature.is_built).fold(command, |command, feature| {
        let command = serve_commands
            .iter()
            .fold(command, |command, name| command.mut_subcommand(name, |serve| add_options(serve, feature)));
        match feature.command {
            Some(name) => {
                let any = Arg::new("any").num_args(0..).allow_hyphen_values(true).trailing_var_arg(true);
                command.subcommand(Command::new(name).hide(true).disable_help_flag(true).arg(any))
            }
            None => command,
        }
    })
}

fn add_options(serve: Command, feature: &Feature) -> Command {
    serve.args(feature.options.iter().map(|name| {
        let arg = Arg::new(*name).long(*name).hide(true).num_args(0..=1).action(ArgAction::Set);
        let arg = arg.default_missing_value("").value_parser(RefuseValue(feature.name));
        if *name == OTLP_ENDPOINT { arg } else { arg.env(variable(name)) }
    }))
}

fn variable(option: &str) -> String {
    format!("LEADAPI_{}", option.to_uppercase().replace('-', "_"))
}

/// Refuses a command that needs a feature which this binary lacks.
pub(super) fn refuse_command(matches: &ArgMatches) -> Result<(), MissingFeature> {
    let command = matches.subcommand_name();
    match FEATURES.iter().find(|feature| !feature.is_built && feature.command.is_some() && feature.command == command) {
        Some(feature) => Err(MissingFeature { name: format!("leadapi {}", feature.name), feature: feature.name }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// Each option whose name starts as a feature's options do, with its variable.
    #[test]
    fn the_table_lists_the_options_of_each_feature() {
        for Feature { name, is_built, options, command } in FEATURES {
            let prefix = options.first().and_then(|option| option.split('-').next()).unwrap();
            let cli = add_missing(Cli::command(), &["serve"]);
            let serve = cli.find_subcommand("serve").unwrap();
            let of_feature =
                serve.get_arguments().filter(|arg| arg.get_long().is_some_and(|arg| arg.starts_with(prefix)));
            let mut found: Vec<(&str, Option<&OsStr>)> =
                of_feature.map(|arg| (arg.get_long().unwrap(), arg.get_env())).collect();
            found.sort_unstable();
            assert_eq!(found.iter().map(|(option, _)| *option).collect::<Vec<_>>(), options, "{name}");
            for (option, env) in found.into_iter().filter(|(option, _)| *option != OTLP_ENDPOINT) {
                assert_eq!(env, Some(OsStr::new(&variable(option))));
            }
            let missing = cli.get_subcommands().any(|known| known.is_hide_set() && Some(known.get_name()) == command);
            assert_eq!(missing, command.is_some() && !is_built, "{name}");
        }
    }
}
