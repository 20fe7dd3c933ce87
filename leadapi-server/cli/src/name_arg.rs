//! The name of a record as an argument.

use std::ffi::{OsStr, OsString};

use clap::{Args, Command};

/// The name of a new record, or the new name of a record.
#[derive(Debug, Args)]
pub(super) struct NameArg {
    /// The name: 1 to 200 characters, or 1 to 100 for a token.
    #[arg(value_name = "NAME", required = true)]
    name: Option<String>,
    /// The name, as an option.
    #[arg(long = "name", value_name = "NAME", hide = true, conflicts_with = "name")]
    name_option: Option<String>,
}

impl From<NameArg> for String {
    fn from(name: NameArg) -> Self {
        // clap requires one of the two.
        name.name.or(name.name_option).unwrap_or_default()
    }
}

/// The arguments that earlier versions had as options, and these options. They still work, but the help hides them.
const FORMER_OPTIONS: [(&str, &[&str]); 2] = [("name", &["--name"]), ("new_email", &["--to", "--role"])];

/// Makes an argument of a command optional if `args` contain its former option. By default it is required, so that the
/// help, the manual and the completions show it as such.
pub(super) fn accept_former_options(command: Command, args: &[OsString]) -> Command {
    let is_given = |option: &str| {
        let is_option = |arg: &OsStr| arg.to_str().is_some_and(|arg| arg.split('=').next() == Some(option));
        args.iter().any(|arg| is_option(arg))
    };
    command.mut_args(|arg| {
        let former = FORMER_OPTIONS.iter().find(|(id, _)| arg.get_id() == id && arg.is_positional());
        match former {
            Some((_, options)) if options.iter().any(|option| is_given(option)) => arg.required(false),
            _ => arg,
        }
    })
}
