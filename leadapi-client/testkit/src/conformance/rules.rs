//! The contract's rules that apply to many responses, such as all lists or all errors. A run checks every response
//! against these rules.

use http::HeaderName;
use leadapi_core::{
    model::Timestamp,
    text::contains_token,
    validate::{LEAD_FIELDS, LeadField},
};
use serde_json::Value;

use super::{
    report::{Stop, Violation},
    response::CheckedResponse,
    target::Target,
};

const STATUSES: [u16; 10] = [200, 201, 204, 400, 401, 403, 404, 405, 429, 500];

/// A rule, with a function that selects the responses to check and a function that checks a response.
struct Rule {
    section: &'static str,
    text: &'static str,
    applies_to: fn(&CheckedResponse) -> bool,
    is_satisfied: fn(&CheckedResponse) -> bool,
}

/// The rules, each with its result so far.
#[derive(Default)]
pub(super) struct Rules(Vec<RuleResult>);

struct RuleResult {
    rule: &'static Rule,
    skip_reason: Option<&'static str>,
    responses: u64,
    broken: Option<Violation>,
}

impl Rules {
    pub(super) fn new(target: &Target) -> Self {
        let skip_reason = |rule: &Rule| {
            let is_off = rule.text == REQUEST_IDS && !target.request_ids;
            is_off.then_some("the target states that its host adds no request ids")
        };
        Self(
            RULES
                .iter()
                .map(|rule| RuleResult { rule, skip_reason: skip_reason(rule), responses: 0, broken: None })
                .collect(),
        )
    }

    pub(super) fn apply(&mut self, response: &CheckedResponse) {
        for result in self.0.iter_mut().filter(|result| (result.rule.applies_to)(response)) {
            result.responses += 1;
            if result.broken.is_none() && !(result.rule.is_satisfied)(response) {
                result.broken = Some(response.violation(result.rule.text));
            }
        }
    }

    /// Returns the result of each rule. A rule that applied to no response is skipped.
    pub(super) fn outcomes(self) -> impl Iterator<Item = (&'static str, &'static str, Result<(), Stop>)> {
        self.0.into_iter().map(|result| {
            let outcome = match (result.skip_reason, result.responses, result.broken) {
                (Some(reason), ..) => Err(Stop::Skipped(reason.to_owned())),
                (None, 0, _) => Err(Stop::Skipped("no such response was received".to_owned())),
                (None, _, Some(violation)) => Err(Stop::Broken(violation)),
                (None, _, None) => Ok(()),
            };
            (result.rule.section, result.rule.text, outcome)
        })
    }
}

const REQUEST_IDS: &str = "every response from a server carries X-Request-Id";

#[rustfmt::skip]
static RULES: [Rule; 25] = [
    Rule { section: "D2", text: "no response has a status other than 200, 201, 204, 400, 401, 403, 404, 405, 429 and 500",
        applies_to: every, is_satisfied: |response| STATUSES.contains(&response.status.as_u16()) },
    Rule { section: "D2", text: "every response carries Cache-Control: no-store",
        applies_to: every, is_satisfied: |response| response.header("cache-control").as_deref() == Some("no-store") },
    Rule { section: "D2", text: "every response carries X-Content-Type-Options: nosniff",
        applies_to: every, is_satisfied: |response| response.header("x-content-type-options").as_deref() == Some("nosniff") },
    Rule { section: "D2", text: REQUEST_IDS,
        applies_to: every, is_satisfied: |response| response.headers.contains_key("x-request-id") },
    Rule { section: "D2", text: "every response except 204 carries Content-Type: application/json",
        applies_to: |response| response.status != 204, is_satisfied: |response| response.header("content-type").as_deref() == Some("application/json") },
    Rule { section: "D2", text: "a 204 has no body and no Content-Type",
        applies_to: |response| response.status == 204, is_satisfied: |response| response.body.is_empty() && !response.headers.contains_key("content-type") },
    Rule { section: "D2", text: "every error body is an object with the string error and no other member",
        applies_to: |response| is_error(response) && !response.is_head, is_satisfied: |response| has_exactly(&response.json, &["error"]) && !response.error().is_empty() },
    Rule { section: "D2", text: "a 201 carries Location",
        applies_to: |response| response.status == 201, is_satisfied: |response| response.headers.contains_key("location") },
    Rule { section: "D2", text: "a 405 carries Allow, and no other status does",
        applies_to: every, is_satisfied: |response| (response.status == 405) == response.headers.contains_key("allow") },
    Rule { section: "D2", text: "a 401 carries WWW-Authenticate: Bearer",
        applies_to: |response| response.status == 401, is_satisfied: |response| response.header("www-authenticate").is_some_and(|header| header.starts_with("Bearer ")) },
    Rule { section: "D2", text: "a 429 carries Retry-After in whole seconds, 1 to 60",
        applies_to: |response| response.status == 429, is_satisfied: |response| response.header("retry-after").and_then(|after| after.parse().ok()).is_some_and(|after| matches!(after, 1_u64..=60)) },
    Rule { section: "D2", text: "a 500 has the message internal error and does not reveal its cause",
        applies_to: |response| response.status == 500 && !response.is_head, is_satisfied: |response| response.error() == "internal error" },
    Rule { section: "D2", text: "a full lead has exactly the fields of the contract",
        applies_to: |response| !leads(response).is_empty() && !is_list(response), is_satisfied: |response| has_exactly(&response.json, &fields(|_| true)) },
    Rule { section: "2.1", text: "a list item has exactly the fields of the contract",
        applies_to: |response| !leads(response).is_empty() && is_list(response), is_satisfied: |response| leads(response).iter().all(|lead| has_exactly(lead, &fields(LeadField::is_in_list))) },
    Rule { section: "2.3", text: "a list has exactly the fields data, total, limit and offset",
        applies_to: is_list, is_satisfied: |response| has_exactly(&response.json, &["data", "total", "limit", "offset"]) && ["total", "limit", "offset"].iter().all(|name| response.json.get(name).is_some_and(Value::is_u64)) },
    Rule { section: "2.3", text: "a list has at most limit records, and none past its total",
        applies_to: is_list, is_satisfied: |response| {
            let count = response.data().len() as u64;
            count <= response.number("limit") && (count == 0 || response.number("offset").saturating_add(count) <= response.number("total"))
        } },
    Rule { section: "D2", text: "a pipeline has exactly the fields id, name, stages and created_at, and a stage has exactly id, name and position",
        applies_to: |response| is_list(response) && response.path == "/pipelines", is_satisfied: |response| response.data().iter().all(|pipeline| {
            has_exactly(pipeline, &["id", "name", "stages", "created_at"]) && stages(pipeline).iter().all(|stage| has_exactly(stage, &["id", "name", "position"]))
        }) },
    Rule { section: "D2", text: "a client account has exactly the fields id, name and created_at",
        applies_to: |response| is_list(response) && response.path == "/clients", is_satisfied: |response| response.data().iter().all(|client| has_exactly(client, &["id", "name", "created_at"])) },
    Rule { section: "D4", text: "timestamps are RFC 3339 in UTC, with Z and three fractional digits",
        applies_to: |response| response.status.is_success() && !records(response).is_empty(), is_satisfied: |response| records(response).iter().all(|record| record.get("created_at").and_then(Value::as_str).is_some_and(is_timestamp)) },
    Rule { section: "D4", text: "ids are 1 to 64 visible ASCII characters",
        applies_to: |response| response.status.is_success() && !records(response).is_empty(), is_satisfied: |response| records(response).iter().all(|record| record.get("id").and_then(Value::as_str).is_some_and(is_id)) },
    Rule { section: "D6", text: "a lead in a pipeline has a stage, and a lead without a pipeline has none",
        applies_to: |response| !leads(response).is_empty(), is_satisfied: |response| leads(response).iter().all(|lead| is_null(lead, "pipeline_id") == is_null(lead, "stage_id")) },
    Rule { section: "D7", text: "HEAD has no body",
        applies_to: |response| response.is_head, is_satisfied: |response| response.body.is_empty() },
    Rule { section: "D7", text: "CORS is off",
        applies_to: every, is_satisfied: |response| !has_header(response, "access-control-") },
    Rule { section: "8", text: "no X-RateLimit-* headers are sent",
        applies_to: every, is_satisfied: |response| !has_header(response, "x-ratelimit") },
    Rule { section: "5", text: "no response contains a token",
        applies_to: every, is_satisfied: |response| !shows_token(response) },
];

const fn every(_: &CheckedResponse) -> bool {
    true
}

fn is_error(response: &CheckedResponse) -> bool {
    response.status.is_client_error() || response.status.is_server_error()
}

/// Returns whether the path and the status require the response to be a list.
fn is_list(response: &CheckedResponse) -> bool {
    response.status == 200
        && !response.is_head
        && matches!(response.path.as_str(), "/leads" | "/pipelines" | "/clients")
}

fn records(response: &CheckedResponse) -> &[Value] {
    if is_list(response) {
        response.data()
    } else {
        std::slice::from_ref(&response.json).get(..usize::from(is_lead(response))).unwrap_or_default()
    }
}

fn leads(response: &CheckedResponse) -> &[Value] {
    if response.path.starts_with("/leads") { records(response) } else { &[] }
}

fn is_lead(response: &CheckedResponse) -> bool {
    let is_one = response.status == 200 && response.path.starts_with("/leads/");
    (is_one || response.status == 201) && !response.is_head
}

fn stages(pipeline: &Value) -> &[Value] {
    pipeline.get("stages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn fields(has: fn(LeadField) -> bool) -> Vec<&'static str> {
    LEAD_FIELDS.into_iter().filter(|field| has(*field)).map(LeadField::name).collect()
}

fn has_exactly(value: &Value, names: &[&str]) -> bool {
    value
        .as_object()
        .is_some_and(|object| object.len() == names.len() && names.iter().all(|name| object.contains_key(*name)))
}

fn is_null(lead: &Value, name: &str) -> bool {
    lead.get(name).is_none_or(Value::is_null)
}

/// Returns whether a timestamp survives parsing and formatting unchanged.
fn is_timestamp(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok_and(|moment| moment.to_string() == text)
}

fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

fn has_header(response: &CheckedResponse, prefix: &str) -> bool {
    response.headers.keys().map(HeaderName::as_str).any(|name| name.starts_with(prefix))
}

/// Returns whether the response contains a token.
fn shows_token(response: &CheckedResponse) -> bool {
    contains_token(&response.body) || response.headers.values().any(|value| contains_token(value.as_bytes()))
}
