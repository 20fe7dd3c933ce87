//! Answers the requests in a replay and collects the differences.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use leadapi_core::{http::header::IDEMPOTENCY_KEY, text::mask_tokens};

use super::{
    CassetteError,
    har::{Entry, NameValue},
    json::Json,
    matcher::{Body, BoundPlaceholders, ComparedRequest, Differences, differences, is_redacted},
    progress::Progress,
    target::Target,
};

#[derive(Debug)]
pub(super) struct Player {
    name: String,
    base: String,
    any_order: bool,
    entries: Vec<RecordedEntry>,
    state: Mutex<State>,
    verified: AtomicBool,
}

/// An entry that can be replayed.
#[derive(Debug)]
pub(super) struct RecordedEntry {
    name: String,
    request: ComparedRequest,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    /// The parsed body, if it contains redacted strings.
    template: Option<Json>,
}

#[derive(Debug)]
struct State {
    progress: Progress,
    bound: BoundPlaceholders,
    differences: Vec<String>,
}

impl Player {
    pub(super) fn new(name: String, entries: Vec<RecordedEntry>, any_order: bool) -> Self {
        let base = entries.iter().find_map(|entry| entry.request.target.base()).unwrap_or_default();
        let state = State {
            progress: Progress::new(entries.len()),
            bound: BoundPlaceholders::default(),
            differences: Vec::new(),
        };
        Self { name, base, any_order, entries, state: Mutex::new(state), verified: AtomicBool::new(false) }
    }

    /// Returns the base path of the recorded requests.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    pub(super) fn respond(&self, request: &ComparedRequest) -> Response<Bytes> {
        let state = &mut *self.state();
        // Unless any order is allowed, only the next entry can match.
        let candidates = if self.any_order { self.entries.len() } else { 1 };
        let unused = state.progress.unused().take(candidates);
        let found = unused.filter_map(|nth| Some((nth, self.entries.get(nth)?))).find_map(|(nth, entry)| {
            // Compare the target first, because that is cheap and most entries have a different target.
            if !entry.request.has_same_target(request) {
                return None;
            }
            let (differences, new) = differences(&entry.request, request, &state.bound);
            differences.is_empty().then_some((nth, entry, new))
        });
        if let Some((nth, entry, new)) = found {
            state.progress.use_up(nth);
            state.bound.extend(new);
            return entry.response(&state.bound);
        }
        let reason = self.explain_mismatch(request, state);
        let line = format!("{} {}", request.method, request.target);
        let message = mask_tokens(&format!("{line} does not match {}: {reason}", self.name)).into_owned();
        let response = mismatch_response(&message);
        state.differences.push(message);
        response
    }

    /// Describes the entry that is most similar to the request, and the differences between the two.
    fn explain_mismatch(&self, request: &ComparedRequest, state: &State) -> String {
        let next = state.progress.unused().next();
        let distance = |nth: usize, differences: &Differences| {
            // Used entries count as less similar. On a tie, the next unused entry wins.
            let used = u32::from(state.progress.is_used(nth));
            (differences.weight() + 3 * used, next != Some(nth), nth)
        };
        let compared = self.entries.iter().enumerate().map(|(nth, entry)| {
            let (differences, _) = differences(&entry.request, request, &state.bound);
            (distance(nth, &differences), nth, entry, differences)
        });
        let Some((_, nth, entry, differences)) = compared.min_by_key(|(distance, ..)| *distance) else {
            return "the cassette is empty".to_owned();
        };
        let name = &entry.name;
        let next = next.and_then(|next| self.entries.get(next));
        match (differences.is_empty(), state.progress.is_used(nth), next) {
            (true, true, _) => format!("{name} matches, but it was already replayed"),
            (true, false, Some(next)) => format!("{name} matches, but {} comes before it", next.name),
            (_, true, None) => {
                format!("all entries were replayed; the nearest is {name}: {}", differences.description())
            }
            _ => format!("the nearest entry is {name}: {}", differences.description()),
        }
    }

    pub(super) fn verify(&self) -> Result<(), CassetteError> {
        self.verified.store(true, Ordering::Relaxed);
        let state = self.state();
        let unused = state.progress.unused().filter_map(|nth| self.entries.get(nth));
        let unused = unused.map(|entry| format!("{} was not requested", entry.name));
        let differences: Vec<_> = state.differences.iter().cloned().chain(unused).collect();
        if differences.is_empty() {
            Ok(())
        } else {
            Err(CassetteError::Mismatch { name: self.name.clone(), differences })
        }
    }

    /// Verifies the replay if the test has not done so, unless the test is already panicking.
    #[expect(clippy::panic, reason = "a replay that does not match must fail even a test that forgot to verify it")]
    pub(super) fn verify_on_drop(&self) {
        if self.verified.load(Ordering::Relaxed) || thread::panicking() {
            return;
        }
        if let Err(error) = self.verify() {
            panic!("{error}");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordedEntry {
    /// Prepares an entry for the replay. Returns `None` for requests that are not replayed: CORS preflights and
    /// cancelled requests. Fails if the response has an invalid status or an unknown encoding.
    pub(super) fn new(entry: &Entry, nth: usize) -> Result<Option<Self>, CassetteError> {
        let method = entry.request.method.to_ascii_uppercase();
        let target = Target::of(&entry.request.url);
        if method == "OPTIONS" || entry.response.status < 200 {
            return Ok(None);
        }
        let name = format!("entry {nth} ({method} {})", mask_tokens(&target.to_string()));
        let invalid = |reason| CassetteError::InvalidEntry { entry: name.clone(), reason };
        let status = StatusCode::from_u16(entry.response.status).map_err(|_| invalid("its status is invalid"))?;
        let body = entry.response.content.body();
        let body = body.ok_or_else(|| invalid("the encoding of its content is neither base64 nor text"))?;
        let sent = entry.request.post_data.as_ref().map_or("", |data| data.text.as_str());
        let key =
            entry.request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(IDEMPOTENCY_KEY.as_str()));
        let request = ComparedRequest {
            method,
            target,
            key: key.map(|header| header.value.clone()),
            body: Body::new(sent.as_bytes()),
        };
        let mut headers = replayed_headers(&entry.response.headers);
        let mime_type = HeaderValue::from_str(&entry.response.content.mime_type);
        if let (Ok(mime_type), false) = (mime_type, body.is_empty() || headers.contains_key(header::CONTENT_TYPE)) {
            headers.insert(header::CONTENT_TYPE, mime_type);
        }
        let template = template(&body);
        Ok(Some(Self { name, request, status, headers, body: body.into(), template }))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the response, with redacted strings replaced by the values that this run sent.
    fn response(&self, bound: &BoundPlaceholders) -> Response<Bytes> {
        let filled = self.template.clone().and_then(|mut json| {
            let mut changed = false;
            json.each_text(&mut |text| {
                if let Some(value) = bound.redacted(text).filter(|_| is_redacted(text)) {
                    text.clone_from(value);
                    changed = true;
                }
            });
            changed.then(|| json.to_string().into())
        });
        let mut response = Response::new(filled.unwrap_or_else(|| self.body.clone()));
        *response.status_mut() = self.status;
        response.headers_mut().clone_from(&self.headers);
        response
    }
}

/// Parses a body in advance. Returns `None` for a body without redacted strings, because the replay sends such a body
/// unchanged.
fn template(body: &[u8]) -> Option<Json> {
    let mut json = Json::parse(std::str::from_utf8(body).ok()?)?;
    let mut has_redacted = false;
    json.each_text(&mut |text| has_redacted |= is_redacted(text));
    has_redacted.then_some(json)
}

/// Returns the headers to replay. Drops headers that applied only to the original response, such as `Content-Encoding`.
fn replayed_headers(headers: &[NameValue]) -> HeaderMap {
    const DROPPED: [HeaderName; 7] = [
        header::CONTENT_ENCODING,
        header::CONTENT_LENGTH,
        header::TRANSFER_ENCODING,
        header::CONNECTION,
        header::UPGRADE,
        header::SET_COOKIE,
        header::DATE,
    ];
    let parsed = headers.iter().filter_map(|NameValue { name, value }| {
        // Browsers record the HTTP/2 pseudo-header `:status` as a header, but it is not a valid `HeaderName`.
        let name = HeaderName::from_bytes(name.as_bytes()).ok().filter(|name| !DROPPED.contains(name))?;
        Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
    });
    let mut replayed = HeaderMap::new();
    for (name, value) in parsed {
        replayed.append(name, value);
    }
    replayed
}

/// Builds the response to an unmatched request. The status is 501, which is not in the contract and which the client
/// does not retry.
fn mismatch_response(message: &str) -> Response<Bytes> {
    let body = serde_json::json!({ "error": message }).to_string();
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
