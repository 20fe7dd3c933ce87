//! `openapi`: the description of the API.

use std::io::{self, Write};

use clap::Args;

use super::CommandError;

#[derive(Debug, Args)]
pub(super) struct OpenApi {
    /// What stands before /leads in every path; empty for nothing.
    #[arg(long, env = "LEADAPI_BASE_PATH", value_name = "PATH", default_value = "/v1")]
    base_path: String,
}

impl OpenApi {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let document = leadapi_core::openapi::document(&self.base_path)?;
        writeln!(io::stdout(), "{document}").map_err(CommandError::Output)
    }
}
