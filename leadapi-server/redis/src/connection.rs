//! The connection that all requests share. A task checks it and replaces it after a failure.
//!
//! Requests never open connections, so a server makes at most one attempt to connect at a time, regardless of its load.

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};

use leadapi_core::port::Admission;
use redis::aio::MultiplexedConnection;
use tokio::{
    sync::{Notify, watch},
    time::{sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;
use tracing::{info, warn};

use super::{
    RedisLimiterError, RedisUrl, admission,
    connect::{check, connect},
};

/// The interval between checks, which detect failures and changes of the server's role even without requests.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The maximum delay between two connection attempts.
const MAX_BACKOFF: Duration = Duration::from_secs(1);
const MIN_BACKOFF: Duration = Duration::from_millis(100);

/// A handle to the shared connection and its task. Dropping the handle ends the task.
pub(super) struct Connection {
    state: watch::Receiver<State>,
    /// Notifies the task that a request has failed.
    failed: Arc<Notify>,
    _task: AbortOnDropHandle<()>,
}

enum State {
    Up(MultiplexedConnection),
    /// A request has failed, or the connection is lost. Requests wait for the outcome of the check or of the first
    /// reconnection attempt.
    Unknown,
    /// No connection could be established. Requests fail immediately.
    Down(RedisLimiterError),
}

impl Connection {
    /// Starts the task with the result of the first connection attempt.
    pub(super) fn start(url: RedisUrl, first: Result<MultiplexedConnection, RedisLimiterError>) -> Self {
        let first_state = match &first {
            Ok(connection) => State::Up(connection.clone()),
            Err(error) => State::Down(error.clone()),
        };
        let (publish, state) = watch::channel(first_state);
        let failed = Arc::new(Notify::new());
        let task = Task { url, publish, failed: failed.clone() };
        Self { state, failed, _task: AbortOnDropHandle::new(tokio::spawn(task.run(first.ok()))) }
    }

    /// Returns the connection, or the error of the last attempt to connect. Waits while the state is unknown.
    pub(super) async fn get(&self) -> Result<MultiplexedConnection, RedisLimiterError> {
        let mut state = self.state.clone();
        match state.wait_for(|state| !matches!(state, State::Unknown)).await.as_deref() {
            Ok(State::Up(connection)) => Ok(connection.clone()),
            Ok(State::Down(error)) => Err(error.clone()),
            Ok(State::Unknown) | Err(_) => Err(RedisLimiterError::Failed("the connection is lost".to_owned())),
        }
    }

    /// Admits and counts a request, or refuses it, within a time limit.
    pub(super) async fn admit(
        &self,
        key: &str,
        limit: u32,
        time_limit: Duration,
    ) -> Result<Admission, RedisLimiterError> {
        let admitted = timeout(time_limit, async {
            let mut connection = self.get().await?;
            let admitted = admission::admit(&mut connection, key, limit).await;
            admitted.map_err(|error| {
                self.failed.notify_one();
                error.into()
            })
        });
        admitted.await.unwrap_or_else(|_| {
            self.failed.notify_one();
            Err(RedisLimiterError::TimedOut(time_limit))
        })
    }
}

struct Task {
    url: RedisUrl,
    publish: watch::Sender<State>,
    failed: Arc<Notify>,
}

impl Task {
    async fn run(self, mut connection: Option<MultiplexedConnection>) {
        loop {
            let live = if let Some(live) = connection.take() {
                live
            } else {
                let live = self.reconnect().await;
                info!(redis = %self.url, "the rate limiter can use Redis again");
                live
            };
            self.publish.send_replace(State::Up(live.clone()));
            let error = self.watch(live).await;
            self.publish.send_replace(State::Unknown);
            warn!(redis = %self.url, %error, "the rate limiter cannot use Redis");
        }
    }

    /// Checks the connection until it fails.
    async fn watch(&self, mut connection: MultiplexedConnection) -> RedisLimiterError {
        loop {
            let has_failed = timeout(CHECK_INTERVAL, self.failed.notified()).await.is_ok();
            if has_failed {
                // Until the check has passed, more requests would only wait in the same queue, and a frozen server
                // would count all of them when it resumes.
                self.publish.send_replace(State::Unknown);
            }
            if let Err(error) = check(&mut connection).await {
                return error;
            }
            if has_failed {
                self.publish.send_replace(State::Up(connection.clone()));
            }
        }
    }

    async fn reconnect(&self) -> MultiplexedConnection {
        let mut backoff = MIN_BACKOFF;
        loop {
            match connect(&self.url).await {
                Ok(connection) => return connection,
                Err(error) => self.publish.send_replace(State::Down(error)),
            };
            sleep(with_jitter(backoff)).await;
            backoff = (backoff * 2).min(MAX_BACKOFF);
        }
    }
}

/// Shortens a time by up to half, so that servers that lost their connections at the same time do not all reconnect at
/// once.
fn with_jitter(time: Duration) -> Duration {
    let random = RandomState::new().hash_one(()) % 501;
    time / 2 + time / 1_000 * u32::try_from(random).unwrap_or_default()
}
