//! `login-link`: one-time sign-in links for the API settings.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use clap::Args;
use leadapi_core::tokens::{Sessions, SignInError};
use leadapi_pages::{SiteUrl, sign_in_link};
use leadapi_server::ListenAddress;
use serde_json::json;
use tokio::{net::TcpStream, time::timeout};

use super::{
    CommandError,
    admin::{AdminArgs, not_a_member},
    output::print_warning,
    serve::site_url,
};

/// The address in the link if neither the address nor the URL of the pages is known.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8081);

/// The timeout of the check whether a server listens at the address of the link.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// `login-link`. The options that it shares with `serve` have the same variables and keys of the settings file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  leadapi login-link
  leadapi login-link --admin-url https://settings.example.com --business sol --as owner@sol.example")]
pub(super) struct LoginLink {
    #[command(flatten)]
    by: AdminArgs,
    /// The URL of the API settings, as the person's browser reaches them. Defaults to the URL that the server derives
    /// from --admin-listen.
    #[arg(long, env = "LEADAPI_ADMIN_URL", value_name = "URL")]
    admin_url: Option<SiteUrl>,
    /// The address at which the server serves the API settings, as for "serve". Defaults to 127.0.0.1:8081.
    #[arg(long, env = "LEADAPI_ADMIN_LISTEN", value_name = "ADDRESS")]
    admin_listen: Option<ListenAddress>,
    #[arg(long, env = "LEADAPI_TLS_CERT", hide = true)]
    tls_cert: Option<PathBuf>,
    #[cfg(feature = "acme")]
    #[arg(long, env = "LEADAPI_ACME_DOMAIN", hide = true)]
    acme_domain: Option<String>,
}

impl LoginLink {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let url = self.url()?;
        let by = &self.by;
        let (business, person) = by.person().await?;
        let sessions = Sessions::new(business.store.clone(), business.store.clock());
        let secret = match sessions.create_link(business.id(), &person).await {
            Ok(secret) => secret,
            Err(SignInError::NotAMember) => return Err(not_a_member(&business, person)),
            Err(error) => return Err(error.into()),
        };
        if let (None, Some(address)) = (&self.admin_url, self.address()) {
            warn_if_nothing_listens(address).await;
        }
        let link = sign_in_link(&url, &secret);
        by.format().print(&json!({"link": link}), || {
            format!(
                "{link}\n\nThe link works once, within 10 minutes. Anyone who opens it acts as {person} in {business}."
            )
        })
    }

    fn url(&self) -> Result<SiteUrl, CommandError> {
        if let Some(url) = &self.admin_url {
            return Ok(url.clone());
        }
        let has_tls = self.tls_cert.is_some();
        #[cfg(feature = "acme")]
        let has_tls = has_tls || self.acme_domain.is_some();
        self.address().and_then(|address| site_url(address, has_tls)).ok_or(CommandError::AdminUrl)
    }

    /// Returns the address of the pages, or `None` for a Unix socket.
    fn address(&self) -> Option<SocketAddr> {
        match &self.admin_listen {
            Some(ListenAddress::Tcp(address)) => Some(*address),
            Some(_) => None,
            None => Some(DEFAULT_ADDRESS),
        }
    }
}

/// Warns if no server listens at the address, because the link would lead nowhere.
async fn warn_if_nothing_listens(address: SocketAddr) {
    let mut reachable = address;
    if address.ip().is_unspecified() {
        reachable.set_ip(if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    if !matches!(timeout(CONNECT_TIMEOUT, TcpStream::connect(reachable)).await, Ok(Ok(_))) {
        print_warning(&format!(
            "nothing listens at {address}; pass the --admin-listen or the --admin-url of the server, or its --config"
        ));
    }
}
