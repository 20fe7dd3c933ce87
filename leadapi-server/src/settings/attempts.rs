//! Limits sign-in attempts.
//!
//! A link's secret is too long to guess. The limit keeps attempts from overloading the store, and the log shows when it
//! is exceeded. It also applies to people whose identity a proxy has verified. Another site can make their browsers
//! request pages without the session cookie, and each of these requests starts a session.

use std::{net::IpAddr, num::NonZeroU32};

use leadapi_core::{
    id::TokenId,
    memory::{Limits, SlidingWindow},
    port::{Admission, Class},
};

use super::problem::Problem;
use crate::listen::counted_address;

/// The maximum number of attempts from one IPv4 address or IPv6 /64 network in 60 seconds.
const PER_ADDRESS: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// The attempts of each address in the last 60 seconds.
#[derive(Debug)]
pub(super) struct Attempts(SlidingWindow);

impl Default for Attempts {
    fn default() -> Self {
        Self(SlidingWindow::new(Limits::new(PER_ADDRESS, PER_ADDRESS)))
    }
}

impl Attempts {
    /// Counts an attempt, or refuses it if there were too many from the same address. `SlidingWindow` counts by token
    /// id, so the address serves as the id. All attempts through a Unix socket that have no forwarded address count
    /// together.
    pub(super) fn admit(&self, address: Option<IpAddr>) -> Result<(), Problem> {
        let key = address.map_or_else(|| "unix".to_owned(), |address| counted_address(address).to_string());
        let key = TokenId::parse(key).map_err(|_| Problem::Failed)?;
        match self.0.check(&key, Class::Write) {
            Admission::Admitted => Ok(()),
            Admission::Refused { retry_after } => {
                tracing::warn!(?address, "too many attempts to sign in to the API settings");
                Err(Problem::TooManyAttempts(retry_after.as_secs().max(1)))
            }
        }
    }
}
