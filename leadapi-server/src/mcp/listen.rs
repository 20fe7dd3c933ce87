//! The listener of the MCP server.

use std::{io, net::SocketAddr, sync::Arc};

use leadapi_access::SiteUrl;
use tokio::{net::TcpListener, task::JoinHandle};

use super::{
    handler::{McpHandler, PATH},
    in_process::Api,
};
use crate::{
    limits::HttpLimits,
    listen::{Certified, Listener, OpenConnections, Replaceable},
    metrics::ConnectionMetrics,
    middleware::Middleware,
    shutdown::Shutdown,
};

/// The highest connection limit. It is lower than the API's default, because an agent makes few requests.
const MAX_CONNECTIONS: usize = 256;

/// The settings of the MCP server.
pub(crate) struct McpSite {
    pub(crate) base_path: Arc<str>,
    /// The URL at which clients reach the server, if it is behind a proxy.
    pub(crate) url: Option<SiteUrl>,
}

/// The bound listener.
pub(crate) struct McpListener {
    socket: TcpListener,
    address: SocketAddr,
    site: McpSite,
    /// Unexported metrics, so that these connections do not count in the public listener's metrics.
    connections: ConnectionMetrics,
}

impl McpListener {
    pub(crate) async fn bind(address: SocketAddr, site: McpSite) -> io::Result<Self> {
        let socket = TcpListener::bind(address).await?;
        let connections = ConnectionMetrics::unregistered().map_err(io::Error::other)?;
        Ok(Self { address: socket.local_addr()?, socket, site, connections })
    }

    /// Returns the URL at which clients reach the server, followed by the listener's address if `--mcp-url` is set.
    pub(crate) fn location(&self, has_certificate: bool) -> String {
        if let Some(url) = &self.site.url {
            return format!("{url}{PATH}, served at {}", self.address);
        }
        let scheme = if has_certificate && self.uses_tls() { "https" } else { "http" };
        format!("{scheme}://{}{PATH}", self.address)
    }

    /// Returns whether the listener uses TLS if the server has a certificate. Requests from the same machine do not
    /// need TLS.
    pub(crate) fn uses_tls(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// Serves MCP until the server stops.
    pub(crate) fn start(
        self,
        api: Middleware,
        tls: Option<Certified>,
        limits: &HttpLimits,
        shutdown: Shutdown,
    ) -> McpConnections {
        let connections = (limits.connections / 8).clamp(2, MAX_CONNECTIONS);
        let limits = Arc::new(limits.clone().of_small_listener(connections));
        let tls = tls.filter(|_| self.uses_tls()).map(|certified| certified.bounded(&limits));
        let McpSite { base_path, url } = self.site;
        let is_loopback = self.address.ip().is_loopback();
        let handler = McpHandler { api: Api { handler: api, base_path }, url, is_loopback, peer: None };
        let listener = Listener::new(self.socket, tls, limits, self.connections, Replaceable::Idle);
        McpConnections(tokio::spawn(listener.accept(handler, shutdown)))
    }
}

/// A handle to the connections of a started listener.
pub(crate) struct McpConnections(JoinHandle<OpenConnections>);

impl McpConnections {
    /// Waits until the listener has stopped and its connections are closed.
    pub(crate) async fn closed(self) {
        if let Ok(connections) = self.0.await {
            connections.until_unused().await;
        }
    }
}
