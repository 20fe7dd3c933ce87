//! Sends cases and checks the responses.

use crate::{Case, Live, TestResponse, Via, World, invariants};

/// Sends each case in a new world, over every transport and on every kind of store, and a HEAD after each GET.
///
/// # Panics
///
/// If any case fails. The message lists all failures.
pub async fn run_table(cases: Vec<Case>) {
    let mut failures = Vec::new();
    let (mut sent, stores) = (0, World::stores().await);
    for kept in &stores {
        for via in Via::ALL {
            for case in cases.iter().filter(|case| case.goes(via)) {
                let live = via.open(World::over(kept).await).await;
                let (answer, mut wrong) = check(&live, case).await;
                if case.is_get() {
                    let twin = live.answer(&case.as_head()).await;
                    wrong.extend(invariants::head_is_get_without_body(&twin, &answer));
                }
                // A case that wrote nothing needs no reset, which saves time.
                if case.may_write(&answer) || !wrong.is_empty() {
                    kept.reset().await;
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

/// Sends a case and returns the response and everything that is wrong with it.
pub(crate) async fn check(live: &Live, case: &Case) -> (TestResponse, Vec<String>) {
    let before = live.world.dump().await;
    let answer = live.answer(case).await;
    let mut wrong = invariants::broken(case, &answer);
    if !case.may_write(&answer) && live.world.dump().await != before {
        wrong.push("something was written".into());
    }
    wrong.extend(unexpected(case, &answer, live.via.public()));
    (answer, wrong)
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
        wrong.push(format!("the message must hold {text:?}"));
    }
    for text in expected.silent.iter().map(|text| fill(text)).filter(|text| answer.text().contains(text)) {
        wrong.push(format!("the body must not hold {text:?}"));
    }
    for text in expected.raw.iter().filter(|text| !answer.text().contains(text.as_str())) {
        wrong.push(format!("the body must hold {text:?}"));
    }
    for (name, value) in &expected.headers {
        let (found, value) = (answer.header(name), value.as_deref().map(fill));
        if found != value {
            wrong.push(format!("the header {name} must be {value:?}, it is {found:?}"));
        }
    }
    if let Some(body) = expected.body.as_ref().filter(|body| **body != answer.json()) {
        wrong.push(format!("the body must be {body}"));
    }
    for (pointer, value) in &expected.at {
        let found = answer.json().pointer(pointer).cloned();
        if found.as_ref() != Some(value) {
            wrong.push(format!("{pointer} must be {value}, it is {found:?}"));
        }
    }
    wrong
}
