//! The builder for the service.

use std::{fmt, sync::Arc};

use super::{Inner, LeadService, route::Mount};
use crate::{
    clock::SystemClock,
    id_source::Uuids,
    port::{Clock, IdSource, RateLimiter, Store, TokenVerifier},
    rate_limit::{Limits, SlidingWindow},
};

/// The error for an invalid mount path. A valid path is empty, or begins with `/` and does not end with `/`. It
/// consists of visible ASCII characters and contains no `?`, `#` or `//`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a valid mount path: it must be empty or a path such as /api/v1")]
pub struct InvalidPath(String);

/// A builder for a [`LeadService`], created by [`LeadService::builder`]. Everything except the store and the verifier
/// has a default.
#[must_use = "`build` creates the service"]
pub struct LeadServiceBuilder {
    store: Box<dyn Store>,
    verifier: Box<dyn TokenVerifier>,
    limiter: Option<Box<dyn RateLimiter>>,
    clock: Box<dyn Clock>,
    ids: Box<dyn IdSource>,
    base_path: String,
    public_path: Option<String>,
}

impl LeadServiceBuilder {
    pub(super) fn new(store: impl Store + 'static, verifier: impl TokenVerifier + 'static) -> Self {
        Self {
            store: Box::new(store),
            verifier: Box::new(verifier),
            limiter: None,
            clock: Box::new(SystemClock),
            ids: Box::new(Uuids::default()),
            base_path: String::new(),
            public_path: None,
        }
    }

    /// Sets the rate limiter. The default is a [`SlidingWindow`] that admits 600 reads and 60 writes per token in 60 s
    /// (contract 8).
    ///
    /// ```
    /// # use leadapi_core::{
    /// #     clock::SystemClock,
    /// #     http::LeadService,
    /// #     id::LeadId,
    /// #     rate_limit::{Limits, SlidingWindow},
    /// #     tokens::StoredTokens,
    /// # };
    /// # use leadapi_memory::{MemoryStore, MemoryTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).limiter(SlidingWindow::new(Limits::default())).build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    pub fn limiter(mut self, limiter: impl RateLimiter + 'static) -> Self {
        self.limiter = Some(Box::new(limiter));
        self
    }

    /// Sets the clock. The default is the system clock.
    ///
    /// ```
    /// # use leadapi_core::{clock::SystemClock, http::LeadService, model::Timestamp, tokens::StoredTokens};
    /// # use leadapi_memory::{MemoryStore, MemoryTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).clock(|| Timestamp::UNIX_EPOCH).build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// Sets the source of ids for new leads. The default generates version 7 UUIDs (contract D4).
    ///
    /// ```
    /// # use leadapi_core::{clock::SystemClock, http::LeadService, id::LeadId, id_source::Uuids, tokens::StoredTokens};
    /// # use leadapi_memory::{MemoryStore, MemoryTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).ids(Uuids::default()).build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    pub fn ids(mut self, ids: impl IdSource + 'static) -> Self {
        self.ids = Box::new(ids);
        self
    }

    /// Sets the path before `/leads` in the requests that the service receives, such as `/v1`. The default is empty,
    /// for hosts that strip their prefix (contract D7).
    ///
    /// ```
    /// # use leadapi_core::{clock::SystemClock, http::LeadService, id::LeadId, tokens::StoredTokens};
    /// # use leadapi_memory::{MemoryStore, MemoryTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).base_path("/v1").build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    pub fn base_path(mut self, path: impl Into<String>) -> Self {
        self.base_path = path.into();
        self
    }

    /// Sets the path before `/leads` in the requests that callers send. `Location` begins with this path. The default
    /// is the base path. If the host strips a prefix, set this path to the full path, including the prefix (contract
    /// D2).
    ///
    /// ```
    /// # use leadapi_core::{clock::SystemClock, http::LeadService, id::LeadId, tokens::StoredTokens};
    /// # use leadapi_memory::{MemoryStore, MemoryTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).public_path("/crm/v1").build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    pub fn public_path(mut self, path: impl Into<String>) -> Self {
        self.public_path = Some(path.into());
        self
    }

    /// Builds the service.
    ///
    /// # Errors
    ///
    /// [`InvalidPath`] when the base path or the public path is invalid.
    pub fn build(self) -> Result<LeadService, InvalidPath> {
        let base = check(self.base_path)?;
        let public = self.public_path.map(check).transpose()?.unwrap_or_else(|| base.clone());
        Ok(LeadService {
            inner: Arc::new(Inner {
                store: self.store,
                verifier: self.verifier,
                // The default limiter is created only if the host sets no limiter, because its constructor reads the
                // monotonic clock, which the host's platform may lack.
                limiter: self.limiter.unwrap_or_else(|| Box::new(SlidingWindow::new(Limits::default()))),
                clock: self.clock,
                ids: self.ids,
                mount: Mount { base, public },
            }),
        })
    }
}

pub(crate) fn check(path: String) -> Result<String, InvalidPath> {
    let visible = path.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#'));
    let shaped = path.is_empty() || (path.starts_with('/') && !path.ends_with('/') && !path.contains("//"));
    if visible && shaped { Ok(path) } else { Err(InvalidPath(path)) }
}

impl fmt::Debug for LeadServiceBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeadServiceBuilder").field("base_path", &self.base_path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_path_is_empty_or_begins_with_a_slash() {
        for good in ["", "/v1", "/api/v1"] {
            assert!(check(good.into()).is_ok());
        }
        for bad in ["/", "v1", "/v1/", "//v1", "/v 1", "/v1?x", "/ü"] {
            assert_eq!(check(bad.into()), Err(InvalidPath(bad.into())));
        }
    }
}
