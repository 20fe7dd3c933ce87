//! Tests of retries: which failures the client retries, when, and how many times.

mod attempts;
mod budget;
mod outcomes;
mod timeouts;
mod waits;

use std::time::Duration;

use leadapi_client::{Outcome, id::LeadId, model::NewLead};

use crate::{scripted::Act, support::casa_verde};

const SECOND: Duration = Duration::from_secs(1);

fn ann() -> NewLead {
    NewLead::new(&casa_verde(), "Ann")
}

fn id() -> LeadId {
    LeadId::parse("l1").unwrap()
}

/// Returns the transient failures, each with the outcome that the client must report.
fn transient() -> Vec<(Act, Outcome)> {
    let mut acts = vec![(Act::NotSent, Outcome::NotSent), (Act::Lost, Outcome::Unknown)];
    acts.extend([408, 500, 502, 503, 504, 599].map(|status| (Act::status(status), Outcome::Unknown)));
    let html = |status| Act::Response(status, Vec::new(), "<html>Welcome to the hotel</html>".to_owned());
    acts.extend([200, 201, 202].map(|status| (html(status), Outcome::Unknown)));
    acts
}
