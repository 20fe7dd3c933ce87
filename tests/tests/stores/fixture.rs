//! A database with one business, and helpers that call its store.

use leadapi_core::{
    admin::Admin,
    auth::Author,
    dataset::Dataset,
    id::{BusinessId, ClientId, LeadId},
    model::{IdempotencyKey, LeadPatch, LeadQuery, NewLead, Timestamp, Window},
    port::{Created, Idempotency, Listed, Store, StoreError, Updated},
    validate::NewLeadMeta,
};
use leadapi_sql::{DatabaseUrl, SqlStore};
use tokio_postgres::{Client, NoTls};

pub(crate) const DATA: &str = r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-01T00:00:00Z",
    "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}]}]}"#;

pub(crate) fn business() -> BusinessId {
    BusinessId::parse("b1").unwrap()
}

/// Opens a store with one business and at most `connections` connections.
pub(crate) async fn open(url: &str, connections: usize) -> SqlStore {
    let url: DatabaseUrl = url.parse().unwrap();
    let store = SqlStore::open(&url.connections(connections)).await.unwrap();
    if store.businesses().await.unwrap().iter().all(|known| known.id != business()) {
        store.import(Dataset::parse(DATA).unwrap(), |_| {}).await.unwrap();
    }
    store
}

/// Connects to the database without a store.
pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Creates a lead with this name and idempotency key. Each call uses a new id.
pub(crate) async fn create(store: &SqlStore, name: &str, key: &str) -> Result<Created, StoreError> {
    let new = NewLead::new(&ClientId::parse("c1").unwrap(), name);
    let draft = new.check().unwrap();
    let once = Idempotency::new(IdempotencyKey::parse(key).unwrap(), draft.fingerprint());
    let id = LeadId::parse(uuid::Uuid::now_v7().to_string()).unwrap();
    store.create(&business(), &Author::Host, NewLeadMeta::new(id, Timestamp::now()), draft, Some(&once)).await
}

/// Returns the id of a created or replayed lead.
pub(crate) fn id(created: Created) -> LeadId {
    match created {
        Created::New(lead) | Created::Replayed(lead) => lead.id.clone(),
        other => panic!("no lead: {other:?}"),
    }
}

pub(crate) async fn rename(store: &SqlStore, id: &LeadId, name: &str) -> Result<Updated, StoreError> {
    store.update(&business(), &Author::Host, id, &LeadPatch::new().name(name).check().unwrap()).await
}

/// Returns the ids and names of all leads.
pub(crate) async fn all(store: &SqlStore) -> Vec<(LeadId, String)> {
    let mut all = Vec::new();
    loop {
        let window = Window::new(200, all.len() as u64).unwrap();
        let list = store.list(&business(), &LeadQuery::new().window(window)).await.unwrap();
        let Listed::Page(page) = list else { panic!("refused") };
        all.extend(page.data.iter().map(|lead| (lead.id.clone(), lead.name.clone())));
        if page.data.is_empty() {
            assert_eq!(all.len() as u64, page.total, "the total must be exact");
            return all;
        }
    }
}

/// Returns the number of leads with this name.
pub(crate) async fn count(store: &SqlStore, name: &str) -> usize {
    all(store).await.iter().filter(|(_, found)| found == name).count()
}
