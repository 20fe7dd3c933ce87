//! The state of one run: the results of its sentences, and the requests that they are about.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use leadapi_core::{auth::BearerToken, http::Operation, model::IdempotencyKey};
use serde_json::{Value, json};

use super::{
    ask::Ask,
    report::{Outcome, Report, Sentence, Stop, Violation},
    sender::{Sender, path_of},
    target::{Role, Target},
};
use crate::{
    shared::Shared,
    shown::{FOREIGN_CHARS, shown},
};

/// The id of a lead created for a check, or the reason why there is none.
pub(super) type Made = Result<String, Stop>;

/// One run of the suite.
pub(super) struct Run<'a> {
    shared: &'a Shared,
    pub(super) target: &'a Target,
    /// A random name, so that no idempotency key or absent id collides with another run.
    pub(super) name: String,
    sender: Sender<'a>,
    sentences: Mutex<Vec<Sentence>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(shared: &'a Shared, target: &'a Target) -> Self {
        Self {
            shared,
            target,
            name: IdempotencyKey::random().as_str().to_owned(),
            sender: Sender::new(shared, target),
            sentences: Mutex::default(),
        }
    }

    /// Runs the check of a sentence and records its result.
    pub(super) async fn check<T>(
        &self,
        section: &'static str,
        text: impl Into<String>,
        check: impl Future<Output = Result<T, Stop>>,
    ) {
        let begun = self.shared.timer.now();
        let outcome = check.await.map(drop);
        let took = self.shared.timer.now().saturating_sub(begun);
        self.note(section, text.into(), outcome, took);
    }

    fn note(&self, section: &'static str, text: String, outcome: Result<(), Stop>, took: Duration) {
        let outcome = match outcome {
            Ok(()) => Outcome::Holds,
            Err(Stop::Skipped(reason)) => Outcome::Skipped(reason),
            Err(Stop::Broken(Violation { asked, expected, came })) => Outcome::Broken(Violation {
                asked: self.shown(&asked),
                expected: self.shown(&expected),
                came: self.shown(&came),
            }),
        };
        let sentence = Sentence { section, text, outcome, took };
        self.sentences.lock().unwrap_or_else(PoisonError::into_inner).push(sentence);
    }

    fn shown(&self, text: &str) -> String {
        shown(text, &self.shared.origin.token, 3 * FOREIGN_CHARS)
    }

    /// Deletes the created leads and returns the report.
    pub(super) async fn finish(self) -> Report {
        let mut left_behind = Vec::new();
        for (role, id) in self.sender.take_made() {
            let deleted = self.ask("DELETE", path_of(&id)).by(role).send().await;
            if !deleted.is_ok_and(|answer| matches!(answer.status.as_u16(), 204 | 404)) {
                left_behind.push(id);
            }
        }
        for (section, text, outcome) in self.sender.take_rules().outcomes() {
            self.note(section, text.to_owned(), outcome, Duration::ZERO);
        }
        let sentences = self.sentences.into_inner().unwrap_or_else(PoisonError::into_inner);
        Report { sentences, left_behind }
    }

    // Requests.

    pub(super) fn ask(&self, method: &'static str, path: impl Into<String>) -> Ask<'_> {
        Ask::new(&self.sender, method, path)
    }

    pub(super) fn get(&self, path: impl Into<String>) -> Ask<'_> {
        self.ask("GET", path)
    }

    pub(super) fn post(&self, body: &Value) -> Ask<'_> {
        self.ask("POST", "/leads").json(body)
    }

    pub(super) fn get_lead(&self, made: &Made) -> Ask<'_> {
        self.about("GET", made)
    }

    pub(super) fn patch(&self, made: &Made, body: &Value) -> Ask<'_> {
        self.about("PATCH", made).json(body)
    }

    pub(super) fn delete(&self, made: &Made) -> Ask<'_> {
        self.about("DELETE", made)
    }

    /// A request about a lead created for the check.
    pub(super) fn about(&self, method: &'static str, made: &Made) -> Ask<'_> {
        match made {
            Ok(id) => self.ask(method, path_of(id)),
            Err(stop) => self.ask(method, "/leads").stopped(Some(stop.clone())),
        }
    }

    /// Returns an id that no record has.
    pub(super) fn never(&self) -> String {
        format!("never-{}", self.name)
    }

    /// A new lead with the two required members and these.
    pub(super) fn new_lead(&self, more: &Value) -> Value {
        let mut lead = json!({"client_id": self.target.client_id, "name": "Contract check"});
        if let (Some(lead), Some(more)) = (lead.as_object_mut(), more.as_object()) {
            lead.extend(more.clone());
        }
        lead
    }

    /// Creates a lead for a check.
    pub(super) async fn made(&self, more: &Value) -> Made {
        Ok(self.post(&self.new_lead(more)).answers(201).await?.text("id").to_owned())
    }

    pub(super) fn token(&self, role: Role) -> Result<&BearerToken, Stop> {
        self.sender.token(role)
    }

    /// Waits for the rate limit, and reports the wait as a call does.
    pub(super) async fn wait(&self, operation: Operation, duration: Duration) {
        self.sender.wait(operation, duration).await;
    }

    /// Returns the base path, without the host.
    pub(super) fn base_path(&self) -> &str {
        &self.sender.base_path
    }
}
