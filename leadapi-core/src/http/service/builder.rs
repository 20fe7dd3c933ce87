//! How a host puts the service together.

use std::{fmt, sync::Arc};

use super::{Inner, LeadService, encode::Pages, route::Mount};
use crate::{
    memory::{Limits, SlidingWindow, SystemClock, Uuids},
    port::{Clock, IdSource, RateLimiter, Store, TokenVerifier},
};

/// A path to mount at must be empty or begin with `/`, end without one, and be visible ASCII without `?`, `#` and `//`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no path to mount at, it must be empty or like /api/v1")]
pub struct InvalidPath(String);

/// Puts a [`LeadService`] together; only the store and the verifier have no default.
pub struct Builder {
    store: Box<dyn Store>,
    verifier: Box<dyn TokenVerifier>,
    limiter: Option<Box<dyn RateLimiter>>,
    clock: Box<dyn Clock>,
    ids: Box<dyn IdSource>,
    base_path: String,
    public_path: Option<String>,
}

impl Builder {
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

    /// Who counts requests; by default a [`SlidingWindow`] of 600 reads and 60 writes in 60 s (contract 8).
    ///
    /// ```
    /// # use leadapi_core::{http::LeadService, id::LeadId, memory::*, tokens::StoredTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).limiter(SlidingWindow::new(Limits::default())).build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    #[must_use]
    pub fn limiter(mut self, limiter: impl RateLimiter + 'static) -> Self {
        self.limiter = Some(Box::new(limiter));
        self
    }

    /// What time it is; by default the system's.
    ///
    /// ```
    /// # use leadapi_core::{http::LeadService, id::LeadId, memory::*, tokens::StoredTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).clock(|| "2026-05-04T12:00:00Z".parse().unwrap_or_default()).build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// Where the ids of new leads come from; by default UUIDs of version 7 (contract D4).
    ///
    /// ```
    /// # use leadapi_core::{http::LeadService, id::LeadId, memory::*, tokens::StoredTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).ids(Uuids::default()).build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    #[must_use]
    pub fn ids(mut self, ids: impl IdSource + 'static) -> Self {
        self.ids = Box::new(ids);
        self
    }

    /// What stands before `/leads` in the requests that arrive, such as `/v1`; nothing by default, for hosts that strip
    /// their prefix (contract D7).
    ///
    /// ```
    /// # use leadapi_core::{http::LeadService, id::LeadId, memory::*, tokens::StoredTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).base_path("/v1").build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    #[must_use]
    pub fn base_path(mut self, path: impl Into<String>) -> Self {
        self.base_path = path.into();
        self
    }

    /// What stands before `/leads` in the requests that callers send, for `Location`; by default the base path. A host
    /// that strips a prefix names it here (contract D2).
    ///
    /// ```
    /// # use leadapi_core::{http::LeadService, id::LeadId, memory::*, tokens::StoredTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).public_path("/crm/v1").build()?;
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    #[must_use]
    pub fn public_path(mut self, path: impl Into<String>) -> Self {
        self.public_path = Some(path.into());
        self
    }

    /// The service.
    ///
    /// # Errors
    ///
    /// [`InvalidPath`] when one of the two paths is none.
    pub fn build(self) -> Result<LeadService, InvalidPath> {
        let base = check(self.base_path)?;
        let public = self.public_path.map(check).transpose()?.unwrap_or_else(|| base.clone());
        Ok(LeadService {
            inner: Arc::new(Inner {
                store: self.store,
                verifier: self.verifier,
                // Made last, because it asks the system for its clock, which a host with its own limiter may not have.
                limiter: self.limiter.unwrap_or_else(|| Box::new(SlidingWindow::new(Limits::default()))),
                clock: self.clock,
                ids: self.ids,
                mount: Mount { base, public },
                pages: Pages::default(),
            }),
        })
    }
}

pub(crate) fn check(path: String) -> Result<String, InvalidPath> {
    let visible = path.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#'));
    let shaped = path.is_empty() || (path.starts_with('/') && !path.ends_with('/') && !path.contains("//"));
    if visible && shaped { Ok(path) } else { Err(InvalidPath(path)) }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("base_path", &self.base_path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_to_mount_at() {
        for good in ["", "/v1", "/api/v1"] {
            assert!(check(good.into()).is_ok());
        }
        for bad in ["/", "v1", "/v1/", "//v1", "/v 1", "/v1?x", "/ü"] {
            assert_eq!(check(bad.into()), Err(InvalidPath(bad.into())));
        }
    }
}
