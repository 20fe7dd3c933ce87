//! The option that names a settings file.

use std::path::PathBuf;

use clap::Args;

/// The settings file of a command other than `serve`.
#[derive(Debug, Clone, Args)]
pub(super) struct ConfigArg {
    /// A settings file in TOML, the same as for "serve". The command uses the settings that it shares with "serve", and
    /// `business` and `as`. The command line and the environment take precedence.
    #[arg(long, env = "LEADAPI_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}
