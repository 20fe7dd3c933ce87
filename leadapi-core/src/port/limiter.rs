//! Who counts requests (contract 8 and D9).

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use crate::{BoxError, auth::Scope, id::TokenId};

/// Which of a token's two counts a request belongs to (contract D9).
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

/// What a limiter says to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It may go on, and has been counted.
    Admitted,
    /// It may not, and has not been counted.
    Refused {
        /// A caller that is alone on its token and waits so long is admitted.
        retry_after: Duration,
    },
}

/// Counts requests by token and class (contract D9).
///
/// The service calls it once for each request that got past its token, and for no other. A host implements it to share
/// the count between processes.
///
/// The check and the count are one atomic step. In no half-open interval of the window are more requests admitted than
/// the limit; a request is refused only if the window before it is full. It measures time on a monotonic clock of its
/// own. An error is answered with 500: a host that would rather go on uncounted answers [`Admission::Admitted`].
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
