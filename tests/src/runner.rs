//! Sends cases and compares what comes back.

use crate::{Answer, Case, Live, Via, World, invariants};

/// Sends each case in a world of its own, over every transport, and a HEAD after each GET.
///
/// # Panics
///
/// With all that is wrong in all of them.
pub async fn run_table(cases: Vec<Case>) {
    let mut failures = Vec::new();
    for via in Via::ALL {
        for case in cases.iter().filter(|case| case.goes(via)) {
            let live = via.open(World::new().await).await;
            let (answer, mut wrong) = check(&live, case).await;
            if case.is_get() {
                let twin = live.answer(&case.as_head()).await;
                wrong.extend(invariants::head_is_get_without_body(&twin, &answer));
            }
            if !wrong.is_empty() {
                failures.push(report(&live, case, &answer, &wrong));
            }
        }
    }
    eprintln!("{} cases over {} transports", cases.len(), Via::ALL.len());
    assert!(failures.is_empty(), "{} of {} cases:\n\n{}", failures.len(), 3 * cases.len(), failures.join("\n\n"));
}

pub(crate) fn report(live: &Live, case: &Case, answer: &Answer, wrong: &[String]) -> String {
    format!("{} ({:?})\n  {}\n  answer: {} {}", case.name, live.via, wrong.join("\n  "), answer.status, answer.text())
}

/// The answer, and all that is wrong with it.
pub(crate) async fn check(live: &Live, case: &Case) -> (Answer, Vec<String>) {
    let before = live.world.dump().await;
    let answer = live.answer(case).await;
    let mut wrong = invariants::broken(case, &answer);
    let may_write = answer.status.is_success() && !case.is_get() && !case.is_head();
    if !may_write && live.world.dump().await != before {
        wrong.push("something was written".into());
    }
    wrong.extend(unexpected(case, &answer, live.via.public()));
    (answer, wrong)
}

fn unexpected(case: &Case, answer: &Answer, public: &str) -> Vec<String> {
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
