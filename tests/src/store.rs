//! Opens stores of each kind, and resets them between tests.

use std::sync::Arc;

use leadapi_core::{
    memory::{MemorySettings, MemoryStore},
    port::{SettingsStore, Store, TokenStore},
};
use leadapi_sql::SqlStore;
use tempfile::TempDir;

use crate::{
    Seed,
    maintenance::{self, Engine, Maintenance},
    postgres::Cluster,
    raw::Raw,
};

/// The kind of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    /// An in-memory store.
    Memory,
    /// A SQLite file.
    Sqlite,
    /// A PostgreSQL database.
    Postgres,
}

impl StoreKind {
    /// Returns all kinds. If [`Cluster::shared`] does not find PostgreSQL, it prints a message, and the result omits
    /// PostgreSQL. During [maintenance](crate::maintenance::ALL) of PostgreSQL, the result omits SQLite, and vice
    /// versa.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Memory];
        if Maintenance::concerns(Engine::Sqlite) {
            all.push(Self::Sqlite);
        }
        if Maintenance::concerns(Engine::Postgres) && Cluster::shared().is_some() {
            all.push(Self::Postgres);
        }
        all
    }

    /// Opens a store of this kind that contains the seed.
    pub async fn open(self, seed: Seed) -> OpenStore {
        let database = match self {
            Self::Memory => None,
            Self::Sqlite => {
                let folder = TempDir::new().unwrap();
                let store = filled(&maintenance::sqlite_url(folder.path()).await, &seed).await;
                let path = folder.path().join("leads.db");
                Some(Database { store, raw: Raw::sqlite(&path), _folder: Some(folder) })
            }
            Self::Postgres => {
                let cluster = Cluster::shared().expect("PostgreSQL");
                let url = cluster.url(&cluster.create_database("keep").await);
                let store = filled(&url, &seed).await;
                Some(Database { store, raw: Raw::postgres(&url).await, _folder: None })
            }
        };
        OpenStore { kind: self, seed, database }
    }
}

/// A store of one kind that many tests use in turn, because opening a new database for each test would take too long.
///
/// Use the store only in the runtime that opened it, because the connections to PostgreSQL run there.
#[derive(Debug)]
pub struct OpenStore {
    /// The kind of the store.
    pub kind: StoreKind,
    seed: Seed,
    /// The database, or `None` for the in-memory store, which is recreated instead of reset.
    database: Option<Database>,
}

#[derive(Debug)]
struct Database {
    store: SqlStore,
    raw: Raw,
    _folder: Option<TempDir>,
}

/// The stores that a service needs.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "trait objects have no Debug output")]
pub struct Ports {
    /// The store of leads.
    pub store: Arc<dyn Store>,
    /// The store of tokens and API settings.
    pub tokens: Arc<dyn SettingsStore>,
}

impl OpenStore {
    /// Resets the database to the seed.
    pub async fn reset(&self) {
        if let Some(database) = &self.database {
            database.raw.reset().await;
        }
    }

    /// Returns the ports of the store in its current state. An in-memory store is recreated from the seed instead.
    pub async fn ports(&self) -> Ports {
        if let Some(Database { store, .. }) = &self.database {
            return Ports { store: Arc::new(store.clone()), tokens: Arc::new(store.clone()) };
        }
        let tokens = Arc::new(MemorySettings::new(&self.seed.dataset()));
        insert(&*tokens, &self.seed).await;
        Ports { store: Arc::new(MemoryStore::new(self.seed.dataset())), tokens }
    }

    /// Returns the SQL store and a direct connection to its database, or `None` for the in-memory store.
    pub fn sql(&self) -> Option<(&SqlStore, &Raw)> {
        self.database.as_ref().map(|database| (&database.store, &database.raw))
    }
}

async fn filled(url: &str, seed: &Seed) -> SqlStore {
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    for data in &seed.data {
        store.import(data.clone(), |_| {}).await.unwrap();
    }
    insert(&store, seed).await;
    store
}

async fn insert(tokens: &dyn TokenStore, seed: &Seed) {
    for (business, record) in &seed.tokens {
        tokens.insert(business, record.clone()).await.unwrap();
    }
}
