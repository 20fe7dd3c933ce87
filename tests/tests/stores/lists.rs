//! Tests of the lists of leads in businesses with several count buckets.

use leadapi_core::{
    dataset::{Dataset, SAMPLE},
    model::{Lead, LeadQuery, Timestamp, Window},
    port::{Listed, Store},
};
use leadapi_sql::SqlStore;
use leadapi_tests::postgres::Cluster;

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

/// The log has the plan of each statement. A list must follow an index, and read no more leads than its page and one
/// bucket.
#[tokio::test]
async fn a_list_in_postgres_reads_at_most_one_bucket_besides_its_page() {
    let settings =
        ["shared_preload_libraries=auto_explain", "auto_explain.log_min_duration=0", "auto_explain.log_analyze=on"];
    let Some(cluster) = Cluster::start(&settings) else { return };
    let database = cluster.create_database("plans").await;
    lists_pages_at_any_offset(&cluster.url(&database)).await;
    let log = cluster.log();
    let lists: Vec<&str> = log.split("Query Text: ").filter(|plan| plan.contains(" FROM tally ")).collect();
    let lists: Vec<&str> = lists.into_iter().filter(|plan| plan.contains("UNION ALL")).collect();
    assert!(lists.len() > 100, "{} lists", lists.len());
    for plan in lists {
        assert!(!plan.contains("Seq Scan on lead") && !plan.contains("Sort Key"), "{plan}");
        let Some((_, scan)) = plan.split_once(" on lead ") else { panic!("{plan}") };
        let actual = scan.split_once("actual time=").and_then(|(_, actual)| actual.split_once("rows=")).unwrap().1;
        let rows: u64 = actual.split(' ').next().unwrap().parse().unwrap();
        assert!(rows <= 2_048 + 200, "{plan}");
    }
}
