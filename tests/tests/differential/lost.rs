//! Tests of commits whose response is lost. The store must determine the outcome from the commit record of the right
//! business.

use leadapi_core::{
    auth::Author,
    id::{ClientId, LeadId},
    model::NewLead,
    port::Store,
    validate::NewLeadMeta,
};
use leadapi_sql::{DatabaseUrl, SqlStore};
use leadapi_tests::{
    postgres::Cluster,
    proxy::{
        CutKind,
        postgres::{Cut, Direction, PostgresProxy},
    },
};

use super::fixture::{self, Tenant};

#[tokio::test]
async fn a_create_reports_its_true_outcome_whichever_message_is_lost() {
    let Some(cluster) = Cluster::shared() else { return };
    let proxy = PostgresProxy::to(cluster.address()).await;
    let url = cluster.url_at(proxy.address(), &cluster.create_database("lost").await);
    let store = SqlStore::open(&url.parse::<DatabaseUrl>().unwrap()).await.unwrap();
    store.import(fixture::seed().dataset(), |_| {}).await.unwrap();
    for tenant in Tenant::BOTH {
        for nth in 0.. {
            // Both businesses write first, so each has a commit record that the store could confuse with the other's.
            for tenant in Tenant::BOTH {
                store.delete(&tenant.business(), &Author::Host, &LeadId::parse("nobody").unwrap()).await.unwrap();
            }
            proxy.cut(Cut { direction: Direction::ToClient, nth, kind: CutKind::Before });
            let id = LeadId::parse(format!("lost-{nth}")).unwrap();
            let lead = NewLead::new(&ClientId::parse("client-1").unwrap(), "Ann").check().unwrap();
            let meta = NewLeadMeta::new(id.clone(), "2026-05-04T12:00:00Z".parse().unwrap());
            let outcome = store.create(&tenant.business(), &Author::Host, meta, lead, None).await;
            let was_cut = proxy.has_cut();
            proxy.watch();
            let stored = store.get(&tenant.business(), &id).await.unwrap().is_some();
            assert_eq!(outcome.is_ok(), stored, "{tenant:?}, message {nth}: {outcome:?}");
            if !was_cut {
                break;
            }
        }
    }
}
