//! The conditions of a stub, and the reason why a request does not match.

use std::fmt;

use leadapi_core::model::Window;
use serde::de::DeserializeOwned;

use super::asked::Asked;

/// A condition of a stub on a request.
pub(super) struct Condition {
    /// Its text in the name of the stub, such as `with the name "Ann"`.
    pub(super) says: String,
    why_not: WhyNot,
}

type WhyNot = Box<dyn Fn(&Asked) -> Option<String> + Send + Sync>;

impl Condition {
    pub(super) fn new(
        says: impl Into<String>,
        why_not: impl Fn(&Asked) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { says: says.into(), why_not: Box::new(why_not) }
    }

    /// Requires that the value read from the request equals `wanted`.
    pub(super) fn is(
        what: &'static str,
        wanted: &str,
        read: impl Fn(&Asked) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let wanted = wanted.to_owned();
        Self::new(format!("with the {what} {wanted:?}"), move |asked| {
            let found = read(asked);
            let is_it = found.as_ref() == Some(&wanted);
            (!is_it).then(|| format!("its {what} is {}", found.map_or("not there".to_owned(), |it| format!("{it:?}"))))
        })
    }

    /// Requires that the body parses and the predicate accepts it.
    pub(super) fn body<T: DeserializeOwned>(
        says: impl Into<String>,
        holds: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::new(says, move |asked| match serde_json::from_slice(&asked.body) {
            Ok(body) if holds(&body) => None,
            Ok(_) => Some("its body is none that the stub takes".to_owned()),
            Err(error) => Some(format!("its body cannot be read: {error}")),
        })
    }

    /// Requires this window, explicit or by default.
    pub(super) fn window(wanted: Window) -> Self {
        let says = |limit: &str, offset: &str| format!("limit {limit} and offset {offset}");
        let wanted = says(&wanted.limit().to_string(), &wanted.offset().to_string());
        Self::new(format!("with {wanted}"), move |asked| {
            let limit = asked.parameter("limit").unwrap_or_else(|| Window::DEFAULT_LIMIT.to_string());
            let found = says(&limit, &asked.parameter("offset").unwrap_or_else(|| "0".to_owned()));
            (found != wanted).then(|| format!("it has {found}"))
        })
    }

    /// Returns why the request does not match, or `None` if it does.
    pub(super) fn why_not(&self, asked: &Asked) -> Option<String> {
        (self.why_not)(asked)
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.says).finish()
    }
}
