//! The cache of leads: lists that are read again.

use std::sync::Arc;

use leadapi_core::{
    model::{Lead, LeadQuery},
    port::{Listed, Store},
};
use leadapi_server::store::SqlStore;
use leadapi_tests::postgres::Cluster;

use crate::place::{business, create, id, open, rename};

async fn list(store: &SqlStore) -> Vec<Arc<Lead>> {
    let Listed::Page(page) = store.list(&business(), &LeadQuery::new()).await.unwrap() else { panic!("refused") };
    page.data
}

/// Checks that a list that is read again returns the same allocations, except for a lead that was changed, even if
/// another server changed it.
async fn only_what_has_changed_is_made_anew(url: &str) {
    let [here, elsewhere] = [open(url, 2).await, open(url, 2).await];
    for name in ["Ann", "Bob", "Cy"] {
        create(&here, name, name).await.unwrap();
    }
    let mut before = list(&here).await;
    for (nth, changes) in [&here, &elsewhere].into_iter().enumerate() {
        let again = list(&here).await;
        assert!(before.iter().zip(&again).all(|(one, other)| Arc::ptr_eq(one, other)));
        let changed = id(create(&here, "Bob", "Bob").await.unwrap());
        let name = format!("Bob {nth}");
        rename(changes, &changed, &name).await.unwrap();
        let after = list(&here).await;
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(Arc::ptr_eq(before, after), after.id != changed);
            assert_eq!(after.name == name, after.id == changed);
        }
        before = after;
    }
}

#[tokio::test]
async fn sqlite_makes_anew_what_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    only_what_has_changed_is_made_anew(&format!("sqlite:{}", folder.path().join("leads.db").display())).await;
}

#[tokio::test]
async fn postgres_makes_anew_what_has_changed() {
    let Some(cluster) = Cluster::shared() else { return };
    only_what_has_changed_is_made_anew(&cluster.url(&cluster.create_database("known").await)).await;
}
