//! The state of one run: the results, the created leads, and the way to send requests.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Method, Request, StatusCode, Uri, header::RETRY_AFTER};
use leadapi_core::{
    auth::BearerToken,
    http::{Operation, lead_path},
    id::LeadId,
    model::IdempotencyKey,
};
use serde_json::{Value, json};

use super::{
    answer::Answer,
    ask::Ask,
    report::{Outcome, Report, Sentence, Stop, Violation},
    rules::Rules,
    target::{Role, Target},
};
use crate::{
    shared::{Shared, Wait, WaitReason},
    shown::{FOREIGN_CHARS, shown},
    timer::within,
};

/// After this many consecutive requests without a response, no more are sent.
const GIVE_UP: u32 = 3;
/// Maximum number of waits for the rate limit per request. By then every window has passed.
const MOST_WAITS: u32 = 4;

/// The id of a lead created for a check, or the reason why there is none.
pub(super) type Made = Result<String, Stop>;

/// One run of the suite.
pub(super) struct Run<'a> {
    shared: &'a Shared,
    pub(super) target: &'a Target,
    /// A random name, so that no idempotency key or absent id collides with another run.
    pub(super) name: String,
    /// The base path, without the host.
    pub(super) base_path: String,
    sentences: Mutex<Vec<Sentence>>,
    rules: Mutex<Rules>,
    /// The leads to delete, each with the role that may delete it.
    made: Mutex<Vec<(Role, String)>>,
    unanswered: AtomicU32,
}

impl<'a> Run<'a> {
    pub(super) fn new(shared: &'a Shared, target: &'a Target) -> Self {
        let uri: Option<Uri> = shared.origin.base.as_str().parse().ok();
        let base_path = uri.map(|uri| uri.path().trim_end_matches('/').to_owned()).unwrap_or_default();
        Self {
            shared,
            target,
            name: IdempotencyKey::random().as_str().to_owned(),
            base_path,
            sentences: Mutex::default(),
            rules: Mutex::new(Rules::new(target)),
            made: Mutex::default(),
            unanswered: AtomicU32::new(0),
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
        lock(&self.sentences).push(Sentence { section, text, outcome, took });
    }

    fn shown(&self, text: &str) -> String {
        shown(text, &self.shared.origin.token, 3 * FOREIGN_CHARS)
    }

    /// Deletes the created leads and returns the report.
    pub(super) async fn finish(self) -> Report {
        let made = std::mem::take(&mut *lock(&self.made));
        let mut left_behind = Vec::new();
        for (role, id) in made {
            let deleted = self.ask("DELETE", path_of(&id)).by(role).send().await;
            if !deleted.is_ok_and(|answer| matches!(answer.status.as_u16(), 204 | 404)) {
                left_behind.push(id);
            }
        }
        let rules = std::mem::take(&mut *lock(&self.rules));
        for (section, text, outcome) in rules.outcomes() {
            self.note(section, text.to_owned(), outcome, Duration::ZERO);
        }
        let sentences = self.sentences.into_inner().unwrap_or_else(PoisonError::into_inner);
        Report { sentences, left_behind }
    }

    // Requests.

    pub(super) fn ask(&self, method: &'static str, path: impl Into<String>) -> Ask<'_> {
        Ask::new(self, method, path)
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
        if role == Role::Both { Ok(&self.shared.origin.token) } else { self.target.token(role) }
    }

    pub(super) fn url(&self, path: &str) -> String {
        self.shared.origin.base.join(path)
    }

    /// Waits for the rate limit, and reports the wait as a call does.
    pub(super) async fn wait(&self, operation: Operation, duration: Duration) {
        if let Some(on_wait) = &self.shared.on_wait {
            on_wait(&Wait { operation, reason: WaitReason::RateLimited, duration, failed_attempts: 0 });
        }
        self.shared.timer.sleep(duration).await;
    }

    /// Sends a request with the token of a role, if any. Retries it when it is rate limited, except in checks of the
    /// rate limit itself.
    pub(super) async fn send(&self, request: Request<Bytes>, by: Option<Role>, asked: String) -> Result<Answer, Stop> {
        let mut waits = 0;
        loop {
            let answer = self.send_once(&request, by, &asked).await?;
            let is_limited = answer.status == StatusCode::TOO_MANY_REQUESTS && by != Some(Role::RateLimits);
            if !is_limited || waits == MOST_WAITS {
                return Ok(answer);
            }
            let after = answer.header(RETRY_AFTER.as_str()).and_then(|after| after.parse().ok());
            let Some(after @ 1..=60) = after else {
                return Err(Stop::Broken(answer.broken("a 429 with Retry-After in whole seconds, 1 to 60")));
            };
            waits += 1;
            let operation = match *request.method() {
                Method::POST => Operation::CreateLead,
                Method::PATCH => Operation::UpdateLead,
                Method::DELETE => Operation::DeleteLead,
                _ => Operation::ListLeads,
            };
            self.wait(operation, Duration::from_secs(after)).await;
        }
    }

    async fn send_once(&self, request: &Request<Bytes>, by: Option<Role>, asked: &str) -> Result<Answer, Stop> {
        let broken =
            |came: String| Stop::Broken(Violation { asked: asked.to_owned(), expected: "an answer".to_owned(), came });
        if self.unanswered.load(Ordering::Relaxed) >= GIVE_UP {
            return Err(broken(format!("nothing was sent, because the last {GIVE_UP} requests have no answer")));
        }
        let sent = self.shared.transport.send(request.clone());
        let came = match within(&*self.shared.timer, self.target.timeout, sent).await {
            Some(Ok(response)) => {
                self.unanswered.store(0, Ordering::Relaxed);
                let path = request.uri().path();
                let path = path.strip_prefix(self.base_path.as_str()).unwrap_or(path).to_owned();
                let answer = Answer::new(asked.to_owned(), path, *request.method() == Method::HEAD, response);
                self.observe(request, by, &answer);
                return Ok(answer);
            }
            Some(Err(error)) => {
                if error.is_connect() || error.is_timeout() {
                    self.unanswered.fetch_add(1, Ordering::Relaxed);
                }
                error.to_string()
            }
            None => {
                self.unanswered.fetch_add(1, Ordering::Relaxed);
                format!("nothing within {:?}", self.target.timeout)
            }
        };
        Err(broken(came))
    }

    /// Applies the rules for all responses, and remembers created leads.
    fn observe(&self, request: &Request<Bytes>, by: Option<Role>, answer: &Answer) {
        lock(&self.rules).look(answer);
        if *request.method() == Method::POST && answer.status == StatusCode::CREATED {
            let owner = by.filter(|role| *role == Role::OtherBusiness).unwrap_or(Role::Both);
            let made = (owner, answer.text("id").to_owned());
            let mut all = lock(&self.made);
            if !all.contains(&made) && !made.1.is_empty() {
                all.push(made);
            }
        }
        if *request.method() == Method::DELETE && answer.status == StatusCode::NO_CONTENT {
            lock(&self.made).retain(|(_, id)| path_of(id) != answer.path);
        }
    }
}

/// Returns the path of a lead below the base path.
pub(super) fn path_of(id: &str) -> String {
    // An id that cannot exist is sent unescaped.
    LeadId::parse(id).map_or_else(|_| format!("/leads/{id}"), |id| lead_path(&id))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
