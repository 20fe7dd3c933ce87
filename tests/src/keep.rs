//! The kinds of stores, and stores that begin anew for each test.

use std::sync::Arc;

use leadapi_core::{
    memory::{MemoryStore, MemoryTokens},
    port::{Store, TokenStore},
};
use leadapi_server::store::SqlStore;
use tempfile::TempDir;

use crate::{Seed, postgres::Cluster, raw::Raw};

/// A kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// In memory.
    Memory,
    /// SQLite in a file.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl Keep {
    /// All of them; PostgreSQL where it is installed, and elsewhere [`Cluster::shared`] says that it is not.
    pub fn all() -> Vec<Self> {
        let postgres = Cluster::shared().map(|_| Self::Postgres);
        [Self::Memory, Self::Sqlite].into_iter().chain(postgres).collect()
    }

    /// A store of this kind that holds the seed.
    pub async fn open(self, seed: Seed) -> Kept {
        let database = match self {
            Self::Memory => None,
            Self::Sqlite => {
                let folder = TempDir::new().unwrap();
                let path = folder.path().join("leads.db");
                let store = filled(&format!("sqlite:{}", path.display()), &seed).await;
                Some(Database { store, raw: Raw::sqlite(&path), _folder: Some(folder) })
            }
            Self::Postgres => {
                let cluster = Cluster::shared().expect("PostgreSQL");
                let url = cluster.url(&cluster.create_database("keep").await);
                let store = filled(&url, &seed).await;
                Some(Database { store, raw: Raw::postgres(&url).await, _folder: None })
            }
        };
        Kept { keep: self, seed, database }
    }
}

/// A store of one kind for many tests, one after the other: to open a database anew for each would take too long.
///
/// It is of the runtime that it was opened in, because the connections to PostgreSQL are.
#[derive(Debug)]
pub struct Kept {
    /// Its kind.
    pub keep: Keep,
    seed: Seed,
    /// None of a store in memory, which is made anew instead.
    database: Option<Database>,
}

#[derive(Debug)]
struct Database {
    store: SqlStore,
    raw: Raw,
    _folder: Option<TempDir>,
}

/// What a service asks of a store.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "a port has nothing to show")]
pub struct Ports {
    /// The leads.
    pub store: Arc<dyn Store>,
    /// The tokens.
    pub tokens: Arc<dyn TokenStore>,
}

impl Kept {
    /// It holds the seed again and nothing else.
    pub async fn reset(&self) {
        if let Some(database) = &self.database {
            database.raw.reset().await;
        }
    }

    /// The store as it is, but for one in memory, which is always new.
    pub async fn ports(&self) -> Ports {
        if let Some(Database { store, .. }) = &self.database {
            return Ports { store: Arc::new(store.clone()), tokens: Arc::new(store.clone()) };
        }
        let tokens = Arc::new(MemoryTokens::default());
        insert(&*tokens, &self.seed).await;
        Ports { store: Arc::new(MemoryStore::new(self.seed.dataset())), tokens }
    }

    /// The database itself; none of a store in memory.
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
