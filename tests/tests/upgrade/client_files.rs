//! Tests of the client's files: a tape, and the positions of pagers and pollers.

use leadapi_client::{
    Client,
    model::{Lead, LeadQuery, NewLead, Window},
    pager::{Checkpoint, Position},
    transport::InProcess,
};
use leadapi_sql::SqlStore;
use leadapi_testkit::cassette::{Cassette, Recorder};
use serde_json::Value;

use crate::{CLIENT, process::service, text, versions};

/// Records the calls of [`calls`].
pub(crate) async fn record(store: &SqlStore, expected: &Value) -> Cassette {
    let now = expected["written_at"].as_str().unwrap().parse().unwrap();
    let recorder = Recorder::new(InProcess::new(service(store, now)));
    let client = Client::builder("http://in-process/v1", expected["secret"].as_str().unwrap());
    calls(&client.transport(recorder.clone()).build().unwrap()).await;
    recorder.cassette().unwrap()
}

/// Makes the calls of a tape, and returns the created lead.
async fn calls(client: &Client) -> Lead {
    let accounts = client.client_accounts().list(Window::default()).await.unwrap();
    assert_eq!(accounts.total, 4);
    assert_eq!(client.pipelines().list(Window::default()).await.unwrap().total, 3);
    let lead = client.leads().create(&NewLead::new(&CLIENT.parse().unwrap(), "Ann").source("tape")).await.unwrap();
    assert_eq!(client.leads().get(&lead.id).await.unwrap(), lead);
    let list = client.leads().list(&LeadQuery::new().client(lead.client_id.clone())).await.unwrap();
    assert_eq!(list.data[0].id, lead.id);
    client.leads().delete(&lead.id).await.unwrap();
    let error = client.leads().get(&lead.id).await.unwrap_err();
    assert_eq!(error.message(), "id: no such lead");
    lead
}

#[tokio::test]
async fn tapes_replay() {
    for version in versions() {
        let cassette = Cassette::parse(&text(&version, "tape.har")).unwrap();
        let replay = cassette.transport();
        let lead = calls(&replay.client().unwrap()).await;
        replay.verify().unwrap();
        assert_eq!(lead.source.as_deref(), Some("tape"));
    }
}

/// Resumes a pager and a poller from their saved positions, and checks the leads that they return.
pub(crate) async fn check_positions(client: &Client, expected: &Value) {
    let position: Position = serde_json::from_value(expected["position"].clone()).unwrap();
    let mut leads = client.leads().list_all(LeadQuery::new()).resume(position).stream();
    let mut rest = Vec::new();
    while let Some(lead) = leads.try_next().await.unwrap() {
        rest.push(Value::from(lead.id.as_str()));
    }
    assert_eq!(Value::Array(rest), expected["after_position"]);
    let checkpoint: Checkpoint = serde_json::from_value(expected["checkpoint"].clone()).unwrap();
    let new = client.leads().poll_created(LeadQuery::new(), checkpoint).poll().await.unwrap();
    assert_eq!(new.leads, []);
}
