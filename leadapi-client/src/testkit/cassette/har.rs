//! HAR 1.2, as far as a cassette goes: <http://www.softwareishard.com/blog/har-12-spec/>.
//!
//! Written is every field that the specification requires, in its order, and nothing beside them. Read is what a replay
//! needs; the rest may be there or not. What is different in every run is a constant here.

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use http::StatusCode;
use serde::{Deserialize, Serialize};

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
    #[serde(skip_deserializing, default = "moment")]
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
    pub(super) headers: Vec<Named>,
    /// A copy of what stands in the URL, which is what a replay reads.
    #[serde(skip_deserializing, default)]
    query_string: Vec<Named>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) post_data: Option<PostData>,
    #[serde(skip_deserializing, default = "unknown")]
    headers_size: i8,
    /// As the file says, which may have left the body itself out.
    #[serde(default)]
    pub(super) body_size: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    pub(super) status: u16,
    #[serde(skip_deserializing, default)]
    status_text: String,
    #[serde(skip_deserializing, default = "http_version")]
    http_version: &'static str,
    #[serde(skip_deserializing, default)]
    cookies: [(); 0],
    #[serde(default)]
    pub(super) headers: Vec<Named>,
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
pub(super) struct Named {
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
    /// None where a program has left it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// `base64`, or that the text is the body.
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
    /// With the fields that are not read, as they are written, and without the headers that no cassette may hold.
    pub(super) fn completed(self) -> Self {
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
        Self { started_date_time: moment(), time: 0, request, response, cache, timings }
    }
}

impl Request {
    pub(super) fn new(
        method: String,
        url: String,
        headers: Vec<Named>,
        query: Vec<(String, String)>,
        post_data: Option<PostData>,
    ) -> Self {
        Self {
            method,
            url,
            http_version: http_version(),
            cookies: [],
            headers,
            query_string: query.into_iter().map(|(name, value)| Named { name, value }).collect(),
            body_size: post_data.as_ref().map_or(0, |data| size(data.text.len())),
            post_data,
            headers_size: unknown(),
        }
    }
}

impl Response {
    pub(super) fn new(status: u16, headers: Vec<Named>, content: Content) -> Self {
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
    /// The body that it stands for; none when it is written in a way that nobody knows.
    pub(super) fn body(&self) -> Option<Vec<u8>> {
        match self.encoding.as_deref() {
            None | Some("") => Some(self.text.clone().unwrap_or_default().into_bytes()),
            Some("base64") => {
                // Some programs break the lines, and some leave the end unpadded.
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

/// Readers want a moment; the true one would make two recordings of the same run differ.
fn moment() -> &'static str {
    "2000-01-01T00:00:00.000Z"
}

fn http_version() -> &'static str {
    "HTTP/1.1"
}

/// How the specification says that a size is not known.
fn unknown() -> i8 {
    -1
}

/// A length as HAR writes it, where -1 is one that is not known.
pub(super) fn size(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
