//! The rules of the contract that apply to every response of a kind. They are checked on each response of a run.

use http::HeaderName;
use leadapi_core::model::Timestamp;
use serde_json::Value;

use super::{
    answer::Answer,
    report::{Stop, Violation},
    target::Target,
};

const STATUSES: [u16; 10] = [200, 201, 204, 400, 401, 403, 404, 405, 429, 500];
const LEAD: [&str; 12] = [
    "id",
    "client_id",
    "name",
    "email",
    "phone",
    "source",
    "notes",
    "value",
    "pipeline_id",
    "stage_id",
    "business_name",
    "created_at",
];
const ITEM: [&str; 10] =
    ["id", "client_id", "name", "email", "phone", "source", "value", "pipeline_id", "stage_id", "created_at"];

/// A rule: the responses that it applies to, and a check of one of them.
struct Rule {
    section: &'static str,
    text: &'static str,
    concerns: fn(&Answer) -> bool,
    is_kept: fn(&Answer) -> bool,
}

/// The results of each rule.
#[derive(Default)]
pub(super) struct Rules(Vec<Seen>);

struct Seen {
    rule: &'static Rule,
    unasked: Option<&'static str>,
    answers: u64,
    broken: Option<Violation>,
}

impl Rules {
    pub(super) fn new(target: &Target) -> Self {
        let unasked = |rule: &Rule| {
            let is_off = rule.text == REQUEST_IDS && !target.request_ids;
            is_off.then_some("the target says that its host gives no request ids")
        };
        Self(RULES.iter().map(|rule| Seen { rule, unasked: unasked(rule), answers: 0, broken: None }).collect())
    }

    pub(super) fn look(&mut self, answer: &Answer) {
        for seen in self.0.iter_mut().filter(|seen| (seen.rule.concerns)(answer)) {
            seen.answers += 1;
            if seen.broken.is_none() && !(seen.rule.is_kept)(answer) {
                seen.broken = Some(answer.broken(seen.rule.text));
            }
        }
    }

    /// Returns the result of each rule. A rule is skipped if no response was of its kind.
    pub(super) fn outcomes(self) -> impl Iterator<Item = (&'static str, &'static str, Result<(), Stop>)> {
        self.0.into_iter().map(|seen| {
            let outcome = match (seen.unasked, seen.answers, seen.broken) {
                (Some(reason), ..) => Err(Stop::Skipped(reason.to_owned())),
                (None, 0, _) => Err(Stop::Skipped("no such answer came".to_owned())),
                (None, _, Some(violation)) => Err(Stop::Broken(violation)),
                (None, _, None) => Ok(()),
            };
            (seen.rule.section, seen.rule.text, outcome)
        })
    }
}

const REQUEST_IDS: &str = "every answer of a server carries X-Request-Id";

#[rustfmt::skip]
static RULES: [Rule; 25] = [
    Rule { section: "D2", text: "no answer has another status than 200, 201, 204, 400, 401, 403, 404, 405, 429 and 500",
        concerns: every, is_kept: |answer| STATUSES.contains(&answer.status.as_u16()) },
    Rule { section: "D2", text: "every answer carries Cache-Control: no-store",
        concerns: every, is_kept: |answer| answer.header("cache-control").as_deref() == Some("no-store") },
    Rule { section: "D2", text: "every answer carries X-Content-Type-Options: nosniff",
        concerns: every, is_kept: |answer| answer.header("x-content-type-options").as_deref() == Some("nosniff") },
    Rule { section: "D2", text: REQUEST_IDS,
        concerns: every, is_kept: |answer| answer.headers.contains_key("x-request-id") },
    Rule { section: "D2", text: "every answer but 204 carries Content-Type: application/json",
        concerns: |answer| answer.status != 204, is_kept: |answer| answer.header("content-type").as_deref() == Some("application/json") },
    Rule { section: "D2", text: "a 204 has no body and no Content-Type",
        concerns: |answer| answer.status == 204, is_kept: |answer| answer.body.is_empty() && !answer.headers.contains_key("content-type") },
    Rule { section: "D2", text: "every error body is exactly an object with one text, error",
        concerns: |answer| is_error(answer) && !answer.is_head, is_kept: |answer| has_exactly(&answer.json, &["error"]) && !answer.error().is_empty() },
    Rule { section: "D2", text: "a 201 carries Location",
        concerns: |answer| answer.status == 201, is_kept: |answer| answer.headers.contains_key("location") },
    Rule { section: "D2", text: "a 405 carries Allow, and nothing else does",
        concerns: every, is_kept: |answer| (answer.status == 405) == answer.headers.contains_key("allow") },
    Rule { section: "D2", text: "a 401 carries WWW-Authenticate: Bearer",
        concerns: |answer| answer.status == 401, is_kept: |answer| answer.header("www-authenticate").is_some_and(|header| header.starts_with("Bearer ")) },
    Rule { section: "D2", text: "a 429 carries Retry-After in whole seconds, 1 to 60",
        concerns: |answer| answer.status == 429, is_kept: |answer| answer.header("retry-after").and_then(|after| after.parse().ok()).is_some_and(|after| matches!(after, 1_u64..=60)) },
    Rule { section: "D2", text: "a 500 says internal error and nothing of its cause",
        concerns: |answer| answer.status == 500 && !answer.is_head, is_kept: |answer| answer.error() == "internal error" },
    Rule { section: "D2", text: "a full lead has exactly the twelve fields",
        concerns: |answer| !leads(answer).is_empty() && !is_list(answer), is_kept: |answer| has_exactly(&answer.json, &LEAD) },
    Rule { section: "2.1", text: "a list item has exactly the ten fields",
        concerns: |answer| !leads(answer).is_empty() && is_list(answer), is_kept: |answer| leads(answer).iter().all(|lead| has_exactly(lead, &ITEM)) },
    Rule { section: "2.3", text: "a list is exactly data, total, limit and offset",
        concerns: is_list, is_kept: |answer| has_exactly(&answer.json, &["data", "total", "limit", "offset"]) && ["total", "limit", "offset"].iter().all(|name| answer.json.get(name).is_some_and(Value::is_u64)) },
    Rule { section: "2.3", text: "a list holds at most limit records, and none past its total",
        concerns: is_list, is_kept: |answer| {
            let count = answer.data().len() as u64;
            count <= answer.number("limit") && (count == 0 || answer.number("offset").saturating_add(count) <= answer.number("total"))
        } },
    Rule { section: "D2", text: "a pipeline is exactly id, name, stages and created_at, and a stage is exactly id, name and position",
        concerns: |answer| is_list(answer) && answer.path == "/pipelines", is_kept: |answer| answer.data().iter().all(|pipeline| {
            has_exactly(pipeline, &["id", "name", "stages", "created_at"]) && stages(pipeline).iter().all(|stage| has_exactly(stage, &["id", "name", "position"]))
        }) },
    Rule { section: "D2", text: "a client account is exactly id, name and created_at",
        concerns: |answer| is_list(answer) && answer.path == "/clients", is_kept: |answer| answer.data().iter().all(|client| has_exactly(client, &["id", "name", "created_at"])) },
    Rule { section: "D4", text: "timestamps are RFC 3339 in UTC, with Z and three fraction digits",
        concerns: |answer| answer.status.is_success() && !records(answer).is_empty(), is_kept: |answer| records(answer).iter().all(|record| record.get("created_at").and_then(Value::as_str).is_some_and(is_timestamp)) },
    Rule { section: "D4", text: "ids are 1 to 64 visible ASCII characters",
        concerns: |answer| answer.status.is_success() && !records(answer).is_empty(), is_kept: |answer| records(answer).iter().all(|record| record.get("id").and_then(Value::as_str).is_some_and(is_id)) },
    Rule { section: "D6", text: "a lead in a pipeline has a stage, and a lead in none has none",
        concerns: |answer| !leads(answer).is_empty(), is_kept: |answer| leads(answer).iter().all(|lead| is_null(lead, "pipeline_id") == is_null(lead, "stage_id")) },
    Rule { section: "D7", text: "HEAD has no body",
        concerns: |answer| answer.is_head, is_kept: |answer| answer.body.is_empty() },
    Rule { section: "D7", text: "CORS is off",
        concerns: every, is_kept: |answer| !has_header(answer, "access-control-") },
    Rule { section: "8", text: "no X-RateLimit-* headers are sent",
        concerns: every, is_kept: |answer| !has_header(answer, "x-ratelimit") },
    Rule { section: "5", text: "no answer shows a token",
        concerns: every, is_kept: |answer| !shows_token(answer) },
];

const fn every(_: &Answer) -> bool {
    true
}

fn is_error(answer: &Answer) -> bool {
    answer.status.is_client_error() || answer.status.is_server_error()
}

/// Returns whether the response to this path must be a list, whether or not it has an envelope.
fn is_list(answer: &Answer) -> bool {
    answer.status == 200 && !answer.is_head && matches!(answer.path.as_str(), "/leads" | "/pipelines" | "/clients")
}

fn records(answer: &Answer) -> &[Value] {
    if is_list(answer) {
        answer.data()
    } else {
        std::slice::from_ref(&answer.json).get(..usize::from(is_lead(answer))).unwrap_or_default()
    }
}

fn leads(answer: &Answer) -> &[Value] {
    if answer.path.starts_with("/leads") { records(answer) } else { &[] }
}

fn is_lead(answer: &Answer) -> bool {
    let is_one = answer.status == 200 && answer.path.starts_with("/leads/");
    (is_one || answer.status == 201) && !answer.is_head
}

fn stages(pipeline: &Value) -> &[Value] {
    pipeline.get("stages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn has_exactly(value: &Value, names: &[&str]) -> bool {
    value
        .as_object()
        .is_some_and(|object| object.len() == names.len() && names.iter().all(|name| object.contains_key(*name)))
}

fn is_null(lead: &Value, name: &str) -> bool {
    lead.get(name).is_none_or(Value::is_null)
}

/// A timestamp is valid if it parses and formats to the same text.
fn is_timestamp(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok_and(|moment| moment.to_string() == text)
}

fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

fn has_header(answer: &Answer, prefix: &str) -> bool {
    answer.headers.keys().map(HeaderName::as_str).any(|name| name.starts_with(prefix))
}

/// The prefix of a token alone does not count: a message may say how tokens start.
fn shows_token(answer: &Answer) -> bool {
    let headers = answer.headers.values().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let mut texts = headers.chain([String::from_utf8_lossy(&answer.body)]);
    texts.any(|text| text.split("pak_").skip(1).any(|rest| rest.starts_with(|next: char| next.is_ascii_alphanumeric())))
}
