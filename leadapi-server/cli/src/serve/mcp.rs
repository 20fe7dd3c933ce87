//! The options for the MCP server, which gives AI assistants read access to the API.

use std::net::SocketAddr;

use clap::Args;
use leadapi_mcp::{McpService, PATH, SiteUrl};

use super::super::{CommandError, output::print_line};
use leadapi_server::{Host, HttpLimits, Listener, Socket};
use leadapi_tls::TlsConfig;

/// The highest connection limit. It is lower than the default of the API, because an agent makes few requests.
const MAX_CONNECTIONS: usize = 256;

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
    /// Rejects an address that other machines can reach unless `is_private` is set: the server uses TLS, or
    /// `--insecure-http` is set.
    pub(super) fn check(&self, is_private: bool) -> Result<(), CommandError> {
        match self.mcp_listen {
            Some(address) if !address.ip().is_loopback() && !is_private => Err(CommandError::InsecureHttp(address)),
            _ => Ok(()),
        }
    }

    /// Binds the listener and prints its URL. Returns a function that creates the listener, or `None` if `--mcp-listen`
    /// is not set.
    pub(super) async fn bind(
        &self,
        limits: &HttpLimits,
        tls: Option<&TlsConfig>,
    ) -> Result<Option<impl FnOnce(&Host) -> Listener + Send + 'static + use<>>, CommandError> {
        let Some(address) = self.mcp_listen else { return Ok(None) };
        let failed = |source| CommandError::Listen { address, source };
        let socket = Socket::bind(&address.into()).await.map_err(failed)?;
        let (at, is_loopback) = (socket.local_addr().unwrap_or(address), socket.is_loopback());
        // Requests from the same machine do not need TLS.
        let tls = tls.filter(|_| !is_loopback).cloned();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let location = match &self.mcp_url {
            Some(url) => format!("{url}{PATH}, served at {at}"),
            None => format!("{scheme}://{at}{PATH}"),
        };
        print_line(&format!("MCP server: {location}"));
        let limits = limits.clone().small((limits.connections / 8).clamp(2, MAX_CONNECTIONS));
        let url = self.mcp_url.clone();
        Ok(Some(move |host: &Host| {
            let service = McpService::new(host.authenticator(), host.api());
            let service = if is_loopback { service.local(url) } else { service };
            let listener = Listener::new(socket, service).limits(limits).logged(host);
            tls.into_iter().fold(listener, Listener::tls)
        }))
    }
}
