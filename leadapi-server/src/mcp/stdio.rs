//! The MCP server on standard input and output, for clients that start it as a process.

use std::time::Duration;

use leadapi_client::{Client, ConfigError};
use rmcp::{
    ServiceExt,
    service::ServerInitializeError,
    transport::{async_rw::AsyncRwTransport, stdio},
};

use super::{handler::MAX_BODY_BYTES, protocol::McpServer, tools::Tools};

/// The time limit for an API call including its retries, shorter than the usual timeouts of MCP clients.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The reason why the server could not start or failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StdioError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("the client did not start the protocol: {0}")]
    Start(Box<ServerInitializeError>),
    #[error("the server failed: {0}")]
    Failed(#[from] tokio::task::JoinError),
}

/// Serves until the client closes standard input.
pub(crate) async fn serve_stdio(url: &str, token: &str) -> Result<(), StdioError> {
    let client = Client::builder(url, token)
        .timeout(TIMEOUT)
        .application(concat!("leadapi-mcp/", env!("CARGO_PKG_VERSION")))
        .build()?;
    let (input, output) = stdio();
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_BODY_BYTES);
    match McpServer::new(Tools::new(client)).serve(transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(StdioError::from),
        // The client closed standard input without sending a message.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(StdioError::Start(Box::new(error))),
    }
}
