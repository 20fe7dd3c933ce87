//! `openapi`: prints the API description.

use std::io::{self, Write};

use clap::Args;
use leadapi_core::openapi::{ServerUrl, document_at};

use super::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi-server openapi --server https://api.example.com/v1 > openapi.json")]
pub(super) struct OpenApi {
    /// The base URL that callers use, such as <https://api.example.com/v1>; repeat the option for further servers.
    ///
    /// Generated clients and Postman call the first URL. Without this option, the document contains only the base path,
    /// which they can call only if they load the document from the server.
    #[arg(long = "server", value_name = "URL")]
    servers: Vec<ServerUrl>,
    /// The path before /leads in every URL; may be empty. Ignored with --server.
    #[arg(long, env = "LEADAPI_BASE_PATH", value_name = "PATH", default_value = "/v1")]
    base_path: String,
}

impl OpenApi {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let path = ServerUrl::path(&self.base_path)?;
        let document = document_at(if self.servers.is_empty() { std::slice::from_ref(&path) } else { &self.servers });
        writeln!(io::stdout(), "{document}").map_err(CommandError::Output)
    }
}
