//! The registry of a mock's stubs. It selects the stub that answers a request, and counts the answers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{Request, StatusCode};
use leadapi_core::auth::BearerToken;

use super::{
    expectation::{Expectation, StoredStub},
    request::ReceivedRequest,
    stub_answer::StubAnswer,
};
use crate::serve::{Reply, error_response};

#[derive(Debug)]
pub(super) struct StubRegistry {
    token: BearerToken,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// All stubs, in order of definition.
    stubs: Vec<StoredStub>,
    requests: Vec<String>,
    /// The requests that matched no stub, each with its nearest stub.
    unexpected: Vec<String>,
    /// Whether `take_unmet_report` has already returned a report.
    reported: bool,
}

impl StubRegistry {
    pub(super) fn new(token: BearerToken) -> Self {
        Self { token, state: Mutex::default() }
    }

    pub(super) const fn token(&self) -> &BearerToken {
        &self.token
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.lock().requests.clone()
    }

    pub(super) fn add(&self, expectation: Expectation, answer: StubAnswer) -> usize {
        let mut state = self.lock();
        state.stubs.push(StoredStub::new(expectation, answer));
        state.stubs.len() - 1
    }

    pub(super) fn change(&self, at: usize, change: impl FnOnce(&mut StoredStub)) {
        if let Some(stub) = self.lock().stubs.get_mut(at) {
            change(stub);
        }
    }

    pub(super) fn answer(&self, request: Request<Bytes>) -> Reply {
        let request = ReceivedRequest::new(request);
        let mut state = self.lock();
        state.requests.push(request.line());
        let mut nearest: Option<(usize, String)> = None;
        for stub in &mut state.stubs {
            match stub.answer(&request, &self.token) {
                Ok(reply) => return reply,
                Err(miss) if nearest.as_ref().is_none_or(|(score, _)| *score < miss.score) => {
                    nearest = Some((miss.score, format!("the nearest stub is {stub}; but {}", miss.why)));
                }
                Err(_) => {}
            }
        }
        let nearest = nearest.map_or_else(|| "no stub is defined".to_owned(), |(_, text)| text);
        let text = format!("{request}; {nearest}");
        let reply = error_response::error(StatusCode::NOT_IMPLEMENTED, &format!("unexpected request: {text}")).into();
        state.unexpected.push(text);
        reply
    }

    /// Returns a report of unmet stubs and unexpected requests, or `None` if everything matched.
    pub(super) fn unmet(&self) -> Option<String> {
        self.lock().unmet()
    }

    /// Same as `unmet`, but returns the report only once.
    pub(super) fn take_unmet_report(&self) -> Option<String> {
        let mut state = self.lock();
        let unmet = if state.reported { None } else { state.unmet() };
        state.reported |= unmet.is_some();
        unmet
    }

    /// Locks the state and ignores poisoning: a test's predicate may panic under the lock, but the counts remain valid.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn unmet(&self) -> Option<String> {
        let stubs: Vec<String> = self.stubs.iter().filter(|stub| !stub.is_met()).map(StoredStub::report).collect();
        if stubs.is_empty() && self.unexpected.is_empty() {
            return None;
        }
        let section = |title: &str, lines: &[String]| {
            let lines = lines.iter().map(|line| format!("\n  - {line}"));
            if lines.len() == 0 { String::new() } else { format!("\n{title}:{}", lines.collect::<String>()) }
        };
        Some(format!(
            "the requests do not match the test's expectations{}{}{}",
            section("unmet stubs", &stubs),
            section("unexpected requests", &self.unexpected),
            section("all requests", &self.requests),
        ))
    }
}
