//! `serve` and `demo`: a server from its start to its end.

use std::{
    net::SocketAddr,
    num::{NonZeroU32, NonZeroUsize},
    path::PathBuf,
    time::Duration,
};

use chrono::Utc;
use clap::Args;
use leadapi_core::{
    dataset::Dataset,
    http::{Builder, LeadService},
    memory::{Limits, MemoryStore, MemoryTokens, SlidingWindow, SystemClock},
    tokens::{self, Minted, StoredTokens},
};
use tokio::time::{MissedTickBehavior, interval};

use super::{
    CommandError, data, demo,
    output::{print_line, print_minted},
    signals::Signals,
    store::{Keep, secretly},
};
use crate::{
    SAMPLE, Server,
    store::{DatabaseUrl, SqlStore},
};

/// So often it is looked for what need not be remembered any longer.
const FORGET_EVERY: Duration = Duration::from_mins(1);

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  leadapi-server serve --store sqlite:leads.db --data businesses.json
  LEADAPI_STORE=postgres://leadapi:…@db.example/leads?sslmode=verify-full leadapi-server serve")]
pub(super) struct Serve {
    /// Where the data are kept: memory, sqlite:PATH or postgres://USER@HOST/DATABASE.
    ///
    /// Memory forgets everything at exit. A SQLite file is made where there is none, and has one server at a time;
    /// any number of servers can share a PostgreSQL database of version 15 or later. A password is better given in the
    /// environment, where others do not see it.
    #[arg(
        long,
        env = "LEADAPI_STORE",
        hide_env_values = true,
        value_name = "STORE",
        default_value = "memory",
        value_parser = secretly::<Keep>()
    )]
    store: Keep,
    /// How many connections to PostgreSQL there may be at most.
    #[arg(long, env = "LEADAPI_POSTGRES_CONNECTIONS", value_name = "N", default_value = "10")]
    postgres_connections: NonZeroUsize,
    /// The businesses to serve: a JSON file with their client accounts, pipelines, leads, forms and tokens.
    ///
    /// A database takes it in if it holds no business yet, and is served as it is otherwise. A token of the file without
    /// "token" gets a secret, which is printed once. A file with anything wrong in it is refused, with the place and the
    /// reason.
    #[arg(long, env = "LEADAPI_DATA", value_name = "FILE")]
    data: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
pub(super) struct Demo {
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
struct Options {
    /// Where to listen: an IP address and a port; port 0 lets the system choose.
    #[arg(long, env = "LEADAPI_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// What stands before /leads in every path; empty for nothing.
    #[arg(long, env = "LEADAPI_BASE_PATH", value_name = "PATH", default_value = "/v1")]
    base_path: String,
    /// How many GET requests a token may make in any 60 seconds.
    #[arg(long, env = "LEADAPI_READS_PER_MINUTE", value_name = "N", default_value_t = Limits::default().reads)]
    reads_per_minute: NonZeroU32,
    /// How many POST, PATCH and DELETE requests a token may make in any 60 seconds.
    #[arg(long, env = "LEADAPI_WRITES_PER_MINUTE", value_name = "N", default_value_t = Limits::default().writes)]
    writes_per_minute: NonZeroU32,
}

impl Serve {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self.store {
            Keep::Memory => {
                let dataset = self.data.map_or_else(|| Ok(Dataset::default()), |path| data::read(&path))?;
                in_memory(dataset, self.options, |_, minted| print_minted(minted)).await
            }
            Keep::Database(url) => {
                from_database(url.connections(self.postgres_connections.get()), self.data, self.options).await
            }
        }
    }
}

impl Demo {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let path = PathBuf::from("the sample");
        let dataset = Dataset::parse(SAMPLE).map_err(|source| CommandError::Dataset { path, source })?;
        in_memory(dataset, self.options, demo::print).await
    }
}

/// What is served, and what is said of it.
struct Offer {
    service: Builder,
    businesses: usize,
    store: String,
}

async fn in_memory(
    dataset: Dataset,
    options: Options,
    greet: impl FnOnce(&str, &[Minted]),
) -> Result<(), CommandError> {
    let businesses = dataset.businesses.len();
    let tokens = MemoryTokens::default();
    let minted = tokens::seed(&tokens, &dataset, Utc::now().into()).await.map_err(CommandError::Tokens)?;
    let service = LeadService::builder(MemoryStore::new(dataset), StoredTokens::new(tokens, SystemClock));
    let store = "memory (everything is forgotten at exit)".to_owned();
    options.serve(Offer { service, businesses, store }, |url| greet(url, &minted), std::future::pending()).await
}

async fn from_database(url: DatabaseUrl, data: Option<PathBuf>, options: Options) -> Result<(), CommandError> {
    let store = SqlStore::open(&url).await?;
    let _lock = store.lock().map_err(|source| CommandError::Locked { url: url.clone(), source })?;
    if let Some(path) = data {
        data::import_into_empty(&store, &path).await?;
    }
    let verifier = StoredTokens::new(store.clone(), SystemClock).cached();
    let service = LeadService::builder(store.clone(), verifier);
    let businesses = store.businesses().await?.len();
    tokio::spawn(forget_regularly(store.clone()));
    options.serve(Offer { service, businesses, store: url.to_string() }, |_| {}, store.failed()).await
}

async fn forget_regularly(store: SqlStore) {
    let mut minutes = interval(FORGET_EVERY);
    minutes.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        minutes.tick().await;
        match store.forget_old_keys(Utc::now().into()).await {
            Ok(0) => {}
            Ok(keys) => tracing::debug!(keys, "old idempotency keys have been forgotten"),
            Err(error) => tracing::warn!(%error, "old idempotency keys could not be forgotten"),
        }
    }
}

impl Options {
    /// Serves until a signal or a failure of the storage comes.
    async fn serve(
        self,
        offer: Offer,
        greet: impl FnOnce(&str),
        failed: impl Future<Output = String>,
    ) -> Result<(), CommandError> {
        let Offer { service, businesses, store } = offer;
        let limits = Limits { reads: self.reads_per_minute, writes: self.writes_per_minute };
        let service = service.limiter(SlidingWindow::new(limits)).base_path(&self.base_path).build()?;
        let (stop, stop_at_once) = (Signals::new(), Signals::new());
        let address = self.listen;
        let server = Server::bind(address).await.map_err(|source| CommandError::Listen { address, source })?;
        let url = format!("http://{}{}", server.local_addr(), self.base_path);
        greet(&url);
        print_line(&format!("leadapi-server listens at {url} with {businesses} business(es), store: {store}"));
        if businesses == 0 {
            print_line(
                "There is no business and no token to call it with: give it --data FILE, or try the command demo.",
            );
        }
        tokio::select! {
            () = server.serve(service, stop.count(1)) => print_line("leadapi-server has ended"),
            () = stop_at_once.count(2) => print_line("leadapi-server has ended at once, as asked for twice"),
            cause = failed => return Err(CommandError::Storage(cause)),
        }
        Ok(())
    }
}
