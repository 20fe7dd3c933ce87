//! Parsing of the query string. Unknown, repeated and empty parameters are errors (contract D3).

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::{
    id::{ClientId, StageId},
    model::{InvalidWindow, LeadQuery, Window},
    validate::{FieldError, FieldErrors, InvalidReference},
};

/// Reads the query of `GET /leads`.
///
/// A filter that is not a valid id matches no record (contract D4). It is omitted from the query and returned as an
/// invalid reference. If both filters are invalid, the reference to the client account is returned.
pub(super) fn leads(query: Option<&str>, errors: &mut FieldErrors) -> (LeadQuery, Option<InvalidReference>) {
    let parameters = read(query, &["client_id", "stage_id", "limit", "offset"], errors);
    let client = parameters.get("client_id").map(ClientId::parse).transpose();
    let stage = parameters.get("stage_id").map(StageId::parse).transpose();
    let invalid = match (&client, &stage) {
        (Err(_), _) => Some(InvalidReference::Client),
        (Ok(_), Err(_)) => Some(InvalidReference::Stage),
        (Ok(_), Ok(_)) => None,
    };
    let window = parameters.window(errors);
    let mut query = LeadQuery::new().window(window);
    (query.client, query.stage) = (client.unwrap_or_default(), stage.unwrap_or_default());
    (query, invalid)
}

/// Reads the query of `GET /pipelines` or `GET /clients`.
pub(super) fn window(query: Option<&str>, errors: &mut FieldErrors) -> Window {
    read(query, &["limit", "offset"], errors).window(errors)
}

/// Checks the query of an operation that takes no parameters.
pub(super) fn none(query: Option<&str>, errors: &mut FieldErrors) {
    read(query, &[], errors);
}

struct Parameters<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl Parameters<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_ref())
    }

    fn window(&self, errors: &mut FieldErrors) -> Window {
        let mut number = |error: InvalidWindow, default| {
            let Some(text) = self.get(error.field()) else { return default };
            // Rust's integer parser also accepts a leading `+`, which is not allowed here.
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            match text.parse() {
                Ok(number) if digits && error.range().contains(&number) => number,
                _ => {
                    errors.push(FieldError::new(error.field(), range_rule(error)));
                    default
                }
            }
        };
        let limit = number(InvalidWindow::Limit, Window::DEFAULT_LIMIT.into());
        let offset = number(InvalidWindow::Offset, 0);
        u32::try_from(limit).ok().and_then(|limit| Window::new(limit, offset).ok()).unwrap_or_default()
    }
}

/// Returns the allowed parameters, and adds an error for every unknown, repeated or empty parameter.
fn read<'a>(query: Option<&'a str>, allowed: &[&str], errors: &mut FieldErrors) -> Parameters<'a> {
    let mut known = Parameters(Vec::new());
    for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decode(name), decode(value));
        let error = if !allowed.contains(&name.as_ref()) {
            "is not a query parameter of this operation".to_owned()
        } else if known.get(&name).is_some() {
            "is given more than once".to_owned()
        } else if value.is_empty() {
            format!("{} and is empty", rule(&name))
        } else {
            known.0.push((name, value));
            continue;
        };
        let allowed =
            if allowed.is_empty() { "it takes none".into() } else { format!("allowed are {}", allowed.join(", ")) };
        errors.push_from_caller(&name, format!("{error} ({allowed})"));
    }
    known
}

/// Returns the rule that the value of a known parameter must satisfy.
fn rule(name: &str) -> String {
    match name {
        "limit" => range_rule(InvalidWindow::Limit),
        "offset" => range_rule(InvalidWindow::Offset),
        "client_id" => "must be the id of a client account".to_owned(),
        _ => "must be the id of a stage".to_owned(),
    }
}

fn range_rule(bound: InvalidWindow) -> String {
    format!("must be an integer from {} to {}", bound.range().start(), bound.range().end())
}

/// Decodes a form-encoded name or value, in which `+` stands for a space. Invalid UTF-8 becomes U+FFFD, which no valid
/// id contains.
fn decode(text: &str) -> Cow<'_, str> {
    if text.contains('+') {
        let blanks = text.replace('+', " ");
        return percent_decode_str(&blanks).decode_utf8_lossy().into_owned().into();
    }
    percent_decode_str(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(query: &str) -> Result<LeadQuery, String> {
        let mut errors = FieldErrors::default();
        let (read, _) = leads(Some(query), &mut errors);
        if errors.is_empty() { Ok(read) } else { Err(errors.to_string()) }
    }

    #[test]
    fn limit_and_offset_have_defaults_and_bounds() {
        assert_eq!(list(""), Ok(LeadQuery::new()));
        assert_eq!(list("&&"), Ok(LeadQuery::new()));
        for good in ["1", "200", "007", "%35"] {
            assert!(list(&format!("limit={good}")).is_ok(), "{good}");
        }
        assert_eq!(list("offset=9007199254740991").unwrap().window.offset(), Window::MAX_OFFSET);
        for bad in ["0", "201", "-1", "+1", "%2B1", "1.0", "1e1", " 1", "x", "٣", "99999999999999999999"] {
            assert_eq!(list(&format!("limit={bad}")), Err("limit must be an integer from 1 to 200".into()), "{bad}");
        }
        for bad in ["-1", "9007199254740992", "1.5", "99999999999999999999"] {
            let error = "offset must be an integer from 0 to 9007199254740991";
            assert_eq!(list(&format!("offset={bad}")), Err(error.into()), "{bad}");
        }
    }

    #[test]
    fn unknown_repeated_and_empty_parameters_are_refused() {
        let allowed = "(allowed are client_id, stage_id, limit, offset)";
        for (query, error) in [
            ("page=2", "page is not a query parameter of this operation"),
            ("Limit=2", "Limit is not a query parameter of this operation"),
            ("=2", "\"\" is not a query parameter of this operation"),
            ("client_id", "client_id must be the id of a client account and is empty"),
            ("stage_id=", "stage_id must be the id of a stage and is empty"),
            ("limit=", "limit must be an integer from 1 to 200 and is empty"),
            ("offset", "offset must be an integer from 0 to 9007199254740991 and is empty"),
            ("limit=1&limit=1", "limit is given more than once"),
        ] {
            assert_eq!(list(query), Err(format!("{error} {allowed}")));
        }
        let mut errors = FieldErrors::default();
        none(Some("x=1"), &mut errors);
        assert_eq!(errors.to_string(), "x is not a query parameter of this operation (it takes none)");
    }

    #[test]
    fn ids_are_decoded() {
        assert_eq!(list("client_id=a%2Fb").unwrap().client, Some(ClientId::parse("a/b").unwrap()));
    }

    #[test]
    fn a_filter_that_is_not_a_valid_id_matches_no_record() {
        for (query, expected, client) in [
            ("client_id=c1&stage_id=s1", None, true),
            ("client_id=a+b", Some(InvalidReference::Client), false),
            ("client_id=a+b&stage_id=a+b", Some(InvalidReference::Client), false),
            ("client_id=c1&stage_id=a+b", Some(InvalidReference::Stage), true),
        ] {
            let (read, invalid) = leads(Some(query), &mut FieldErrors::default());
            assert_eq!((invalid, read.client.is_some()), (expected, client), "{query}");
        }
    }
}
