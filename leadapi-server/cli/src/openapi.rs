//! `openapi`: prints the API description.

use std::io::{self, Write};

use clap::Args;
use leadapi_core::openapi::{ServerUrl, document_at};

use super::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi openapi --server https://api.example.com/v1 > openapi.json")]
pub(super) struct OpenApi {
    #[command(flatten)]
    urls: ApiUrls,
}

/// The server URLs that the API description lists.
#[derive(Debug, Args)]
pub(super) struct ApiUrls {
    /// The base URL that callers use, such as <https://api.example.com/v1>; repeat the option for more servers.
    ///
    /// Generated clients and Postman call the first URL. Without this option, the document contains only the base path,
    /// which they can call only if they load the document from the server.
    #[arg(long = "server", value_name = "URL")]
    servers: Vec<ServerUrl>,
    /// The path before /leads in every URL; may be empty. Ignored with --server.
    #[arg(long, env = "LEADAPI_BASE_PATH", value_name = "PATH", default_value = "/v1")]
    base_path: String,
}

impl ApiUrls {
    /// Returns the given URLs, or only the base path if there are none.
    pub(super) fn servers(self) -> Result<Vec<ServerUrl>, CommandError> {
        let path = ServerUrl::path(&self.base_path)?;
        Ok(if self.servers.is_empty() { vec![path] } else { self.servers })
    }
}

impl OpenApi {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let document = document_at(&self.urls.servers()?);
        writeln!(io::stdout(), "{document}").map_err(CommandError::Output)
    }
}
