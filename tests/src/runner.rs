//! Sends cases and checks the responses.

use bytes::Bytes;
use http::{Method, Request};

use crate::{Case, Live, TestResponse, Via, World, invariants};

/// Sends each case in a new world, over every transport and on every kind of store. Sends a HEAD after each GET.
///
/// # Panics
///
/// Panics if any case fails. The message lists all failures.
pub async fn run_table(cases: Vec<Case>) {
    let mut failures = Vec::new();
    let (mut sent, stores) = (0, World::stores().await);
    for store in &stores {
        for via in Via::ALL {
            for case in cases.iter().filter(|case| case.goes(via)) {
                let live = via.open(World::over(store).await).await;
                let (answer, mut wrong) = check(&live, case).await;
                let request = live.request(case);
                wrong.extend(head_twin(&live, request.clone(), &answer).await);
                // A case that wrote nothing needs no reset, which saves time.
                if may_write(&request, &answer) || !wrong.is_empty() {
                    store.reset().await;
                }
                if !wrong.is_empty() {
                    failures.push(report(&live, case, &answer, &wrong));
                }
                sent += 1;
            }
        }
    }
    eprintln!("{} cases over {} transports and {} stores", cases.len(), Via::ALL.len(), stores.len());
    assert!(failures.is_empty(), "{} of {sent} cases:\n\n{}", failures.len(), failures.join("\n\n"));
}

pub(crate) fn report(live: &Live, case: &Case, answer: &TestResponse, wrong: &[String]) -> String {
    let (name, via, kind) = (&case.name, live.via, live.world.kind);
    format!("{name} ({via:?}, {kind:?})\n  {}\n  answer: {} {}", wrong.join("\n  "), answer.status, answer.text())
}

/// Sends a case, and returns the response and all of its errors.
pub(crate) async fn check(live: &Live, case: &Case) -> (TestResponse, Vec<String>) {
    let (answer, mut wrong) = exchange(live, &live.request(case), &mut None).await;
    wrong.extend(unexpected(case, &answer, live.via.public()));
    (answer, wrong)
}

/// Sends a request, and returns the response and its errors: violated invariants, or a write by a request that must not
/// write.
///
/// `dump` may contain a dump of the leads from before the request. After the call, it contains a new dump if the
/// request was not allowed to write.
pub(crate) async fn exchange(
    live: &Live,
    request: &Request<Bytes>,
    dump: &mut Option<String>,
) -> (TestResponse, Vec<String>) {
    let before = match dump.take() {
        Some(known) => known,
        None => live.world.dump().await,
    };
    let answer = live.raw(request.clone()).await;
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    let path = target.strip_prefix(live.via.public()).unwrap_or(target);
    let mut wrong = invariants::broken_invariants(request, path, &answer);
    if !may_write(request, &answer) {
        let after = live.world.dump().await;
        if after != before {
            wrong.push("the request wrote something".into());
        }
        *dump = Some(after);
    }
    (answer, wrong)
}

/// Sends a HEAD after a GET, and returns the differences between their responses.
pub(crate) async fn head_twin(live: &Live, mut request: Request<Bytes>, answer: &TestResponse) -> Vec<String> {
    if *request.method() != Method::GET {
        return Vec::new();
    }
    *request.method_mut() = Method::HEAD;
    invariants::head_is_get_without_body(&live.raw(request).await, answer)
}

/// Returns whether the service may have written something, judging by the request and the response.
fn may_write(request: &Request<Bytes>, answer: &TestResponse) -> bool {
    answer.status.is_success() && !matches!(*request.method(), Method::GET | Method::HEAD)
}

fn unexpected(case: &Case, answer: &TestResponse, public: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let expected = &case.expected;
    let fill = |text: &str| text.replace("{public}", public);
    if answer.status != expected.status {
        wrong.push(format!("the status must be {}", expected.status));
    }
    let error = answer.error();
    if let Some(begins) = &expected.begins
        && !error.starts_with(begins.as_str())
    {
        wrong.push(format!("the message must begin with {begins:?}"));
    }
    for text in expected.says.iter().map(|text| fill(text)).filter(|text| !error.contains(text)) {
        wrong.push(format!("the message must contain {text:?}"));
    }
    for text in expected.silent.iter().map(|text| fill(text)).filter(|text| answer.text().contains(text)) {
        wrong.push(format!("the body must not contain {text:?}"));
    }
    for text in expected.raw.iter().filter(|text| !answer.text().contains(text.as_str())) {
        wrong.push(format!("the body must contain {text:?}"));
    }
    for (name, value) in &expected.headers {
        let (found, value) = (answer.header(name), value.as_deref().map(fill));
        if found != value {
            wrong.push(format!("the header {name} must be {value:?}, not {found:?}"));
        }
    }
    if let Some(body) = expected.body.as_ref().filter(|body| **body != answer.json()) {
        wrong.push(format!("the body must be {body}"));
    }
    for (pointer, value) in &expected.at {
        let found = answer.json().pointer(pointer).cloned();
        if found.as_ref() != Some(value) {
            wrong.push(format!("{pointer} must be {value}, not {found:?}"));
        }
    }
    wrong
}
