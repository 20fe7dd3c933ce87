//! `mcp`: the MCP server on standard input and output.

use clap::Args;
use leadapi_mcp::serve_stdio;

use super::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  LEADAPI_TOKEN=pak_… leadapi mcp --url https://api.example.com/v1")]
pub(super) struct Mcp {
    /// The base URL of the API, such as <https://api.example.com/v1>. The `LEADAPI_TOKEN` variable contains the token.
    #[arg(long, env = "LEADAPI_URL", value_name = "URL")]
    url: String,
}

impl Mcp {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        // There is no option for the token, because other users can see the command line.
        let token = std::env::var("LEADAPI_TOKEN").map_err(|_| CommandError::NoMcpToken)?;
        serve_stdio(&self.url, &token).await.map_err(|error| CommandError::Mcp(error.into()))
    }
}
