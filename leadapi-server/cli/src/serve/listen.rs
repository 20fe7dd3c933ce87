//! The listening server: its options, startup and shutdown.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    num::NonZeroU32,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use clap::Args;
use leadapi_core::{
    http::{LeadService, LeadServiceBuilder},
    openapi::{ServerUrl, document_at},
    port::{Membership, RateLimiter, SettingsStore, Store, TokenVerifier},
    rate_limit::Limits,
    tokens::Sessions,
};
use leadapi_pages::{Reference, sign_in_link};
use leadapi_sql::StoreClock;
use tracing::warn;

#[cfg(feature = "acme")]
use super::acme::AcmeOptions;
#[cfg(feature = "mcp")]
use super::mcp::McpOptions;
use super::{
    super::{
        CommandError,
        log::{LogOptions, Logging},
        output::{count, print_last_line, print_line},
        served::Served,
        signals::{Signal, Signals},
        value::{positive, time},
    },
    admin::AdminOptions,
    limits::LimitOptions,
};
use leadapi_operator::{Operator, Probes};
use leadapi_server::{InstrumentedStore, Metrics, Server, ShutdownOutcome, Socket};
#[cfg(feature = "acme")]
use leadapi_tls::AcmeSettings;
use leadapi_tls::{TlsConfig, TlsFiles};

const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
const DEFAULT_BASE_PATH: &str = "/v1";

/// Returns the base URL of the API with the default settings.
pub(crate) fn default_url() -> String {
    format!("http://{DEFAULT_LISTEN}{DEFAULT_BASE_PATH}")
}

#[derive(Debug, Args)]
pub(super) struct ListenOptions {
    /// A settings file in TOML, whose keys are option names: `listen = "127.0.0.1:8080"`. The command line and the
    /// environment take precedence.
    #[arg(long, env = "LEADAPI_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) log: LogOptions,
    /// The IP address and port to listen on; with port 0, the system chooses a port.
    #[arg(long, env = "LEADAPI_LISTEN", value_name = "ADDRESS", default_value = DEFAULT_LISTEN)]
    listen: SocketAddr,
    /// The path before /leads in every URL; may be empty.
    #[arg(long, env = "LEADAPI_BASE_PATH", value_name = "PATH", default_value = DEFAULT_BASE_PATH)]
    base_path: String,
    /// The base URL at which callers reach the API through a proxy, such as <https://api.example.com/v1>.
    ///
    /// The reference page at /docs, its curl commands and the Location header use this URL.
    #[arg(long, env = "LEADAPI_PUBLIC_URL", value_name = "URL")]
    public_url: Option<ServerUrl>,
    /// Maximum number of GET requests per token in any 60 seconds, across all servers that share a PostgreSQL store or
    /// a --limiter.
    #[arg(long, env = "LEADAPI_READS_PER_MINUTE", value_name = "N", value_parser = positive::<NonZeroU32>, default_value_t = Limits::default().reads)]
    reads_per_minute: NonZeroU32,
    /// Maximum number of POST, PATCH and DELETE requests per token in any 60 seconds, across all servers that share a
    /// PostgreSQL store or a --limiter.
    #[arg(long, env = "LEADAPI_WRITES_PER_MINUTE", value_name = "N", value_parser = positive::<NonZeroU32>, default_value_t = Limits::default().writes)]
    writes_per_minute: NonZeroU32,
    /// A PEM file with the HTTPS certificate and its intermediate certificates, reloaded when it changes.
    #[arg(long, env = "LEADAPI_TLS_CERT", value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// A PEM file with the private key for the certificate.
    #[arg(long, env = "LEADAPI_TLS_KEY", value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Allow plain HTTP for --listen and the other listeners on addresses that other machines can reach. Tokens and
    /// leads can then be read in transit, unless a proxy in front of the server uses HTTPS.
    #[arg(long, env = "LEADAPI_INSECURE_HTTP")]
    insecure_http: bool,
    /// The address of the operator endpoints: /healthz, /readyz, /metrics and /docs. They use neither tokens nor TLS,
    /// so an address that other machines can reach also needs --insecure-http. A loopback address also serves the API,
    /// so that /docs can send requests.
    #[arg(long, env = "LEADAPI_OPS_LISTEN", value_name = "ADDRESS")]
    ops_listen: Option<SocketAddr>,
    /// Serve the API on the operator listener (--ops-listen) at any address, in plain HTTP.
    #[arg(long, env = "LEADAPI_OPS_API", requires = "ops_listen")]
    ops_api: bool,
    /// How long to keep accepting requests after SIGTERM, so that load balancers can notice that /readyz fails. Ctrl-C
    /// skips the delay.
    #[arg(long, env = "LEADAPI_DRAIN_DELAY", value_name = "TIME", value_parser = time, default_value = "5s")]
    drain_delay: humantime::Duration,
    /// Maximum time from a stop signal until the server exits, even if requests are in flight.
    #[arg(long, env = "LEADAPI_STOP_TIMEOUT", value_name = "TIME", value_parser = time, default_value = "30s")]
    stop_timeout: humantime::Duration,
    #[cfg(feature = "acme")]
    #[command(flatten)]
    acme: AcmeOptions,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    admin: AdminOptions,
    #[cfg(feature = "mcp")]
    #[command(flatten)]
    mcp: McpOptions,
}

/// The source of the certificate.
pub(super) enum Certificate {
    Files(TlsFiles),
    #[cfg(feature = "acme")]
    Acme(AcmeSettings),
}

/// The parts of a server that depend on its store: in memory or in a database.
pub(super) struct ServeConfig<S, V, T> {
    pub(super) store: S,
    pub(super) settings: T,
    /// The people for whom to print sign-in links at startup, and their businesses.
    pub(super) owners: Vec<Membership>,
    pub(super) verifier: V,
    pub(super) limiter: Box<dyn RateLimiter>,
    pub(super) probes: Probes,
    /// The number of file descriptors to reserve for the store.
    pub(super) descriptors: usize,
    pub(super) businesses: usize,
    /// The message to print if there are no businesses.
    pub(super) if_empty: &'static str,
    pub(super) location: String,
    pub(super) clock: StoreClock,
}

impl ListenOptions {
    /// Also serves the API reference and the API settings, at addresses that only this machine can reach.
    pub(super) fn with_pages(mut self) -> Self {
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        self.ops_listen.get_or_insert(any_port);
        self.admin.listen_by_default(any_port.into());
        self
    }

    /// Serves until a signal arrives, or until `failed` reports a storage failure.
    pub(super) async fn serve(
        self,
        config: ServeConfig<impl Store + 'static, impl TokenVerifier + 'static, impl SettingsStore + Clone + 'static>,
        log: &Logging,
        greet: impl FnOnce(&Served) -> Result<(), CommandError>,
        failed: impl Future<Output = String>,
    ) -> Result<ShutdownOutcome, CommandError> {
        let ServeConfig {
            store,
            settings,
            owners,
            verifier,
            limiter,
            probes,
            descriptors,
            businesses,
            if_empty,
            location,
            clock,
        } = config;
        let tls = self.tls()?;
        let (stop, force) = (Signals::new(), Signals::new());
        let metrics = Arc::new(Metrics::new().map_err(CommandError::metrics)?);
        metrics.add(log.dropped()).map_err(CommandError::metrics)?;
        let store: Arc<dyn Store> = Arc::new(InstrumentedStore::new(store, metrics.clone()));
        let service = self.service(LeadService::builder(store, verifier).limiter(limiter).clock(clock.clone()))?;
        let mut server = self.server(tls.clone()).await?.metrics(metrics.clone()).force_shutdown(force.second());
        server = server.reserve_descriptors(descriptors);
        let (mut reference, mut sign_in_links) = (None, Vec::new());
        if let Some(address) = self.ops_listen {
            let socket = listen(address, Socket::bind(&address.into()).await)?;
            let at = socket.local_addr().unwrap_or(address);
            // The reference page shows the first server URL and sends trial requests to the last, which is a path on
            // the origin of the page.
            let own = ServerUrl::path(&self.base_path)?;
            let servers: Vec<_> = self.public_url.clone().into_iter().chain([own]).collect();
            let operator = Operator::new(probes, metrics.clone()).api(self.ops_api);
            let operator = operator.page("/docs", Reference::new(document_at(&servers)));
            let operator = operator.not_found("no such page; use --ops-api to serve the API here");
            server = server.listener_with(|host| operator.listener(socket, host));
            print_line(&format!("operator endpoints: http://{at}/healthz, /readyz, /metrics and /docs"));
            reference = Some(format!("http://{at}/docs"));
        }
        #[cfg(feature = "mcp")]
        if let Some(listener) = self.mcp.bind(&self.limits.clone().into(), tls.as_ref()).await? {
            server = server.listener_with(listener);
        }
        let pages = self.admin.bind(settings.clone(), clock.clone(), tls.as_ref(), metrics).await?;
        if let Some((listener, url)) = pages {
            server = server.listener(listener);
            let sessions = Sessions::new(settings, clock);
            for owner in owners {
                let link = sessions.create_link(&owner.business, &owner.email).await?;
                sign_in_links.push((owner.email, sign_in_link(&url, &link)));
            }
        }
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}{}", server.local_addr(), self.base_path);
        let addresses = Served { url, reference, sign_in_links };
        greet(&addresses)?;
        let (url, many) = (addresses.url, count(businesses, "business", "businesses"));
        print_line(&format!("leadapi listens at {url} with {many}, store: {location}"));
        if businesses == 0 {
            print_line(if_empty);
        }
        let stop = async {
            match stop.first().await {
                Signal::Interrupt => Duration::ZERO,
                Signal::Terminate => self.drain_delay.into(),
            }
        };
        let ended = tokio::select! {
            ended = server.serve_until(service, stop) => ended,
            cause = failed => return Err(CommandError::Storage(cause)),
        };
        print_last_line(if ended == ShutdownOutcome::Graceful {
            "leadapi has stopped"
        } else {
            "leadapi has stopped and cancelled the requests in flight"
        });
        Ok(ended)
    }

    pub(super) const fn rate_limits(&self) -> Limits {
        Limits::new(self.reads_per_minute, self.writes_per_minute)
    }

    fn service(&self, builder: LeadServiceBuilder) -> Result<LeadService, CommandError> {
        let builder = builder.base_path(&self.base_path);
        Ok(match &self.public_url {
            Some(url) => builder.public_path(url.as_path()).build()?,
            None => builder.build()?,
        })
    }

    /// Reads the certificate, or starts to obtain one. Returns `None` for plain HTTP.
    fn tls(&self) -> Result<Option<TlsConfig>, CommandError> {
        Ok(match self.certificate()? {
            Some(Certificate::Files(files)) => Some(TlsConfig::read(files)?),
            #[cfg(feature = "acme")]
            Some(Certificate::Acme(settings)) => {
                Some(TlsConfig::acme(settings).map_err(|error| CommandError::Acme(error.into()))?)
            }
            None => None,
        })
    }

    async fn server(&self, tls: Option<TlsConfig>) -> Result<Server, CommandError> {
        let address = self.listen;
        if tls.is_none() && !address.ip().is_loopback() {
            warn!(%address, "plain HTTP: tokens and leads can be read in transit");
        }
        let server = listen(address, Server::bind(address).await)?;
        let server = server.limits(self.limits.clone().into()).stop_timeout(self.stop_timeout.into());
        Ok(tls.into_iter().fold(server, Server::tls))
    }

    /// Returns the source of the certificate, or `None` for plain HTTP. Fails if the settings are inconsistent, or if a
    /// listener would use plain HTTP, without `--insecure-http`, on an address that other machines can reach.
    pub(super) fn certificate(&self) -> Result<Option<Certificate>, CommandError> {
        if let Some(address) = self.ops_listen.filter(|address| !address.ip().is_loopback() && !self.insecure_http) {
            return Err(CommandError::InsecureOps(address));
        }
        let files = match (self.tls_cert.clone(), self.tls_key.clone()) {
            (Some(certificate), Some(key)) => Some(Certificate::Files(TlsFiles::new(certificate, key))),
            (None, None) => None,
            _ => return Err(CommandError::HalfTls),
        };
        #[cfg(feature = "acme")]
        let files = match self.acme.settings(files.is_some())? {
            Some(settings) => Some(Certificate::Acme(settings)),
            None => files,
        };
        let is_private = files.is_some() || self.insecure_http;
        self.admin.check(is_private)?;
        #[cfg(feature = "mcp")]
        self.mcp.check(is_private)?;
        if is_private || self.listen.ip().is_loopback() {
            Ok(files)
        } else {
            Err(CommandError::InsecureHttp(self.listen))
        }
    }
}

fn listen<T>(address: SocketAddr, result: io::Result<T>) -> Result<T, CommandError> {
    result.map_err(|source| CommandError::Listen { address, source })
}
