//! The MCP server on standard input and output, for clients that start it as a process.

use std::time::Duration;

use leadapi_client::{Client, ConfigError};
use leadapi_core::BoxError;
use rmcp::{
    ServiceExt,
    service::ServerInitializeError,
    transport::{async_rw::AsyncRwTransport, stdio},
};

use crate::{protocol::McpServer, service::MAX_BODY_BYTES, tools::Tools};

/// The time limit for an API call including its retries, shorter than the usual timeouts of MCP clients.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The reason why the server could not start or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// The URL or the token is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The client did not start the protocol.
    #[error("the client did not start the protocol: {0}")]
    Start(BoxError),
    /// The server failed.
    #[error("the server failed: {0}")]
    Failed(BoxError),
}

/// Serves the tools on standard input and output until the client closes standard input. The tools call the API at a
/// base URL such as `https://api.example.com/v1`.
///
/// # Errors
///
/// Returns [`StdioError`] if the URL or the token is not valid, or if the protocol fails. If an API call fails, the
/// tool returns its error to the client instead.
pub async fn serve_stdio(url: &str, token: &str) -> Result<(), StdioError> {
    let client = Client::builder(url, token)
        .timeout(TIMEOUT)
        .application(concat!("leadapi-mcp/", env!("CARGO_PKG_VERSION")))
        .build()?;
    let (input, output) = stdio();
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_BODY_BYTES);
    match McpServer::new(Tools::new(client)).serve(transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| StdioError::Failed(error.into())),
        // The client closed standard input without sending a message.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(StdioError::Start(error.into())),
    }
}
