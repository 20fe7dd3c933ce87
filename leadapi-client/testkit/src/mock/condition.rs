//! The conditions of a stub. Each condition can explain why a request does not match it.

use std::fmt;

use leadapi_core::model::Window;
use serde::de::DeserializeOwned;

use super::request::ReceivedRequest;

/// A condition that a request must satisfy to match a stub.
pub(super) struct Condition {
    /// The condition's text in the stub's name, such as `with the name "Ann"`.
    pub(super) label: String,
    mismatch: Mismatch,
}

type Mismatch = Box<dyn Fn(&ReceivedRequest) -> Option<String> + Send + Sync>;

impl Condition {
    pub(super) fn new(
        label: impl Into<String>,
        mismatch: impl Fn(&ReceivedRequest) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { label: label.into(), mismatch: Box::new(mismatch) }
    }

    /// Requires that a value read from the request equals `wanted`.
    pub(super) fn is(
        what: &'static str,
        wanted: &str,
        read: impl Fn(&ReceivedRequest) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let wanted = wanted.to_owned();
        Self::new(format!("with the {what} {wanted:?}"), move |request| {
            let found = read(request);
            let matches = found.as_ref() == Some(&wanted);
            (!matches).then(|| format!("its {what} is {}", found.map_or("missing".to_owned(), |it| format!("{it:?}"))))
        })
    }

    /// Requires that the body parses and that the predicate accepts it.
    pub(super) fn body<T: DeserializeOwned>(
        label: impl Into<String>,
        holds: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::new(label, move |request| match serde_json::from_slice(&request.body) {
            Ok(body) if holds(&body) => None,
            Ok(_) => Some("its body does not satisfy the predicate".to_owned()),
            Err(error) => Some(format!("its body cannot be read: {error}")),
        })
    }

    /// Requires this window. If a request omits a parameter, the contract's default applies.
    pub(super) fn window(wanted: Window) -> Self {
        let label = |limit: &str, offset: &str| format!("limit {limit} and offset {offset}");
        let wanted = label(&wanted.limit().to_string(), &wanted.offset().to_string());
        Self::new(format!("with {wanted}"), move |request| {
            let limit = request.parameter("limit").unwrap_or_else(|| Window::DEFAULT_LIMIT.to_string());
            let found = label(&limit, &request.parameter("offset").unwrap_or_else(|| "0".to_owned()));
            (found != wanted).then(|| format!("it has {found}"))
        })
    }

    /// Returns the reason why the request does not match, or `None` if it matches.
    pub(super) fn mismatch(&self, request: &ReceivedRequest) -> Option<String> {
        (self.mismatch)(request)
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.label).finish()
    }
}
