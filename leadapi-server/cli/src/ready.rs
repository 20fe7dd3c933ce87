//! `ready`: the readiness check and the liveness check of a running server.

use std::{io, net::SocketAddr, time::Duration};

use clap::Args;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::{CommandError, config::ConfigArg, output::print_line};

/// The timeout of the request. The server itself waits up to 2 s for its store.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The maximum number of bytes to read. The server sends a few lines, but another program may listen at the port.
const MAX_RESPONSE: u64 = 4_096;

#[derive(Debug, Args)]
pub(super) struct Ready {
    /// The address of the server's operator endpoints, such as 127.0.0.1:9090. On Unix, 0.0.0.0 and [::] reach a
    /// server on this machine.
    #[arg(long, env = "LEADAPI_OPS_LISTEN", value_name = "ADDRESS")]
    ops_listen: SocketAddr,
    /// Check only that the process responds (/healthz), for a platform that restarts unhealthy containers. A restart
    /// does not help if the database fails.
    #[arg(long)]
    live: bool,
    #[command(flatten)]
    config: ConfigArg,
}

impl Ready {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let address = self.ops_listen;
        let (path, state) = if self.live { ("/healthz", "alive") } else { ("/readyz", "ready") };
        let failed = |reason| CommandError::NotReady { address, state, reason };
        let response = match timeout(TIMEOUT, get(address, path)).await {
            Ok(response) => response.map_err(|error| failed(error.to_string()))?,
            Err(_) => return Err(failed(format!("no response within {TIMEOUT:?}"))),
        };
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        if !head.starts_with("HTTP/1.1 200 ") {
            let body = body.trim();
            return Err(failed(body.strip_prefix("not ready: ").unwrap_or(body).to_owned()));
        }
        print_line(state);
        Ok(())
    }
}

async fn get(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.take(MAX_RESPONSE).read_to_string(&mut response).await?;
    Ok(response)
}
