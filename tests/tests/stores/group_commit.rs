//! Tests of group commit: each write in a shared transaction has the same outcome as on its own.

use futures_util::future::join_all;
use leadapi_core::{
    auth::Author,
    id::{ClientId, LeadId},
    model::{NewLead, Timestamp},
    port::{Created, Store, StoreError},
    validate::NewLeadMeta,
};
use leadapi_sql::SqlStore;
use leadapi_tests::postgres::Cluster;

use crate::fixture::{all, business, open};

/// Makes 40 concurrent creates. Four of them use the id of an existing lead, and four use an unknown client account.
async fn failing_writes_do_not_fail_the_others(store: &SqlStore) {
    let create = async |nth: usize, id: String, client: &str| {
        let draft = NewLead::new(&ClientId::parse(client).unwrap(), format!("lead {nth}")).check().unwrap();
        let meta = NewLeadMeta::new(LeadId::parse(id).unwrap(), Timestamp::now());
        store.create(&business(), &Author::Host, meta, draft, None).await
    };
    create(0, "taken".into(), "c1").await.unwrap();
    let outcomes = join_all((1..=40).map(|nth| match nth % 10 {
        0 => create(nth, "taken".into(), "c1"),
        5 => create(nth, format!("lead-{nth}"), "nobody"),
        _ => create(nth, format!("lead-{nth}"), "c1"),
    }))
    .await;
    for (nth, outcome) in (1..=40).zip(outcomes) {
        match nth % 10 {
            // The error must be the original cause, not the follow-up error of an aborted transaction.
            0 => assert!(matches!(outcome, Err(StoreError::AlreadyExists(_))), "{nth}: {outcome:?}"),
            5 => assert!(matches!(outcome, Ok(Created::Refused(_))), "{nth}: {outcome:?}"),
            _ => assert!(matches!(outcome, Ok(Created::New(_))), "{nth}: {outcome:?}"),
        }
    }
    assert_eq!(all(store).await.len(), 1 + 32, "only the valid creates are stored");
}

#[tokio::test]
async fn a_failing_write_does_not_fail_the_others_in_its_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("leads.db").display());
    failing_writes_do_not_fail_the_others(&open(&url, 1).await).await;
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.url(&cluster.create_database("together").await);
    failing_writes_do_not_fail_the_others(&open(&url, 4).await).await;
}
