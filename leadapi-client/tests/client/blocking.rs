//! Tests of blocking calls.

use leadapi_client::model::{LeadQuery, NewLead};

use crate::support::{casa_verde, in_process};

#[test]
fn a_blocking_call_returns_its_result() {
    let client = in_process();
    let lead = client.leads().create(&NewLead::new(&casa_verde(), "Ann")).wait().unwrap();
    let (same, meta) = client.leads().get(&lead.id).with_meta().wait().unwrap();
    assert_eq!((same, meta.attempts.get()), (lead.clone(), 1));
    client.leads().delete(&lead.id).wait().unwrap();
    assert!(client.leads().get(&lead.id).wait().unwrap_err().is_not_found());
}

#[tokio::test]
async fn a_blocking_call_works_on_a_blocking_thread_of_a_runtime() {
    let server = wiremock::MockServer::start().await;
    let url = server.uri();
    let blocked = tokio::task::spawn_blocking(move || {
        let client = leadapi_client::Client::builder(url, "pak_0123").build().unwrap();
        client.leads().list(&LeadQuery::new()).wait().unwrap_err()
    });
    assert!(blocked.await.unwrap().is_configuration());
}
