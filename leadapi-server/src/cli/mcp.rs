//! `mcp`: the MCP server on standard input and output.

use clap::Args;

use super::CommandError;
use crate::mcp::serve_stdio;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  LEADAPI_TOKEN=pak_… leadapi-server mcp --url https://api.example.com/v1")]
pub(super) struct Mcp {
    /// The base URL of the API, such as <https://api.example.com/v1>. The variable `LEADAPI_TOKEN` contains the token.
    #[arg(long, env = "LEADAPI_URL", value_name = "URL")]
    url: String,
}

impl Mcp {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let token = std::env::var("LEADAPI_TOKEN").map_err(|_| CommandError::McpToken)?;
        serve_stdio(&self.url, &token).await.map_err(|error| CommandError::Mcp(error.into()))
    }
}
