//! Parses the body of a create or an update member by member, so that all errors can be reported together (contract
//! D5).

use std::{collections::BTreeSet, fmt, mem};

use serde::{
    Deserialize, Deserializer as _,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::body;
use crate::{
    model::{Amount, Change, LeadPatch, NewLead},
    validate::{FieldError, FieldErrors, LEAD_FIELDS, LeadField, OPTIONAL_TEXTS},
};

/// The maximum nesting depth of a body. A valid body is a single flat object.
const MAX_DEPTH: usize = 32;

/// Reads the body of a create. Returns `None` if it is not a single JSON object.
pub(super) fn new_lead(bytes: &[u8], errors: &mut FieldErrors) -> Option<NewLead> {
    let read_client_id = |value: &RawValue, errors: &mut FieldErrors| text("client_id", value, errors);
    let (client_id, mut patch) = members(bytes, LeadField::is_writable, read_client_id, errors)?;
    // In the body of a create, an absent field and `null` mean the same.
    let mut new = NewLead::default();
    new.client_id = client_id.apply(None);
    for field in OPTIONAL_TEXTS {
        *field.in_new(&mut new) = mem::take(field.in_patch(&mut patch)).apply(None);
    }
    new.name = patch.name.apply(None);
    new.value = patch.value.apply(None);
    new.pipeline_id = patch.pipeline_id.apply(None);
    new.stage_id = patch.stage_id.apply(None);
    Some(new)
}

/// Reads the body of an update. Returns `None` if it is not a single JSON object.
pub(super) fn lead_patch(bytes: &[u8], errors: &mut FieldErrors) -> Option<LeadPatch> {
    let is_changeable = |field: LeadField| field.is_writable() && !matches!(field, LeadField::ClientId);
    let refuse_client_id = |_: &RawValue, errors: &mut FieldErrors| {
        errors.push(FieldError::new("client_id", "cannot be changed"));
        Change::Keep
    };
    members(bytes, is_changeable, refuse_client_id, errors).map(|(_, patch)| patch)
}

/// Reads every member of a body. Creates and updates differ in `client_id` and in the fields suggested for an unknown
/// name.
fn members(
    bytes: &[u8],
    suggests: impl Fn(LeadField) -> bool,
    client_id: impl Fn(&RawValue, &mut FieldErrors) -> Change<String>,
    errors: &mut FieldErrors,
) -> Option<(Change<String>, LeadPatch)> {
    let (mut client, mut patch) = (Change::Keep, LeadPatch::new());
    let mut seen = BTreeSet::new();
    // Errors in members are collected separately, because a syntax error found later replaces them.
    let mut of_members = FieldErrors::default();
    let read = |name: String, value: &RawValue| {
        let errors = &mut of_members;
        if seen.contains(&name) {
            return errors.push_from_caller(&name, "is given more than once");
        }
        match name.as_str() {
            "client_id" => client = client_id(value, errors),
            "name" => patch.name = text("name", value, errors),
            "value" => patch.value = number("value", value, errors),
            "pipeline_id" => patch.pipeline_id = text("pipeline_id", value, errors),
            "stage_id" => patch.stage_id = text("stage_id", value, errors),
            "id" => errors.push(FieldError::new("id", "is set by the server")),
            "created_at" => errors.push(FieldError::new("created_at", "is set by the server")),
            other => {
                if let Some(field) = OPTIONAL_TEXTS.into_iter().find(|field| field.name() == other) {
                    *field.in_patch(&mut patch) = text(field.name(), value, errors);
                } else {
                    let nearest = nearest(other, LEAD_FIELDS.into_iter().filter(|field| suggests(*field)));
                    let rule = format!("is not a field that can be written, the nearest one is {nearest}");
                    errors.push_from_caller(other, rule);
                }
            }
        }
        seen.insert(name);
    };
    body::text(bytes).and_then(|text| parse(text, read)).map_err(|error| errors.push(error)).ok()?;
    errors.append(of_members);
    Some((client, patch))
}

/// Returns the field most similar to a name. Jaro-Winkler similarity favors a common prefix, so the nearest field to
/// `stage` is `stage_id`.
fn nearest(name: &str, fields: impl Iterator<Item = LeadField>) -> &'static str {
    let likeness = |field: &str| strsim::jaro_winkler(field, name);
    fields.map(LeadField::name).max_by(|a, b| likeness(a).total_cmp(&likeness(b))).unwrap_or_default()
}

fn text(field: &'static str, value: &RawValue, errors: &mut FieldErrors) -> Change<String> {
    match value.get() {
        "null" => Change::Clear,
        string if string.starts_with('"') => serde_json::from_str(string).map_or_else(
            |_| {
                // The parser has already checked the syntax of escapes, so the only possible error is a lone surrogate.
                errors.push(FieldError::new(field, "must not contain a lone surrogate, which is no character in JSON"));
                Change::Keep
            },
            Change::Set,
        ),
        _ => {
            errors.push(FieldError::new(field, "must be a string"));
            Change::Keep
        }
    }
}

fn number(field: &'static str, value: &RawValue, errors: &mut FieldErrors) -> Change<f64> {
    match value.get() {
        "null" => Change::Clear,
        number if number.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => {
            match Amount::parse(number) {
                Ok(amount) => Change::Set(amount.get()),
                Err(error) => {
                    errors.push(FieldError::new(field, error.to_string()));
                    Change::Keep
                }
            }
        }
        _ => {
            errors.push(FieldError::new(field, "must be a number"));
            Change::Keep
        }
    }
}

/// Parses a single JSON object. Passes its members to `member` in order, including members with repeated names.
fn parse(text: &str, member: impl FnMut(String, &RawValue)) -> Result<(), FieldError> {
    // A body that consists only of JSON whitespace counts as empty. The parser rejects any other whitespace.
    if text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
        return Err(FieldError::new("body", "is empty, a JSON object is expected"));
    }
    if is_too_deep(text) {
        return Err(FieldError::new("body", format!("is JSON nested too deeply, more than {MAX_DEPTH} levels")));
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let is_object = match deserializer.deserialize_any(Members(member)) {
        Ok(()) => true,
        // The body is not a JSON object. If it is not valid JSON at all, the syntax error is reported instead.
        Err(_) if !text.trim_start().starts_with('{') => {
            deserializer = serde_json::Deserializer::from_str(text);
            IgnoredAny::deserialize(&mut deserializer).map_err(|error| not_json(&error))?;
            false
        }
        Err(error) => return Err(not_json(&error)),
    };
    deserializer.end().map_err(|error| {
        let (line, column) = (error.line(), error.column());
        FieldError::new("body", format!("must be one JSON document, more follows at line {line} column {column}"))
    })?;
    if is_object { Ok(()) } else { Err(FieldError::new("body", "must be a JSON object")) }
}

fn not_json(error: &serde_json::Error) -> FieldError {
    FieldError::new("body", format!("is not JSON: {error}"))
}

/// Returns whether the brackets outside strings are nested more than `MAX_DEPTH` levels deep. The result may be wrong
/// for input that is not valid JSON, but the parser rejects such input anyway.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    text.bytes().any(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// A visitor that passes each member to the closure.
struct Members<F>(F);

impl<'de, F: FnMut(String, &'de RawValue)> Visitor<'de> for Members<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry()? {
            (self.0)(name, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn faults_of(body: &str) -> String {
        let mut errors = FieldErrors::default();
        new_lead(body.as_bytes(), &mut errors);
        errors.to_string()
    }

    #[test]
    fn every_kind_of_invalid_body_has_its_own_message() {
        for (body, error) in [
            ("", "body is empty, a JSON object is expected"),
            (" \n", "body is empty, a JSON object is expected"),
            ("{\n\"name\": }", "body is not JSON: expected value at line 2 column 9"),
            ("{\"name\": \"a", "body is not JSON: EOF while parsing a string at line 1 column 11"),
            ("{\"name\": 5, \"id\": 1, ", "body is not JSON: EOF while parsing a value at line 1 column 21"),
            ("[]", "body must be a JSON object"),
            ("null", "body must be a JSON object"),
            ("\"name\"", "body must be a JSON object"),
            (" \"\\ud800\"", "body must be a JSON object"),
            ("1e400", "body must be a JSON object"),
            ("{} {}", "body must be one JSON document, more follows at line 1 column 4"),
            ("[] 1", "body must be one JSON document, more follows at line 1 column 4"),
            ("[1,,2]", "body is not JSON: expected value at line 1 column 4"),
            ("[1", "body is not JSON: EOF while parsing a list at line 1 column 2"),
            ("\u{a0}", "body is not JSON: expected value at line 1 column 1"),
            (r#"{"\ud800": 1}"#, "body is not JSON: unexpected end of hex escape at line 1 column 9"),
            ("\u{feff}{}", "body is not JSON: expected value at line 1 column 1"),
        ] {
            assert_eq!(faults_of(body), error, "{body:?}");
        }
        let mut errors = FieldErrors::default();
        new_lead(b"{\"name\":\n \"\xff\"}", &mut errors);
        assert_eq!(errors.to_string(), "body is not JSON: it is not UTF-8 at line 2 column 3");
    }

    #[test]
    fn errors_are_reported_in_the_order_of_the_body() {
        let body = r#"{"nmae":"Ann","id":"x","value":"450","name":7,"name":"Ann","notes":"\ud800","email":["a"]}"#;
        assert_eq!(
            faults_of(body),
            "nmae is not a field that can be written, the nearest one is name; id is set by the server; \
             value must be a number; name must be a string; name is given more than once; \
             notes must not contain a lone surrogate, which is no character in JSON; email must be a string"
        );
    }

    #[test]
    fn nesting_is_bounded_and_brackets_in_strings_do_not_count() {
        let nested = |levels| format!(r#"{{"name":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
        assert_eq!(faults_of(&nested(31)), "name must be a string");
        assert_eq!(faults_of(&nested(32)), "body is JSON nested too deeply, more than 32 levels");
        assert!(faults_of(&"[".repeat(60_000)).contains("nested too deeply"));
        let far_apart = format!("{}{}{}", "[".repeat(17), " ".repeat(1_000), "[".repeat(16));
        assert!(faults_of(&far_apart).contains("nested too deeply"));
        assert_eq!(faults_of(&format!(r#"{{"name":"{}\"{}"}}"#, "[".repeat(99), "{".repeat(99))), "");
    }

    #[test]
    fn names_are_compared_after_their_escapes() {
        assert_eq!(faults_of(r#"{"name":"a","n\u0061me":"b"}"#), "name is given more than once");
        let told = faults_of(r#"{"strange":"a","\u0073trange":"b","name":"c"}"#);
        assert!(
            told.starts_with("strange is not a field") && told.ends_with("; strange is given more than once"),
            "{told}"
        );
    }

    #[test]
    fn the_number_of_reported_unknown_names_is_limited() {
        let members: Vec<String> = (0..5_000).map(|at| format!(r#""x{at}":1"#)).collect();
        let told = faults_of(&format!("{{{},\"name\":1}}", members.join(",")));
        assert!(told.len() < 3_000, "{}", told.len());
        assert!(told.contains("name must be a string") && told.ends_with("; and 4980 more"), "{told}");
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut errors = FieldErrors::default();
            new_lead(&bytes, &mut errors);
            lead_patch(&bytes, &mut errors);
        }

        #[test]
        fn almost_json_does_not_panic(text in r#"[\{\}\[\]":,\\u0-9a-f \-eE.n]{0,80}"#) {
            faults_of(&text);
        }
    }
}
