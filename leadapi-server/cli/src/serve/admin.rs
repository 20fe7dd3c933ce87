//! The options for the API settings: pages on which owners and admins manage tokens.

use std::{
    net::{IpAddr, SocketAddr},
    str::FromStr,
    sync::Arc,
};

use clap::Args;
use http::HeaderName;
use leadapi_core::port::{Clock, SettingsStore};
use leadapi_pages::{LogBudget, SettingsPages, SiteUrl, TrustedProxy};

use super::super::{CommandError, output::print_line};
use leadapi_server::{ListenAddress, Listener, Metrics, Socket};
use leadapi_tls::TlsConfig;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "API settings")]
#[allow(clippy::struct_field_names, reason = "the fields have the names of their options")]
pub(super) struct AdminOptions {
    /// The address of the API settings, web pages on which owners and admins manage tokens: an address, or unix:PATH.
    /// `leadapi login-link` creates sign-in links. An address that other machines can reach needs HTTPS, or
    /// --insecure-http.
    #[arg(long, env = "LEADAPI_ADMIN_LISTEN", value_name = "ADDRESS")]
    admin_listen: Option<ListenAddress>,
    /// The URL at which browsers reach the API settings through a proxy, such as <https://settings.example.com>.
    /// Required for a Unix socket.
    #[arg(long, env = "LEADAPI_ADMIN_URL", value_name = "URL")]
    admin_url: Option<SiteUrl>,
    /// A header in which an authenticating proxy sends the person's verified email address, such as X-Forwarded-Email.
    /// The proxy must remove this header from the requests that it receives.
    #[arg(long, env = "LEADAPI_ADMIN_USER_HEADER", value_name = "NAME", requires = "admin_trusted")]
    admin_user_header: Option<HeaderName>,
    /// The addresses of the proxies whose X-Forwarded-For and --admin-user-header are trusted, or `unix` for the Unix
    /// socket. With a loopback address and --admin-user-header, every process on this machine can act as any person.
    #[arg(long, env = "LEADAPI_ADMIN_TRUSTED", value_name = "ADDRESS", value_delimiter = ',')]
    admin_trusted: Vec<TrustedPeer>,
}

/// Returns the URL at which the server serves the API settings if `--admin-url` is not set. `has_tls` states whether
/// the server has a certificate.
pub(crate) fn site_url(address: SocketAddr, has_tls: bool) -> Option<SiteUrl> {
    let scheme = if has_tls && has_https(address) { "https" } else { "http" };
    format!("{scheme}://{address}").parse().ok()
}

/// Returns whether the pages at this address need TLS. Requests from the same machine do not.
fn has_https(address: SocketAddr) -> bool {
    !address.ip().is_loopback()
}

/// A proxy whose headers are trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrustedPeer {
    Address(IpAddr),
    Unix,
}

#[derive(Debug, thiserror::Error)]
#[error("must be an IP address or `unix`")]
struct InvalidPeer;

impl FromStr for TrustedPeer {
    type Err = InvalidPeer;

    fn from_str(text: &str) -> Result<Self, InvalidPeer> {
        match text {
            "unix" => Ok(Self::Unix),
            address => address.parse().map(Self::Address).map_err(|_| InvalidPeer),
        }
    }
}

impl AdminOptions {
    pub(super) fn listen_by_default(&mut self, address: ListenAddress) {
        self.admin_listen.get_or_insert(address);
    }

    /// Rejects a Unix socket without a URL. Rejects an address that other machines can reach unless `is_private` is
    /// set: the server uses TLS, or `--insecure-http` is set.
    pub(super) fn check(&self, is_private: bool) -> Result<(), CommandError> {
        match &self.admin_listen {
            Some(ListenAddress::Unix(_)) if self.admin_url.is_none() => Err(CommandError::AdminUrl),
            Some(ListenAddress::Tcp(address)) if !address.ip().is_loopback() && !is_private => {
                Err(CommandError::InsecureAdmin(*address))
            }
            _ => Ok(()),
        }
    }

    /// Binds the listener and prints the URL of the pages. Returns the listener and the URL, or `None` if
    /// `--admin-listen` is not set.
    pub(super) async fn bind(
        &self,
        store: impl SettingsStore + Clone + 'static,
        clock: impl Clock + Clone + 'static,
        tls: Option<&TlsConfig>,
        metrics: Arc<Metrics>,
    ) -> Result<Option<(Listener, SiteUrl)>, CommandError> {
        let Some(at) = &self.admin_listen else { return Ok(None) };
        let failed = |source| CommandError::AdminListen { at: at.to_string(), source };
        let socket = Socket::bind(at).await.map_err(failed)?;
        let tls = tls.filter(|_| socket.local_addr().is_some_and(has_https));
        let address = socket.local_addr();
        let url = match (&self.admin_url, address) {
            (Some(url), _) => url.clone(),
            (None, Some(address)) => site_url(address, tls.is_some()).ok_or(CommandError::AdminUrl)?,
            (None, None) => return Err(CommandError::AdminUrl),
        };
        let at = address.filter(|_| self.admin_url.is_some());
        let at = at.map(|address| format!(", served at {address}")).unwrap_or_default();
        print_line(&format!("API settings: {url}{at}"));
        let budget = LogBudget::new().on_suppressed(move || metrics.record_suppressed_line());
        let pages = SettingsPages::builder(store, clock, url.clone())
            .log_budget(budget)
            .link_command("leadapi login-link --business BUSINESS --as EMAIL");
        let pages = match self.proxy() {
            Some(proxy) => pages.trusted_proxy(proxy),
            None => pages,
        };
        let listener = Listener::new(socket, pages.build());
        Ok(Some((tls.into_iter().cloned().fold(listener, Listener::tls), url)))
    }

    fn proxy(&self) -> Option<TrustedProxy> {
        let address = |peer: &TrustedPeer| match peer {
            TrustedPeer::Address(address) => Some(address.to_canonical()),
            TrustedPeer::Unix => None,
        };
        (!self.admin_trusted.is_empty()).then(|| {
            let mut proxy = TrustedProxy::default();
            proxy.header.clone_from(&self.admin_user_header);
            proxy.addresses = self.admin_trusted.iter().filter_map(address).collect();
            proxy.unix = self.admin_trusted.contains(&TrustedPeer::Unix);
            proxy
        })
    }
}
