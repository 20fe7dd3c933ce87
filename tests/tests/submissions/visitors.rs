//! Simulated visitors, who submit the form and retry each request until the host acknowledges it.

use std::{collections::HashMap, sync::Arc, time::Duration};

use leadapi_tests::in_time;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::{
    sync::{
        mpsc::{UnboundedSender, unbounded_channel},
        watch,
    },
    task::JoinHandle,
    time::sleep,
};
use uuid::Uuid;

const VISITORS: usize = 6;

/// Sends a submission, and returns the status and the JSON of the response.
pub(crate) async fn submit(url: &str, id: &str, answers: &Value) -> reqwest::Result<(StatusCode, Value)> {
    let body = json!({"id": id, "answers": answers}).to_string();
    let response = client().post(url).body(body).send().await?;
    let status = response.status();
    Ok((status, serde_json::from_slice(&response.bytes().await?).unwrap()))
}

/// Returns the stored state of a submission.
pub(crate) async fn state(url: &str, id: &str) -> reqwest::Result<Value> {
    let response = client().get(format!("{url}/{id}")).send().await?;
    Ok(serde_json::from_slice(&response.bytes().await?).unwrap())
}

/// Returns a client without pooled connections, because a pooled connection could lead to a killed process.
fn client() -> Client {
    Client::builder().pool_max_idle_per_host(0).timeout(Duration::from_secs(10)).build().unwrap()
}

/// The visitors, who keep submitting until they are stopped.
pub(crate) struct Visitors {
    tasks: Vec<JoinHandle<HashMap<String, String>>>,
    stop: watch::Sender<bool>,
    acknowledged: tokio::sync::mpsc::UnboundedReceiver<()>,
}

impl Visitors {
    pub(crate) fn start(url: &str) -> Self {
        let ((stop, stopped), (sender, acknowledged)) = (watch::channel(false), unbounded_channel());
        let url: Arc<str> = url.into();
        let visit = |nth| tokio::spawn(visit(url.clone(), nth, stopped.clone(), sender.clone()));
        Self { tasks: (0..VISITORS).map(visit).collect(), stop, acknowledged }
    }

    /// Waits until the host has acknowledged this number of further submissions.
    pub(crate) async fn acknowledged(&mut self, count: usize) {
        for _ in 0..count {
            in_time("an acknowledgement", self.acknowledged.recv()).await.unwrap();
        }
    }

    /// Stops the visitors after their last submission is acknowledged. Returns the ids of all submissions, by the name
    /// in their answers.
    pub(crate) async fn stop(self) -> HashMap<String, String> {
        self.stop.send(true).unwrap();
        let mut all = HashMap::new();
        for task in self.tasks {
            all.extend(in_time("the last acknowledgement", task).await.unwrap());
        }
        all
    }
}

async fn visit(
    url: Arc<str>,
    nth: usize,
    stopped: watch::Receiver<bool>,
    acknowledged: UnboundedSender<()>,
) -> HashMap<String, String> {
    let mut submitted = HashMap::new();
    while !*stopped.borrow() {
        let (id, name) = (Uuid::now_v7().to_string(), format!("{nth}-{}", submitted.len()));
        let answers = json!({"name": name, "what": "yes"});
        // Every third submission is sent again after it is acknowledged, as by an impatient visitor.
        let mut repeats = usize::from(submitted.len() % 3 == 0);
        loop {
            match submit(&url, &id, &answers).await {
                Ok((StatusCode::OK | StatusCode::ACCEPTED, _)) if repeats == 0 => break,
                Ok((StatusCode::OK | StatusCode::ACCEPTED, _)) => repeats -= 1,
                Ok((status, body)) => assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{body}"),
                // The host is dead. A browser would wait, too.
                Err(_) => sleep(Duration::from_millis(5)).await,
            }
        }
        submitted.insert(name, id);
        // The send fails if the test has stopped counting.
        acknowledged.send(()).unwrap_or_default();
    }
    submitted
}
