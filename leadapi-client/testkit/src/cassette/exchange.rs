//! A request and its response, with only the headers that a cassette may contain.

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
    /// `None` until the response arrives.
    pub(super) response: Option<RecordedResponse>,
}

#[derive(Debug)]
pub(super) struct RecordedResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Exchange {
    pub(super) fn start(request: &Request<Bytes>, kept: &[HeaderName]) -> Self {
        Self {
            method: request.method().clone(),
            target: Target::new(request.uri().path(), request.uri().query()),
            headers: filter_headers(request.headers(), kept),
            body: request.body().clone(),
            response: None,
        }
    }

    pub(super) fn finish(&mut self, response: &Response<Bytes>, kept: &[HeaderName]) {
        let mut headers = filter_headers(response.headers(), kept);
        retry_after_in_seconds(response.headers(), &mut headers);
        self.response = Some(RecordedResponse { status: response.status(), headers, body: response.body().clone() });
    }
}

/// Converts a `Retry-After` date to seconds relative to the response's `Date`, because `Date` is not recorded.
fn retry_after_in_seconds(all: &HeaderMap, kept: &mut HeaderMap) {
    let date = |headers: &HeaderMap, name| httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok();
    if let (Some(until), Some(now)) = (date(kept, RETRY_AFTER), date(all, DATE)) {
        let wait = until.duration_since(now).unwrap_or_default();
        kept.insert(RETRY_AFTER, wait.as_secs().into());
    }
}

/// Returns only the headers in `kept`, in that order, so that the file does not depend on the order of a hash table.
fn filter_headers(headers: &HeaderMap, kept: &[HeaderName]) -> HeaderMap {
    let values =
        kept.iter().flat_map(|name| headers.get_all(name).iter().map(move |value| (name.clone(), value.clone())));
    values.collect()
}
