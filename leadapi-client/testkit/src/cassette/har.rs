//! The part of HAR 1.2 that cassettes use: <http://www.softwareishard.com/blog/har-12-spec/>.
//!
//! The writer emits the fields that the specification requires, in the specification's order. The reader requires only
//! the fields that a replay uses. Fields whose values would differ between runs have constant values.

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize};

use super::{rules::SECRET, target::Target};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Har {
    pub(super) log: Log,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Log {
    #[serde(skip_deserializing, default = "version")]
    version: &'static str,
    #[serde(skip_deserializing, default)]
    creator: Creator,
    #[serde(default)]
    pub(super) entries: Vec<Entry>,
}

#[derive(Debug, Clone, Serialize)]
struct Creator {
    name: &'static str,
    version: &'static str,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    #[serde(skip_deserializing, default = "fixed_time")]
    started_date_time: &'static str,
    #[serde(skip_deserializing, default)]
    time: u8,
    pub(super) request: Request,
    pub(super) response: Response,
    #[serde(skip_deserializing, default)]
    cache: Cache,
    #[serde(skip_deserializing, default)]
    timings: Timings,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) url: String,
    #[serde(skip_deserializing, default = "http_version")]
    http_version: &'static str,
    #[serde(skip_deserializing, default)]
    cookies: [(); 0],
    #[serde(default)]
    pub(super) headers: Vec<NameValue>,
    /// A copy of the URL's query, written only because the specification requires it. A replay reads the URL instead.
    #[serde(skip_deserializing, default)]
    query_string: Vec<NameValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) post_data: Option<PostData>,
    #[serde(skip_deserializing, default = "unknown")]
    headers_size: i8,
    /// The body size that the file states. It may be positive even though the file omits the body.
    #[serde(default)]
    pub(super) body_size: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    /// The status, or 0 if the request was cancelled.
    #[serde(default, deserialize_with = "status")]
    pub(super) status: u16,
    #[serde(skip_deserializing, default)]
    status_text: String,
    #[serde(skip_deserializing, default = "http_version")]
    http_version: &'static str,
    #[serde(skip_deserializing, default)]
    cookies: [(); 0],
    #[serde(default)]
    pub(super) headers: Vec<NameValue>,
    #[serde(default)]
    pub(super) content: Content,
    #[serde(rename = "redirectURL", skip_deserializing, default)]
    redirect_url: String,
    #[serde(skip_deserializing, default = "unknown")]
    headers_size: i8,
    #[serde(skip_deserializing, default)]
    body_size: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct NameValue {
    pub(super) name: String,
    pub(super) value: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PostData {
    #[serde(default)]
    pub(super) mime_type: String,
    #[serde(default)]
    pub(super) text: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    #[serde(default)]
    pub(super) size: i64,
    #[serde(default)]
    pub(super) mime_type: String,
    /// `None` if the program that wrote the file omitted the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// `base64`, or `None` if `text` is the unencoded body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) encoding: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
struct Cache {}

#[derive(Debug, Clone, Default, Serialize)]
struct Timings {
    send: u8,
    wait: u8,
    receive: u8,
}

impl Har {
    pub(super) fn new(entries: Vec<Entry>) -> Self {
        Self { log: Log { version: version(), creator: Creator::default(), entries } }
    }
}

impl Entry {
    /// Resets the fields that the reader ignores, and removes headers that contain credentials.
    pub(super) fn normalized(self) -> Self {
        let Self { mut request, mut response, .. } = self;
        for headers in [&mut request.headers, &mut response.headers] {
            headers.retain(|header| !SECRET.iter().any(|secret| header.name.eq_ignore_ascii_case(secret.as_str())));
        }
        response.content.size = response.content.body().map_or(0, |body| size(body.len()));
        response.content.text.get_or_insert_default();
        let query = Target::of(&request.url).query;
        let request = Request::new(request.method, request.url, request.headers, query, request.post_data);
        Self::new(request, Response::new(response.status, response.headers, response.content))
    }

    pub(super) fn new(request: Request, response: Response) -> Self {
        let (cache, timings) = (Cache::default(), Timings::default());
        Self { started_date_time: fixed_time(), time: 0, request, response, cache, timings }
    }
}

impl Request {
    pub(super) fn new(
        method: String,
        url: String,
        headers: Vec<NameValue>,
        query: Vec<(String, String)>,
        post_data: Option<PostData>,
    ) -> Self {
        Self {
            method,
            url,
            http_version: http_version(),
            cookies: [],
            headers,
            query_string: query.into_iter().map(|(name, value)| NameValue { name, value }).collect(),
            body_size: post_data.as_ref().map_or(0, |data| size(data.text.len())),
            post_data,
            headers_size: unknown(),
        }
    }
}

impl Response {
    pub(super) fn new(status: u16, headers: Vec<NameValue>, content: Content) -> Self {
        let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        Self {
            status,
            status_text: reason.unwrap_or_default().to_owned(),
            http_version: http_version(),
            cookies: [],
            headers,
            redirect_url: String::new(),
            headers_size: unknown(),
            body_size: content.size,
            content,
        }
    }
}

impl Content {
    /// Decodes the body. Returns `None` if its encoding is unknown or invalid.
    pub(super) fn body(&self) -> Option<Vec<u8>> {
        match self.encoding.as_deref() {
            None | Some("") => Some(self.text.clone().unwrap_or_default().into_bytes()),
            Some("base64") => {
                // Some programs wrap the Base64 text in lines, and some omit the padding.
                let digits: String = self
                    .text
                    .iter()
                    .flat_map(|text| text.chars())
                    .filter(|digit| !digit.is_ascii_whitespace())
                    .collect();
                STANDARD_NO_PAD.decode(digits.trim_end_matches('=')).ok()
            }
            Some(_) => None,
        }
    }
}

impl Default for Creator {
    fn default() -> Self {
        Self { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") }
    }
}

fn version() -> &'static str {
    "1.2"
}

/// Returns a constant timestamp. HAR readers require a timestamp, but a real one would make two recordings of the same
/// traffic differ.
fn fixed_time() -> &'static str {
    "2000-01-01T00:00:00.000Z"
}

fn http_version() -> &'static str {
    "HTTP/1.1"
}

/// Reads a status. For a cancelled request, browsers write 0, Playwright writes -1, and other programs write null.
fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    let status = Option::<i64>::deserialize(deserializer)?.unwrap_or_default();
    // A status that is too large becomes `u16::MAX`, and the file is later rejected because of this invalid status.
    Ok(u16::try_from(status.max(0)).unwrap_or(u16::MAX))
}

/// Returns the value that the specification defines for an unknown size.
fn unknown() -> i8 {
    -1
}

/// Converts a length to HAR's integer type, in which -1 means unknown.
pub(super) fn size(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
