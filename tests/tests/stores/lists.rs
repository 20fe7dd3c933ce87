//! Tests of the lists of leads in businesses with several count buckets.

use leadapi_core::{
    dataset::{Dataset, SAMPLE},
    model::{Lead, LeadQuery, Timestamp, Window},
    port::{Listed, Store},
};
use leadapi_sql::SqlStore;
use leadapi_tests::postgres::Cluster;
use uuid::Uuid;

use crate::fixture::connect;

/// Imports leads of which half have the same client account, a third the same stage, and a sixth both, and lists them
/// at the offsets around each boundary of a bucket and past the end.
async fn lists_pages_at_any_offset(url: &str) {
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    let mut dataset = Dataset::parse(SAMPLE).unwrap();
    let seed = &mut dataset.businesses[0];
    let business = seed.id.clone();
    let (pipeline, at) = (seed.pipelines[0].clone(), seed.created_at);
    let [client, other] = [0, 1].map(|nth: usize| seed.clients[nth].id.clone());
    let stage = pipeline.stages[0].id.clone();
    seed.leads = (0..6_000)
        .map(|nth| {
            let client = if nth % 2 == 0 { &client } else { &other };
            // Ten leads share each time.
            let at = Timestamp::from_unix_millis(at.unix_millis() + nth / 10).unwrap();
            let mut lead = Lead::new(format!("lead-{nth:04}").parse().unwrap(), client.clone(), "Ann", at);
            if nth % 3 == 0 {
                (lead.pipeline_id, lead.stage_id) = (Some(pipeline.id.clone()), Some(stage.clone()));
            }
            lead
        })
        .collect();
    seed.idempotency.clear();
    let leads: Vec<Lead> = seed.leads.iter().rev().cloned().collect();
    store.import(dataset, |_| {}).await.unwrap();
    let all = LeadQuery::new();
    let queries = [
        all.clone(),
        all.clone().client(client.clone()),
        all.clone().stage(stage.clone()),
        all.client(client).stage(stage),
    ];
    for query in queries {
        let matches = |lead: &&Lead| {
            query.client.as_ref().is_none_or(|client| lead.client_id == *client)
                && query.stage.as_ref().is_none_or(|stage| lead.stage_id.as_ref() == Some(stage))
        };
        let expected: Vec<&str> = leads.iter().filter(matches).map(|lead| lead.id.as_ref()).collect();
        let boundaries = [0, 256, 1_024, 2_000, 2_048, 3_000, 4_096, 5_120, 6_000, 9_000, (1 << 53) - 1];
        for offset in boundaries.into_iter().flat_map(|at: u64| [at.saturating_sub(1), at, at + 1]) {
            let Ok(window) = Window::new(50, offset) else { continue };
            let listed = store.list(&business, &query.clone().window(window)).await.unwrap();
            let Listed::Page(page) = listed else { panic!("refused") };
            let found: Vec<&str> = page.data.iter().map(|lead| lead.id.as_ref()).collect();
            let total = expected.len() as u64;
            assert_eq!((&found[..], page.total), (window.slice(&expected), total), "{query:?} after {offset}");
        }
    }
}

#[tokio::test]
async fn a_page_in_sqlite_has_the_leads_at_its_offset() {
    let folder = tempfile::tempdir().unwrap();
    lists_pages_at_any_offset(&format!("sqlite:{}", folder.path().join("leads.db").display())).await;
}

#[tokio::test]
async fn a_page_in_postgres_has_the_leads_at_its_offset() {
    let Some(cluster) = Cluster::shared() else { return };
    let database = cluster.create_database("lists").await;
    lists_pages_at_any_offset(&cluster.url(&database)).await;
}

/// The settings with which the log has the plan of each statement.
const LOG_PLANS: [&str; 3] =
    ["shared_preload_libraries=auto_explain", "auto_explain.log_min_duration=0", "auto_explain.log_analyze=on"];

/// Asserts that each of more than `at_least` lists followed an index, and read no more leads than its page and one
/// bucket.
fn assert_plans_of_lists(log: &str, at_least: usize) {
    let is_list = |plan: &&str| plan.contains(" FROM tally ") && plan.contains("UNION ALL");
    let lists: Vec<&str> = log.split("Query Text: ").filter(is_list).collect();
    assert!(lists.len() > at_least, "{} lists", lists.len());
    for plan in lists {
        assert!(!plan.contains("Seq Scan on lead") && !plan.contains("Sort Key"), "{plan}");
        let Some((_, scan)) = plan.split_once(" on lead ") else { panic!("{plan}") };
        let (_, actual) = scan.split_once("actual time=").unwrap();
        // From version 18 on, PostgreSQL prints the numbers with decimals.
        let number = |after: &str| -> Option<f64> {
            let (_, number) = actual.split_once(after)?;
            Some(number.split_whitespace().next().unwrap().parse().unwrap())
        };
        let skipped = number("Rows Removed by Filter: ").unwrap_or_default();
        assert!(number("rows=").unwrap() + skipped <= 2_048.0 + 200.0, "{plan}");
    }
}

#[tokio::test]
async fn a_list_in_postgres_reads_at_most_one_bucket_besides_its_page() {
    let Some(cluster) = Cluster::start(&LOG_PLANS) else { return };
    let database = cluster.create_database("plans").await;
    lists_pages_at_any_offset(&cluster.url(&database)).await;
    assert_plans_of_lists(&cluster.log(), 100);
}

/// A list is planned once for all client accounts and stages, also if the statistics show only one of each.
#[tokio::test]
async fn a_list_in_postgres_for_a_client_or_stage_without_leads_reads_none() {
    let Some(cluster) = Cluster::start(&LOG_PLANS) else { return };
    let database = cluster.create_database("one_client").await;
    let store = SqlStore::open(&cluster.url(&database).parse().unwrap()).await.unwrap();
    let mut dataset = Dataset::parse(SAMPLE).unwrap();
    dataset.businesses.truncate(1);
    let seed = &mut dataset.businesses[0];
    let (business, at) = (seed.id.clone(), seed.created_at);
    // Ids of this length make the other indexes larger than the index by age.
    let [client, unused_client] = [0, 1].map(|nth: usize| {
        seed.clients[nth].id = Uuid::new_v4().into();
        seed.clients[nth].id.clone()
    });
    let [stage, unused_stage] = [0, 1].map(|nth: usize| {
        seed.pipelines[0].stages[nth].id = Uuid::new_v4().into();
        seed.pipelines[0].stages[nth].id.clone()
    });
    let pipeline = seed.pipelines[0].id.clone();
    seed.forms.clear();
    seed.leads = (0..6_000)
        .map(|nth| {
            let at = Timestamp::from_unix_millis(at.unix_millis() + nth).unwrap();
            let mut lead = Lead::new(Uuid::new_v4().into(), client.clone(), "Ann", at);
            (lead.pipeline_id, lead.stage_id) = (Some(pipeline.clone()), Some(stage.clone()));
            lead
        })
        .collect();
    seed.idempotency.clear();
    store.import(dataset, |_| {}).await.unwrap();
    connect(&cluster.url(&database)).await.batch_execute("VACUUM ANALYZE").await.unwrap();
    for query in [LeadQuery::new().client(unused_client), LeadQuery::new().stage(unused_stage)] {
        let Listed::Page(page) = store.list(&business, &query).await.unwrap() else { panic!("refused") };
        assert_eq!((page.data.len(), page.total), (0, 0), "{query:?}");
    }
    assert_plans_of_lists(&cluster.log(), 1);
}
