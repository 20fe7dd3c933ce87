//! `serve` and `demo`: run a server.

#[cfg(feature = "acme")]
mod acme;
mod admin;
#[cfg(feature = "redis")]
mod limiter;
mod limits;
mod listen;
#[cfg(feature = "mcp")]
mod mcp;

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, time::Duration};

use clap::Args;
use leadapi_core::{
    admin::Admin,
    auth::Role,
    clock::SystemClock,
    dataset::{Dataset, SAMPLE},
    model::Timestamp,
    port::{Membership, RateLimiter, TokenStore},
    rate_limit::SlidingWindow,
    tokens::{self, IssuedToken, StoredTokens, TokenUses},
};
use leadapi_memory::{MemorySettings, MemoryStore};
use leadapi_operator::Probes;
use leadapi_sql::{SqlStore, StoreClock};
use tokio::time::{MissedTickBehavior, interval, timeout};

#[cfg(feature = "redis")]
use self::limiter::LimiterOptions;
#[cfg(feature = "redis")]
pub(super) use self::limiter::LimiterUrl;
use self::listen::{ListenOptions, ServeConfig};
pub(super) use self::{admin::site_url, listen::default_url};
use super::{
    CommandError,
    data::{self, NewSecrets},
    demo,
    log::{LogOptions, Logging},
    served::Served,
    store::{AcceptLoss, StoreKind, sensitive},
    value::positive,
};
use leadapi_server::ShutdownOutcome;

/// The interval at which the times of the last uses of tokens in memory are recorded.
const HOUSEKEEPING_INTERVAL: Duration = Duration::from_secs(60);

/// The time limit for recording the times of the tokens' last uses at shutdown.
const LAST_USES_TIMEOUT: Duration = Duration::from_secs(2);

/// The number of file descriptors to reserve for a SQLite store, which opens readers on demand and briefly opens its
/// files to check them.
const SQLITE_DESCRIPTORS: usize = 16;

const EMPTY_MEMORY: &str =
    "no data loaded: pass --data FILE or a --store that `leadapi init` has set up, or run `leadapi demo`";
const EMPTY_DATABASE: &str =
    "the store has no business: `leadapi init` creates the first one, even while this server runs";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  leadapi serve --store sqlite:leads.db --data businesses.json
  LEADAPI_STORE=postgres://leadapi:…@db.example/leads?sslmode=verify-full leadapi serve")]
pub(super) struct Serve {
    /// Where to keep the data: `memory`, `sqlite:PATH` or `postgres://USER@HOST/DATABASE`.
    ///
    /// `memory` loses everything at exit. A SQLite file is created if it is missing, and only one server can use it at
    /// a time. Any number of servers can share a PostgreSQL database (version 15 or later). If the URL contains a
    /// password, pass it in `LEADAPI_STORE`, because other users can see the command line.
    #[arg(
        long,
        env = "LEADAPI_STORE",
        hide_env_values = true,
        value_name = "STORE",
        default_value = "memory",
        value_parser = sensitive::<StoreKind>()
    )]
    store: StoreKind,
    #[command(flatten)]
    loss: AcceptLoss,
    /// Maximum number of connections to PostgreSQL.
    #[arg(long, env = "LEADAPI_POSTGRES_CONNECTIONS", value_name = "N", value_parser = positive::<NonZeroUsize>, default_value = "10")]
    postgres_connections: NonZeroUsize,
    /// A JSON file with the businesses to serve and their client accounts, pipelines, leads, forms and tokens.
    ///
    /// The file is imported into a database only if the database has no businesses yet. Each token without a "token"
    /// field gets a new secret (see --new-tokens). An invalid file is rejected with the location and cause of the
    /// error.
    #[arg(long, env = "LEADAPI_DATA", value_name = "FILE")]
    data: Option<PathBuf>,
    /// A file to create for the secrets of new tokens, readable only by its owner.
    ///
    /// Without this option, the secrets are printed if the output is a terminal. Otherwise they go to a file named
    /// after the data set, with ".tokens" appended. An existing file is never replaced.
    #[arg(long, env = "LEADAPI_NEW_TOKENS", value_name = "FILE")]
    new_tokens: Option<PathBuf>,
    #[cfg(feature = "redis")]
    #[command(flatten)]
    limiter: LimiterOptions,
    #[command(flatten)]
    listen: ListenOptions,
}

#[derive(Debug, Args)]
pub(super) struct Demo {
    #[command(flatten)]
    listen: ListenOptions,
}

/// A limiter and its readiness check.
pub(super) struct OpenLimiter {
    pub(super) limiter: Box<dyn RateLimiter>,
    pub(super) probes: Probes,
}

impl OpenLimiter {
    /// Wraps a limiter that needs no readiness check besides the store's.
    pub(super) fn new(limiter: impl RateLimiter + 'static) -> Self {
        Self { limiter: Box::new(limiter), probes: Probes::default() }
    }
}

impl Serve {
    /// Checks that the settings are consistent.
    pub(super) fn check(&self) -> Result<(), CommandError> {
        #[cfg(feature = "redis")]
        self.limiter.failure()?;
        self.listen.certificate().map(drop)
    }

    pub(super) const fn log(&self) -> &LogOptions {
        &self.listen.log
    }

    pub(super) async fn run(self, log: &Logging) -> Result<ShutdownOutcome, CommandError> {
        #[cfg(feature = "redis")]
        let limiter = self.limiter.start(self.listen.rate_limits()).await?;
        #[cfg(not(feature = "redis"))]
        let limiter = None;
        match self.store {
            StoreKind::Memory => {
                let (dataset, secrets) = match self.data {
                    Some(path) => {
                        let dataset = data::read_setting(&path)?;
                        let secrets = NewSecrets::of(&dataset, &path, self.new_tokens)?;
                        (dataset, secrets)
                    }
                    None => (Dataset::default(), NewSecrets::None),
                };
                let greet = |served: &Served, issued: &[IssuedToken]| {
                    served.print_sign_in_links();
                    secrets.show(issued)
                };
                in_memory(dataset, self.listen, limiter, log, greet).await
            }
            StoreKind::Database(url) => {
                let location = url.to_string();
                let connections = self.postgres_connections.get();
                let descriptors = connections.max(SQLITE_DESCRIPTORS);
                let store = SqlStore::open_to_serve(&self.loss.apply(url).connections(connections)).await?;
                if let Some(path) = self.data {
                    data::import_into_empty(&store, &path, self.new_tokens).await?;
                }
                from_database(store, location, descriptors, self.listen, limiter, log).await
            }
        }
    }
}

impl Demo {
    pub(super) const fn log(&self) -> &LogOptions {
        &self.listen.log
    }

    pub(super) async fn run(self, log: &Logging) -> Result<ShutdownOutcome, CommandError> {
        let path = PathBuf::from("the sample");
        let dataset = Dataset::parse(SAMPLE).map_err(|source| CommandError::Dataset { path, source })?;
        let greet = |served: &Served, issued: &[IssuedToken]| {
            demo::print(served, issued);
            Ok(())
        };
        in_memory(dataset, self.listen.with_pages(), None, log, greet).await
    }
}

async fn in_memory(
    dataset: Dataset,
    listen: ListenOptions,
    limiter: Option<OpenLimiter>,
    log: &Logging,
    greet: impl FnOnce(&Served, &[IssuedToken]) -> Result<(), CommandError>,
) -> Result<ShutdownOutcome, CommandError> {
    let businesses = dataset.businesses.len();
    let settings = MemorySettings::new(&dataset);
    let issued = tokens::import(&settings, &dataset, Timestamp::now()).await.map_err(CommandError::Tokens)?;
    let location = "memory (all data is lost at exit)".to_owned();
    let uses = Arc::new(TokenUses::default());
    tokio::spawn(record_uses_periodically(uses.clone(), settings.clone()));
    let (store, verifier) =
        (MemoryStore::new(dataset), StoredTokens::new(settings.clone(), SystemClock).record_uses(uses));
    let owners = owners(&settings);
    // The memory store never fails.
    let OpenLimiter { limiter, probes } =
        limiter.unwrap_or_else(|| OpenLimiter::new(SlidingWindow::new(listen.rate_limits())));
    let config = ServeConfig {
        store,
        settings,
        owners,
        verifier,
        limiter,
        probes,
        descriptors: 0,
        businesses,
        if_empty: EMPTY_MEMORY,
        location,
        clock: StoreClock::SYSTEM,
    };
    listen.serve(config, log, |served| greet(served, &issued), std::future::pending()).await
}

async fn from_database(
    store: SqlStore,
    location: String,
    descriptors: usize,
    listen: ListenOptions,
    limiter: Option<OpenLimiter>,
    log: &Logging,
) -> Result<ShutdownOutcome, CommandError> {
    let businesses = store.businesses().await?.len();
    let OpenLimiter { limiter, probes } = match limiter {
        Some(limiter) => limiter,
        None => OpenLimiter::new(store.rate_limiter(listen.rate_limits()).await?),
    };
    let (read, written) = (store.clone(), store.clone());
    let probes = probes.reads(move || {
        let store = read.clone();
        async move { Ok(store.probe_reads().await?) }
    });
    let probes = probes.writes(move || {
        let store = written.clone();
        async move { Ok(store.probe_writes().await?) }
    });
    let config = ServeConfig {
        store: store.clone(),
        settings: store.clone(),
        owners: Vec::new(),
        verifier: store.verifier(),
        limiter,
        probes,
        descriptors,
        businesses,
        if_empty: EMPTY_DATABASE,
        location,
        clock: store.clock(),
    };
    let outcome = Box::pin(listen.serve(config, log, |_| Ok(()), store.maintain())).await?;
    match timeout(LAST_USES_TIMEOUT, store.record_token_uses()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the last uses of tokens could not be recorded"),
        Err(_) => tracing::warn!("the last uses of tokens could not be recorded in time"),
    }
    Ok(outcome)
}

/// Returns the first owner of each of the first `MAX_LINKS` businesses that have one. The server prints sign-in links
/// for them, because no command can access the store in the server's memory.
fn owners(settings: &MemorySettings) -> Vec<Membership> {
    const MAX_LINKS: usize = 3;
    let mut owners: Vec<Membership> =
        settings.members().into_iter().filter(|member| member.role == Role::Owner).collect();
    owners.dedup_by(|one, other| one.business == other.business);
    owners.truncate(MAX_LINKS);
    owners
}

async fn record_uses_periodically(uses: Arc<TokenUses>, store: impl TokenStore) {
    let mut minutes = interval(HOUSEKEEPING_INTERVAL);
    minutes.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        minutes.tick().await;
        if let Err(error) = uses.flush(&store).await {
            tracing::warn!(%error, "the uses of tokens could not be recorded");
        }
    }
}
