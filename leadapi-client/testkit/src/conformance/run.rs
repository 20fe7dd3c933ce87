//! The state of a run: the results so far, and helpers for sending requests.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use leadapi_core::{auth::BearerToken, http::Operation, model::IdempotencyKey};
use serde_json::{Value, json};

use super::{
    report::{Outcome, Report, Sentence, Stop, Violation},
    request::TestRequest,
    sender::{Sender, path_of},
    target::{Role, Target},
};
use leadapi_client::{Client, WaitReason};

/// The maximum number of characters of each string in a violation.
const MAX_CHARS: usize = 600;

/// The id of a lead created for a check, or the reason why it could not be created.
pub(super) type CreatedLead = Result<String, Stop>;

/// One run of the suite.
pub(super) struct Run<'a> {
    client: &'a Client,
    pub(super) target: &'a Target,
    /// A random name, which keeps the idempotency keys and the absent ids of different runs from colliding.
    pub(super) name: String,
    sender: Sender<'a>,
    sentences: Mutex<Vec<Sentence>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(client: &'a Client, target: &'a Target) -> Self {
        Self {
            client,
            target,
            name: IdempotencyKey::random().as_str().to_owned(),
            sender: Sender::new(client, target),
            sentences: Mutex::default(),
        }
    }

    /// Checks a requirement of the contract and records the result.
    pub(super) async fn check<T>(
        &self,
        section: &'static str,
        text: impl Into<String>,
        check: impl Future<Output = Result<T, Stop>>,
    ) {
        let started_at = self.client.timer().now();
        let outcome = check.await.map(drop);
        let took = self.client.timer().now().saturating_sub(started_at);
        self.record(section, text.into(), outcome, took);
    }

    fn record(&self, section: &'static str, text: String, outcome: Result<(), Stop>, took: Duration) {
        let outcome = match outcome {
            Ok(()) => Outcome::Holds,
            Err(Stop::Skipped(reason)) => Outcome::Skipped(reason),
            Err(Stop::Broken(Violation { request, expected, actual })) => Outcome::Broken(Violation {
                request: self.redact(&request),
                expected: self.redact(&expected),
                actual: self.redact(&actual),
            }),
        };
        let sentence = Sentence { section, text, outcome, took };
        self.sentences.lock().unwrap_or_else(PoisonError::into_inner).push(sentence);
    }

    fn redact(&self, text: &str) -> String {
        self.client.redact(text, MAX_CHARS)
    }

    /// Deletes the created leads and returns the report.
    pub(super) async fn finish(self) -> Report {
        let mut left_behind = Vec::new();
        for (role, id) in self.sender.take_created() {
            let deleted = self.request("DELETE", path_of(&id)).with_token(role).send().await;
            if !deleted.is_ok_and(|response| matches!(response.status.as_u16(), 204 | 404)) {
                left_behind.push(id);
            }
        }
        for (section, text, outcome) in self.sender.take_rules().outcomes() {
            self.record(section, text.to_owned(), outcome, Duration::ZERO);
        }
        let sentences = self.sentences.into_inner().unwrap_or_else(PoisonError::into_inner);
        Report { sentences, left_behind }
    }

    pub(super) fn request(&self, method: &'static str, path: impl Into<String>) -> TestRequest<'_> {
        TestRequest::new(&self.sender, method, path)
    }

    pub(super) fn get(&self, path: impl Into<String>) -> TestRequest<'_> {
        self.request("GET", path)
    }

    pub(super) fn post(&self, body: &Value) -> TestRequest<'_> {
        self.request("POST", "/leads").json(body)
    }

    pub(super) fn get_lead(&self, lead: &CreatedLead) -> TestRequest<'_> {
        self.request_lead("GET", lead)
    }

    pub(super) fn patch(&self, lead: &CreatedLead, body: &Value) -> TestRequest<'_> {
        self.request_lead("PATCH", lead).json(body)
    }

    pub(super) fn delete(&self, lead: &CreatedLead) -> TestRequest<'_> {
        self.request_lead("DELETE", lead)
    }

    /// Creates a request for a lead that was created for the check.
    pub(super) fn request_lead(&self, method: &'static str, lead: &CreatedLead) -> TestRequest<'_> {
        match lead {
            Ok(id) => self.request(method, path_of(id)),
            Err(stop) => self.request(method, "/leads").stopped(Some(stop.clone())),
        }
    }

    /// Returns an id that no record has.
    pub(super) fn absent_id(&self) -> String {
        format!("never-{}", self.name)
    }

    /// Returns a new lead with the two required members and the members in `more`.
    pub(super) fn new_lead(&self, more: &Value) -> Value {
        let mut lead = json!({"client_id": self.target.client_id, "name": "Contract check"});
        if let (Some(lead), Some(more)) = (lead.as_object_mut(), more.as_object()) {
            lead.extend(more.clone());
        }
        lead
    }

    /// Returns a new lead as JSON text, with the two required members followed by `members`, which may be invalid JSON.
    pub(super) fn new_lead_text(&self, members: &str) -> String {
        format!(r#"{{"client_id":{},"name":"Contract check",{members}}}"#, json!(self.target.client_id))
    }

    pub(super) async fn create_lead(&self, more: &Value) -> CreatedLead {
        Ok(self.post(&self.new_lead(more)).expect_status(201).await?.text("id").to_owned())
    }

    pub(super) fn token(&self, role: Role) -> Result<&BearerToken, Stop> {
        self.sender.token(role)
    }

    /// Waits for the rate limit, and reports the wait to the client's `on_wait` callback.
    pub(super) async fn wait(&self, operation: Operation, duration: Duration) {
        self.client.wait(operation, WaitReason::RateLimited, duration).await;
    }

    /// Returns the base path, without the host.
    pub(super) fn base_path(&self) -> &str {
        &self.sender.base_path
    }
}
