//! The options for the MCP server, which gives AI assistants read access to the API.

use std::net::SocketAddr;

use clap::Args;
use leadapi_access::SiteUrl;

use super::super::{CommandError, output::print_line};
use crate::mcp::{McpListener, McpSite};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "MCP server")]
#[allow(clippy::struct_field_names, reason = "the fields have the names of their options")]
pub(super) struct McpOptions {
    /// The address of the MCP server, from which AI assistants can read leads (path /mcp). They use the same tokens as
    /// API callers. An address that other machines can reach needs HTTPS, or --insecure-http.
    #[arg(long, env = "LEADAPI_MCP_LISTEN", value_name = "ADDRESS")]
    mcp_listen: Option<SocketAddr>,
    /// The URL at which clients reach the MCP server through a proxy, without the path, such as
    /// <https://mcp.example.com>.
    #[arg(long, env = "LEADAPI_MCP_URL", value_name = "URL", requires = "mcp_listen")]
    mcp_url: Option<SiteUrl>,
}

impl McpOptions {
    /// Rejects an address that other machines can reach unless `is_private` is set, which means that the server uses
    /// TLS or that `--insecure-http` is set.
    pub(super) fn check(&self, is_private: bool) -> Result<(), CommandError> {
        match self.mcp_listen {
            Some(address) if !address.ip().is_loopback() && !is_private => Err(CommandError::InsecureHttp(address)),
            _ => Ok(()),
        }
    }

    /// Binds the listener and prints its URL. Returns `None` if `--mcp-listen` is not set.
    pub(super) async fn bind(
        &self,
        base_path: &str,
        has_certificate: bool,
    ) -> Result<Option<McpListener>, CommandError> {
        let Some(address) = self.mcp_listen else { return Ok(None) };
        let site = McpSite { base_path: base_path.into(), url: self.mcp_url.clone() };
        let listener =
            McpListener::bind(address, site).await.map_err(|source| CommandError::Listen { address, source })?;
        print_line(&format!("MCP server: {}", listener.location(has_certificate)));
        Ok(Some(listener))
    }
}
