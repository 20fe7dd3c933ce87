//! Tests that leadapi's own service meets every requirement, over sockets and in process.

use leadapi_client::{
    Client,
    model::{LeadQuery, Window},
};
use leadapi_core::{auth::BearerToken, dataset::Dataset, memory::Limits};
use leadapi_server::Server;
use leadapi_testkit::{
    ManualTimer,
    conformance::{self, Report, Target},
};

use crate::{DATA, broken, in_process, raised, service, skipped};

/// The only requirement that the check cannot verify on a service without failures, because the check receives no 500.
/// With raised limits, the check receives no 429 either.
const NEVER_SEEN: &str =
    "a 500 has the message internal error and does not reveal its cause: no such response was received";

#[tokio::test]
async fn our_service_passes_in_process_with_rate_limits() {
    let (time, target) = (ManualTimer::auto_advance(), Target::standard().with_rate_limits());
    let transport = in_process(&time, Limits::default()).await;
    let client = target.client("http://in-process/v1").timer(time).transport(transport).build().unwrap();
    let report = conformance::run(&client, &target).await;
    assert!(report.holds(), "{report}");
    assert_eq!(skipped(&report), [NEVER_SEEN]);
    let mut sentences: Vec<_> = report.sentences.iter().map(|sentence| (sentence.section, &sentence.text)).collect();
    assert!(sentences.len() > 700, "{} sentences", sentences.len());
    sentences.sort_unstable();
    let twice: Vec<_> = sentences.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "these requirements are reported twice: {twice:?}");
    left_as_it_was(&client, &report).await;
}

#[tokio::test]
async fn our_service_passes_over_sockets() {
    let (time, target) = (ManualTimer::auto_advance(), Target::standard());
    let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let url = format!("http://{}/v1", server.local_addr());
    tokio::spawn(server.serve(service(&time, raised()).await, std::future::pending()));
    let client = target.client(&url).build().unwrap();
    let report = conformance::run(&client, &target).await;
    assert!(report.holds(), "{report}");
    let skipped = skipped(&report);
    assert_eq!(skipped.len(), 4, "expected only a 500, a 429 and two rate limits: {skipped:#?}");
    left_as_it_was(&client, &report).await;
}

/// Checks that the suite deleted everything that it created and left the other leads unchanged.
async fn left_as_it_was(client: &Client, report: &Report) {
    assert_eq!(report.left_behind, Vec::<String>::new());
    let query = LeadQuery::new().window(Window::new(200, 0).unwrap());
    let leads = client.leads().list(&query).await.unwrap();
    let ids: Vec<&str> = leads.data.iter().map(|lead| lead.id.as_str()).collect();
    assert_eq!(ids, ["one-lead-3", "one-lead-2", "one-lead-1"]);
}

#[tokio::test]
async fn the_check_leaves_the_other_business_unchanged() {
    let (time, target) = (ManualTimer::auto_advance(), Target::standard());
    let transport = std::sync::Arc::new(in_process(&time, raised()).await);
    let client = target.client("http://in-process/v1").timer(time).transport(transport.clone()).build().unwrap();
    assert!(conformance::run(&client, &target).await.holds());
    let text: serde_json::Value = serde_json::from_str(DATA).unwrap();
    let token = text["businesses"][1]["tokens"][0]["token"].as_str().unwrap();
    let theirs = Client::builder("http://in-process/v1", token).transport(transport).build().unwrap();
    assert_eq!(theirs.leads().list(&LeadQuery::new()).await.unwrap().total, 1);
}

/// If the target does not name the data that a requirement needs, the requirement is skipped with a reason and never
/// reported as met.
#[tokio::test]
async fn a_minimal_target_skips_requirements_with_a_reason() {
    let time = ManualTimer::auto_advance();
    let target = Target::parse(r#"{"client_id": "one-client-1"}"#).unwrap();
    let transport = in_process(&time, raised()).await;
    let standard = Target::standard().client("http://in-process/v1");
    let client = standard.timer(time).transport(transport).build().unwrap();
    let report = conformance::run(&client, &target).await;
    assert!(report.holds(), "{report}");
    let skipped = skipped(&report);
    for reason in [
        "an expired token is 401: the target has no tokens.expired",
        "read allows GET /leads: the target has no tokens.read",
        "POST with a stage sets the stage's pipeline: the target has no pipeline with two stages (pipelines)",
        "the client_id filter returns no lead of another client account: the target has no second_client_id",
        "no leads of another business are listed: the target has no tokens.other_business",
        "a stage_id filter with an id of another business is 400: the target has no other_business",
    ] {
        assert!(skipped.iter().any(|skipped| skipped == reason), "{reason}:\n{skipped:#?}");
    }
}

#[tokio::test]
async fn a_second_run_gives_the_same_result() {
    let (time, target) = (ManualTimer::auto_advance(), Target::standard());
    let transport = in_process(&time, raised()).await;
    let client = target.client("http://in-process/v1").timer(time).transport(transport).build().unwrap();
    for _ in 0..2 {
        let report = conformance::run(&client, &target).await;
        assert_eq!(broken(&report), Vec::<String>::new(), "{report}");
    }
}

#[test]
fn the_target_names_tokens_of_the_data_set() {
    let dataset = Dataset::parse(DATA).unwrap();
    let target: serde_json::Value =
        serde_json::from_str(include_str!("../../../leadapi-client/testkit/conformance/target.json")).unwrap();
    for token in target["tokens"].as_object().unwrap().values() {
        let hash = BearerToken::parse(token.as_str().unwrap()).unwrap().hash();
        let mut tokens = dataset.businesses.iter().flat_map(|business| &business.tokens);
        assert!(tokens.any(|tokens| tokens.record("2026-01-01T00:00:00Z".parse().unwrap()).unwrap().hash == hash));
    }
}
