//! What a replay does with each request, and what it holds against the test at the end.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use leadapi_core::http::header::IDEMPOTENCY_KEY;

use super::{
    CassetteError, canary,
    har::{Entry, Named},
    json::Json,
    matcher::{Asked, Body, Bound, Differences, differences, is_redacted},
    progress::Progress,
    target::Target,
};

#[derive(Debug)]
pub(super) struct Player {
    name: String,
    base: String,
    any_order: bool,
    entries: Vec<Recorded>,
    state: Mutex<State>,
    verified: AtomicBool,
}

/// An entry that can be replayed.
#[derive(Debug)]
pub(super) struct Recorded {
    name: String,
    asked: Asked,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    /// The body read as JSON, if it holds redacted texts.
    template: Option<Json>,
}

#[derive(Debug)]
struct State {
    progress: Progress,
    bound: Bound,
    faults: Vec<String>,
}

impl Player {
    pub(super) fn new(name: String, entries: Vec<Recorded>, any_order: bool) -> Self {
        let base = entries.iter().find_map(|entry| entry.asked.target.base()).unwrap_or_default();
        let state = State { progress: Progress::new(entries.len()), bound: Bound::default(), faults: Vec::new() };
        Self { name, base, any_order, entries, state: Mutex::new(state), verified: AtomicBool::new(false) }
    }

    /// The path that the recorded requests begin with.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    pub(super) fn play(&self, asked: &Asked) -> Response<Bytes> {
        let state = &mut *self.state();
        // In strict order only the next one can be it.
        let candidates = if self.any_order { self.entries.len() } else { 1 };
        let unused = state.progress.unused().take(candidates);
        let found = unused.filter_map(|nth| Some((nth, self.entries.get(nth)?))).find_map(|(nth, entry)| {
            // A look that costs little first: most entries are about something else.
            if !entry.asked.is_about_the_same(asked) {
                return None;
            }
            let (differences, new) = differences(&entry.asked, asked, &state.bound);
            differences.is_empty().then_some((nth, entry, new))
        });
        if let Some((nth, entry, new)) = found {
            state.progress.use_up(nth);
            state.bound.extend(new);
            return entry.answer(&state.bound);
        }
        let why = self.why_not(asked, state);
        let asked = format!("{} {}", asked.method, asked.target);
        let fault = canary::masked(&format!("{asked} is not what {} goes on with: {why}", self.name));
        let answer = unrecorded(&fault);
        state.faults.push(fault);
        answer
    }

    /// The nearest entry, and what is wrong with taking it for this one.
    fn why_not(&self, asked: &Asked, state: &State) -> String {
        let next = state.progress.unused().next();
        let distance = |nth: usize, differences: &Differences| {
            // At the same distance the next one is nearest, and one that is used is the last to be meant.
            let used = u32::from(state.progress.is_used(nth));
            (differences.weight() + 3 * used, next != Some(nth), nth)
        };
        let compared = self.entries.iter().enumerate().map(|(nth, entry)| {
            let (differences, _) = differences(&entry.asked, asked, &state.bound);
            (distance(nth, &differences), nth, entry, differences)
        });
        let Some((_, nth, entry, differences)) = compared.min_by_key(|(distance, ..)| *distance) else {
            return "nothing is recorded".to_owned();
        };
        let name = &entry.name;
        let next = next.and_then(|next| self.entries.get(next));
        match (differences.is_empty(), state.progress.is_used(nth), next) {
            (true, true, _) => format!("{name} is the same, and was replayed already"),
            (true, false, Some(next)) => format!("{name} is the same, but {} comes before it", next.name),
            (_, true, None) => format!("all is replayed; the nearest was {name}: {}", differences.sentence()),
            _ => format!("the nearest is {name}: {}", differences.sentence()),
        }
    }

    pub(super) fn verify(&self) -> Result<(), CassetteError> {
        self.verified.store(true, Ordering::Relaxed);
        let state = self.state();
        let unused = state.progress.unused().filter_map(|nth| self.entries.get(nth));
        let unused = unused.map(|entry| format!("{} was never asked for", entry.name));
        let faults: Vec<_> = state.faults.iter().cloned().chain(unused).collect();
        if faults.is_empty() { Ok(()) } else { Err(CassetteError::Unfaithful { name: self.name.clone(), faults }) }
    }

    /// For a test that has not asked; one that fails already is told nothing on top of it.
    #[expect(clippy::panic, reason = "a replay that was not faithful must fail the test that forgot to ask")]
    pub(super) fn verify_at_the_end(&self) {
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

impl Recorded {
    /// None for an entry that no client of ours asks for: a preflight, or a request that a browser broke off.
    pub(super) fn new(entry: &Entry, nth: usize) -> Result<Option<Self>, CassetteError> {
        let method = entry.request.method.to_ascii_uppercase();
        let target = Target::of(&entry.request.url);
        if method == "OPTIONS" || entry.response.status < 200 {
            return Ok(None);
        }
        let name = format!("entry {nth} ({method} {})", canary::masked(&target.to_string()));
        let unusable = |why| CassetteError::Unusable { entry: name.clone(), why };
        let status = StatusCode::from_u16(entry.response.status).map_err(|_| unusable("its status is none"))?;
        let body = entry.response.content.body();
        let body = body.ok_or_else(|| unusable("the encoding of its content is neither base64 nor text"))?;
        let sent = entry.request.post_data.as_ref().map_or("", |data| data.text.as_str());
        let key =
            entry.request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(IDEMPOTENCY_KEY.as_str()));
        let asked =
            Asked { method, target, key: key.map(|header| header.value.clone()), body: Body::new(sent.as_bytes()) };
        let mut headers = replayed(&entry.response.headers);
        let mime_type = HeaderValue::from_str(&entry.response.content.mime_type);
        if let (Ok(mime_type), false) = (mime_type, body.is_empty() || headers.contains_key(header::CONTENT_TYPE)) {
            headers.insert(header::CONTENT_TYPE, mime_type);
        }
        let template = template(&body);
        Ok(Some(Self { name, asked, status, headers, body: body.into(), template }))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What was redacted, and is known by now from a request, is answered as it was sent.
    fn answer(&self, bound: &Bound) -> Response<Bytes> {
        let filled = self.template.clone().and_then(|mut json| {
            let mut changed = false;
            json.each_text(&mut |text| {
                if let Some(meaning) = bound.redacted(text).filter(|_| is_redacted(text)) {
                    text.clone_from(meaning);
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

/// Reads a body once, so that an answer without redacted texts costs nothing, and one with them no second reading.
fn template(body: &[u8]) -> Option<Json> {
    let mut json = Json::parse(std::str::from_utf8(body).ok()?)?;
    let mut holds = false;
    json.each_text(&mut |text| holds |= is_redacted(text));
    holds.then_some(json)
}

/// The headers that still hold: the body is not compressed any more, and the connection is another.
fn replayed(headers: &[Named]) -> HeaderMap {
    const GONE: [HeaderName; 7] = [
        header::CONTENT_ENCODING,
        header::CONTENT_LENGTH,
        header::TRANSFER_ENCODING,
        header::CONNECTION,
        header::UPGRADE,
        header::SET_COOKIE,
        header::DATE,
    ];
    let parsed = headers.iter().filter_map(|Named { name, value }| {
        // Browsers note the `:status` of HTTP/2 among the headers.
        let name = HeaderName::from_bytes(name.as_bytes()).ok().filter(|name| !GONE.contains(name))?;
        Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
    });
    let mut replayed = HeaderMap::new();
    for (name, value) in parsed {
        replayed.append(name, value);
    }
    replayed
}

/// No contract knows this status, so nobody takes it for an answer, and a client does not ask again.
fn unrecorded(fault: &str) -> Response<Bytes> {
    let body = serde_json::json!({ "error": fault }).to_string();
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
