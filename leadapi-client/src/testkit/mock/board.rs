//! All stubs of a mock: selects the stub that answers and tracks what was called.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{Request, StatusCode};
use leadapi_core::auth::BearerToken;

use super::{
    answer::Answer,
    asked::Asked,
    expectation::{Expectation, Held},
};
use crate::testkit::serve::{Reply, refusal};

#[derive(Debug)]
pub(super) struct Board {
    token: BearerToken,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// In the order in which they were added.
    stubs: Vec<Held>,
    requests: Vec<String>,
    /// Each request without a matching stub, with the nearest stub.
    unexpected: Vec<String>,
    /// Whether the test has already failed.
    told: bool,
}

impl Board {
    pub(super) fn new(token: BearerToken) -> Self {
        Self { token, state: Mutex::default() }
    }

    pub(super) const fn token(&self) -> &BearerToken {
        &self.token
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.lock().requests.clone()
    }

    /// Adds a stub and returns its index.
    pub(super) fn add(&self, expectation: Expectation, answer: Answer) -> usize {
        let mut state = self.lock();
        state.stubs.push(Held::new(expectation, answer));
        state.stubs.len() - 1
    }

    /// Changes the stub at this index.
    pub(super) fn change(&self, at: usize, change: impl FnOnce(&mut Held)) {
        if let Some(stub) = self.lock().stubs.get_mut(at) {
            change(stub);
        }
    }

    pub(super) fn answer(&self, request: Request<Bytes>) -> Reply {
        let asked = Asked::new(request);
        let mut state = self.lock();
        state.requests.push(asked.line());
        let mut nearest: Option<(usize, String)> = None;
        for stub in &mut state.stubs {
            match stub.answer(&asked, &self.token) {
                Ok(reply) => return reply,
                Err(miss) if nearest.as_ref().is_none_or(|(nearness, _)| *nearness < miss.nearness) => {
                    nearest = Some((miss.nearness, format!("the nearest stub is {stub}; but {}", miss.why)));
                }
                Err(_) => {}
            }
        }
        let nearest = nearest.map_or_else(|| "there is no stub".to_owned(), |(_, text)| text);
        let text = format!("{asked}; {nearest}");
        let reply = refusal::refuse(StatusCode::NOT_IMPLEMENTED, &format!("unexpected request: {text}")).into();
        state.unexpected.push(text);
        reply
    }

    /// Returns a report of unmet stubs and unexpected requests, or `None` if there are none.
    pub(super) fn unmet(&self) -> Option<String> {
        self.lock().unmet()
    }

    /// Same as `unmet`, but reports only once.
    pub(super) fn tell_unmet(&self) -> Option<String> {
        let mut state = self.lock();
        let unmet = if state.told { None } else { state.unmet() };
        state.told |= unmet.is_some();
        unmet
    }

    /// A closure of the test may panic while the lock is held. The counts are still valid, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn unmet(&self) -> Option<String> {
        let stubs: Vec<String> = self.stubs.iter().filter(|stub| !stub.is_met()).map(Held::report).collect();
        if stubs.is_empty() && self.unexpected.is_empty() {
            return None;
        }
        let section = |title: &str, lines: &[String]| {
            let lines = lines.iter().map(|line| format!("\n  - {line}"));
            if lines.len() == 0 { String::new() } else { format!("\n{title}:{}", lines.collect::<String>()) }
        };
        Some(format!(
            "the API was not asked as the test says{}{}{}",
            section("stubs that were not met", &stubs),
            section("requests that no stub was for", &self.unexpected),
            section("all requests", &self.requests),
        ))
    }
}
