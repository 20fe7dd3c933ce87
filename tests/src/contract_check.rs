//! Runs the public contract check against `LeadService`, and applies the harness's own checks to each response.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use leadapi_client::transport::{Transport, TransportError};
use leadapi_core::memory::{Limits, SlidingWindow};
use leadapi_testkit::conformance::{self, Outcome, Sentence, Target};
use serde_json::json;

use crate::{
    Live, StoreKind, Token, Via, World,
    runner::{exchange, head_twin},
};

/// A transport that checks every response as [`run_table`](crate::run_table) does. It verifies the invariants, compares
/// the response with the OpenAPI document, detects writes by requests that must not write, and sends a HEAD after each
/// GET.
struct Checked {
    live: Live,
    wrong: Mutex<Vec<String>>,
    /// A dump of the leads from after the last request, if that request was not allowed to write.
    dump: Mutex<Option<String>>,
}

#[async_trait]
impl Transport for Checked {
    async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        // The harness's transports expect a path without scheme and host, as in an ordinary request line.
        *request.uri_mut() = request.uri().path_and_query().expect("a path").as_str().parse().unwrap();
        let mut dump = self.dump.lock().unwrap().take();
        let (answer, mut wrong) = exchange(&self.live, &request, &mut dump).await;
        *self.dump.lock().unwrap() = dump;
        wrong.extend(head_twin(&self.live, request.clone(), &answer).await);
        if !wrong.is_empty() {
            let (method, target, body) = (request.method(), request.uri(), String::from_utf8_lossy(request.body()));
            let failure = format!("{method} {target} {body:.500}\n  {}\n  {}", wrong.join("\n  "), answer.bytes());
            self.wrong.lock().unwrap().push(failure);
        }
        let mut response = Response::new(answer.body);
        (*response.status_mut(), *response.headers_mut()) = (answer.status, answer.headers);
        Ok(response)
    }
}

/// Runs the contract check over every transport on a store of this kind, each time in a new world. Does nothing for
/// PostgreSQL if it is not installed.
///
/// # Panics
///
/// Panics if a requirement is not met, if one of the harness's checks fails, or if the target lacks the data for a
/// check.
pub async fn run_contract_check(kind: StoreKind) {
    if !StoreKind::all().contains(&kind) {
        return;
    }
    let store = kind.open(World::seed()).await;
    let mut failures = Vec::new();
    for via in Via::ALL {
        let unlimited = SlidingWindow::new(Limits::new(NonZeroU32::MAX, NonZeroU32::MAX));
        let live = via.open(World::over(&store).await.limiter(unlimited)).await;
        let checked = Arc::new(Checked { live, wrong: Mutex::default(), dump: Mutex::default() });
        let (target, url) = (target(), format!("http://leads.example{}", via.public()));
        let client = target.client(&url).transport(checked.clone()).build().unwrap();
        let report = conformance::run(&client, &target).await;
        let wrong = checked.wrong.lock().unwrap().split_off(0);
        if !report.holds() || !wrong.is_empty() {
            failures.push(format!("{via:?}, {kind:?}:\n{}\n{report}", wrong.join("\n")));
        }
        for Sentence { text, outcome, .. } in &report.sentences {
            if matches!(outcome, Outcome::Skipped(reason) if reason.contains("target has no")) {
                failures.push(format!("{text}: {outcome:?}"));
            }
        }
        store.reset().await;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Returns the tokens and ids of a [`World`].
fn target() -> Target {
    let secret = |token: Token| token.secret().unwrap();
    let target = json!({
        "tokens": {
            "both": secret(Token::Both), "read": secret(Token::Read), "write": secret(Token::Write),
            "expired": secret(Token::Expired), "revoked": secret(Token::Revoked), "other_business": secret(Token::B),
        },
        "client_id": "a-client-1",
        "second_client_id": "a-client-2",
        "pipelines": [
            {"id": "a-pipe-1", "stages": ["a-stage-19", "a-stage-11", "a-stage-15"]},
            {"id": "a-pipe-0", "stages": ["a-stage-01", "a-stage-02"]},
        ],
        "other_business": {"client_id": "b-client-1", "pipeline_id": "b-pipe-1", "stage_id": "b-stage-1"},
        "request_ids": false,
    });
    Target::parse(&target.to_string()).unwrap()
}
