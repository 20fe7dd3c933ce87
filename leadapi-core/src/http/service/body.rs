//! Reads request bodies up to a size limit, and checks their content type (contract D5).

use bytes::Bytes;
use http::{HeaderMap, header};
use http_body::Body;

use crate::{
    BoxError,
    http::{ReadBodyError, read_body},
    validate::FieldError,
};

/// The maximum size of a body in bytes (contract D5).
pub(crate) const MAX_BYTES: usize = 65_536;

/// Reads a complete body, or fails as soon as it exceeds `MAX_BYTES`.
pub(super) async fn read<B>(body: B) -> Result<Bytes, FieldError>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    read_body(body, MAX_BYTES).await.map_err(|error| match error {
        ReadBodyError::TooLarge(most) => FieldError::new("body", format!("must be at most {most} bytes")),
        ReadBodyError::Incomplete(_) => FieldError::new("body", "could not be read to its end"),
    })
}

/// Checks that the body is declared as JSON in UTF-8. A missing `Content-Type` counts as JSON.
pub(super) fn check_content_type(headers: &HeaderMap) -> Result<(), FieldError> {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let Some(value) = values.next() else { return Ok(()) };
    match value.to_str() {
        Ok(text) if values.next().is_none() && is_json(text) => Ok(()),
        _ => {
            Err(FieldError::new("Content-Type", "must be application/json or end in +json, with charset UTF-8 if any"))
        }
    }
}

fn is_json(text: &str) -> bool {
    let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
    let essence = essence.trim().to_ascii_lowercase();
    let json = match essence.split_once('/') {
        Some(("application", "json")) => true,
        Some((kind, subtype)) => subtype.strip_suffix("+json").is_some_and(is_token) && is_token(kind),
        None => false,
    };
    json && is_in_utf8(parameters)
}

/// Returns whether the parameters are well-formed (RFC 9110, 5.6.6) and name no charset other than UTF-8.
fn is_in_utf8(mut rest: &str) -> bool {
    loop {
        rest = rest.trim_start_matches([' ', '\t', ';']);
        if rest.is_empty() {
            return true;
        }
        let Some((name, after)) = rest.split_once('=') else { return false };
        let Some((value, after)) = value(after) else { return false };
        if !is_token(name) || (name.eq_ignore_ascii_case("charset") && !value.eq_ignore_ascii_case("utf-8")) {
            return false;
        }
        rest = after;
    }
}

/// Parses the parameter value at the start of the text: a token or a quoted string. Returns the value and the remaining
/// text, or `None` if the value is malformed.
fn value(text: &str) -> Option<(&str, &str)> {
    let (value, after) = if let Some(quoted) = text.strip_prefix('"') {
        // A quote after an odd number of backslashes does not end the string. Escapes are not decoded, because `utf-8`
        // contains no character that needs escaping.
        let is_end = |(at, _): &(usize, _)| {
            let backslashes = |before: &str| before.len() - before.trim_end_matches('\\').len();
            quoted.get(..*at).map_or(0, backslashes).is_multiple_of(2)
        };
        let (end, _) = quoted.match_indices('"').find(is_end)?;
        (quoted.get(..end)?, quoted.get(end + 1..)?)
    } else {
        let (value, after) = text.split_at_checked(text.find(';').unwrap_or(text.len()))?;
        let value = value.trim_end();
        (is_token(value).then_some(value)?, after)
    };
    let after = after.trim_start();
    (after.is_empty() || after.starts_with(';')).then_some((value, after))
}

/// Returns whether the text is a token (RFC 9110, 5.6.2).
fn is_token(text: &str) -> bool {
    let of_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(of_token)
}

/// Returns the body as text, or an error with the position of the first byte that is not UTF-8.
pub(super) fn text(bytes: &[u8]) -> Result<&str, FieldError> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = good.split(|byte| *byte == b'\n').count();
            let column = good.rsplit(|byte| *byte == b'\n').next().map_or(0, <[u8]>::len) + 1;
            Err(FieldError::new("body", format!("is not JSON: it is not UTF-8 at line {line} column {column}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_content_types_are_accepted() {
        for good in [
            "application/json",
            "APPLICATION/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/merge-patch+json",
            "application/json; profile=x",
            "application/json; profile=\"a;charset=latin1\"",
            "application/json; profile=\"a\\\";charset=latin1\" ; charset=utf-8 ;",
            "application/json; profile=\"a\\\\\"; charset=utf-8",
        ] {
            assert!(is_json(good), "{good}");
        }
        for bad in [
            "",
            "json",
            "text/plain",
            "text/json",
            "application/jsonp",
            "application/+json",
            "application/json; charset=latin1",
        ] {
            assert!(!is_json(bad), "{bad}");
        }
    }
}
