//! The port for rate limiting (contract 8 and D9).

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use crate::{BoxError, auth::Scope, id::TokenId};

/// The class of a request. A token's reads and writes are counted separately (contract D9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// GET and HEAD.
    Read,
    /// POST, PATCH and DELETE.
    Write,
}

impl From<Scope> for Class {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Read => Self::Read,
            Scope::Write => Self::Write,
        }
    }
}

/// A limiter's decision on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The request may proceed and was counted.
    Admitted,
    /// The request must be refused and was not counted.
    Refused {
        /// The time after which a retry is admitted, provided that no other request of the same token and class is
        /// admitted in the meantime.
        retry_after: Duration,
    },
}

/// A rate limiter that counts requests by token and class (contract D9).
///
/// The service calls the limiter once for each request that matches an operation and has a valid token, and for no
/// other request. A host can implement this trait to share counts between processes.
///
/// The limiter must check and count a request in one atomic step. No half-open interval of the window's length may
/// contain more admitted requests than the limit. The limiter may refuse a request only if the window that ends at the
/// request's arrival is already full. The limiter reads the time from its own clock.
///
/// Test an implementation with `run_limiter` and `run_shared_limiter` in the crate `leadapi-conformance`.
///
/// If the limiter returns an error, the service responds with 500. To serve requests uncounted while the limiter is
/// down, return [`Admission::Admitted`] instead.
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Admits and counts a request, or refuses it.
    async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError>;
}

macro_rules! by_pointer {
    ($($pointer:ident)*) => {$(
        #[async_trait]
        impl<T: RateLimiter + ?Sized> RateLimiter for $pointer<T> {
            async fn admit(&self, token: &TokenId, class: Class) -> Result<Admission, BoxError> {
                (**self).admit(token, class).await
            }
        }
    )*};
}

by_pointer! { Arc Box }
