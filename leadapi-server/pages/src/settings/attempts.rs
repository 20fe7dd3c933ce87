//! Limits on sign-ins and on lookups of sessions.
//!
//! Secrets are too long to guess, so the only purpose of the limits is to keep strangers from overloading the store.
//! They never refuse a correct secret: only failures count, and only failures are refused.

use std::{net::IpAddr, time::Duration};

use leadapi_access::{KeyedRate, LookupLimit, counted_address};

use super::problem::Problem;

/// How many sign-ins from one IPv4 address or IPv6 /64 network may fail at once, before the response is 429.
const FAILURES: u32 = 10;
/// The interval after which one more sign-in may fail.
const FAILURE_INTERVAL: Duration = Duration::from_secs(6);

/// The lookups and the failures of each address. Peers without an address count together.
#[derive(Debug)]
pub(super) struct Attempts {
    lookups: LookupLimit,
    failures: KeyedRate<Option<IpAddr>>,
    /// The log lines about too many failures.
    warnings: KeyedRate<()>,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            lookups: LookupLimit::new(),
            failures: KeyedRate::new(FAILURES, FAILURE_INTERVAL),
            warnings: KeyedRate::new(FAILURES, FAILURE_INTERVAL),
        }
    }
}

impl Attempts {
    /// Runs a sign-in. After too many failed sign-ins from the same address, returns [`Problem::TooManyAttempts`] in
    /// place of the error of another failed one. A successful sign-in is not affected.
    pub(super) async fn sign_in<T>(
        &self,
        address: Option<IpAddr>,
        sign_in: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let failure = match self.look_up(address, sign_in).await {
            Err(failure @ (Problem::InvalidLink | Problem::NotAllowed | Problem::NotFound)) => failure,
            other => return other,
        };
        let source = address.map(counted_address);
        if self.failures.admit(source) {
            return Err(failure);
        }
        if self.warnings.admit(()) {
            tracing::warn!(?address, "too many attempts to sign in to the API settings");
        }
        Err(Problem::TooManyAttempts(self.failures.wait(&source).as_secs() + 1))
    }

    /// Runs a lookup of a session or a sign-in link when its turn has come. Fails if too many are waiting.
    pub(super) async fn look_up<T>(
        &self,
        address: Option<IpAddr>,
        look_up: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let permit = self.lookups.acquire(address).await.ok_or(Problem::TooManyAttempts(1))?;
        let result = look_up.await;
        let has_failed = matches!(
            result,
            Err(Problem::InvalidLink | Problem::NotFound | Problem::SignedOut | Problem::TooManySessions(_))
        );
        if !has_failed {
            permit.found();
        }
        result
    }
}
