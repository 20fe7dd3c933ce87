//! Sends a run's requests, checks the responses against the rules, and records the leads that they create.

use std::{
    mem,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::{Method, Request, StatusCode, Uri, header::RETRY_AFTER};
use leadapi_core::{
    auth::BearerToken,
    http::{Operation, lead_path},
    id::LeadId,
};

use super::{
    report::{Stop, Violation},
    response::CheckedResponse,
    rules::Rules,
    target::{Role, Target},
};
use leadapi_client::{Client, WaitReason};

/// The number of consecutive connection failures and timeouts after which the suite stops sending requests.
const GIVE_UP: u32 = 3;
/// The maximum number of rate-limit waits per request. If the service still responds with 429, the check receives that
/// response.
const MOST_WAITS: u32 = 4;

/// Sends requests to the implementation through the client's transport, with the target's tokens.
pub(super) struct Sender<'a> {
    client: &'a Client,
    target: &'a Target,
    /// The base path, without the host.
    pub(super) base_path: String,
    rules: Mutex<Rules>,
    /// The leads to delete, each with the role that may delete it.
    created: Mutex<Vec<(Role, String)>>,
    without_response: AtomicU32,
}

impl<'a> Sender<'a> {
    pub(super) fn new(client: &'a Client, target: &'a Target) -> Self {
        let uri: Option<Uri> = client.base_url().parse().ok();
        let base_path = uri.map(|uri| uri.path().trim_end_matches('/').to_owned()).unwrap_or_default();
        Self {
            client,
            target,
            base_path,
            rules: Mutex::new(Rules::new(target)),
            created: Mutex::default(),
            without_response: AtomicU32::new(0),
        }
    }

    /// Takes the list of created leads that have not been deleted, leaving an empty list.
    pub(super) fn take_created(&self) -> Vec<(Role, String)> {
        mem::take(&mut *lock(&self.created))
    }

    /// Takes the rules with their results so far, leaving none.
    pub(super) fn take_rules(&self) -> Rules {
        mem::take(&mut *lock(&self.rules))
    }

    pub(super) fn token(&self, role: Role) -> Result<&BearerToken, Stop> {
        if role == Role::Both { Ok(self.client.token()) } else { self.target.token(role) }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.client.base_url())
    }

    /// Sends a request and returns its response. `by` is the role of the token in the request, if any. A rate-limited
    /// request is retried, except in the checks of rate limits.
    pub(super) async fn send(
        &self,
        request: Request<Bytes>,
        by: Option<Role>,
        description: String,
    ) -> Result<CheckedResponse, Stop> {
        let mut waits = 0;
        loop {
            let response = self.send_once(&request, by, &description).await?;
            let is_limited = response.status == StatusCode::TOO_MANY_REQUESTS && by != Some(Role::RateLimits);
            if !is_limited || waits == MOST_WAITS {
                return Ok(response);
            }
            let after = response.header(RETRY_AFTER.as_str()).and_then(|after| after.parse().ok());
            let Some(after @ 1..=60) = after else {
                return Err(Stop::Broken(response.violation("a 429 with Retry-After in whole seconds, 1 to 60")));
            };
            waits += 1;
            let operation = match *request.method() {
                Method::POST => Operation::CreateLead,
                Method::PATCH => Operation::UpdateLead,
                Method::DELETE => Operation::DeleteLead,
                _ => Operation::ListLeads,
            };
            self.client.wait(operation, WaitReason::RateLimited, Duration::from_secs(after)).await;
        }
    }

    async fn send_once(
        &self,
        request: &Request<Bytes>,
        by: Option<Role>,
        description: &str,
    ) -> Result<CheckedResponse, Stop> {
        let broken = |actual: String| {
            Stop::Broken(Violation { request: description.to_owned(), expected: "a response".to_owned(), actual })
        };
        if self.without_response.load(Ordering::Relaxed) >= GIVE_UP {
            return Err(broken(format!("not sent, because the last {GIVE_UP} requests received no response")));
        }
        let sent = self.client.transport().send(request.clone());
        let actual = match select(sent, self.client.timer().sleep(self.target.timeout)).await {
            Either::Left((Ok(response), _)) => {
                self.without_response.store(0, Ordering::Relaxed);
                let path = request.uri().path();
                let path = path.strip_prefix(self.base_path.as_str()).unwrap_or(path).to_owned();
                let response =
                    CheckedResponse::new(description.to_owned(), path, *request.method() == Method::HEAD, response);
                self.observe(request, by, &response);
                return Ok(response);
            }
            Either::Left((Err(error), _)) => {
                if error.is_connect() || error.is_timeout() {
                    self.without_response.fetch_add(1, Ordering::Relaxed);
                }
                error.to_string()
            }
            Either::Right(_) => {
                self.without_response.fetch_add(1, Ordering::Relaxed);
                format!("no response within {:?}", self.target.timeout)
            }
        };
        Err(broken(actual))
    }

    /// Checks the response against the rules, and keeps track of which created leads still exist.
    fn observe(&self, request: &Request<Bytes>, by: Option<Role>, response: &CheckedResponse) {
        lock(&self.rules).apply(response);
        if *request.method() == Method::POST && response.status == StatusCode::CREATED {
            let owner = by.filter(|role| *role == Role::OtherBusiness).unwrap_or(Role::Both);
            let created = (owner, response.text("id").to_owned());
            let mut all = lock(&self.created);
            if !all.contains(&created) && !created.1.is_empty() {
                all.push(created);
            }
        }
        if *request.method() == Method::DELETE && response.status == StatusCode::NO_CONTENT {
            lock(&self.created).retain(|(_, id)| path_of(id) != response.path);
        }
    }
}

/// Returns the path of a lead below the base path.
pub(super) fn path_of(id: &str) -> String {
    // A malformed id cannot be parsed as a `LeadId`, so it is sent unescaped.
    LeadId::parse(id).map_or_else(|_| format!("/leads/{id}"), |id| lead_path(&id))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
