//! A request and its answer as they passed, but for the headers that no cassette may hold.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, Method, Request, Response, StatusCode,
    header::{DATE, RETRY_AFTER},
};

use super::target::Target;

#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) method: Method,
    pub(super) target: Target,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// None until it comes.
    pub(super) answer: Option<Answer>,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Exchange {
    pub(super) fn begun(request: &Request<Bytes>, kept: &[HeaderName]) -> Self {
        Self {
            method: request.method().clone(),
            target: Target::new(request.uri().path(), request.uri().query()),
            headers: only(request.headers(), kept),
            body: request.body().clone(),
            answer: None,
        }
    }

    pub(super) fn end(&mut self, response: &Response<Bytes>, kept: &[HeaderName]) {
        let mut headers = only(response.headers(), kept);
        in_seconds(response.headers(), &mut headers);
        self.answer = Some(Answer { status: response.status(), headers, body: response.body().clone() });
    }
}

/// A wait until a date is one of seconds by the answer's own clock, which is not recorded.
fn in_seconds(all: &HeaderMap, kept: &mut HeaderMap) {
    let date = |headers: &HeaderMap, name| httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok();
    if let (Some(until), Some(now)) = (date(kept, RETRY_AFTER), date(all, DATE)) {
        let wait = until.duration_since(now).unwrap_or_default();
        kept.insert(RETRY_AFTER, wait.as_secs().into());
    }
}

/// In the order of the list, so that the order of a file does not hang on that of a hash table.
fn only(headers: &HeaderMap, kept: &[HeaderName]) -> HeaderMap {
    let values =
        kept.iter().flat_map(|name| headers.get_all(name).iter().map(move |value| (name.clone(), value.clone())));
    values.collect()
}
