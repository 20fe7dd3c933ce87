//! Tries the hosts of a database one after another, each with a timeout.
//!
//! The driver's own timeout covers only the TCP connection. A host that accepts the connection but never responds would
//! use up the pool's timeout before another host is tried.

use std::{
    fmt, io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::Duration,
};

use deadpool_postgres::Connect;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    task::JoinHandle,
    time::timeout,
};
use tokio_postgres::{
    CancelToken, Client, Config, Error, NoTls,
    config::{Host, LoadBalanceHosts},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    tls::{self, TlsError},
    url::{SessionAttrs, Target},
};

/// The time limit for connecting to one host, including TCP, TLS and the PostgreSQL handshake. `connect_timeout` in the
/// URL overrides it.
const HOST_TIMEOUT: Duration = Duration::from_millis(1_500);

const KEEPALIVES_IDLE: Duration = Duration::from_secs(10);

/// A connector that uses the first suitable host that responds in time. It tries the host of the last successful
/// connection first.
#[derive(Clone)]
pub(super) struct Hosts {
    /// One configuration per host. There is at least one.
    configs: Arc<[Config]>,
    tls: MakeRustlsConnect,
    session: SessionAttrs,
    timeout: Duration,
    /// The index of the host to try first. Each successful connection updates it.
    first: Arc<AtomicUsize>,
}

/// A connection, and the task that drives it.
type Connected = (Client, JoinHandle<()>);

impl Hosts {
    pub(super) fn new(target: &Target) -> Result<Self, TlsError> {
        let config = &target.config;
        let timeout = config.get_connect_timeout().copied().unwrap_or(HOST_TIMEOUT);
        let configs: Arc<[Config]> = per_host(config, timeout).into();
        let first = match config.get_load_balance_hosts() {
            // The last bits of a version 7 UUID are random.
            LoadBalanceHosts::Random => {
                usize::from(uuid::Uuid::now_v7().into_bytes().last().copied().unwrap_or_default())
                    % configs.len().max(1)
            }
            _ => 0,
        };
        let tls = MakeRustlsConnect::new(tls::client(&target.sslmode)?);
        Ok(Self { configs, tls, session: target.session, timeout, first: Arc::new(first.into()) })
    }

    /// Returns the maximum time needed to try every host.
    pub(super) fn max_connect_time(&self) -> Duration {
        self.timeout * u32::try_from(self.configs.len()).unwrap_or(u32::MAX)
    }

    pub(super) async fn connect_to_any(&self) -> Result<Connected, Error> {
        let first = self.first.load(Relaxed);
        let mut last = None;
        for nth in 0..self.configs.len() {
            let at = (first + nth) % self.configs.len();
            let Some(config) = self.configs.get(at) else { break };
            match timeout(self.timeout, self.connect_to(config)).await {
                Ok(Ok(connected)) => {
                    self.first.store(at, Relaxed);
                    return Ok(connected);
                }
                Ok(Err(error)) => last = Some(error),
                Err(_) => {}
            }
        }
        match last {
            Some(error) => Err(error),
            None => SilentStream(self.timeout).connect().await,
        }
    }

    /// Cancels the statement that a connection is running.
    pub(super) async fn cancel(&self, token: CancelToken) {
        if let Ok(Err(error)) = timeout(self.timeout, token.cancel_query(self.tls.clone())).await {
            tracing::debug!(%error, "a statement could not be cancelled");
        }
    }

    async fn connect_to(&self, config: &Config) -> Result<Connected, Error> {
        let (client, connection) = config.connect(self.tls.clone()).await?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to PostgreSQL was closed");
            }
        });
        if self.session == SessionAttrs::Primary {
            client.batch_execute(FAIL_ON_A_STANDBY).await?;
        }
        Ok((client, task))
    }
}

impl fmt::Debug for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hosts").finish_non_exhaustive()
    }
}

const FAIL_ON_A_STANDBY: &str = "DO $$ BEGIN \
    IF pg_is_in_recovery() THEN RAISE EXCEPTION 'the host is a standby'; END IF; END $$";

impl Connect for Hosts {
    /// Ignores the pool's configuration, because each host has its own.
    fn connect(&self, _: &Config) -> Pin<Box<dyn Future<Output = Result<Connected, Error>> + Send + '_>> {
        Box::pin(self.connect_to_any())
    }
}

/// Splits a configuration into one per host.
fn per_host(config: &Config, timeout: Duration) -> Vec<Config> {
    let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
    let one = |nth: usize| {
        let mut one = Config::new();
        match hosts.get(nth) {
            Some(Host::Tcp(host)) => drop(one.host(host)),
            #[cfg(unix)]
            Some(Host::Unix(path)) => drop(one.host_path(path)),
            None => {}
        }
        if let Some(address) = addresses.get(nth) {
            one.hostaddr(*address);
        }
        if let Some(port) = ports.get(nth).or(ports.first()) {
            one.port(*port);
        }
        // A host name may resolve to several addresses. Half the timeout leaves time for a second address if the first
        // is unreachable.
        one.connect_timeout(timeout / 2);
        with_shared_settings(one, config)
    };
    (0..hosts.len().max(addresses.len())).map(one).collect()
}

/// Copies the settings that all hosts have in common.
fn with_shared_settings(mut one: Config, config: &Config) -> Config {
    if let Some(user) = config.get_user() {
        one.user(user);
    }
    if let Some(password) = config.get_password() {
        one.password(password);
    }
    if let Some(database) = config.get_dbname() {
        one.dbname(database);
    }
    if let Some(options) = config.get_options() {
        one.options(options);
    }
    if let Some(name) = config.get_application_name() {
        one.application_name(name);
    }
    if let Some(timeout) = config.get_tcp_user_timeout() {
        one.tcp_user_timeout(*timeout);
    }
    if let Some(interval) = config.get_keepalives_interval() {
        one.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        one.keepalives_retries(retries);
    }
    one.keepalives(config.get_keepalives())
        .keepalives_idle(KEEPALIVES_IDLE.min(config.get_keepalives_idle()))
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .channel_binding(config.get_channel_binding())
        .target_session_attrs(config.get_target_session_attrs())
        .load_balance_hosts(config.get_load_balance_hosts());
    one
}

/// A stream on which every operation fails with a timeout error. The driver's own timeout error cannot be constructed
/// directly, but connecting over this stream produces one.
struct SilentStream(Duration);

impl SilentStream {
    async fn connect(self) -> Result<Connected, Error> {
        let (client, connection) = Config::new().user("nobody").connect_raw(self, NoTls).await?;
        Ok((client, tokio::spawn(async move { drop(connection) })))
    }

    fn error<T>(&self) -> Poll<io::Result<T>> {
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, format!("no host responded within {:?}", self.0))))
    }
}

impl AsyncRead for SilentStream {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.error()
    }
}

impl AsyncWrite for SilentStream {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        self.error()
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.error()
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.error()
    }
}
