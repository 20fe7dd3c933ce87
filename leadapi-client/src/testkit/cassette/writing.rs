//! From a conversation to the entries of a file: what differs from run to run gets a name, what is nobody's business goes.

use std::collections::BTreeSet;

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{
    HeaderMap, Method, StatusCode,
    header::{CONTENT_TYPE, LOCATION},
};
use leadapi_core::http::header::{IDEMPOTENCY_KEY, X_REQUEST_ID};

use super::{
    CassetteError,
    exchange::{Answer, Exchange},
    har::{Content, Entry, Named, PostData, Request, Response, size},
    json::Json,
    matcher::is_redacted,
    names::{Created, Names},
    rules::{Rules, TELLING_FIELDS},
    target::Target,
};

/// Which host it was does not enter the file; this one does not exist, so that no replay can reach one.
const ORIGIN: &str = "http://leadapi.invalid";

/// A value shorter than this is a part of many texts by chance.
const TELLING: usize = 6;

pub(super) fn entries(exchanges: &[Exchange], rules: &Rules) -> Result<Vec<Entry>, CassetteError> {
    let mut writer = Writer {
        rules,
        created: if rules.keep_ids { Created::default() } else { created(exchanges) },
        keys: Names::new("key"),
        requests: Names::new("request"),
        redacted: Names::new("redacted"),
        telling: BTreeSet::new(),
    };
    let mut entries = Vec::with_capacity(exchanges.len());
    for (exchange, nth) in exchanges.iter().zip(1..) {
        entries.push(writer.entry(exchange, nth)?);
    }
    for (entry, nth) in entries.iter().zip(1..) {
        writer.refuse_leaks(entry, nth)?;
    }
    Ok(entries)
}

/// What an entry is called where what it says must not be shown.
pub(super) fn place(nth: usize, method: &str, part: &str) -> String {
    format!("{part} of entry {nth} ({method})")
}

fn created(exchanges: &[Exchange]) -> Created {
    let creates = exchanges.iter().filter(|exchange| exchange.method == Method::POST);
    let answers = creates.filter_map(|exchange| exchange.answer.as_ref());
    let leads = answers.filter(|answer| answer.status == StatusCode::CREATED).filter_map(|answer| {
        let lead = Json::parse(std::str::from_utf8(&answer.body).ok()?)?;
        let field = |name| lead.field(name).and_then(Json::text).map(str::to_owned);
        Some((field("created_at")?, field("id")?))
    });
    Created::new(leads.collect::<BTreeSet<_>>())
}

struct Writer<'a> {
    rules: &'a Rules,
    created: Created,
    keys: Names,
    requests: Names,
    redacted: Names,
    /// The redacted values that must stand nowhere else.
    telling: BTreeSet<String>,
}

impl Writer<'_> {
    fn entry(&mut self, exchange: &Exchange, nth: usize) -> Result<Entry, CassetteError> {
        let method = exchange.method.as_str();
        let Some(answer) = &exchange.answer else {
            return Err(CassetteError::NoAnswer {
                entry: format!("entry {nth} ({method} {})", exchange.target.path()),
            });
        };
        let of_leads = exchange.target.collection() == Some("leads");
        let target = self.target(&exchange.target);
        let headers = self.headers(&exchange.headers);
        let body = self.body(&exchange.body, of_leads, &place(nth, method, "the request's body"))?;
        let post_data =
            (!body.is_empty()).then(|| PostData { mime_type: mime_type(&exchange.headers), text: text(&body) });
        let url = format!("{ORIGIN}{target}");
        let request = Request::new(method.to_owned(), url, headers, target.query, post_data);
        let response = self.response(answer, of_leads, &place(nth, method, "the answer's body"))?;
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

    fn headers(&mut self, headers: &HeaderMap) -> Vec<Named> {
        let named = headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            let value = if name == IDEMPOTENCY_KEY {
                self.keys.of(&value)
            } else if name == X_REQUEST_ID {
                self.requests.of(&value)
            } else if name == LOCATION {
                self.location(&value)
            } else {
                value.into_owned()
            };
            Named { name: name.as_str().to_owned(), value }
        });
        let mut named: Vec<Named> = named.collect();
        named.sort_by(|a, b| a.name.cmp(&b.name));
        named
    }

    fn location(&mut self, location: &str) -> String {
        let origin = if location.contains("://") { ORIGIN } else { "" };
        format!("{origin}{}", self.target(&Target::of(location)))
    }

    fn response(&mut self, answer: &Answer, of_leads: bool, place: &str) -> Result<Response, CassetteError> {
        let headers = self.headers(&answer.headers);
        let body = self.body(&answer.body, of_leads, place)?;
        let encoding = std::str::from_utf8(&body).is_err().then(|| "base64".to_owned());
        let text = if encoding.is_some() { STANDARD.encode(&body) } else { text(&body) };
        let content =
            Content { size: size(body.len()), mime_type: mime_type(&answer.headers), text: Some(text), encoding };
        Ok(Response::new(answer.status.as_u16(), headers, content))
    }

    /// A body that needs no change stays as it came, byte for byte.
    fn body(&mut self, body: &[u8], of_leads: bool, place: &str) -> Result<Vec<u8>, CassetteError> {
        if body.is_empty() {
            return Ok(Vec::new());
        }
        let Some(mut json) = std::str::from_utf8(body).ok().and_then(Json::parse) else {
            if self.rules.redacted.is_empty() {
                return Ok(body.to_owned());
            }
            return Err(CassetteError::Unredactable { place: place.to_owned(), why: "it is not JSON" });
        };
        let before = json.to_string();
        self.redact(&mut json, &mut Vec::new(), false, place)?;
        if of_leads {
            self.redact_personal(&mut json, &mut Vec::new());
        }
        self.number(&mut json);
        let after = json.to_string();
        Ok(if after == before { body.to_owned() } else { after.into_bytes() })
    }

    /// Within what is redacted, every text is.
    fn redact(
        &mut self,
        json: &mut Json,
        path: &mut Vec<String>,
        within: bool,
        place: &str,
    ) -> Result<(), CassetteError> {
        let within = within || self.rules.redacts(path);
        match json {
            Json::Object(fields) => {
                for (key, value) in fields {
                    path.push(key.clone());
                    self.redact(value, path, within, place)?;
                    path.pop();
                }
            }
            Json::Array(items) => {
                for (nth, item) in items.iter_mut().enumerate() {
                    path.push(nth.to_string());
                    self.redact(item, path, within, place)?;
                    path.pop();
                }
            }
            Json::Text(text) if within => *text = self.redact_text(text),
            Json::Other(other) if within && other != "null" => {
                let place = format!("/{} in {place}", path.join("/"));
                return Err(CassetteError::Unredactable { place, why: "it is not a text" });
            }
            Json::Text(_) | Json::Other(_) => {}
        }
        Ok(())
    }

    fn redact_text(&mut self, text: &str) -> String {
        self.telling.insert(text.to_owned());
        self.redacted.of(text)
    }

    /// Redacts what says who a lead is. Nothing is refused: it happens without being asked for, and a value of a wrong
    /// type says nothing about anybody.
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
                if path.last().is_some_and(|field| TELLING_FIELDS.contains(&field.as_str())) {
                    self.telling.insert(text.clone());
                }
                *text = self.redacted.of(text);
            }
            Json::Text(_) | Json::Other(_) => {}
        }
    }

    /// Gives created leads their numbers, and moments that go with them.
    fn number(&self, json: &mut Json) {
        match json {
            Json::Object(fields) => {
                let id = fields.iter().find(|(key, _)| key == "id").and_then(|(_, id)| id.text());
                let moment = id.and_then(|id| self.created.get(id)).map(|numbered| numbered.created_at.clone());
                for (key, value) in fields {
                    match (value, &moment) {
                        (Json::Text(text), Some(moment)) if key == "created_at" => text.clone_from(moment),
                        (value, _) => self.number(value),
                    }
                }
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.number(item)),
            Json::Text(text) => self.created.rename(text),
            Json::Other(_) => {}
        }
    }

    /// What is redacted in its field must not stand in another one.
    fn refuse_leaks(&self, entry: &Entry, nth: usize) -> Result<(), CassetteError> {
        for (part, mut text) in parts(entry) {
            if let Some(json) = Json::parse(&text) {
                text = unescaped(json);
            }
            if self.telling.iter().any(|value| value.len() >= TELLING && text.contains(value)) {
                return Err(CassetteError::Leak { place: place(nth, &entry.request.method, part) });
            }
        }
        Ok(())
    }
}

/// All that an entry says, part by part, without the escapes of a URL.
pub(super) fn parts(entry: &Entry) -> impl Iterator<Item = (&'static str, String)> {
    let Entry { request, response, .. } = entry;
    let headers = |headers: &[Named]| {
        headers.iter().flat_map(|Named { name, value }| [name, ": ", value, "\n"]).collect::<String>()
    };
    let target = Target::of(&request.url);
    let query: String = target.query.iter().flat_map(|(name, value)| [name, "=", value, "\n"]).collect();
    [
        ("the URL", target.segments.join("/") + "\n" + &query + &request.url),
        ("a header of the request", headers(&request.headers)),
        ("the request's body", request.post_data.as_ref().map(|data| data.text.clone()).unwrap_or_default()),
        ("a header of the answer", headers(&response.headers)),
        ("the answer's body", String::from_utf8_lossy(&response.content.body().unwrap_or_default()).into_owned()),
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
