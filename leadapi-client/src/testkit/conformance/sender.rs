//! Sends the requests of a run, watches the responses, and remembers the leads that they create.

use std::{
    mem,
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
};

use super::{
    answer::Answer,
    report::{Stop, Violation},
    rules::Rules,
    target::{Role, Target},
};
use crate::{
    shared::{Shared, Wait, WaitReason},
    timer::within,
};

/// After this many consecutive requests without a response, no more are sent.
const GIVE_UP: u32 = 3;
/// Maximum number of waits for the rate limit per request. By then every window has passed.
const MOST_WAITS: u32 = 4;

/// The way to the implementation: the client's transport, and the tokens of the target.
pub(super) struct Sender<'a> {
    shared: &'a Shared,
    target: &'a Target,
    /// The base path, without the host.
    pub(super) base_path: String,
    rules: Mutex<Rules>,
    /// The leads to delete, each with the role that may delete it.
    made: Mutex<Vec<(Role, String)>>,
    unanswered: AtomicU32,
}

impl<'a> Sender<'a> {
    pub(super) fn new(shared: &'a Shared, target: &'a Target) -> Self {
        let uri: Option<Uri> = shared.origin.base.as_str().parse().ok();
        let base_path = uri.map(|uri| uri.path().trim_end_matches('/').to_owned()).unwrap_or_default();
        Self {
            shared,
            target,
            base_path,
            rules: Mutex::new(Rules::new(target)),
            made: Mutex::default(),
            unanswered: AtomicU32::new(0),
        }
    }

    /// Takes the created leads that have not been deleted.
    pub(super) fn take_made(&self) -> Vec<(Role, String)> {
        mem::take(&mut *lock(&self.made))
    }

    /// Takes the rules for all responses, with what was seen of them.
    pub(super) fn take_rules(&self) -> Rules {
        mem::take(&mut *lock(&self.rules))
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
