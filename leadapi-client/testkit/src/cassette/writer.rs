//! Converts recorded traffic to HAR entries, with placeholders for values that differ between runs or are personal.

use std::collections::BTreeSet;

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{
    HeaderMap, Method, StatusCode,
    header::{CONTENT_TYPE, LOCATION},
};
use leadapi_core::http::header::{IDEMPOTENCY_KEY, X_REQUEST_ID};

use super::{
    CassetteError,
    exchange::{Exchange, RecordedResponse},
    har::{Content, Entry, NameValue, PostData, Request, Response, size},
    json::Json,
    matcher::is_redacted,
    placeholders::{CreatedLeads, Placeholders},
    rules::{IDENTIFYING_FIELDS, Rules},
    target::Target,
};

/// A host that does not exist. It replaces the real host, which is not recorded.
const ORIGIN: &str = "http://leadapi.invalid";

/// The minimum length in bytes of a value in the leak check. Shorter values often occur in unrelated text.
const MIN_IDENTIFYING_LEN: usize = 6;

pub(super) fn entries(exchanges: &[Exchange], rules: &Rules) -> Result<Vec<Entry>, CassetteError> {
    let mut writer = Writer {
        rules,
        created: if rules.keep_ids { CreatedLeads::default() } else { created(exchanges) },
        keys: Placeholders::new("key"),
        requests: Placeholders::new("request"),
        redacted: Placeholders::new("redacted"),
        identifying: BTreeSet::new(),
    };
    let mut entries = Vec::with_capacity(exchanges.len());
    for (exchange, nth) in exchanges.iter().zip(1..) {
        entries.push(writer.entry(exchange, nth)?);
    }
    for (entry, nth) in entries.iter().zip(1..) {
        writer.check_leaks(entry, nth)?;
    }
    Ok(entries)
}

/// Describes a part of an entry without showing its content.
pub(super) fn location(nth: usize, method: &str, part: &str) -> String {
    format!("{part} of entry {nth} ({method})")
}

fn created(exchanges: &[Exchange]) -> CreatedLeads {
    let creates = exchanges.iter().filter(|exchange| exchange.method == Method::POST);
    let responses = creates.filter_map(|exchange| exchange.response.as_ref());
    let leads = responses.filter(|response| response.status == StatusCode::CREATED).filter_map(|response| {
        let lead = Json::parse(std::str::from_utf8(&response.body).ok()?)?;
        let field = |name| lead.field(name).and_then(Json::text).map(str::to_owned);
        Some((field("created_at")?, field("id")?))
    });
    CreatedLeads::new(leads.collect::<BTreeSet<_>>())
}

struct Writer<'a> {
    rules: &'a Rules,
    created: CreatedLeads,
    keys: Placeholders,
    requests: Placeholders,
    redacted: Placeholders,
    /// The redacted values that must not occur elsewhere in the recording.
    identifying: BTreeSet<String>,
}

impl Writer<'_> {
    fn entry(&mut self, exchange: &Exchange, nth: usize) -> Result<Entry, CassetteError> {
        let method = exchange.method.as_str();
        let Some(response) = &exchange.response else {
            return Err(CassetteError::NoResponse {
                entry: format!("entry {nth} ({method} {})", exchange.target.path()),
            });
        };
        let of_leads = exchange.target.collection() == Some("leads");
        let target = self.target(&exchange.target);
        let headers = self.headers(&exchange.headers);
        let body = self.body(&exchange.body, of_leads, &location(nth, method, "the request body"))?;
        let post_data =
            (!body.is_empty()).then(|| PostData { mime_type: mime_type(&exchange.headers), text: text(&body) });
        let url = format!("{ORIGIN}{target}");
        let request = Request::new(method.to_owned(), url, headers, target.query, post_data);
        let response = self.response(response, of_leads, &location(nth, method, "the response body"))?;
        Ok(Entry::new(request, response))
    }

    fn target(&mut self, target: &Target) -> Target {
        let mut target = target.clone();
        target.segments.iter_mut().for_each(|segment| self.created.rename(segment));
        for (name, value) in &mut target.query {
            if self.rules.redacts(std::slice::from_ref(name)) {
                *value = self.redact_text(value);
            }
            self.created.rename(value);
        }
        target
    }

    fn headers(&mut self, headers: &HeaderMap) -> Vec<NameValue> {
        let named = headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            let value = if name == IDEMPOTENCY_KEY {
                self.keys.of(&value)
            } else if name == X_REQUEST_ID {
                self.requests.of(&value)
            } else if name == LOCATION {
                self.location_header(&value)
            } else {
                value.into_owned()
            };
            NameValue { name: name.as_str().to_owned(), value }
        });
        let mut named: Vec<NameValue> = named.collect();
        named.sort_by(|a, b| a.name.cmp(&b.name));
        named
    }

    fn location_header(&mut self, location: &str) -> String {
        let origin = if location.contains("://") { ORIGIN } else { "" };
        format!("{origin}{}", self.target(&Target::of(location)))
    }

    fn response(
        &mut self,
        response: &RecordedResponse,
        of_leads: bool,
        location: &str,
    ) -> Result<Response, CassetteError> {
        let headers = self.headers(&response.headers);
        let body = self.body(&response.body, of_leads, location)?;
        let encoding = std::str::from_utf8(&body).is_err().then(|| "base64".to_owned());
        let text = if encoding.is_some() { STANDARD.encode(&body) } else { text(&body) };
        let content =
            Content { size: size(body.len()), mime_type: mime_type(&response.headers), text: Some(text), encoding };
        Ok(Response::new(response.status.as_u16(), headers, content))
    }

    /// Redacts a body and replaces the ids in it. If nothing changes, the body is returned byte for byte. Fails if a
    /// field to redact is not a string, or if the rules name fields to redact and the body is not JSON.
    fn body(&mut self, body: &[u8], of_leads: bool, location: &str) -> Result<Vec<u8>, CassetteError> {
        if body.is_empty() {
            return Ok(Vec::new());
        }
        let Some(mut json) = std::str::from_utf8(body).ok().and_then(Json::parse) else {
            if self.rules.redacted.is_empty() {
                return Ok(body.to_owned());
            }
            return Err(CassetteError::Unredactable { location: location.to_owned(), reason: "it is not JSON" });
        };
        let before = json.to_string();
        self.redact(&mut json, &mut Vec::new(), false, location)?;
        if of_leads {
            self.redact_personal(&mut json, &mut Vec::new());
        }
        self.replace_ids(&mut json);
        let after = json.to_string();
        Ok(if after == before { body.to_owned() } else { after.into_bytes() })
    }

    /// Redacts the selected fields, including every string within them. Fails if one of them contains a number or a
    /// Boolean.
    fn redact(
        &mut self,
        json: &mut Json,
        path: &mut Vec<String>,
        within: bool,
        location: &str,
    ) -> Result<(), CassetteError> {
        let within = within || self.rules.redacts(path);
        match json {
            Json::Object(fields) => {
                for (key, value) in fields {
                    path.push(key.clone());
                    self.redact(value, path, within, location)?;
                    path.pop();
                }
            }
            Json::Array(items) => {
                for (nth, item) in items.iter_mut().enumerate() {
                    path.push(nth.to_string());
                    self.redact(item, path, within, location)?;
                    path.pop();
                }
            }
            Json::Text(text) if within => *text = self.redact_text(text),
            Json::Other(other) if within && other != "null" => {
                let location = format!("/{} in {location}", path.join("/"));
                return Err(CassetteError::Unredactable { location, reason: "it is not a string" });
            }
            Json::Text(_) | Json::Other(_) => {}
        }
        Ok(())
    }

    fn redact_text(&mut self, text: &str) -> String {
        self.identifying.insert(text.to_owned());
        self.redacted.of(text)
    }

    /// Redacts personal data. This redaction is on by default, so it must not fail: a value of the wrong type is left
    /// unchanged.
    fn redact_personal(&mut self, json: &mut Json, path: &mut Vec<String>) {
        match json {
            Json::Object(fields) => {
                for (key, value) in fields {
                    path.push(key.clone());
                    self.redact_personal(value, path);
                    path.pop();
                }
            }
            Json::Array(items) => {
                for (nth, item) in items.iter_mut().enumerate() {
                    path.push(nth.to_string());
                    self.redact_personal(item, path);
                    path.pop();
                }
            }
            Json::Text(text) if self.rules.redacts_personal(path) && !is_redacted(text) => {
                if path.last().is_some_and(|field| IDENTIFYING_FIELDS.contains(&field.as_str())) {
                    self.identifying.insert(text.clone());
                }
                *text = self.redacted.of(text);
            }
            Json::Text(_) | Json::Other(_) => {}
        }
    }

    /// Replaces the ids and creation times of created leads.
    fn replace_ids(&self, json: &mut Json) {
        match json {
            Json::Object(fields) => {
                let id = fields.iter().find(|(key, _)| key == "id").and_then(|(_, id)| id.text());
                let created_at =
                    id.and_then(|id| self.created.get(id)).map(|placeholder| placeholder.created_at.clone());
                for (key, value) in fields {
                    match (value, &created_at) {
                        (Json::Text(text), Some(created_at)) if key == "created_at" => text.clone_from(created_at),
                        (value, _) => self.replace_ids(value),
                    }
                }
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.replace_ids(item)),
            Json::Text(text) => self.created.rename(text),
            Json::Other(_) => {}
        }
    }

    /// Returns an error if an identifying value that was redacted still occurs anywhere in the entry. Ignores values
    /// shorter than `MIN_IDENTIFYING_LEN`.
    fn check_leaks(&self, entry: &Entry, nth: usize) -> Result<(), CassetteError> {
        for (part, mut text) in parts(entry) {
            if let Some(json) = Json::parse(&text) {
                text = unescaped(json);
            }
            if self.identifying.iter().any(|value| value.len() >= MIN_IDENTIFYING_LEN && text.contains(value)) {
                return Err(CassetteError::Leak { location: location(nth, &entry.request.method, part) });
            }
        }
        Ok(())
    }
}

/// Returns the parts of an entry as text, each with its name. The URL is included twice: decoded and as written.
pub(super) fn parts(entry: &Entry) -> impl Iterator<Item = (&'static str, String)> {
    let Entry { request, response, .. } = entry;
    let headers = |headers: &[NameValue]| {
        headers.iter().flat_map(|NameValue { name, value }| [name, ": ", value, "\n"]).collect::<String>()
    };
    let target = Target::of(&request.url);
    let query: String = target.query.iter().flat_map(|(name, value)| [name, "=", value, "\n"]).collect();
    [
        ("the URL", target.segments.join("/") + "\n" + &query + &request.url),
        ("a request header", headers(&request.headers)),
        ("the request body", request.post_data.as_ref().map(|data| data.text.clone()).unwrap_or_default()),
        ("a response header", headers(&response.headers)),
        ("the response body", String::from_utf8_lossy(&response.content.body().unwrap_or_default()).into_owned()),
    ]
    .into_iter()
}

fn unescaped(mut json: Json) -> String {
    let mut all = String::new();
    json.each_text(&mut |text| all.extend([text.as_str(), "\n"]));
    all
}

fn mime_type(headers: &HeaderMap) -> String {
    headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default()
}

fn text(body: &[u8]) -> String {
    String::from_utf8_lossy(body).into_owned()
}
