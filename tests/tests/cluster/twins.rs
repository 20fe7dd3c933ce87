//! Simultaneous creates with one idempotency key on three servers (contract D10).

use std::collections::BTreeMap;

use futures_util::{StreamExt, future::join_all, stream};
use leadapi_tests::{ServerProcess, eventually, postgres::Cluster, scale, secret};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::server::{SERVERS, start};

/// The default number of keys. `LEADAPI_TEST_TWIN_KEYS` overrides it.
const KEYS: usize = 400;
/// The number of simultaneous creates with each key.
const TWINS: usize = 8;
/// The number of keys that are in use at the same time.
const CONCURRENT_KEYS: usize = 32;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simultaneous_creates_with_one_key_on_three_servers_make_one_lead() {
    let Some(cluster) = Cluster::shared() else { return };
    let keys = scale::from_env("LEADAPI_TEST_TWIN_KEYS", KEYS);
    let (store, unlimited) = (cluster.url(&cluster.create_database("twins").await), u32::MAX.to_string());
    let settings = ["--store", &store, "--reads-per-minute", &unlimited, "--writes-per-minute", &unlimited];
    let token = secret("twins");
    let servers: Vec<ServerProcess> = (0..SERVERS).map(|_| start(&settings, &token)).collect();
    let callers = Callers { client: Client::new(), urls: servers.iter().map(|server| &*server.url).collect(), token };
    let created: BTreeMap<String, String> =
        stream::iter(0..keys).map(|key| callers.create(key)).buffer_unordered(CONCURRENT_KEYS).collect().await;
    assert_eq!(created.len(), keys);
    let stored = callers.stored().await;
    assert_eq!(stored.len(), keys, "each key must have made one lead");
    for (name, id) in stored {
        assert_eq!(created.get(&name), Some(&id), "{name}");
    }
    scale::print_figures(format!(
        "{keys} idempotency keys, {} simultaneous creates on {SERVERS} servers: {keys} leads, one of each key; all \
         {TWINS} responses of each key equal",
        keys * TWINS
    ));
}

/// Sends requests to all servers.
struct Callers<'s> {
    client: Client,
    urls: Vec<&'s str>,
    token: String,
}

impl Callers<'_> {
    /// Sends several simultaneous creates of one lead, under one key and to all servers. All responses must be the
    /// same. All but one must be replays, or all of them if the first response was replaced by a 500. Returns the name
    /// and the id of the lead.
    async fn create(&self, key: usize) -> (String, String) {
        let name = format!("twin {key}");
        let responses = join_all((0..TWINS).map(|nth| self.create_once(key, &name, self.urls[nth % SERVERS]))).await;
        let first = responses.iter().filter(|response| !response.is_replay).count();
        let has_failed = responses.iter().any(|response| response.has_failed);
        assert!(first == 1 || first == 0 && has_failed, "the responses to {name} that are not replays: {responses:?}");
        let (location, body) = (&responses[0].location, &responses[0].body);
        let is_same = |response: &Response| response.location == *location && response.body == *body;
        assert!(responses.iter().all(is_same), "{name}: {responses:?}");
        let lead: Value = serde_json::from_str(body).unwrap();
        assert_eq!(lead["name"], name);
        (name, lead["id"].as_str().unwrap().to_owned())
    }

    /// Creates the lead. Repeats the request if the server responds with 500, because the machine may be busy.
    async fn create_once(&self, key: usize, name: &str, url: &str) -> Response {
        let mut has_failed = false;
        let response = eventually("a create", async || {
            let request = self.client.post(format!("{url}/leads")).bearer_auth(&self.token);
            let request = request.header("idempotency-key", format!("key-{key}"));
            let body = json!({"client_id": "c1", "name": name}).to_string();
            let response = request.header("content-type", "application/json").body(body).send().await.unwrap();
            let status = response.status();
            has_failed |= status == StatusCode::INTERNAL_SERVER_ERROR;
            assert!(has_failed || status == StatusCode::CREATED, "{status}");
            (status == StatusCode::CREATED).then_some(response)
        })
        .await;
        let location = response.headers()["location"].to_str().unwrap().to_owned();
        let is_replay = response.headers().contains_key("idempotency-replayed");
        Response { is_replay, has_failed, location, body: response.text().await.unwrap() }
    }

    /// Returns the names and ids of all stored leads.
    async fn stored(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        loop {
            let url = format!("{}/leads?limit=200&offset={}", self.urls[0], all.len());
            let response = self.client.get(url).bearer_auth(&self.token).send().await.unwrap();
            let page: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
            let text = |lead: &Value, field: &str| lead[field].as_str().unwrap().to_owned();
            let leads = page["data"].as_array().unwrap();
            if leads.is_empty() {
                assert_eq!(page["total"], all.len(), "the total must be exact");
                return all;
            }
            all.extend(leads.iter().map(|lead| (text(lead, "name"), text(lead, "id"))));
        }
    }
}

#[derive(Debug)]
struct Response {
    is_replay: bool,
    /// Whether the server answered an earlier attempt with 500.
    has_failed: bool,
    location: String,
    body: String,
}
